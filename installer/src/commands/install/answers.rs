//! All that an installation has to know, complete and sound.

use super::arguments::Arguments;
use super::bucket::BucketSettings;
use super::known::{Known, Settings};
use crate::installation::accounts;
use crate::installation::core_settings::check_time_zone;
use crate::installation::database::with_password;
use crate::installation::new_password::{NewPassword, Password};
use crate::installation::registration::{API_SERVER_CLIENT, BROWSER_CLIENT, check_id};
use crate::installation::{Refused, refuse};
use reqwest::Url;
use shared::database_url;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The folder of settings.
pub const DIR: &str = "/etc/loan-servicing";
/// The folder of data.
pub const DATA_DIR: &str = "/var/lib/loan-servicing";
/// Where systemd looks for units of administrators.
pub const UNITS: &str = "/etc/systemd/system";
/// In the folder of data, where imports are worked on.
pub const SPOOL: &str = "spool";
/// In the folder of data, the files of documents.
pub const DOCUMENTS: &str = "documents";
/// The system user that runs the servers.
pub const SERVICE_USER: &str = "loan-servicing";
/// The admin account.
pub const ADMIN: &str = "admin";
/// The client for programs.
pub const CLIENT: &str = "integration";
/// The auth server's port.
pub const AUTH_PORT: u16 = 8443;
/// The api-server's port.
pub const API_PORT: u16 = 9443;
/// Where servers listen of themselves.
const EVERYWHERE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// All answers.
pub struct Answers {
    /// The folder of settings and certificates.
    pub dir: PathBuf,
    /// The folder of data.
    pub data_dir: PathBuf,
    /// The database, with the password.
    pub database_url: String,
    /// The business time zone, if one was given.
    pub time_zone: Option<String>,
    /// This machine as clients know it.
    pub host: String,
    /// Where the auth server listens.
    pub auth_listen: IpAddr,
    /// Where the api-server listens.
    pub api_listen: IpAddr,
    /// Port of the auth server.
    pub auth_port: u16,
    /// Port of the api-server.
    pub api_port: u16,
    /// The public URL of the auth server: its issuer.
    pub auth_url: String,
    /// The public URL of the api-server.
    pub api_url: String,
    /// What is before the servers.
    pub proxies: Option<String>,
    /// Certificates that were given; else they are made.
    pub tls: Option<GivenTls>,
    /// The admin account, should there be none.
    pub admin: String,
    /// Its password, if one was given.
    pub admin_password: Option<Password>,
    /// The client for programs, if one is wanted.
    pub client: Option<String>,
    /// Where documents are kept.
    pub documents: String,
    /// How the api-server reaches them there, if it is a bucket.
    pub bucket: BucketSettings,
    /// Where imports are worked on.
    pub spool: PathBuf,
    /// The folder of the servers' programs.
    pub programs: PathBuf,
    /// The folder for units, if they are wanted.
    pub units: Option<PathBuf>,
    /// The services are started.
    pub start: bool,
    /// The system user that runs the servers; `None`: whoever installs.
    pub service_user: Option<String>,
}

/// Certificate files that somebody else made.
#[derive(Clone, Debug)]
pub struct GivenTls {
    /// The chain.
    pub certificate: PathBuf,
    /// The key.
    pub key: PathBuf,
    /// Who signed it.
    pub authority: PathBuf,
}

impl Answers {
    /// What was given, with the present settings and then the defaults for what was not.
    pub fn complete(given: Arguments, settings: &Settings) -> Result<Self, Refused> {
        let known = Known::of(settings);
        let dir = absolute(given.dir.clone().unwrap_or_else(|| DIR.into()))?;
        let data_dir = given.data_dir.clone().or(known.data_dir.clone());
        let data_dir = absolute(data_dir.unwrap_or_else(|| DATA_DIR.into()))?;
        if dir.starts_with(&data_dir) {
            return refuse(
                "the folder of settings must not be in that of data, which is the servers' own: \
                 choose another with --dir or --data-dir",
            );
        }
        let host = given.host.clone().or(known.host.clone()).unwrap_or_else(this_host);
        let host = host.to_lowercase();
        check_host(&host)?;
        given.client.as_deref().map_or(Ok(()), check_client)?;
        given.time_zone.as_deref().map_or(Ok(()), check_time_zone)?;
        let auth_port = given.auth_port.or(known.auth_port).unwrap_or(AUTH_PORT);
        let api_port = given.api_port.or(known.api_port).unwrap_or(API_PORT);
        if auth_port == api_port {
            return refuse(format!("both servers cannot have port {auth_port}: choose two ports"));
        }
        let (auth_url, api_url) = urls(&given, &known, &host, (auth_port, api_port))?;
        given.proxies.as_deref().map_or(Ok(()), check_proxies)?;
        let documents = documents(given.documents.clone().or(known.documents.clone()))?
            .unwrap_or_else(|| data_dir.join(DOCUMENTS).display().to_string());
        Ok(Self {
            database_url: database_url(&given, &known)?,
            time_zone: given.time_zone.clone(),
            auth_listen: given.listen.or(known.auth_listen).unwrap_or(EVERYWHERE),
            api_listen: given.listen.or(known.api_listen).unwrap_or(EVERYWHERE),
            proxies: given.proxies.clone(),
            tls: given_tls(&given, &known, &dir)?,
            admin: given.admin.clone().unwrap_or_else(|| ADMIN.to_owned()),
            admin_password: admin_password(&given)?,
            client: match (&given.client, given.no_client || settings.exist) {
                (Some(id), _) => Some(id.clone()),
                (None, true) => None,
                (None, false) => Some(CLIENT.to_owned()),
            },
            bucket: given.bucket.settings(&documents)?,
            documents,
            spool: known.spool.clone().unwrap_or_else(|| data_dir.join(SPOOL)),
            programs: absolute(given.programs.clone().map_or_else(own_folder, Ok)?)?,
            units: match (&given.units, given.no_units) {
                (_, true) => None,
                (Some(units), false) => Some(absolute(units.clone())?),
                (None, false) => systemd_runs().then(|| UNITS.into()),
            },
            start: given.start,
            service_user: match super::is_root() {
                true => Some(
                    given
                        .service_user
                        .or_else(|| known.service_user.clone())
                        .unwrap_or_else(|| SERVICE_USER.to_owned()),
                ),
                false => None,
            },
            dir,
            data_dir,
            host,
            auth_port,
            api_port,
            auth_url,
            api_url,
        })
    }

    /// Refuses names that no user and no client may have.
    pub fn check_admin(&self) -> Result<(), Refused> {
        accounts::check_name(&self.admin)
    }

    /// Where the auth server is on this machine.
    pub fn auth_address(&self) -> SocketAddr {
        SocketAddr::new(self.auth_listen, self.auth_port)
    }

    /// Where the api-server is on this machine.
    pub fn api_address(&self) -> SocketAddr {
        SocketAddr::new(self.api_listen, self.api_port)
    }

    /// The auth server without whatever is before it.
    pub fn auth_direct_url(&self) -> String {
        at(&self.host, self.auth_port)
    }

    /// The file of the embedded database.
    pub fn database_file(&self) -> Option<&Path> {
        self.database_url.strip_prefix("sqlite://").map(Path::new)
    }

    /// The database without the password.
    pub fn database_shown(&self) -> String {
        shared::database_url::without_password(&self.database_url)
    }
}

/// The public URLs of both servers.
fn urls(
    given: &Arguments,
    known: &Known,
    host: &str,
    (auth_port, api_port): (u16, u16),
) -> Result<(String, String), Refused> {
    let url = |given: &Option<String>, known_url: &Option<String>, known_port, port: u16| {
        // What was made of host and port before is made of them again.
        let made = known.host.as_ref().zip(known_port).map(|(host, port)| at(host, port));
        let known_url = known_url.clone().filter(|url| Some(url) != made.as_ref());
        given.clone().or(known_url).unwrap_or_else(|| at(host, port))
    };
    let auth_url = url(&given.auth_url, &known.auth_url, known.auth_port, auth_port);
    let api_url = url(&given.api_url, &known.api_url, known.api_port, api_port);
    for url in [&auth_url, &api_url] {
        check_url(url)?;
    }
    match auth_url == api_url {
        false => Ok((auth_url, api_url)),
        true => refuse(format!(
            "both servers cannot be at {auth_url}: give each a host name of its own, or a port"
        )),
    }
}

/// The URL of a server, as browsers and [`check_url`] have it.
pub fn at(host: &str, port: u16) -> String {
    match port {
        443 => format!("https://{host}"),
        port => format!("https://{host}:{port}"),
    }
}

fn database_url(given: &Arguments, known: &Known) -> Result<String, Refused> {
    let Some(url) = given.database_url.clone().or(known.database_url.clone()) else {
        return refuse("which database? give --database-url, or run this in a terminal");
    };
    if let Some(path) = url.strip_prefix("sqlite://") {
        if !path.starts_with('/') || path.ends_with('/') {
            return refuse("the path of the database must begin with /: sqlite:///folder/name");
        }
        return absolute(path.into()).map(|path| format!("sqlite://{}", path.display()));
    }
    database_url::check(&url).and_then(|()| database_url::check_place(&url)).map_err(Refused)?;
    let of_a_server = |url: Url| ["postgres", "postgresql", "mysql"].contains(&url.scheme());
    // The driver's own message would repeat the URL, and with it the password.
    if !Url::parse(&url).is_ok_and(of_a_server) {
        return refuse("--database-url must be postgres://…, mysql://… or sqlite:///…");
    }
    match &given.database_password_file {
        Some(file) => with_password(&url, file, "--database-url"),
        None => Ok(url),
    }
}

fn admin_password(given: &Arguments) -> Result<Option<Password>, Refused> {
    let (file, generate) = (given.admin_password_file.clone(), given.generate_admin_password);
    if file.is_none() && !generate {
        return Ok(None);
    }
    let name = given.admin.as_deref().unwrap_or(ADMIN);
    NewPassword::given(file, generate).read(name).map(Some)
}

/// Files that were given now or before; those that were made here are none.
fn given_tls(given: &Arguments, known: &Known, dir: &Path) -> Result<Option<GivenTls>, Refused> {
    if let (Some(certificate), Some(key)) = (&given.tls_certificate, &given.tls_key) {
        return Ok(Some(GivenTls {
            certificate: absolute(certificate.clone())?,
            key: absolute(key.clone())?,
            authority: absolute(given.tls_authority.clone().map_or_else(public_authorities, Ok)?)?,
        }));
    }
    Ok(known.tls.clone().filter(|tls| !tls.certificate.starts_with(dir.join("tls"))))
}

/// The file of the authorities that this machine trusts.
fn public_authorities() -> Result<PathBuf, Refused> {
    openssl_probe::probe().cert_file.ok_or_else(|| {
        Refused(
            "this machine has no file of the authorities it trusts (ca-certificates): install it, \
             or name the certificate's own with --tls-authority"
                .to_owned(),
        )
    })
}

fn documents(place: Option<String>) -> Result<Option<String>, Refused> {
    match place {
        Some(place) if !place.contains("://") => {
            Ok(Some(absolute(place.into())?.display().to_string()))
        }
        place => Ok(place),
    }
}

/// A whole path, of characters that settings and units can hold.
pub fn absolute(path: PathBuf) -> Result<PathBuf, Refused> {
    let path = std::path::absolute(&path)
        .map_err(|error| Refused(format!("{}: {error}", path.display())))?;
    // A line of a settings file and a word of a unit are to hold it as it is.
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
    match path.to_str().is_some_and(|text| text.chars().all(plain)) {
        true => Ok(path),
        false => refuse(format!(
            "{} has characters that no settings file could hold: choose a path of letters, \
             digits and /._-+@",
            path.display()
        )),
    }
}

fn own_folder() -> Result<PathBuf, Refused> {
    let own = std::env::current_exe().map_err(|error| Refused(error.to_string()))?;
    Ok(own.parent().map_or_else(|| "/".into(), Path::to_owned))
}

/// True where systemd is the machine's first process.
pub fn systemd_runs() -> bool {
    Path::new("/run/systemd/system").is_dir()
}

/// This machine's name.
pub fn this_host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim().to_lowercase();
    if check_host(&name).is_ok() { name } else { "localhost".to_owned() }
}

/// Refuses an id that no client for programs may have.
pub fn check_client(id: &str) -> Result<(), Refused> {
    match [API_SERVER_CLIENT, BROWSER_CLIENT].contains(&id) {
        true => refuse(format!("{id} is a client of the servers themselves: choose another id")),
        false => check_id(id),
    }
}

/// Refuses what no certificate can name.
pub fn check_host(host: &str) -> Result<(), Refused> {
    let named = rustls::pki_types::ServerName::try_from(host).is_ok();
    match named && host == host.to_lowercase() && !host.contains(':') {
        true => Ok(()),
        false => refuse(format!(
            "{host:?} is no host name: it has letters, digits and hyphens, such as \
             loans.example.com"
        )),
    }
}

/// Refuses what is no origin.
pub fn check_url(url: &str) -> Result<(), Refused> {
    let origin = Url::parse(url).map(|parsed| parsed.origin().ascii_serialization());
    match url.starts_with("https://") && origin.as_deref() == Ok(url) {
        true => Ok(()),
        false => refuse(format!("{url:?} must be https://HOST or https://HOST:PORT")),
    }
}

/// Refuses what is no list of addresses and networks.
pub fn check_proxies(proxies: &str) -> Result<(), Refused> {
    match proxies.parse::<shared::networks::Networks>() {
        Ok(_) => Ok(()),
        Err(error) => refuse(format!("--proxies {proxies}: {error}")),
    }
}

//! The answers an installation needs, complete and validated.

use super::arguments::InstallArgs;
use super::bucket::BucketSettings;
use super::existing_config::{ExistingConfig, ExistingSettings};
use super::values::{DOCUMENTS, SPOOL, absolute, at, check_host, check_proxies, check_url};
use crate::installation::accounts;
use crate::installation::certificates::TlsFiles;
use crate::installation::core_settings::check_time_zone;
use crate::installation::database::with_password;
use crate::installation::new_password::{NewPassword, Password};
use crate::installation::registration::{API_SERVER_CLIENT, BROWSER_CLIENT, check_id};
use crate::installation::{CliError, refuse};
use reqwest::Url;
use shared::database;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

pub(super) const DIR: &str = "/etc/loan-servicing";
pub(super) const DATA_DIR: &str = "/var/lib/loan-servicing";
/// The default system user that runs the servers.
pub(super) const SERVICE_USER: &str = "loan-servicing";
pub(super) const ADMIN: &str = "admin";
/// The default id of the client for programs.
pub(super) const CLIENT: &str = "integration";
pub(super) const AUTH_PORT: u16 = 8443;
pub(super) const API_PORT: u16 = 9443;
const EVERYWHERE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

pub(super) struct Answers {
    pub dir: PathBuf,
    pub data_dir: PathBuf,
    /// URL of the database, with the password.
    pub database_url: String,
    pub time_zone: Option<String>,
    /// This machine's host name, as clients know it.
    pub host: String,
    pub auth_listen: IpAddr,
    pub api_listen: IpAddr,
    pub auth_port: u16,
    pub api_port: u16,
    /// The public URL of the auth server: its issuer.
    pub auth_url: String,
    pub api_url: String,
    pub proxies: Option<String>,
    /// Certificate files, if given; otherwise they are created.
    pub tls: Option<TlsFiles>,
    /// The name of the admin account, if there is none yet.
    pub admin: String,
    pub admin_password: Option<Password>,
    /// The client for programs, if wanted.
    pub client: Option<String>,
    /// True if clients that an earlier run was to register are not wanted any more.
    pub replaces_clients: bool,
    /// The document store: a folder or a bucket.
    pub documents: String,
    /// The api-server's settings for the bucket, if it is one.
    pub bucket: BucketSettings,
    pub spool: PathBuf,
    pub start: bool,
    /// The system user that runs the servers; `None` for the user running the installer.
    pub service_user: Option<String>,
}

impl Answers {
    /// Completes the given arguments, first from the existing settings, then with the defaults.
    pub(super) fn complete(
        given: InstallArgs,
        settings: &ExistingSettings,
    ) -> Result<Self, CliError> {
        let existing = ExistingConfig::of(settings);
        let dir = absolute(given.dir.clone().unwrap_or_else(|| DIR.into()))?;
        let data_dir = given.data_dir.clone().or(existing.data_dir.clone());
        let data_dir = absolute(data_dir.unwrap_or_else(|| DATA_DIR.into()))?;
        if dir.starts_with(&data_dir) {
            return refuse(
                "the settings folder must not be inside the data folder, which belongs to the \
                 servers: choose another with --dir or --data-dir",
            );
        }
        let host = given.host.clone().or(existing.host.clone()).unwrap_or_else(this_host);
        let host = host.to_lowercase();
        check_host(&host)?;
        given.client.as_deref().map_or(Ok(()), check_client)?;
        given.time_zone.as_deref().map_or(Ok(()), check_time_zone)?;
        let auth_port = given.auth_port.or(existing.auth_port).unwrap_or(AUTH_PORT);
        let api_port = given.api_port.or(existing.api_port).unwrap_or(API_PORT);
        if auth_port == api_port {
            return refuse(format!(
                "the two servers cannot share port {auth_port}: choose two ports"
            ));
        }
        let (auth_url, api_url) = urls(&given, &existing, &host, (auth_port, api_port))?;
        given.proxies.as_deref().map_or(Ok(()), check_proxies)?;
        let has_clients = !settings.unfinished.clients.is_empty();
        let documents = documents(given.documents.clone().or(existing.documents.clone()))?
            .unwrap_or_else(|| data_dir.join(DOCUMENTS).display().to_string());
        Ok(Self {
            database_url: database_url(&given, &existing)?,
            time_zone: given.time_zone.clone(),
            auth_listen: given.listen.or(existing.auth_listen).unwrap_or(EVERYWHERE),
            api_listen: given.listen.or(existing.api_listen).unwrap_or(EVERYWHERE),
            proxies: given.proxies.clone(),
            tls: given_tls(&given, &existing, &dir)?,
            admin: given.admin.clone().unwrap_or_else(|| ADMIN.to_owned()),
            admin_password: admin_password(&given)?,
            replaces_clients: given.no_client || given.client.is_some(),
            client: match (&given.client, given.no_client || settings.exist || has_clients) {
                (Some(id), _) => Some(id.clone()),
                (None, true) => None,
                (None, false) => Some(CLIENT.to_owned()),
            },
            bucket: given.bucket.settings(&documents)?,
            documents,
            spool: existing.spool.clone().unwrap_or_else(|| data_dir.join(SPOOL)),
            start: given.start,
            service_user: super::is_root().then(|| {
                let user = given.service_user.or_else(|| existing.service_user.clone());
                user.unwrap_or_else(|| SERVICE_USER.to_owned())
            }),
            dir,
            data_dir,
            host,
            auth_port,
            api_port,
            auth_url,
            api_url,
        })
    }

    /// Refuses an invalid name for the admin account.
    pub(super) fn check_admin(&self) -> Result<(), CliError> {
        accounts::check_name(&self.admin)
    }

    pub(super) fn auth_address(&self) -> SocketAddr {
        SocketAddr::new(self.auth_listen, self.auth_port)
    }

    pub(super) fn api_address(&self) -> SocketAddr {
        SocketAddr::new(self.api_listen, self.api_port)
    }

    /// The auth server's own URL, bypassing any proxy.
    pub(super) fn auth_direct_url(&self) -> String {
        at(&self.host, self.auth_port)
    }

    /// The file of the embedded database.
    pub(super) fn database_file(&self) -> Option<&Path> {
        self.database_url.strip_prefix("sqlite://").map(Path::new)
    }

    /// The database's URL without the password.
    pub(super) fn database_shown(&self) -> String {
        shared::database::url::without_password(&self.database_url)
    }
}

/// The public URLs of both servers.
fn urls(
    given: &InstallArgs,
    existing: &ExistingConfig,
    host: &str,
    (auth_port, api_port): (u16, u16),
) -> Result<(String, String), CliError> {
    let url = |given: &Option<String>, existing_url: &Option<String>, known_port, port: u16| {
        // A URL that was derived from host and port is derived again.
        let derived = existing.host.as_ref().zip(known_port).map(|(host, port)| at(host, port));
        let existing_url = existing_url.clone().filter(|url| Some(url) != derived.as_ref());
        given.clone().or(existing_url).unwrap_or_else(|| at(host, port))
    };
    let auth_url = url(&given.auth_url, &existing.auth_url, existing.auth_port, auth_port);
    let api_url = url(&given.api_url, &existing.api_url, existing.api_port, api_port);
    for url in [&auth_url, &api_url] {
        check_url(url)?;
    }
    match auth_url == api_url {
        false => Ok((auth_url, api_url)),
        true => refuse(format!(
            "the two servers cannot share the URL {auth_url}: give each its own host name or port"
        )),
    }
}

fn database_url(given: &InstallArgs, existing: &ExistingConfig) -> Result<String, CliError> {
    let Some(url) = given.database_url.clone().or(existing.database_url.clone()) else {
        return refuse("no database given: pass --database-url, or run this in a terminal");
    };
    if let Some(path) = url.strip_prefix("sqlite://") {
        if !path.starts_with('/') || path.ends_with('/') {
            return refuse(
                "the path of the database must start with /, as in sqlite:///folder/name",
            );
        }
        return absolute(path.into()).map(|path| format!("sqlite://{}", path.display()));
    }
    database::url::check(&url).and_then(|()| database::url::check_place(&url)).map_err(CliError)?;
    let is_server_url = |url: Url| ["postgres", "postgresql", "mysql"].contains(&url.scheme());
    // The driver's own message would repeat the URL, including the password.
    if !Url::parse(&url).is_ok_and(is_server_url) {
        return refuse("--database-url must be postgres://…, mysql://… or sqlite:///…");
    }
    match &given.database_password_file {
        Some(file) => with_password(&url, file, "--database-url"),
        None => Ok(url),
    }
}

fn admin_password(given: &InstallArgs) -> Result<Option<Password>, CliError> {
    let (file, generate) = (given.admin_password_file.clone(), given.generate_admin_password);
    if file.is_none() && !generate {
        return Ok(None);
    }
    let name = given.admin.as_deref().unwrap_or(ADMIN);
    NewPassword::given(file, generate).read(name).map(Some)
}

/// Certificate files given now or before; files created by the installer do not count.
fn given_tls(
    given: &InstallArgs,
    existing: &ExistingConfig,
    dir: &Path,
) -> Result<Option<TlsFiles>, CliError> {
    if let (Some(certificate), Some(key)) = (&given.tls_certificate, &given.tls_key) {
        return Ok(Some(TlsFiles {
            certificate: absolute(certificate.clone())?,
            key: absolute(key.clone())?,
            authority: absolute(given.tls_authority.clone().map_or_else(public_authorities, Ok)?)?,
        }));
    }
    Ok(existing.tls.clone().filter(|tls| !tls.certificate.starts_with(dir.join("tls"))))
}

/// The file with this machine's trusted authorities.
fn public_authorities() -> Result<PathBuf, CliError> {
    openssl_probe::probe().cert_file.ok_or_else(|| {
        CliError(
            "this machine has no file of trusted authorities: install the package ca-certificates, \
             or pass the certificate's authority with --tls-authority"
                .to_owned(),
        )
    })
}

fn documents(location: Option<String>) -> Result<Option<String>, CliError> {
    match location {
        Some(location) if !location.contains("://") => {
            Ok(Some(absolute(location.into())?.display().to_string()))
        }
        location => Ok(location),
    }
}

pub(super) fn this_host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim().to_lowercase();
    if check_host(&name).is_ok() { name } else { "localhost".to_owned() }
}

/// Refuses an invalid id for the programs' client.
pub(super) fn check_client(id: &str) -> Result<(), CliError> {
    match [API_SERVER_CLIENT, BROWSER_CLIENT].contains(&id) {
        true => {
            refuse(format!("the client id {id} is reserved for the servers: choose another one"))
        }
        false => check_id(id),
    }
}

//! What is known before anything is answered: what an earlier run has written.

use super::answers::{DOCUMENTS, GivenTls, SPOOL, at, check_host};
use super::arguments::Arguments;
use super::settings_file::SettingsFile;
use crate::installation::Refused;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

/// The settings that an earlier run has written, or those of a new installation.
pub struct Settings {
    /// Of the auth server.
    pub auth: SettingsFile,
    /// Of the api-server.
    pub api: SettingsFile,
    /// Their folder.
    pub dir: PathBuf,
    /// True if an earlier run has written them.
    pub exist: bool,
    /// The name of this machine that the earlier run was told, which no setting says.
    pub host: Option<String>,
}

/// The file in the folder of the settings that holds the name of this machine.
pub const HOST_FILE: &str = "host";

impl Settings {
    /// Those in this folder.
    pub fn read(dir: &Path) -> Result<Self, Refused> {
        let read = |name: &str, known| SettingsFile::read(&dir.join(name), known).map_err(Refused);
        Ok(Self {
            auth: read("auth-server.env", auth_server::config::SETTINGS)?,
            api: read("api-server.env", api_server::config::SETTINGS)?,
            dir: dir.to_owned(),
            exist: dir.join("auth-server.env").exists(),
            host: std::fs::read_to_string(dir.join(HOST_FILE))
                .ok()
                .map(|text| text.trim().to_owned())
                .filter(|host| check_host(host).is_ok()),
        })
    }
}

/// What the present settings say.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The database.
    pub database_url: Option<String>,
    /// The business time zone, as it was answered; settings do not say it.
    pub time_zone: Option<String>,
    /// This machine.
    pub host: Option<String>,
    /// Where the auth server listens.
    pub auth_listen: Option<IpAddr>,
    /// Where the api-server listens.
    pub api_listen: Option<IpAddr>,
    /// Port of the auth server.
    pub auth_port: Option<u16>,
    /// Port of the api-server.
    pub api_port: Option<u16>,
    /// The issuer.
    pub auth_url: Option<String>,
    /// The public URL of the api-server.
    pub api_url: Option<String>,
    /// The folder of data.
    pub data_dir: Option<PathBuf>,
    /// Where documents are.
    pub documents: Option<String>,
    /// Certificate, key, authority.
    pub tls: Option<GivenTls>,
    /// What is before the servers.
    pub proxies: Option<String>,
    /// Where imports are worked on, if somebody has chosen another place than the one in the folder
    /// of data.
    pub spool: Option<PathBuf>,
    /// Who runs the servers.
    pub service_user: Option<String>,
}

impl Known {
    /// The auth server of this machine, as it was before.
    pub fn auth_direct_url(&self) -> Option<String> {
        self.host.as_ref().zip(self.auth_port).map(|(host, port)| at(host, port))
    }

    /// The same, but for what was answered already, to be answered again.
    #[must_use]
    pub fn or_answered(self, given: &Arguments) -> Self {
        let given = given.clone();
        // What follows from host and port is no answer.
        let of_host =
            |port: Option<u16>| given.host.as_ref().zip(port).map(|(host, port)| at(host, port));
        let (auth, api) = (of_host(given.auth_port), of_host(given.api_port));
        Self {
            database_url: given.database_url.or(self.database_url),
            time_zone: given.time_zone.or(self.time_zone),
            host: given.host.or(self.host),
            auth_listen: given.listen.or(self.auth_listen),
            api_listen: given.listen.or(self.api_listen),
            auth_port: given.auth_port.or(self.auth_port),
            api_port: given.api_port.or(self.api_port),
            auth_url: given.auth_url.filter(|url| Some(url) != auth.as_ref()).or(self.auth_url),
            api_url: given.api_url.filter(|url| Some(url) != api.as_ref()).or(self.api_url),
            data_dir: given.data_dir.or(self.data_dir),
            documents: given.documents.or(self.documents),
            proxies: given.proxies.or(self.proxies),
            service_user: given.service_user.or(self.service_user),
            ..self
        }
    }

    /// What these settings say; nothing of a new installation.
    pub fn of(settings: &Settings) -> Self {
        if !settings.exist {
            return Self::default();
        }
        let Settings { auth, api, .. } = settings;
        let text = |file: &SettingsFile, name| file.get(name).map(str::to_owned);
        let address = |file: &SettingsFile, name| file.get(name)?.parse::<SocketAddr>().ok();
        let (auth_listen, api_listen) = (address(auth, "AUTH_LISTEN"), address(api, "API_LISTEN"));
        let path = |file: &SettingsFile, name| file.get(name).map(PathBuf::from);
        let tls = || {
            Some(GivenTls {
                certificate: path(auth, "AUTH_TLS_CERTIFICATE")?,
                key: path(auth, "AUTH_TLS_KEY")?,
                authority: path(api, "API_AUTH_CA")?,
            })
        };
        let spool = path(api, "API_SPOOL_DIRECTORY");
        let above = |path: Option<PathBuf>, name| {
            path.filter(|path| path.ends_with(name)).and_then(|it| it.parent().map(Path::to_owned))
        };
        Self {
            database_url: text(auth, "AUTH_DATABASE_URL"),
            time_zone: None,
            host: settings.host.clone(),
            auth_listen: auth_listen.map(|address| address.ip()),
            api_listen: api_listen.map(|address| address.ip()),
            auth_port: auth_listen.map(|address| address.port()),
            api_port: api_listen.map(|address| address.port()),
            auth_url: text(auth, "AUTH_ISSUER"),
            api_url: text(api, "API_PUBLIC_URL"),
            data_dir: above(spool.clone(), SPOOL)
                .or_else(|| above(path(api, "API_DOCUMENTS"), DOCUMENTS)),
            documents: text(api, "API_DOCUMENTS"),
            tls: tls(),
            proxies: text(auth, "AUTH_TRUSTED_PROXIES"),
            spool: spool.clone().filter(|spool| !spool.ends_with(SPOOL)),
            service_user: super::system_user::reader(
                &settings.dir.join("auth-server.env"),
                spool.as_deref(),
            ),
        }
    }
}

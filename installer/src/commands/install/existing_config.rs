//! What is known before any question is asked: the settings that an earlier run wrote.

use super::arguments::InstallArgs;
use super::settings_file::SettingsFile;
use super::unfinished::Unfinished;
use super::values::{DOCUMENTS, SPOOL, at, check_host};
use crate::installation::CliError;
use crate::installation::certificates::TlsFiles;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

/// The settings of an earlier run, or those of a new installation.
pub(super) struct ExistingSettings {
    pub auth: SettingsFile,
    pub api: SettingsFile,
    pub dir: PathBuf,
    /// True if an earlier run wrote them.
    pub exist: bool,
    /// This machine's host name as given to the earlier run, which no setting contains.
    pub host: Option<String>,
    /// What an earlier run has left unfinished.
    pub unfinished: Unfinished,
}

impl ExistingSettings {
    /// True if an earlier run has begun a first installation to this database, without its end.
    pub(super) fn has_begun(&self, database_url: &str) -> bool {
        !self.exist && self.unfinished.is_for(database_url)
    }

    /// True if this run completes a first installation.
    pub(super) fn completes(&self) -> bool {
        !self.unfinished.settings.is_empty()
    }
}

/// The file in the settings folder that holds this machine's host name.
pub(super) const HOST_FILE: &str = "host";

impl ExistingSettings {
    /// Reads the settings in this folder.
    pub(super) fn read(dir: &Path) -> Result<Self, CliError> {
        let read = |name: &str, definitions| {
            SettingsFile::read(&dir.join(name), definitions).map_err(CliError)
        };
        Ok(Self {
            auth: read("auth-server.env", auth_server::config::SETTINGS)?,
            api: read("api-server.env", api_server::config::SETTINGS)?,
            dir: dir.to_owned(),
            exist: dir.join("auth-server.env").exists(),
            host: std::fs::read_to_string(dir.join(HOST_FILE))
                .ok()
                .map(|text| text.trim().to_owned())
                .filter(|host| check_host(host).is_ok()),
            unfinished: Unfinished::read(dir)?,
        })
    }
}

/// The answers in the existing settings.
#[derive(Clone, Debug, Default)]
pub(super) struct ExistingConfig {
    pub database_url: Option<String>,
    /// The business time zone as answered before; no setting contains it.
    pub time_zone: Option<String>,
    pub host: Option<String>,
    pub auth_listen: Option<IpAddr>,
    pub api_listen: Option<IpAddr>,
    pub auth_port: Option<u16>,
    pub api_port: Option<u16>,
    /// The issuer: the public URL of the auth server.
    pub auth_url: Option<String>,
    pub api_url: Option<String>,
    pub data_dir: Option<PathBuf>,
    pub documents: Option<String>,
    pub tls: Option<TlsFiles>,
    pub proxies: Option<String>,
    /// The spool folder for imports, if it is not the one in the data folder.
    pub spool: Option<PathBuf>,
    pub service_user: Option<String>,
}

impl ExistingConfig {
    /// The auth server's own URL before this run.
    pub(super) fn auth_direct_url(&self) -> Option<String> {
        self.host.as_ref().zip(self.auth_port).map(|(host, port)| at(host, port))
    }

    /// Overrides these with the answers given before, to be proposed again.
    #[must_use]
    pub(super) fn or_answered(self, given: &InstallArgs) -> Self {
        let given = given.clone();
        // URLs derived from host and port are not answers.
        let derived =
            |port: Option<u16>| given.host.as_ref().zip(port).map(|(host, port)| at(host, port));
        let (auth, api) = (derived(given.auth_port), derived(given.api_port));
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

    /// Reads the answers from these settings; a new installation has none.
    pub(super) fn of(settings: &ExistingSettings) -> Self {
        if !settings.exist {
            return Self::default();
        }
        let ExistingSettings { auth, api, .. } = settings;
        let text = |file: &SettingsFile, name| file.get(name).map(str::to_owned);
        let address = |file: &SettingsFile, name| file.get(name)?.parse::<SocketAddr>().ok();
        let (auth_listen, api_listen) = (address(auth, "AUTH_LISTEN"), address(api, "API_LISTEN"));
        let path = |file: &SettingsFile, name| file.get(name).map(PathBuf::from);
        let tls = || {
            Some(TlsFiles {
                certificate: path(auth, "AUTH_TLS_CERTIFICATE")?,
                key: path(auth, "AUTH_TLS_KEY")?,
                authority: path(api, "API_AUTH_CA")?,
            })
        };
        let spool = path(api, "API_SPOOL_DIRECTORY");
        let parent_of = |path: Option<PathBuf>, name| {
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
            data_dir: parent_of(spool.clone(), SPOOL)
                .or_else(|| parent_of(path(api, "API_DOCUMENTS"), DOCUMENTS)),
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

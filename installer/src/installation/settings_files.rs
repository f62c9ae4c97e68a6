//! The installation that a command works on: its servers' settings files.

use crate::installation::cli_error::{CliError, refuse};
use crate::installation::database::open_database;
use crate::installation::trusted_path::{check_path, own_id};
use auth_server::config::{self, SETTINGS};
use sea_orm::DatabaseConnection;
use shared::envelope_encryption::MasterKeys;
use shared::passwords::Passwords;
use shared::settings::Settings;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// The default folders: of this machine's installation, and of a quickstart in the current folder.
const STANDARD_FOLDERS: [&str; 2] = ["/etc/loan-servicing", "./loan-servicing"];
/// What to do about settings that are not trusted.
const NAME_IT: &str = "name the settings file with --env-file if it is the right one";

/// The auth server's settings, or its database alone.
#[derive(clap::Args, Clone, Debug)]
pub struct Installation {
    /// Settings file of the auth server; environment variables override it [default:
    /// /etc/loan-servicing/auth-server.env, else ./loan-servicing/auth-server.env]
    #[arg(long, global = true, value_name = "FILE")]
    pub env_file: Option<PathBuf>,
    /// URL of the database, overriding AUTH_DATABASE_URL
    #[arg(long, global = true, value_name = "URL")]
    pub database_url: Option<String>,
}

impl Installation {
    /// Opens its database, which must have this release's schema.
    pub async fn open(&self) -> Result<DatabaseConnection, CliError> {
        open_database(&self.database_url()?).await
    }

    /// This installation's password hashing.
    pub fn passwords(&self) -> Result<Passwords, CliError> {
        let mut settings = self.settings()?;
        let passwords = config::passwords(&mut settings);
        let passwords = settings.finish(passwords).map_err(CliError)?;
        passwords.ok_or_else(|| CliError("cannot hash passwords".to_owned()))
    }

    /// The master keys that seal its signing keys, and the rotation interval of the latter.
    pub fn signing(&self) -> Result<(MasterKeys, i64), CliError> {
        let mut settings = self.settings()?;
        let keys = settings.parsed("AUTH_MASTER_KEYS");
        let seconds = config::key_rotation_seconds(&mut settings);
        settings.finish((keys, seconds)).map_err(CliError)
    }

    pub fn database_url(&self) -> Result<String, CliError> {
        if let Some(url) = &self.database_url {
            return Ok(url.clone());
        }
        let file = settings_file(self.env_file.clone(), "auth-server.env")?;
        let mut settings = Settings::read(SETTINGS, file.as_deref());
        let url = settings.optional("AUTH_DATABASE_URL").unwrap_or_default();
        let readable = file.is_none_or(|file| std::fs::File::open(file).is_ok());
        if url.is_empty() && readable {
            settings.fault(format!(
                "no database given: AUTH_DATABASE_URL is not set; pass a settings file with \
                 --env-file (default {}), or the database with --database-url",
                STANDARD_FOLDERS.map(|it| format!("{it}/auth-server.env")).join(", else ")
            ));
        }
        settings.finish(url).map_err(CliError)
    }

    /// The api-server's settings next to those of the auth server, and their file, if they exist
    /// and name the same database.
    pub fn api_settings(&self) -> Option<(PathBuf, Settings)> {
        let file = match &self.env_file {
            Some(file) => file.with_file_name("api-server.env"),
            None => standard_file("api-server.env").ok()??,
        };
        if !file.is_file() {
            return None;
        }
        let settings = Settings::read(api_server::config::SETTINGS, Some(&file));
        let url = settings.optional("API_DATABASE_URL");
        let is_same_database = self.database_url.is_none() || self.database_url == url;
        is_same_database.then_some((file, settings))
    }

    fn settings(&self) -> Result<Settings, CliError> {
        let file = settings_file(self.env_file.clone(), "auth-server.env")?;
        Ok(Settings::read(SETTINGS, file.as_deref()))
    }
}

/// The settings files of both servers.
#[derive(clap::Args, Clone, Debug)]
pub struct SettingsFiles {
    /// Settings file of the auth server; environment variables override it [default: next to
    /// --api-env-file if that is given, else /etc/loan-servicing/auth-server.env, else
    /// ./loan-servicing/auth-server.env]
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
    /// Settings file of the api-server; environment variables override it [default: next to
    /// --env-file if that is given, else /etc/loan-servicing/api-server.env, else
    /// ./loan-servicing/api-server.env]
    #[arg(long, value_name = "FILE")]
    api_env_file: Option<PathBuf>,
}

impl SettingsFiles {
    /// The auth server's, if it was named or exists in a default folder.
    pub fn auth(&self) -> Result<Option<PathBuf>, CliError> {
        let sibling = || sibling(self.api_env_file.as_deref(), "auth-server.env");
        settings_file(self.env_file.clone().or_else(sibling), "auth-server.env")
    }

    pub fn api(&self) -> Result<Option<PathBuf>, CliError> {
        let sibling = || sibling(self.env_file.as_deref(), "api-server.env");
        settings_file(self.api_env_file.clone().or_else(sibling), "api-server.env")
    }
}

/// The file of this name next to another one, if it exists.
fn sibling(other: Option<&Path>, name: &str) -> Option<PathBuf> {
    other.map(|other| other.with_file_name(name)).filter(|file| file.exists())
}

/// A server's settings file: the one that was named, else this machine's, else a quickstart's.
fn settings_file(given: Option<PathBuf>, name: &str) -> Result<Option<PathBuf>, CliError> {
    match given {
        Some(given) => Ok(Some(given)),
        None => standard_file(name),
    }
}

/// Both files come from one folder. A folder that may not be read counts as well, so that the user
/// learns of it. The settings are refused if another user owns or can write them; otherwise the folder
/// is printed to standard error.
fn standard_file(name: &str) -> Result<Option<PathBuf>, CliError> {
    let exists = |path: &Path| !matches!(path.try_exists(), Ok(false));
    let has_settings = |folder: &&Path| {
        ["auth-server.env", "api-server.env"].iter().any(|name| exists(&folder.join(name)))
    };
    let Some(folder) = STANDARD_FOLDERS.iter().map(Path::new).find(has_settings) else {
        return Ok(None);
    };
    let file = folder.join(name);
    if !exists(&file) {
        return Ok(None);
    }
    // One that cannot be looked at cannot be read either, which is reported with its name.
    if file.symlink_metadata().is_ok() {
        let trusted = own_id().and_then(|own_id| {
            let owners = [0, own_id];
            check_path(folder, &owners, NAME_IT)?;
            check_path(&file, &owners, NAME_IT)
        });
        trusted.map_err(CliError)?;
    }
    static NAMED: Once = Once::new();
    NAMED.call_once(|| eprintln!("settings: those in {}", folder.display()));
    Ok(Some(file))
}

/// Reads an api-server's settings and the URL of its database. Settings that a command does not use
/// may be missing or wrong.
pub fn read_api_settings(env_file: Option<&Path>) -> Result<(Settings, String), CliError> {
    let file = settings_file(env_file.map(Path::to_owned), "api-server.env")?;
    let settings = Settings::read(api_server::config::SETTINGS, file.as_deref());
    let url = settings.optional("API_DATABASE_URL").unwrap_or_default();
    let readable = file.as_ref().is_none_or(|file| std::fs::File::open(file).is_ok());
    if url.is_empty() && readable {
        return refuse(format!(
            "no database given: API_DATABASE_URL is not set; pass the api-server's settings file \
             with --env-file (default {})",
            STANDARD_FOLDERS.map(|it| format!("{it}/api-server.env")).join(", else ")
        ));
    }
    Ok((settings, url))
}

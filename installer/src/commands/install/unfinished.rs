//! What an unfinished installation has promised: its keys, secrets and generated password.
//!
//! They are on disk before anything depends on them, and go once they have been shown. So whatever
//! ends the installer, the next run completes the installation with the same ones.

use crate::installation::files::{read, write_private};
use crate::installation::{CliError, refuse};
use auth_server::store::clients::secret_hash;
use serde::{Deserialize, Serialize};
use shared::entity::oauth_clients;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};

/// The file in the settings folder.
pub(super) const UNFINISHED: &str = "install.unfinished";
/// Why a database is refused.
pub(super) const BELONGS_TO_ANOTHER: &str =
    "the database belongs to an existing installation, but its keys are not here";
/// The setting with the secret of the api-server's client.
pub(super) const CLIENT_SECRET: &str = "API_AUTH_CLIENT_SECRET";

/// The contents of the file; empty if no installation is unfinished.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Unfinished {
    /// The database it installs to, without a password.
    pub database: String,
    /// Keys and secrets for the settings, by name.
    pub settings: BTreeMap<String, String>,
    /// Name and password of the admin account, if the password was generated.
    pub admin: Option<(String, String)>,
    /// The secrets of new clients, by client id.
    pub clients: BTreeMap<String, String>,
}

impl Unfinished {
    /// Reads the file of this settings folder.
    pub(super) fn read(dir: &Path) -> Result<Self, CliError> {
        let path = path(dir);
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = read(&path).map_err(CliError)?;
        let read = serde_json::from_str(&text);
        read.map_err(|error| CliError(format!("cannot read {}: {error}", path.display())))
    }

    /// True if an installation to this database is unfinished.
    pub(super) fn is_for(&self, database_url: &str) -> bool {
        self.database == shared::database::url::without_password(database_url)
    }

    /// Refuses another database than that of the unfinished installation.
    pub(super) fn check_database(&self, database_url: &str, dir: &Path) -> Result<(), CliError> {
        match self.database.is_empty() || self.is_for(database_url) {
            true => Ok(()),
            false => refuse(format!(
                "an installation to {} is unfinished: complete it with that database, or remove {} \
                 to give it up",
                self.database,
                path(dir).display()
            )),
        }
    }

    /// True if this is the client that the unfinished installation has registered, or will.
    pub(super) fn owns(&self, api_server: &oauth_clients::Model) -> bool {
        let hash = self.settings.get(CLIENT_SECRET).map(|secret| secret_hash(secret));
        let stored = api_server.secret_hash1.as_ref().map(|hash| hash.reveal());
        hash.is_some() && hash.as_deref() == stored
    }

    /// True if there is nothing to keep.
    pub(super) fn is_empty(&self) -> bool {
        self.settings.is_empty() && self.admin.is_none() && self.clients.is_empty()
    }

    /// Writes the file, which survives a power failure from then on.
    pub(super) fn write(&self, dir: &Path) -> Result<(), CliError> {
        let path = path(dir);
        let failed = |error| CliError(format!("cannot write {}: {error}", path.display()));
        let new = path.with_extension("new");
        let text =
            serde_json::to_string_pretty(self).map_err(|error| CliError(error.to_string()))?;
        write_private(&new, &text).map_err(CliError)?;
        let synced = || {
            File::open(&new)?.sync_all()?;
            fs::rename(&new, &path)?;
            File::open(dir)?.sync_all()
        };
        synced().map_err(failed)
    }

    /// Removes the file: the installation is finished.
    pub(super) fn forget(dir: &Path) -> Result<(), CliError> {
        let path = path(dir);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != NotFound => {
                refuse(format!("cannot remove {}: {error}", path.display()))
            }
            _ => Ok(()),
        }
    }
}

fn path(dir: &Path) -> PathBuf {
    dir.join(UNFINISHED)
}

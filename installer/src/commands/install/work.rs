//! The state of a run, and what all of its steps do.

use super::answers::Answers;
use super::checks::DatabaseState;
use super::journal::Journal;
use super::plan::InstallPlan;
use super::system_user;
use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};

/// The state of a run.
pub(super) struct Work<'a> {
    pub answers: &'a Answers,
    pub plan: &'a InstallPlan,
    /// The contents of the database before the run.
    pub found: &'a DatabaseState,
    /// True if it changes an existing installation.
    pub settings_existed: bool,
    pub journal: Journal,
    /// Secrets to show at the end: their description, and the secret.
    pub secrets: Vec<(String, String)>,
}

impl Work<'_> {
    /// The user that runs the servers, if not the one running the installer.
    pub(super) fn user(&self) -> Option<(u32, u32)> {
        system_user::ids(self.answers.service_user.as_deref()?)
    }

    /// Gives the embedded database to the servers' user.
    pub(super) fn give_database(&self) -> Result<(), String> {
        let Some(user) = self.user() else { return Ok(()) };
        let file = self.answers.database_url.strip_prefix("sqlite://").map(PathBuf::from);
        let files = file.iter().flat_map(|file| database_files(file)).filter(|file| file.exists());
        files.into_iter().try_for_each(|file| system_user::change_owner(&file, user))
    }
}

/// An SQLite file and its companion files.
pub(super) fn database_files(file: &Path) -> [PathBuf; 3] {
    ["", "-wal", "-shm"].map(|end| PathBuf::from(format!("{}{end}", file.display())))
}

/// Removes a file, if it exists.
pub(super) fn remove_file(path: &Path) -> Result<(), String> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == NotFound => Ok(()),
        removed => removed.map_err(|error| format!("cannot remove {}: {error}", path.display())),
    }
}

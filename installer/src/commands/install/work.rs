//! The state of a run, and what several of its steps do.

use super::answers::Answers;
use super::plan::{InstallPlan, SERVERS};
use super::staged::Staged;
use super::system_user::{self, UserIds};
use crate::installation::certificates::TlsFiles;
use crate::installation::{CliError, Installation};
use std::path::Path;

/// A run that changes something.
pub(super) struct Work<'a> {
    pub answers: &'a Answers,
    pub plan: &'a InstallPlan,
}

impl Work<'_> {
    /// New settings and certificates.
    pub(super) fn staged(&self) -> Staged<'_> {
        Staged(&self.answers.dir)
    }

    /// The installation as the new settings describe it.
    pub(super) fn installation(&self) -> Installation {
        let env_file = Some(self.staged().or_present("auth-server.env"));
        Installation { env_file, database_url: None }
    }

    /// The files that the servers will use: the new ones, if certificates are created.
    pub(super) fn tls(&self) -> TlsFiles {
        let new = TlsFiles::in_folder(&self.staged().path("tls"));
        if new.certificate.exists() { new } else { self.plan.tls.clone() }
    }

    /// The user that runs the servers, if not the one running the installer.
    pub(super) fn user(&self) -> Option<UserIds> {
        system_user::ids(self.answers.service_user.as_deref()?)
    }

    /// Gives the embedded database to the servers' user.
    pub(super) fn give_database(&self) -> Result<(), CliError> {
        let Some((user, file)) = self.user().zip(self.answers.database_file()) else {
            return Ok(());
        };
        let files = ["", "-wal", "-shm"].map(|end| format!("{}{end}", file.display()));
        let mut files = files.iter().map(Path::new).filter(|file| file.exists());
        files.try_for_each(|file| system_user::change_owner(file, user))
    }

    fn grant_read(&self, path: &Path) -> Result<(), CliError> {
        self.user().map_or(Ok(()), |user| system_user::grant_read(path, user))
    }

    /// Lets the servers read their settings and, unless the administrator gave them, certificates.
    pub(super) fn grant_settings(&self) -> Result<(), CliError> {
        let settings = SERVERS.map(|server| self.staged().or_present(&format!("{server}.env")));
        let mut files = vec![self.answers.dir.clone()];
        files.extend(settings);
        if self.answers.tls.is_none() {
            let tls = self.tls();
            // The authority's key stays with the installing user: no server needs it.
            files.extend(tls.certificate.parent().map(Path::to_owned));
            files.extend([tls.authority, tls.certificate, tls.key]);
        }
        files.iter().try_for_each(|file| self.grant_read(file))
    }

    /// Prepares the folder for new files.
    pub(super) fn begin(&self) -> Result<(), CliError> {
        self.staged().begin()?;
        self.grant_read(&self.staged().path(""))
    }
}

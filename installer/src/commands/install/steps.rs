//! Carrying out the plan. Each step may be repeated: a run that was cut short is completed by the
//! next.

use super::checks::certificate_names;
use super::existing_config::HOST_FILE;
use super::plan::{InstallStep, SERVERS, folders};
use super::private_folders::create_private;
use super::work::Work;
use super::{rows, system_user, verifying};
use crate::installation::CliError;
use crate::installation::certificates;
use crate::installation::files::{write, write_private};
use shared::database::{self, migration};
use std::fs::{self, OpenOptions};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, chown};
use std::path::Path;

impl Work<'_> {
    /// Carries out one step.
    pub(super) async fn perform(&self, step: InstallStep) -> Result<(), CliError> {
        match step {
            InstallStep::Folders => self.create_folders(),
            InstallStep::Certificates => self.create_certificates(),
            InstallStep::Settings => self.write_settings(),
            InstallStep::Schema => self.create_schema().await,
            InstallStep::ApiServer => rows::add_api_server(self).await,
            InstallStep::Verify => verifying::verify(self).await,
            InstallStep::Rows => rows::set(self).await,
            InstallStep::Services => verifying::start(self).await,
        }
    }

    fn create_folders(&self) -> Result<(), CliError> {
        for folder in folders(self.answers) {
            create_private(&folder)?;
            // The folder only, without its contents: it is new, empty, or already the user's.
            if let Some(user) = self.user().filter(|user| !system_user::owns(&folder, *user)) {
                system_user::change_owner(&folder, user)?;
            }
        }
        Ok(())
    }

    /// Creates them from the present authority, if there is one.
    fn create_certificates(&self) -> Result<(), CliError> {
        let (present, new) = (self.answers.dir.join("tls"), self.staged().path("tls"));
        create_private(&new)?;
        for name in ["ca.pem", "ca.key"] {
            let from = present.join(name);
            if from.exists() {
                let copied = fs::copy(&from, new.join(name));
                copied.map_err(|error| {
                    CliError(format!("cannot copy {}: {error}", from.display()))
                })?;
            }
        }
        certificates::own(&new, &certificate_names(self.answers)).map(drop).map_err(CliError)
    }

    fn write_settings(&self) -> Result<(), CliError> {
        for (server, file) in SERVERS.into_iter().zip([&self.plan.auth, &self.plan.api]) {
            let name = format!("{server}.env");
            let (present, new) = (self.answers.dir.join(&name), self.staged().path(&name));
            if fs::read_to_string(&present).is_ok_and(|text| text == file.text()) {
                continue;
            }
            write_private(&new, file.text()).map_err(CliError)?;
            keep_rights(&present, &new)?;
        }
        let host = format!("{}\n", self.answers.host);
        write(&self.staged().path(HOST_FILE), &host).map_err(CliError)
    }

    async fn create_schema(&self) -> Result<(), CliError> {
        let url = &self.answers.database_url;
        if let Some(file) = self.answers.database_file().filter(|file| !file.exists()) {
            // SQLite would create it readable by everyone; its companion files inherit this mode.
            let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
            created
                .map_err(|error| CliError(format!("cannot create {}: {error}", file.display())))?;
        }
        let failed = |error: sea_orm::DbErr| CliError(format!("cannot create the schema: {error}"));
        let db = database::connect(url, 2).await.map_err(failed)?;
        migration::migrate(&db).await.map_err(failed)?;
        db.close().await.map_err(failed)
    }
}

/// Gives a new file the owner and mode of the one that it replaces, if there is one.
fn keep_rights(present: &Path, new: &Path) -> Result<(), CliError> {
    let Ok(metadata) = fs::metadata(present) else { return Ok(()) };
    let kept = || {
        chown(new, Some(metadata.uid()), Some(metadata.gid()))?;
        fs::set_permissions(new, metadata.permissions())
    };
    kept().map_err(|error| {
        CliError(format!("cannot change the permissions of {}: {error}", new.display()))
    })
}

//! Carrying out the plan, each step recorded before it begins; and rolling it back.

use super::checks::certificate_names;
use super::journal::Undo;
use super::plan::{InstallStep, env_file, folders, host_file};
use super::private_folders::{create_private, missing_folders};
use super::units::{SERVICES, unit};
use super::work::{Work, database_files, remove_file};
use super::{rows, schema, system_user};
use crate::installation::certificates;
use crate::installation::files::{write, write_private};
use shared::database_url::without_password;
use shared::{db, migration};
use std::io::ErrorKind::{DirectoryNotEmpty, NotFound};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;

impl Work<'_> {
    /// Carries out one step; the last one is in [`super::verifying`].
    pub(super) async fn perform(&mut self, step: InstallStep) -> Result<(), String> {
        match step {
            InstallStep::Account => self.create_account(),
            InstallStep::Folders => self.create_folders(),
            InstallStep::Certificates => self.create_certificates(),
            InstallStep::Settings => self.write_settings(),
            InstallStep::Schema => self.create_schema().await,
            InstallStep::Rows => rows::add(self).await,
            InstallStep::TimeZone => rows::set_time_zone(self).await,
            InstallStep::Documentation => rows::add_receiver(self).await,
            InstallStep::Units => self.write_units(),
            InstallStep::Services => self.start_services(),
            InstallStep::Verify => super::verifying::verify(self).await,
        }
    }

    fn create_private_folder(&mut self, folder: &Path) -> Result<(), String> {
        for missing in missing_folders(folder) {
            self.journal.note(Undo::RemoveFolder(missing))?;
        }
        create_private(folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))
    }

    fn create_account(&mut self) -> Result<(), String> {
        let Some(name) = &self.answers.service_user else { return Ok(()) };
        self.journal.note(Undo::RemoveAccount(name.clone()))?;
        system_user::create(name, &self.answers.data_dir)
    }

    fn create_folders(&mut self) -> Result<(), String> {
        for folder in folders(self.answers) {
            self.create_private_folder(&folder)?;
            let Some(user) = self.user() else { continue };
            // The folder only, without its contents: it is new, empty, or already the user's.
            if !system_user::owns(&folder, user) {
                self.note_rights(&folder)?;
                system_user::change_owner(&folder, user)?;
            }
        }
        Ok(())
    }

    /// Records a folder's owner and mode for a rollback.
    fn note_rights(&mut self, path: &Path) -> Result<(), String> {
        let metadata = std::fs::metadata(path)
            .map_err(|error| format!("cannot inspect {}: {error}", path.display()))?;
        let (user, group, mode) = (metadata.uid(), metadata.gid(), metadata.mode());
        self.journal.note(Undo::RestoreRights { path: path.to_owned(), user, group, mode })
    }

    fn create_certificates(&mut self) -> Result<(), String> {
        let tls = self.plan.tls.clone();
        let folder = self.answers.dir.join("tls");
        self.create_private_folder(&folder)?;
        for path in [&tls.authority, &tls.certificate, &tls.key, &folder.join("ca.key")] {
            self.note_file(path)?;
        }
        certificates::own(&folder, &certificate_names(self.answers))?;
        self.grant_read(&folder)?;
        // The authority's key stays with the installing user: no server needs it.
        [&tls.authority, &tls.certificate, &tls.key]
            .into_iter()
            .try_for_each(|it| self.grant_read(it))
    }

    /// Records a file's contents for a rollback.
    fn note_file(&mut self, path: &Path) -> Result<(), String> {
        let undo = match std::fs::read_to_string(path) {
            Ok(text) => Undo::RestoreFile(path.to_owned(), text),
            Err(error) if error.kind() == NotFound => Undo::RemoveFile(path.to_owned()),
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        };
        self.journal.note(undo)
    }

    fn grant_read(&self, path: &Path) -> Result<(), String> {
        self.user().map_or(Ok(()), |user| system_user::grant_read(path, user))
    }

    fn write_settings(&mut self) -> Result<(), String> {
        if self.user().is_some() {
            self.note_rights(&self.answers.dir)?;
        }
        self.grant_read(&self.answers.dir)?;
        if self.settings_existed && self.answers.start {
            // Recorded before the files, and therefore rolled back after them.
            let names = SERVICES.map(|(_, name, _)| name.to_owned()).to_vec();
            self.journal.note(Undo::RestartServices(names))?;
        }
        for (name, file) in [("auth-server", &self.plan.auth), ("api-server", &self.plan.api)] {
            let path = env_file(self.answers, name);
            self.note_file(&path)?;
            write_private(&path, file.text())?;
            self.grant_read(&path)?;
        }
        let host_file = host_file(self.answers);
        self.note_file(&host_file)?;
        write(&host_file, &format!("{}\n", self.answers.host))
    }

    async fn create_schema(&mut self) -> Result<(), String> {
        let url = &self.answers.database_url;
        let file = url.strip_prefix("sqlite://").map(PathBuf::from).filter(|path| !path.exists());
        let files = file.iter().flat_map(|file| database_files(file)).collect();
        self.journal.note(Undo::DropSchema { database_url: url.clone(), files })?;
        if let Some(file) = &file {
            // SQLite would create it readable by everyone; its companion files inherit this mode.
            write_private(file, "")?;
        }
        let failed = |error: sea_orm::DbErr| format!("cannot create the schema: {error}");
        let db = db::connect(url, 2, true).await.map_err(failed)?;
        migration::migrate(&db).await.map_err(failed)?;
        db.close().await.map_err(failed)
    }

    fn write_units(&mut self) -> Result<(), String> {
        let Some(folder) = self.answers.units.clone() else { return Ok(()) };
        self.create_private_folder(&folder)?;
        for (_, name, text) in SERVICES {
            let path = folder.join(name);
            self.note_file(&path)?;
            write(&path, &unit(text, self.answers))?;
        }
        reload_units();
        Ok(())
    }

    fn start_services(&mut self) -> Result<(), String> {
        let names = SERVICES.map(|(_, name, _)| name.to_owned());
        if !self.settings_existed {
            self.journal.note(Undo::StopServices(names.to_vec()))?;
        }
        systemctl(&["enable"], &names)?;
        // Running services pick up the new settings.
        systemctl(&["restart"], &names)
    }
}

fn systemctl(verb: &[&str], units: &[String]) -> Result<(), String> {
    let mut command = Command::new("systemctl");
    command.args(verb).args(units);
    system_user::run(command)
}

/// Makes systemd reload its units, if it is running.
fn reload_units() {
    if super::answers::systemd_runs() {
        let _ = systemctl(&["daemon-reload"], &[]);
    }
}

/// Rolls back the changes, latest first. All are tried; the errors say what remains.
pub(super) async fn undo(done: &[Undo]) -> Vec<String> {
    let mut faults = Vec::new();
    for undo in done.iter().rev().filter(|undo| !goes_with_schema(undo, done)) {
        if let Err(fault) = undo_one(undo).await {
            faults.push(fault);
        }
    }
    faults
}

/// True for rows of a schema that the same run created and that is dropped as a whole; an
/// interrupted rollback may have left nothing of it.
fn goes_with_schema(undo: &Undo, done: &[Undo]) -> bool {
    let url = match undo {
        Undo::RemoveRows(rows) => &rows.database_url,
        Undo::RestoreTimeZone { database_url, .. } => database_url,
        _ => return false,
    };
    done.iter().any(|it| matches!(it, Undo::DropSchema { database_url, .. } if database_url == url))
}

/// Removes the folders that contained the journal, and so could not be removed before it.
pub(super) fn remove_folders(done: &[Undo]) {
    for undo in done.iter().rev() {
        if let Undo::RemoveFolder(path) = undo {
            let _ = std::fs::remove_dir(path);
        }
    }
}

async fn undo_one(undo: &Undo) -> Result<(), String> {
    let failed = |what: &str, path: &Path, error: std::io::Error| {
        format!("cannot {what} {}: {error}", path.display())
    };
    match undo {
        Undo::RemoveFolder(path) => match std::fs::remove_dir(path) {
            // Someone else has put something there, or it still contains the journal.
            Err(error) if [NotFound, DirectoryNotEmpty].contains(&error.kind()) => Ok(()),
            removed => removed.map_err(|error| failed("remove", path, error)),
        },
        Undo::RemoveFile(path) => remove_file(path),
        Undo::RestoreFile(path, text) => {
            std::fs::write(path, text).map_err(|error| failed("restore", path, error))
        }
        Undo::RestoreRights { path, user, group, mode } => {
            match system_user::restore(path, (*user, *group), *mode) {
                Err(error) if error.kind() != NotFound => Err(failed("restore", path, error)),
                _ => Ok(()),
            }
        }
        Undo::RemoveAccount(name) => system_user::remove(name),
        Undo::DropSchema { database_url, files } if files.is_empty() => {
            let failed = |error| format!("cannot drop the schema: {error}");
            let db = db::connect(database_url, 1, false).await.map_err(failed)?;
            let dropped = schema::drop_own_tables(&db).await;
            let _ = db.close().await;
            dropped
        }
        Undo::DropSchema { files, .. } => files.iter().try_for_each(|file| remove_file(file)),
        Undo::RemoveRows(rows) => rows::remove(rows).await,
        Undo::RestoreTimeZone { database_url, zone } => {
            rows::restore_time_zone(database_url, zone.as_deref()).await
        }
        Undo::RemoveReceiver { database_url, api_url } => {
            rows::remove_receiver(database_url, api_url).await
        }
        Undo::StopServices(names) => {
            let stopped = systemctl(&["disable", "--now"], names);
            reload_units();
            stopped
        }
        Undo::RestartServices(names) => systemctl(&["restart"], names),
    }
}

/// The databases that the rollback would change.
pub(super) fn databases<'a>(done: impl IntoIterator<Item = &'a Undo>) -> Vec<&'a str> {
    let mut urls: Vec<_> = done.into_iter().filter_map(Undo::database_url).collect();
    urls.dedup();
    urls
}

/// Returns one of these databases that has been used since: an installation that was interrupted
/// and then used all the same is not rolled back.
pub(super) async fn used_since(done: &[Undo]) -> Result<Option<String>, String> {
    // Rows that this installation did not add belong to another one, which found the schema in
    // place.
    let rows = done.iter().any(|it| matches!(it, Undo::RemoveRows(_)));
    for url in databases(done.iter().filter(|it| it.may_be_used())) {
        let file = url.strip_prefix("sqlite://").map(Path::new);
        if file.is_some_and(|file| !file.exists()) {
            continue;
        }
        let failed = |error: sea_orm::DbErr| format!("cannot query the database: {error}");
        let db = db::connect(url, 1, false).await.map_err(failed)?;
        let used = rows::are_used(&db, rows).await;
        let _ = db.close().await;
        if used.map_err(failed)? {
            return Ok(Some(without_password(url)));
        }
    }
    Ok(None)
}

//! The journal of an installation: its changes so far, and how to roll each of them back.
//!
//! A line is on disk before the change it describes begins. Whatever ends the installer, the next
//! run knows what to roll back; rolling back a change that was never made, or twice, does no harm.

use super::private_folders::{create_private, missing_folders};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The journal's file name in the settings folder.
const NAME: &str = "install.unfinished";

/// How to roll back one change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Undo {
    /// A folder was created: remove it if it is empty.
    RemoveFolder(PathBuf),
    RemoveFile(PathBuf),
    /// A file was changed: this was its text.
    RestoreFile(PathBuf, String),
    /// An existing folder changed its owner.
    RestoreRights {
        path: PathBuf,
        user: u32,
        group: u32,
        mode: u32,
    },
    RemoveAccount(String),
    /// The schema was created in the database of this URL, which had none of its tables; or in the
    /// file of an embedded database, created for it.
    DropSchema {
        database_url: String,
        /// The embedded database's files.
        files: Vec<PathBuf>,
    },
    RemoveRows(Rows),
    /// The business time zone was changed from this one.
    RestoreTimeZone {
        database_url: String,
        /// The previous zone, if any.
        zone: Option<String>,
    },
    /// The documentation's client was allowed for this URL of the api-server as well.
    RemoveReceiver {
        database_url: String,
        api_url: String,
    },
    /// Services were started.
    StopServices(Vec<String>),
    /// Running services were restarted with other settings.
    RestartServices(Vec<String>),
}

/// The rows that were added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Rows {
    pub database_url: String,
    /// The admin account's name, if it is new.
    pub admin: Option<String>,
    /// Ids of the new clients.
    pub clients: Vec<String>,
    /// True if there were no signing keys before the verification.
    pub signing_keys: bool,
}

impl Rows {
    /// True if they belong to a first installation.
    pub(super) fn more_than_clients(&self) -> bool {
        self.admin.is_some() || self.signing_keys
    }
}

/// The journal of one run.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    done: Vec<Undo>,
}

impl Undo {
    /// The database that this rollback changes.
    pub(super) fn database_url(&self) -> Option<&str> {
        match self {
            Self::DropSchema { database_url, .. } => Some(database_url),
            Self::RemoveRows(rows) => Some(&rows.database_url),
            Self::RestoreTimeZone { database_url, .. } => Some(database_url),
            _ => None,
        }
    }

    /// True if someone may have used it since it was made, and would lose that. A new client does
    /// not count: no one knows its secret before the end.
    pub(super) fn may_be_used(&self) -> bool {
        match self {
            Self::DropSchema { .. } => true,
            Self::RemoveRows(rows) => rows.more_than_clients(),
            _ => false,
        }
    }
}

impl Journal {
    /// Starts a journal in this folder, which is created if missing.
    pub(super) fn begin(dir: &Path) -> Result<Self, String> {
        let path = Self::path(dir);
        let unwritable = |error| format!("cannot write {}: {error}", path.display());
        let missing = missing_folders(dir);
        create_private(dir).map_err(|error| format!("cannot create {}: {error}", dir.display()))?;
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).mode(0o600).open(&path).map_err(unwritable)?;
        lock(&file, dir)?;
        let mut journal = Self { path, file, done: Vec::new() };
        for folder in missing {
            journal.note(Undo::RemoveFolder(folder))?;
        }
        Ok(journal)
    }

    /// The entries that an unfinished run left in this folder.
    pub(super) fn left_behind(dir: &Path) -> Result<Option<Vec<Undo>>, String> {
        let path = Self::path(dir);
        let unreadable = |error| format!("cannot read {}: {error}", path.display());
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if [NotFound, NotADirectory].contains(&error.kind()) => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        lock(&file, dir)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(unreadable)?;
        // A truncated last line describes a change that had not begun.
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines = complete.lines().map(serde_json::from_str);
        let done: Result<Vec<Undo>, _> = lines.collect();
        done.map(Some).map_err(|error| format!("cannot read {}: {error}", path.display()))
    }

    /// The path of this folder's journal.
    pub(super) fn path(dir: &Path) -> PathBuf {
        dir.join(NAME)
    }

    /// Records how to roll back the next change, before it begins.
    pub(super) fn note(&mut self, undo: Undo) -> Result<(), String> {
        let unwritable = |error| format!("cannot write {}: {error}", self.path.display());
        let line = serde_json::to_string(&undo).map_err(|error| error.to_string())?;
        writeln!(self.file, "{line}").map_err(unwritable)?;
        self.file.sync_data().map_err(unwritable)?;
        self.done.push(undo);
        Ok(())
    }

    /// The changes so far.
    pub(super) fn done(&self) -> &[Undo] {
        &self.done
    }

    /// Removes the journal: the installation is finished, or rolled back.
    pub(super) fn forget(dir: &Path) -> Result<(), String> {
        let path = Self::path(dir);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != NotFound => {
                Err(format!("cannot remove {}: {error}", path.display()))
            }
            _ => Ok(()),
        }
    }
}

/// Refuses if another installer is running; the lock is released with the file.
fn lock(file: &File, dir: &Path) -> Result<(), String> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => {
            Err(format!("another installer is running in {}: wait for it to finish", dir.display()))
        }
        Err(TryLockError::Error(error)) => {
            Err(format!("cannot lock the journal in {}: {error}", dir.display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_run_leaves_its_journal() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("a/b");
        assert_eq!(Journal::left_behind(&dir), Ok(None));
        let mut journal = Journal::begin(&dir).unwrap();
        let file = Undo::RemoveFile(dir.join("x"));
        journal.note(file.clone()).unwrap();
        write!(journal.file, "{{\"remove_fi").unwrap();
        let expected = vec![
            Undo::RemoveFolder(folder.path().join("a")),
            Undo::RemoveFolder(dir.clone()),
            file,
        ];
        assert_eq!(journal.done(), expected);
        let error = Journal::left_behind(&dir).unwrap_err();
        assert!(error.contains("another installer is running"), "{error}");
        drop(journal);
        assert_eq!(Journal::left_behind(&dir), Ok(Some(expected)));
        Journal::forget(&dir).unwrap();
        Journal::forget(&dir).unwrap();
        assert_eq!(Journal::left_behind(&dir), Ok(None));
    }
}

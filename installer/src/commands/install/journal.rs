//! What an installation has done so far, and how each of it is undone.
//!
//! A line is on the disk before the deed it is about begins. So whatever ends the installer, the
//! next run knows what to undo; undoing what was not done, or twice, is no harm.

use super::rows::Rows;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The journal's name in the folder of the settings.
const NAME: &str = "install.unfinished";

/// How one deed is undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undo {
    /// A folder was made: goes, if nothing is in it.
    RemoveFolder(PathBuf),
    /// A file was made.
    RemoveFile(PathBuf),
    /// A file was changed: it had this text.
    RestoreFile(PathBuf, String),
    /// A folder that was there was given away.
    RestoreRights {
        /// The folder.
        path: PathBuf,
        /// Its user.
        user: u32,
        /// Its group.
        group: u32,
        /// Who may do what with it.
        mode: u32,
    },
    /// A system user was made.
    RemoveAccount(String),
    /// The schema was made in the database of this URL, which had none of its tables; the file of
    /// an embedded one was made for it.
    DropSchema {
        /// The URL.
        database_url: String,
        /// The embedded database's files.
        files: Vec<PathBuf>,
    },
    /// Rows were added.
    RemoveRows(Rows),
    /// The business time zone was changed: it was this one.
    RestoreTimeZone {
        /// The URL of the database.
        database_url: String,
        /// The zone, if there was one.
        zone: Option<String>,
    },
    /// The client of the documentation may be used from this URL of the api-server, too.
    RemoveReceiver {
        /// The URL of the database.
        database_url: String,
        /// The URL of the api-server.
        api_url: String,
    },
    /// Services were started.
    StopServices(Vec<String>),
    /// Services that ran before were given other settings.
    RestartServices(Vec<String>),
}

/// The journal of one run.
pub struct Journal {
    path: PathBuf,
    file: File,
    done: Vec<Undo>,
}

impl Undo {
    /// The database that is changed when this is undone.
    pub fn database_url(&self) -> Option<&str> {
        match self {
            Self::DropSchema { database_url, .. } => Some(database_url),
            Self::RemoveRows(rows) => Some(rows.database_url()),
            Self::RestoreTimeZone { database_url, .. } => Some(database_url),
            _ => None,
        }
    }

    /// True where somebody may have made use of it since it was done, and would lose that: of a
    /// client's secret nobody knows before the end.
    pub fn may_be_used(&self) -> bool {
        match self {
            Self::DropSchema { .. } => true,
            Self::RemoveRows(rows) => rows.more_than_clients(),
            _ => false,
        }
    }
}

impl Journal {
    /// A new one in this folder, which is made where it is missing.
    pub fn begin(dir: &Path) -> Result<Self, String> {
        let path = Self::path(dir);
        let unwritable = |error| format!("cannot write {}: {error}", path.display());
        let missing = missing_folders(dir);
        create_private(dir).map_err(|error| format!("cannot make {}: {error}", dir.display()))?;
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).mode(0o600).open(&path).map_err(unwritable)?;
        own(&file, dir)?;
        let mut journal = Self { path, file, done: Vec::new() };
        for folder in missing {
            journal.note(Undo::RemoveFolder(folder))?;
        }
        Ok(journal)
    }

    /// What a run that did not finish has left in this folder.
    pub fn left_behind(dir: &Path) -> Result<Option<Vec<Undo>>, String> {
        let path = Self::path(dir);
        let unreadable = |error| format!("cannot read {}: {error}", path.display());
        let mut file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if [NotFound, NotADirectory].contains(&error.kind()) => return Ok(None),
            Err(error) => return Err(unreadable(error)),
        };
        own(&file, dir)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(unreadable)?;
        // A last line that was cut short is about a deed that had not begun.
        let complete = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines = complete.lines().map(serde_json::from_str);
        let done: Result<Vec<Undo>, _> = lines.collect();
        done.map(Some).map_err(|error| format!("cannot read {}: {error}", path.display()))
    }

    /// Where the journal of this folder is.
    pub fn path(dir: &Path) -> PathBuf {
        dir.join(NAME)
    }

    /// Notes how the next deed is undone, before it begins.
    pub fn note(&mut self, undo: Undo) -> Result<(), String> {
        let unwritable = |error| format!("cannot write {}: {error}", self.path.display());
        let line = serde_json::to_string(&undo).map_err(|error| error.to_string())?;
        writeln!(self.file, "{line}").map_err(unwritable)?;
        self.file.sync_data().map_err(unwritable)?;
        self.done.push(undo);
        Ok(())
    }

    /// What was done so far.
    pub fn done(&self) -> &[Undo] {
        &self.done
    }

    /// Forgets everything: it is finished, or undone.
    pub fn forget(dir: &Path) -> Result<(), String> {
        let path = Self::path(dir);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != NotFound => {
                Err(format!("cannot remove {}: {error}", path.display()))
            }
            _ => Ok(()),
        }
    }
}

/// Refuses where another installer is at work; the lock goes with the file.
fn own(file: &File, dir: &Path) -> Result<(), String> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(format!(
            "another installer is at work in {}: wait until it has ended",
            dir.display()
        )),
        Err(TryLockError::Error(error)) => {
            Err(format!("cannot lock the journal in {}: {error}", dir.display()))
        }
    }
}

/// The folders of this path that are not there, the outermost first.
pub fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().filter(|it| !it.as_os_str().is_empty() && !it.exists());
    let mut missing: Vec<_> = missing.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Makes a folder that nobody but its owner may look into, and those above it, which are anybody's
/// way to it.
pub fn create_private(path: &Path) -> std::io::Result<()> {
    let missing = missing_folders(path);
    for folder in &missing {
        fs::DirBuilder::new().mode(0o700).create(folder)?;
        if folder != path {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_cut_short_leaves_what_it_has_done() {
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
        let meanwhile = Journal::left_behind(&dir).unwrap_err();
        assert!(meanwhile.contains("another installer is at work"), "{meanwhile}");
        drop(journal);
        assert_eq!(Journal::left_behind(&dir), Ok(Some(expected)));
        Journal::forget(&dir).unwrap();
        Journal::forget(&dir).unwrap();
        assert_eq!(Journal::left_behind(&dir), Ok(None));
    }
}

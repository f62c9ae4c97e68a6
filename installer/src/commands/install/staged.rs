//! New settings and certificates, beside the present ones until they have been verified.
//!
//! They are written to one folder. Once they are verified, one rename gives it another name: from
//! then on its files apply, and are moved into place, by the next run if this one is killed.

use crate::installation::CliError;
use std::fs::{self, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The folder of files that are not verified yet.
pub(super) const STAGED: &str = "install.staged";
/// The folder of files that replace the present ones.
pub(super) const VERIFIED: &str = "install.verified";

/// The settings folder.
#[derive(Clone, Copy)]
pub(super) struct Staged<'a>(pub &'a Path);

impl Staged<'_> {
    /// Creates an empty folder for the new files, instead of one that an earlier run left.
    pub(super) fn begin(self) -> Result<(), CliError> {
        self.discard()?;
        let folder = self.0.join(STAGED);
        let created = fs::DirBuilder::new().mode(0o700).create(&folder);
        created.map_err(|error| failed("create", &folder, error))
    }

    /// Removes the new files.
    pub(super) fn discard(self) -> Result<(), CliError> {
        let folder = self.0.join(STAGED);
        match folder.exists() {
            true => fs::remove_dir_all(&folder).map_err(|error| failed("remove", &folder, error)),
            false => Ok(()),
        }
    }

    /// The path of a new file.
    pub(super) fn path(self, name: &str) -> PathBuf {
        self.0.join(STAGED).join(name)
    }

    /// The path of this file: of the new one, if there is one.
    pub(super) fn or_present(self, name: &str) -> PathBuf {
        let new = self.path(name);
        if new.exists() { new } else { self.0.join(name) }
    }

    /// True if there are verified files that are not in place yet.
    pub(super) fn is_accepted(self) -> bool {
        self.0.join(VERIFIED).exists()
    }

    /// Replaces the present files with the new ones.
    pub(super) fn accept(self) -> Result<(), CliError> {
        let (new, verified) = (self.0.join(STAGED), self.0.join(VERIFIED));
        sync(&new).map_err(|error| failed("write", &new, error))?;
        fs::rename(&new, &verified).map_err(|error| failed("rename", &new, error))?;
        self.settle()
    }

    /// Moves verified files into place.
    pub(super) fn settle(self) -> Result<(), CliError> {
        let verified = self.0.join(VERIFIED);
        let settled = || {
            move_files(&verified, self.0)?;
            fs::remove_dir_all(&verified)?;
            File::open(self.0)?.sync_all()
        };
        settled().map_err(|error| failed("move", &verified, error))
    }
}

/// Moves a folder's files to another; those of a folder in it, to the one of that name there.
fn move_files(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        let (source, target) = (from.join(&name), to.join(&name));
        match source.is_dir() && target.exists() {
            true => move_files(&source, &target)?,
            false => fs::rename(&source, &target)?,
        }
    }
    Ok(())
}

/// Makes a folder and its contents survive a power failure.
fn sync(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => sync(&path)?,
            false => File::open(&path)?.sync_all()?,
        }
    }
    File::open(folder)?.sync_all()
}

fn failed(what: &str, path: &Path, error: std::io::Error) -> CliError {
    CliError(format!("cannot {what} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_files_replace_the_present_ones_together() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        let text = |name: &str| fs::read_to_string(dir.join(name)).unwrap_or_default();
        let staged = Staged(dir);
        for name in ["a", "b"] {
            fs::write(dir.join(name), "before").unwrap();
        }
        staged.begin().unwrap();
        staged.begin().unwrap();
        fs::write(staged.path("a"), "after").unwrap();
        fs::create_dir(staged.path("tls")).unwrap();
        fs::write(staged.path("tls/c"), "after").unwrap();
        assert_eq!(
            (staged.or_present("a"), staged.or_present("b")),
            (dir.join(STAGED).join("a"), dir.join("b"))
        );
        staged.accept().unwrap();
        assert_eq!([text("a"), text("b"), text("tls/c")], ["after", "before", "after"]);
        // Killed while files were moved: the next run moves the rest.
        fs::create_dir_all(dir.join(VERIFIED).join("tls")).unwrap();
        fs::write(dir.join(VERIFIED).join("tls/c"), "later").unwrap();
        assert!(staged.is_accepted());
        staged.settle().unwrap();
        assert_eq!([text("a"), text("tls/c")], ["after", "later"]);
        assert_eq!(fs::read_dir(dir).unwrap().count(), 3);
        staged.begin().unwrap();
        staged.discard().unwrap();
        assert!(!dir.join(STAGED).exists() && !staged.is_accepted());
    }
}

//! Folders that only their owner can enter, and the lock on the settings folder.

use crate::installation::{CliError, refuse};
use std::fs::{self, File, TryLockError};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The missing folders of this path, outermost first.
pub(super) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().filter(|it| !it.as_os_str().is_empty() && !it.exists());
    let mut missing: Vec<_> = missing.map(Path::to_owned).collect();
    missing.reverse();
    missing
}

/// Creates a folder that only its owner can enter; parents created on the way are open to all.
pub(super) fn create_private(path: &Path) -> Result<(), CliError> {
    let created = || {
        for folder in &missing_folders(path) {
            fs::DirBuilder::new().mode(0o700).create(folder)?;
            if folder != path {
                fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
            }
        }
        Ok(())
    };
    created().map_err(|error: std::io::Error| {
        CliError(format!("cannot create {}: {error}", path.display()))
    })
}

/// Keeps other installers out of a settings folder, if it exists, until this process ends.
pub(super) fn lock(dir: &Path) -> Result<Option<File>, CliError> {
    let Ok(folder) = File::open(dir) else { return Ok(None) };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => refuse(format!(
            "another installer is running in {}: wait for it to finish",
            dir.display()
        )),
        Err(TryLockError::Error(error)) => {
            refuse(format!("cannot lock {}: {error}", dir.display()))
        }
    }
}

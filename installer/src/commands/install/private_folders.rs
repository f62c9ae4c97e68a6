//! Folders that only their owner can enter.

use std::fs;
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
pub(super) fn create_private(path: &Path) -> std::io::Result<()> {
    let missing = missing_folders(path);
    for folder in &missing {
        fs::DirBuilder::new().mode(0o700).create(folder)?;
        if folder != path {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

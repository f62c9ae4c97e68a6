//! Trusted paths: files and folders that no other user owns or can write.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Mode bits that let others write.
const OPEN_TO_OTHERS: u32 = 0o022;

/// The user this process runs as: the owner of its entry in /proc, or of a file it creates.
pub fn own_id() -> Result<u32, String> {
    let owned = std::fs::metadata("/proc/self");
    // A container may have no writable folder, and not every system has /proc.
    let owned = owned.or_else(|_| tempfile::tempfile().and_then(|file| file.metadata()));
    owned.map(|it| it.uid()).map_err(|error| format!("cannot tell this user: {error}"))
}

/// Refuses a link, what belongs to another user than these, and what others can write. `otherwise`
/// says what else can be done about it.
pub fn check_path(path: &Path, owners: &[u32], otherwise: &str) -> Result<Metadata, String> {
    let metadata = owned_metadata(path, owners, otherwise)?;
    if metadata.mode() & OPEN_TO_OTHERS != 0 {
        let shown = path.display();
        return Err(format!(
            "others can write to {shown}: run chmod go-w on it if everything in it is yours, or \
             {otherwise}"
        ));
    }
    Ok(metadata)
}

/// Metadata of a path, if it is a file or folder of one of these users and not a link.
pub fn owned_metadata(path: &Path, owners: &[u32], otherwise: &str) -> Result<Metadata, String> {
    let shown = path.display();
    let metadata = path.symlink_metadata().map_err(|error| format!("{shown}: {error}"))?;
    if metadata.is_symlink() {
        return Err(format!(
            "{shown} is a symbolic link, which is not followed: remove it, or {otherwise}"
        ));
    }
    if !owners.contains(&metadata.uid()) {
        return Err(format!(
            "{shown} belongs to another user (id {}): run chown on it if it is yours, or \
             {otherwise}",
            metadata.uid()
        ));
    }
    Ok(metadata)
}

//! The folder of a quickstart: accessible to its owner only, and free of symbolic links.

use std::fs::{DirBuilder, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Mode bits that let others write.
const OPEN_TO_OTHERS: u32 = 0o022;

/// Opens the folder, and creates it if it is missing. Existing files become readable by their owner
/// only.
pub(super) fn open(dir: &Path) -> Result<PathBuf, String> {
    let unusable = |error: io::Error| format!("cannot use the folder {}: {error}", dir.display());
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(unusable)?;
    check_folder(dir, own_id().map_err(unusable)?)?;
    dir.canonicalize().map_err(unusable)
}

/// Creates a file that only its owner can read, unless it exists.
pub(super) fn private_file(path: &Path) -> Result<(), String> {
    let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match created {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(format!("cannot write {}: {error}", path.display()))
        }
        _ => Ok(()),
    }
}

/// The user this process runs as: the owner of a file it creates.
fn own_id() -> io::Result<u32> {
    Ok(tempfile::tempfile()?.metadata()?.uid())
}

fn check_folder(dir: &Path, own_id: u32) -> Result<(), String> {
    let folder = owned_metadata(dir, own_id)?;
    let shown = dir.display();
    if folder.mode() & OPEN_TO_OTHERS != 0 {
        return Err(format!(
            "others can write to the folder {shown}: run chmod go-w on it if everything in it is \
             yours, or choose another folder with --dir"
        ));
    }
    let unreadable = |error: io::Error| format!("cannot read the folder {shown}: {error}");
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let metadata = owned_metadata(&path, own_id)?;
        if metadata.is_dir() {
            check_folder(&path, own_id)?;
        } else if metadata.mode() & 0o077 != 0 {
            std::fs::set_permissions(&path, Permissions::from_mode(0o600))
                .map_err(|error| format!("cannot make {} private: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// Metadata of a path, if it is a file or folder of this user and not a link.
fn owned_metadata(path: &Path, own_id: u32) -> Result<Metadata, String> {
    let shown = path.display();
    let metadata = path.symlink_metadata().map_err(|error| format!("{shown}: {error}"))?;
    if metadata.is_symlink() {
        return Err(format!(
            "{shown} is a symbolic link, which is not followed: remove it, or choose another \
             folder with --dir"
        ));
    }
    if metadata.uid() != own_id {
        return Err(format!(
            "{shown} belongs to another user (id {}): run chown on it if it is yours, or choose \
             another folder with --dir",
            metadata.uid()
        ));
    }
    Ok(metadata)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().mode() & 0o777
    }

    #[test]
    fn a_folder_and_its_files_are_made_private() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("new/folder");
        let opened = open(&dir).unwrap();
        assert_eq!(mode(&opened), 0o700);
        std::fs::create_dir(dir.join("tls")).unwrap();
        for name in ["credentials.json", "tls/server.key"] {
            std::fs::write(dir.join(name), "secret").unwrap();
            std::fs::set_permissions(dir.join(name), Permissions::from_mode(0o644)).unwrap();
        }
        open(&dir).unwrap();
        for name in ["credentials.json", "tls/server.key"] {
            assert_eq!(mode(&dir.join(name)), 0o600, "{name}");
        }
        private_file(&dir.join("core.sqlite")).unwrap();
        assert_eq!(mode(&dir.join("core.sqlite")), 0o600);
        private_file(&dir.join("credentials.json")).unwrap();
        assert_eq!(std::fs::read_to_string(dir.join("credentials.json")).unwrap(), "secret");
    }

    #[test]
    fn folders_writable_by_others_and_links_are_refused() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("folder");
        open(&dir).unwrap();
        let link = parent.path().join("link");
        std::os::unix::fs::symlink(&dir, &link).unwrap();
        assert!(open(&link).unwrap_err().contains("symbolic link"));
        for name in ["quickstart.json", "dangling"] {
            let target = if name == "dangling" { "/no/such/file" } else { "/etc/hostname" };
            std::os::unix::fs::symlink(target, dir.join(name)).unwrap();
            assert!(open(&dir).unwrap_err().contains("symbolic link"), "{name}");
            std::fs::remove_file(dir.join(name)).unwrap();
        }
        for open_mode in [0o770, 0o707, 0o777, 0o1777] {
            std::fs::set_permissions(&dir, Permissions::from_mode(open_mode)).unwrap();
            let refused = open(&dir).unwrap_err();
            assert!(refused.contains("others can write") && refused.contains("chmod"), "{refused}");
        }
        std::fs::set_permissions(&dir, Permissions::from_mode(0o755)).unwrap();
        open(&dir).unwrap();
        let not_mine = owned_metadata(&dir, 4_711).unwrap_err();
        assert!(not_mine.contains("another user") && not_mine.contains("--dir"), "{not_mine}");
    }
}

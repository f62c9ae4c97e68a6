//! The folder of a quickstart: accessible to its owner only, and free of symbolic links.

use crate::installation::trusted_path::{check_path, own_id, owned_metadata};
use std::fs::{DirBuilder, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// What else can be done about a folder that is not trusted.
const OTHERWISE: &str = "choose another folder with --dir";

/// Opens the folder, and creates it if it is missing. Existing files become readable by their owner
/// only.
pub(super) fn open(dir: &Path) -> Result<PathBuf, String> {
    let unusable = |error: io::Error| format!("cannot use the folder {}: {error}", dir.display());
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(unusable)?;
    check_folder(dir, own_id()?)?;
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

fn check_folder(dir: &Path, own_id: u32) -> Result<(), String> {
    check_path(dir, &[own_id], OTHERWISE)?;
    let shown = dir.display();
    let unreadable = |error: io::Error| format!("cannot read the folder {shown}: {error}");
    for entry in std::fs::read_dir(dir).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let metadata = owned_metadata(&path, &[own_id], OTHERWISE)?;
        if metadata.is_dir() {
            check_folder(&path, own_id)?;
        } else if metadata.mode() & 0o077 != 0 {
            std::fs::set_permissions(&path, Permissions::from_mode(0o600))
                .map_err(|error| format!("cannot make {} private: {error}", path.display()))?;
        }
    }
    Ok(())
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
        let not_mine = owned_metadata(&dir, &[4_711], OTHERWISE).unwrap_err();
        assert!(not_mine.contains("another user") && not_mine.contains("--dir"), "{not_mine}");
    }
}

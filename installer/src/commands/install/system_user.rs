//! The system user that runs the servers: finding it, and giving it files.

use crate::installation::CliError;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, lchown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// User and group id.
pub(super) type UserIds = (u32, u32);

/// The users of this machine: name, user id, group id.
fn users() -> Vec<(String, u32, u32)> {
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let user = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next()?.to_owned();
        let user = fields.nth(1)?.parse().ok()?;
        Some((name, user, fields.next()?.parse().ok()?))
    };
    passwd.lines().filter_map(user).collect()
}

/// The ids of a user of this machine.
pub(super) fn ids(name: &str) -> Option<UserIds> {
    let found = users().into_iter().find(|(other, ..)| other == name);
    found.map(|(_, user, group)| (user, group))
}

/// The user whose group can read these settings: the owner of the data folder, if it is their
/// group. Settings owned by root alone say nothing: they may have been copied from another machine.
pub(super) fn reader(settings: &Path, data: Option<&Path>) -> Option<String> {
    let group = fs::metadata(settings).ok()?.gid();
    let owner = data.and_then(|data| fs::metadata(data).ok()).map(|data| data.uid());
    let readers: Vec<_> = users().into_iter().filter(|(_, _, own)| *own == group).collect();
    let owner = readers.iter().find(|(_, user, _)| Some(*user) == owner);
    let any = readers.first().filter(|_| group != 0);
    owner.or(any).map(|(name, ..)| name.clone())
}

/// True if a file or folder belongs to this user; everything belongs to root.
pub(super) fn owns(path: &Path, (user, _): UserIds) -> bool {
    user == 0 || fs::metadata(path).is_ok_and(|metadata| metadata.uid() == user)
}

/// Gives a file or a folder, without its contents, to a user. Links are followed only if root made
/// them: those in the user's own folders could lead anywhere.
pub(super) fn change_owner(path: &Path, (user, group): UserIds) -> Result<(), CliError> {
    let metadata = fs::symlink_metadata(path);
    let change = match metadata.is_ok_and(|link| link.is_symlink() && link.uid() == 0) {
        true => chown::<&Path>,
        false => lchown::<&Path>,
    };
    change(path, Some(user), Some(group)).map_err(|error| {
        CliError(format!("cannot change the owner of {}: {error}", path.display()))
    })
}

/// Access to a file or folder.
#[derive(Clone, Copy, Debug)]
pub(super) enum Right {
    Read,
    /// Enter a folder, run a program.
    Enter,
}

/// True if a user has this access. The kernel is asked, as that user, because access control lists
/// and mounts matter too.
pub(super) fn may((user, group): UserIds, right: Right, path: &Path) -> bool {
    let flag = match right {
        Right::Read => "-r",
        Right::Enter => "-x",
    };
    let mut command = Command::new("test");
    command.arg(flag).arg(path).current_dir("/").uid(user).gid(group).stdin(Stdio::null());
    command.status().map_or(true, |status| status.success())
}

/// Lets a user's group read a file or a folder that keeps its owner.
pub(super) fn grant_read(path: &Path, (_, group): UserIds) -> Result<(), CliError> {
    let mode = if path.is_dir() { 0o750 } else { 0o640 };
    let grant_read = || {
        chown(path, None, Some(group))?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    };
    grant_read().map_err(|error| {
        CliError(format!("cannot change the permissions of {}: {error}", path.display()))
    })
}

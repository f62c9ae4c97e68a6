//! The system user that runs the servers: looking it up, creating it, and giving it files.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

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

/// User and group id of a user of this machine.
pub(super) fn ids(name: &str) -> Option<(u32, u32)> {
    let found = users().into_iter().find(|(other, ..)| other == name);
    found.map(|(_, user, group)| (user, group))
}

/// The name of the user running this program.
pub(super) fn own_name() -> Option<String> {
    let own_id = fs::metadata("/proc/self").ok()?.uid();
    users().into_iter().find(|(_, user, _)| *user == own_id).map(|(name, ..)| name)
}

/// Creates a user who owns nothing and cannot log in.
pub(super) fn create(name: &str, home: &Path) -> Result<(), String> {
    let mut command = Command::new("useradd");
    command.args(["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"]);
    command.arg("--home-dir").arg(home).arg(name);
    run(command)
}

/// Removes a user created by [`create`].
pub(super) fn remove(name: &str) -> Result<(), String> {
    if ids(name).is_none() {
        return Ok(());
    }
    let mut command = Command::new("userdel");
    command.arg(name);
    run(command)
}

pub(super) fn run(mut command: Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot run {program}: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
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
pub(super) fn owns(path: &Path, (user, _): (u32, u32)) -> bool {
    user == 0 || fs::metadata(path).is_ok_and(|metadata| metadata.uid() == user)
}

/// Gives a file or a folder, without its contents, to a user.
pub(super) fn change_owner(path: &Path, (user, group): (u32, u32)) -> Result<(), String> {
    chown(path, Some(user), Some(group))
        .map_err(|error| format!("cannot change the owner of {}: {error}", path.display()))
}

/// Restores the owner and mode of a file or a folder.
pub(super) fn restore(path: &Path, (user, group): (u32, u32), mode: u32) -> std::io::Result<()> {
    chown(path, Some(user), Some(group))?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o7777))
}

/// Access to a file or folder.
#[derive(Clone, Copy, Debug)]
pub(super) enum Right {
    Read,
    /// Enter a folder, run a program.
    Enter,
}

/// True if a user has this access; a user yet to be created has everyone's. The kernel is asked, as
/// that user, because access control lists and mounts matter too.
pub(super) fn may(name: &str, right: Right, path: &Path) -> bool {
    const NOBODY: (u32, u32) = (65_534, 65_534);
    let (user, group) = ids(name).unwrap_or(NOBODY);
    let flag = match right {
        Right::Read => "-r",
        Right::Enter => "-x",
    };
    let mut command = Command::new("test");
    command.arg(flag).arg(path).current_dir("/").uid(user).gid(group).stdin(Stdio::null());
    command.status().map_or(true, |status| status.success())
}

/// Lets a user's group read a file or a folder that keeps its owner.
pub(super) fn grant_read(path: &Path, (_, group): (u32, u32)) -> Result<(), String> {
    let mode = if path.is_dir() { 0o750 } else { 0o640 };
    let grant_read = || {
        chown(path, None, Some(group))?;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    };
    grant_read()
        .map_err(|error| format!("cannot change the permissions of {}: {error}", path.display()))
}

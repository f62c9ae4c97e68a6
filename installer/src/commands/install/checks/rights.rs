//! Whether the service user can run the servers, and whether the folders are ours to change.

use crate::commands::install::answers::{Answers, SERVICE_USER};
use crate::commands::install::bucket;
use crate::commands::install::existing_config::ExistingSettings;
use crate::commands::install::is_root;
use crate::commands::install::plan::folders;
use crate::commands::install::private_folders::missing_folders;
use crate::commands::install::staged::{STAGED, VERIFIED};
use crate::commands::install::system_user::{Right, UserIds, ids, may, owns};
use crate::commands::install::unfinished::UNFINISHED;
use crate::commands::install::values::{DOCUMENTS, SPOOL};
use crate::installation::checks::{Failure, Finding};
use crate::installation::db_probe;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a settings folder may contain before an installation.
const OURS: [&str; 8] =
    ["tls", "host", "api-server.env", UNFINISHED, "install.new", STAGED, VERIFIED, "lost+found"];
/// Folders that the systemd units hide from the servers.
const HIDDEN: [&str; 3] = ["/home", "/root", "/run/user"];

/// Reports the first violation.
pub(super) fn check(answers: &Answers, settings: &ExistingSettings) -> Option<Finding> {
    if !is_root() {
        return None;
    }
    let name = answers.service_user.as_deref()?;
    let Some(user) = ids(name) else { return Some(Err(missing_user(name))) };
    let fault = settings_folder(answers, settings)
        .or_else(|| folders(answers).iter().find_map(|folder| data_folder(name, user, folder)))
        .or_else(|| hidden(answers))
        .or_else(|| check_access(name, user, answers))
        .or_else(|| exposed_key(answers))
        .or_else(|| low_port(name, answers));
    Some(fault.map_or_else(|| Ok(format!("{name} can run them")), Err))
}

fn missing_user(name: &str) -> Failure {
    Failure::new(
        format!("the user {name}, which is to run the servers, does not exist"),
        format!(
            "install the package, which creates {SERVICE_USER}, or run useradd --system \
             --user-group --shell /usr/sbin/nologin {name}"
        ),
    )
}

fn content(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// What the servers keep in their data folders.
const DATA: [&str; 3] = [SPOOL, DOCUMENTS, "owner"];

/// The settings folder will be closed to everyone else, so it must not contain anything else.
fn settings_folder(answers: &Answers, settings: &ExistingSettings) -> Option<Failure> {
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().is_some_and(|name| OURS.iter().any(|ours| name == *ours));
        name || path
            .extension()
            .is_some_and(|end| ["pem", "key", "crt"].iter().any(|it| end == *it))
    };
    let other = content(&answers.dir).into_iter().find(|path| !is_ours(path));
    let other = other.filter(|_| !settings.exist)?;
    Some(Failure::new(
        format!("{} contains other files, such as {}", answers.dir.display(), other.display()),
        "choose a folder for the settings only with --dir: it will be closed to everyone else",
    ))
}

/// The contents of a data folder keep their owner.
fn data_folder(name: &str, user: UserIds, folder: &Path) -> Option<Failure> {
    let content = content(folder);
    let is_filled = content.iter().any(|path| !path.ends_with("lost+found"));
    // Never suggest chown for a folder that contains nothing of ours.
    let has_ours = content.iter().any(|path| DATA.iter().any(|name| path.ends_with(name)));
    (is_filled && !owns(folder, user)).then(|| {
        let folder = folder.display();
        let chown_advice = match has_ours {
            true => {
                format!(", or, if everything in it is this product's, run chown -R {name} {folder}")
            }
            false => String::new(),
        };
        Failure::new(
            format!("{folder} is not empty, and does not belong to {name}"),
            format!("choose an empty folder{chown_advice}"),
        )
    })
}

fn hidden(answers: &Answers) -> Option<Failure> {
    if !answers.start {
        return None;
    }
    let all = given_files(answers).chain(folders(answers)).chain([answers.dir.clone()]);
    let hides = |path: &PathBuf| HIDDEN.iter().any(|hidden| path.starts_with(hidden));
    let path = all.into_iter().find(hides)?;
    Some(Failure::new(
        format!("{} is hidden from services, as all home folders are", path.display()),
        "choose a place outside /home, /root and /run/user",
    ))
}

/// Files that the servers read but the installer does not create.
fn given_files(answers: &Answers) -> impl Iterator<Item = PathBuf> {
    let tls = answers.tls.iter().flat_map(|tls| [&tls.certificate, &tls.key, &tls.authority]);
    let of_database = db_probe::files(&answers.database_url);
    tls.cloned().chain(of_database).chain(bucket::authority(&answers.bucket))
}

/// Existing folders, files that were given, and this program, which runs the auth server during
/// verification.
fn check_access(name: &str, user: UserIds, answers: &Answers) -> Option<Failure> {
    let denied = |path: &Path, what: &str| {
        let found = format!("the user {name} cannot {what} {}", path.display());
        let advice =
            "change its permissions and those of its parent folders, or choose another place";
        Some(Failure::new(found, advice))
    };
    // The service user will get access to the settings folder itself.
    let parent = answers.dir.parent().unwrap_or(&answers.dir).to_owned();
    for folder in folders(answers).into_iter().chain([parent]) {
        let missing = missing_folders(&folder);
        let existing = missing.first().and_then(|first| first.parent()).unwrap_or(&folder);
        let existing = if content(existing).is_empty() {
            existing.parent().unwrap_or(existing)
        } else {
            existing
        };
        if !may(user, Right::Enter, existing) {
            return denied(existing, "enter");
        }
    }
    // Missing files are reported by another check.
    let can_access = |right, path: &Path| !path.exists() || may(user, right, path);
    for file in given_files(answers) {
        // The servers do not run in the folder where the installer was started.
        if file.is_relative() {
            return Some(Failure::new(
                format!("{} is not an absolute path", file.display()),
                "use absolute paths in the URL of the database",
            ));
        }
        if !file.starts_with(&answers.dir) && !can_access(Right::Read, &file) {
            return denied(&file, "read");
        }
    }
    let installer = std::env::current_exe().unwrap_or_default();
    if can_access(Right::Enter, &installer) { None } else { denied(&installer, "run") }
}

/// The lowest port that an unprivileged process may listen on.
pub(crate) fn lowest_port() -> u16 {
    let limit = std::fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start");
    limit.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(1024)
}

/// A given key that everyone can read, in folders that everyone can enter.
fn exposed_key(answers: &Answers) -> Option<Failure> {
    let key = &answers.tls.as_ref()?.key;
    let mode = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.mode());
    let folders_are_open = key.ancestors().skip(1).all(|folder| mode(folder) & 0o001 != 0);
    // The settings folder itself is closed to others.
    (mode(key) & 0o004 != 0 && folders_are_open && !key.starts_with(&answers.dir)).then(|| {
        let key = key.display();
        Failure::new(
            format!("every user of this machine can read the key {key}"),
            format!("restrict it to the servers' group with chgrp and chmod 640 {key}"),
        )
    })
}

/// Services run without capabilities.
fn low_port(name: &str, answers: &Answers) -> Option<Failure> {
    let limit = lowest_port();
    let port = [answers.auth_port, answers.api_port].into_iter().find(|port| *port < limit)?;
    (name != "root").then(|| {
        Failure::new(
            format!("the user {name} cannot listen on port {port}"),
            format!(
                "choose ports from {limit} up with --auth-port and --api-port, and put a web \
                 server or load balancer in front of the servers"
            ),
        )
    })
}

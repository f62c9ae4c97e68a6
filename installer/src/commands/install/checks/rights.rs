//! Whether the user who is to run the servers can, and whether the folders are ours to give.

use super::{failed, passed};
use crate::commands::install::answers::{Answers, DOCUMENTS, SPOOL};
use crate::commands::install::bucket;
use crate::commands::install::is_root;
use crate::commands::install::journal::missing_folders;
use crate::commands::install::known::Settings;
use crate::commands::install::plan::folders;
use crate::commands::install::system_user::{Right, ids, may, owns};
use crate::installation::checks::Check;
use crate::installation::reach;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a folder of settings may have in it before an installation.
const OURS: [&str; 5] = ["tls", "host", "api-server.env", "install.unfinished", "lost+found"];
/// What units of systemd hide from the servers.
const HIDDEN: [&str; 3] = ["/home", "/root", "/run/user"];
const NAME: &str = "rights";
const EXPECTED: &str = "the servers reach what they need, and no more";

/// The first thing that is not so.
pub fn check(answers: &Answers, settings: &Settings) -> Option<Check> {
    if !is_root() {
        return None;
    }
    let user = answers.service_user.as_deref()?;
    let fault = settings_folder(answers, settings)
        .or_else(|| folders(answers).iter().find_map(|folder| data_folder(user, folder)))
        .or_else(|| hidden(answers))
        .or_else(|| reached(user, answers))
        .or_else(|| open_key(answers))
        .or_else(|| low_port(user, answers));
    Some(match fault {
        None => passed(NAME, EXPECTED, format!("{user} can run them")),
        Some((found, advice)) => failed(NAME, EXPECTED, found, advice),
    })
}

type Fault = (String, String);

fn content(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// What the servers keep in their folders of data.
const DATA: [&str; 3] = [SPOOL, DOCUMENTS, "owner"];

/// It will be the servers' alone, so it must not be anything else's.
fn settings_folder(answers: &Answers, settings: &Settings) -> Option<Fault> {
    let ours = |path: &PathBuf| {
        let name = path.file_name().is_some_and(|name| OURS.iter().any(|ours| name == *ours));
        name || path
            .extension()
            .is_some_and(|end| ["pem", "key", "crt"].iter().any(|it| end == *it))
    };
    let other = content(&answers.dir).into_iter().find(|path| !ours(path));
    let other = other.filter(|_| !settings.exist)?;
    Some((
        format!("{} holds other things, such as {}", answers.dir.display(), other.display()),
        "choose a folder for the settings alone with --dir: nobody else may enter it".to_owned(),
    ))
}

/// What is in it stays whose it is.
fn data_folder(user: &str, folder: &Path) -> Option<Fault> {
    let owned = ids(user).is_some_and(|ids| owns(folder, ids)) || user == "root";
    let content = content(folder);
    let filled = content.iter().any(|path| !path.ends_with("lost+found"));
    // Never the advice to give away what has nothing of ours.
    let ours = content.iter().any(|path| DATA.iter().any(|ours| path.ends_with(ours)));
    (filled && !owned).then(|| {
        let folder = folder.display();
        let all_ours = match ours {
            true => format!(", or, if all in it is this product's: chown -R {user} {folder}"),
            false => String::new(),
        };
        (
            format!("{folder} has something in it, and is not {user}'s"),
            format!("choose an empty folder{all_ours}"),
        )
    })
}

fn hidden(answers: &Answers) -> Option<Fault> {
    answers.units.as_ref()?;
    let all = [&answers.dir, &answers.programs].into_iter().cloned().chain(given(answers));
    let path = all
        .chain(folders(answers))
        .find(|path| HIDDEN.iter().any(|hidden| path.starts_with(hidden)))?;
    Some((
        format!("{} is hidden from services, as all homes are", path.display()),
        "choose a place outside of /home, /root and /run/user, such as /usr/local/bin for \
         programs"
            .to_owned(),
    ))
}

/// The files of other people's that the servers read.
fn given(answers: &Answers) -> impl Iterator<Item = PathBuf> {
    let tls = answers.tls.iter().flat_map(|tls| [&tls.certificate, &tls.key, &tls.authority]);
    let of_database = reach::files(&answers.database_url);
    tls.cloned().chain(of_database).chain(bucket::authority(&answers.bucket))
}

/// The folders that are there, the files that were given, and this program, which runs the auth
/// server while it is verified.
fn reached(user: &str, answers: &Answers) -> Option<Fault> {
    let refused = |path: &Path, what: &str| {
        let advice = match ids(user) {
            Some(_) => "change its rights and those of the folders it is in, or choose another \
                        place"
                .to_owned(),
            None => format!(
                "there is no such user yet: make him with useradd --system --user-group {user}, \
                 and change its rights and those of the folders it is in"
            ),
        };
        Some((format!("{user} may not {what} {}", path.display()), advice))
    };
    // The settings' own folder becomes the user's to enter.
    let above = answers.dir.parent().unwrap_or(&answers.dir).to_owned();
    for folder in folders(answers).into_iter().chain([above]) {
        let missing = missing_folders(&folder);
        let there = missing.first().and_then(|first| first.parent()).unwrap_or(&folder);
        let there = if content(there).is_empty() { there.parent().unwrap_or(there) } else { there };
        if !may(user, Right::Enter, there) {
            return refused(there, "enter");
        }
    }
    // What is not there is another check's.
    let may = |right, path: &Path| !path.exists() || may(user, right, path);
    for file in given(answers) {
        // The servers do not work where the installer was started.
        if file.is_relative() {
            return Some((
                format!("{} is no whole path", file.display()),
                "let the files in the URL of the database begin with /".to_owned(),
            ));
        }
        if !file.starts_with(&answers.dir) && !may(Right::Read, &file) {
            return refused(&file, "read");
        }
    }
    let own = std::env::current_exe().unwrap_or_default();
    let programs = answers
        .units
        .iter()
        .flat_map(|_| ["auth-server", "api-server"].map(|name| answers.programs.join(name)));
    let mut programs = programs.chain([own]);
    programs.find(|path| !may(Right::Enter, path)).and_then(|path| refused(&path, "run"))
}

/// The lowest port for who has no capabilities.
pub fn lowest_port() -> u16 {
    let limit = std::fs::read_to_string("/proc/sys/net/ipv4/ip_unprivileged_port_start");
    limit.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(1024)
}

/// A key that was given and that everybody may read, who may enter all the folders it is in.
fn open_key(answers: &Answers) -> Option<Fault> {
    let key = &answers.tls.as_ref()?.key;
    let mode = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.mode());
    let entered = key.ancestors().skip(1).all(|folder| mode(folder) & 0o001 != 0);
    // The settings' own folder is closed to others.
    (mode(key) & 0o004 != 0 && entered && !key.starts_with(&answers.dir)).then(|| {
        let key = key.display();
        (
            format!("everybody on this machine may read the key {key}"),
            format!("give it to the servers' group alone, with chgrp and chmod 640 {key}"),
        )
    })
}

/// Services have no capabilities.
fn low_port(user: &str, answers: &Answers) -> Option<Fault> {
    let limit = lowest_port();
    let port = [answers.auth_port, answers.api_port].into_iter().find(|port| *port < limit)?;
    (user != "root").then(|| {
        (
            format!("{user} may not listen on port {port}"),
            format!(
                "choose a port from {limit} on with --auth-port and --api-port, and put a web \
                 server or a load balancer before them"
            ),
        )
    })
}

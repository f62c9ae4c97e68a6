//! What must hold before anything is done: on this machine, and in the database.

mod certificates;
mod database;
mod rights;

pub use certificates::names as certificate_names;
pub use database::{Found, check as check_database};
pub use rights::lowest_port;

use super::answers::Answers;
use super::bucket;
use super::is_root;
use super::journal::missing_folders;
use super::known::{Known, Settings};
use crate::installation::checks::{Check, Outcome};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;
use tokio::net::lookup_host;
use tokio::process::Command;
use tokio::time::timeout;

/// How long a program may take to tell its version.
const VERSION_TIME: Duration = Duration::from_secs(10);
/// How long a name may take to be found.
const LOOKUP_TIME: Duration = Duration::from_secs(5);

/// A check that holds.
pub fn passed(name: &'static str, expected: &str, found: impl Into<String>) -> Check {
    Check::made(name, Outcome::Passed, expected, &found.into(), None)
}

/// A check that does not hold, and what to do.
pub fn failed(
    name: &'static str,
    expected: &str,
    found: impl Into<String>,
    advice: impl Into<String>,
) -> Check {
    Check::made(name, Outcome::Failed, expected, &found.into(), Some(&advice.into()))
}

/// Everything on this machine.
pub async fn check_machine(answers: &Answers, settings: &Settings) -> Vec<Check> {
    let mut checks = vec![
        check_folder("settings folder", &answers.dir, "--dir"),
        check_folder("data folder", &answers.data_dir, "--data-dir"),
        check_port("auth port", answers.auth_address(), "--auth-port", settings, "auth"),
        check_port("api port", answers.api_address(), "--api-port", settings, "api"),
    ];
    checks.push(check_host(answers, settings).await);
    checks.push(certificates::check(answers));
    checks.push(check_documents(answers, settings).await);
    checks.extend(rights::check(answers, settings));
    if let Some(units) = &answers.units {
        checks.push(check_programs(&answers.programs).await);
        checks.push(check_folder("unit folder", units, "--units"));
    }
    checks
}

/// A folder that is there and can be written, or can be made.
pub fn check_folder(name: &'static str, path: &Path, flag: &str) -> Check {
    let expected = "a folder that can be written";
    let missing = missing_folders(path);
    // The innermost folder that is there.
    let there = match missing.first() {
        Some(first) => first.parent().unwrap_or(Path::new("/")),
        None => path,
    };
    // Dropping it removes it again.
    match tempfile::Builder::new().prefix(".installer-").tempfile_in(there) {
        Ok(_) if missing.is_empty() => passed(name, expected, path.display().to_string()),
        Ok(_) => passed(name, expected, format!("{}, to be made", path.display())),
        Err(error) => {
            let why = error.to_string();
            let why = why.split(" at path").next().unwrap_or_default();
            let found = format!("{} cannot be written: {why}", there.display());
            let root = if is_root() { "" } else { ", or run this as root" };
            failed(name, expected, found, format!("choose another folder with {flag}{root}"))
        }
    }
}

/// A port that nobody has, or that a server of an earlier run has.
fn check_port(
    name: &'static str,
    address: SocketAddr,
    flag: &str,
    settings: &Settings,
    server: &str,
) -> Check {
    let expected = "a port that nobody listens on";
    let own = match server {
        "auth" => settings.auth.get("AUTH_LISTEN"),
        _ => settings.api.get("API_LISTEN"),
    };
    let own = own.and_then(|own| own.parse::<SocketAddr>().ok());
    // On another address, too: it moves there with its next start.
    let own = settings.exist && own.is_some_and(|own| own.port() == address.port());
    match TcpListener::bind(address) {
        Ok(_) => passed(name, expected, format!("{address} is free")),
        Err(_) if own => {
            passed(name, expected, format!("{address}, where the {server} server is running"))
        }
        Err(error) => failed(
            name,
            expected,
            format!("{address} cannot be listened on: {error}"),
            format!("choose another port with {flag}, or end the program that has it"),
        ),
    }
}

/// The api-server finds the auth server by this name, unless somebody has told it another one.
async fn check_host(answers: &Answers, settings: &Settings) -> Check {
    let (name, expected) = ("host name", "a name that has an address, where the servers listen");
    let (host, listen) = (&answers.host, answers.auth_listen);
    let failed = |found, advice: &str| failed(name, expected, found, advice);
    let advice = "enter it in DNS or in /etc/hosts, or give another name with --host";
    let found = timeout(LOOKUP_TIME, lookup_host((host.as_str(), 443))).await;
    let addresses: Vec<_> = match found {
        Ok(Ok(addresses)) => addresses.map(|address| address.ip()).collect(),
        Ok(Err(error)) => return failed(format!("{host} cannot be found: {error}"), advice),
        Err(_) => Vec::new(),
    };
    let Some(first) = addresses.first() else {
        return failed(format!("{host} cannot be found: it has no address"), advice);
    };
    let asks = settings.api.get("API_AUTH_URL").map(str::to_owned);
    let elsewhere = settings.exist && asks != Known::of(settings).auth_direct_url();
    if listen.is_unspecified() || addresses.contains(&listen) || elsewhere {
        return passed(name, expected, format!("{host} is {first}"));
    }
    failed(
        format!("{host} is {first}, and the servers would listen on {listen} alone"),
        "let them listen on that address or on every one with --listen, or give a name of this \
         address with --host, such as one that you enter in /etc/hosts",
    )
}

/// The place for documents.
async fn check_documents(answers: &Answers, settings: &Settings) -> Check {
    let (name, expected) = ("documents", "a place where files can be kept");
    let place = answers.documents.as_str();
    if !place.contains("://") {
        return check_folder(name, Path::new(place), "--documents");
    }
    match bucket::try_out(place, &answers.bucket, settings).await {
        Ok(()) => passed(name, expected, place),
        Err(error) => failed(
            name,
            expected,
            format!("{place} cannot be used: {error}"),
            "give --s3-endpoint, --s3-region, --s3-access-key-id and --s3-secret-file as the \
             service has them, or choose a folder with --documents",
        ),
    }
}

/// Both programs, of this release.
async fn check_programs(folder: &Path) -> Check {
    let (name, expected) = ("programs", "auth-server and api-server of this release");
    let own = env!("CARGO_PKG_VERSION");
    for program in ["auth-server", "api-server"] {
        let path = folder.join(program);
        let fault = match version(&path).await {
            Ok(version) if version == own => continue,
            Ok(version) => format!("{} is of release {version}", path.display()),
            Err(error) => format!("{}: {error}", path.display()),
        };
        let advice = format!(
            "put auth-server and api-server of release {own} beside the installer, or name their \
             folder with --programs"
        );
        return failed(name, expected, fault, advice);
    }
    passed(name, expected, format!("release {own} in {}", folder.display()))
}

async fn version(program: &Path) -> Result<String, String> {
    let mut command = Command::new(program);
    let output = command.arg("--version").kill_on_drop(true).output();
    let output = timeout(VERSION_TIME, output).await.map_err(|_| "it does not end".to_owned())?;
    let output = output.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_whitespace().nth(1).map(str::to_owned);
    version.ok_or_else(|| "it does not tell its version".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_checked_where_its_path_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("a/b");
        assert!(check_folder("x", &new, "--x").found.ends_with("a/b, to be made"));
        assert!(!new.exists() && !folder.path().join("a").exists());
        assert_eq!(check_folder("x", folder.path(), "--x").outcome, Outcome::Passed);
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let check = check_folder("x", &file.join("c"), "--x");
        assert_eq!(check.outcome, Outcome::Failed);
        assert!(check.found.contains("cannot be written"), "{}", check.found);
    }
}

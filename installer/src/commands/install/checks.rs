//! The checks that must pass before anything is changed: on this machine, and in the database.

mod certificates;
mod database;
mod rights;

pub(super) use certificates::names as certificate_names;
pub(super) use database::{DatabaseState, check as check_database};
pub(super) use rights::lowest_port;

use super::answers::Answers;
use super::bucket;
use super::existing_config::{ExistingConfig, ExistingSettings};
use super::is_root;
use super::journal::missing_folders;
use crate::installation::checks::{Check, Outcome};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;
use tokio::net::lookup_host;
use tokio::process::Command;
use tokio::time::timeout;

/// How long a program may take to print its version.
const VERSION_TIME: Duration = Duration::from_secs(10);
/// How long name resolution may take.
const LOOKUP_TIME: Duration = Duration::from_secs(5);

/// A check that passed.
pub(super) fn passed(name: &'static str, expected: &str, found: impl Into<String>) -> Check {
    Check::new(name, Outcome::Passed, expected, &found.into(), None)
}

/// A check that failed, and what to do.
pub(super) fn failed(
    name: &'static str,
    expected: &str,
    found: impl Into<String>,
    advice: impl Into<String>,
) -> Check {
    Check::new(name, Outcome::Failed, expected, &found.into(), Some(&advice.into()))
}

/// Runs all checks of this machine.
pub(super) async fn check_machine(answers: &Answers, settings: &ExistingSettings) -> Vec<Check> {
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

/// Checks that a folder is writable, or can be created.
pub(super) fn check_folder(name: &'static str, path: &Path, flag: &str) -> Check {
    let expected = "a writable folder";
    let missing = missing_folders(path);
    // The innermost existing folder.
    let existing = match missing.first() {
        Some(first) => first.parent().unwrap_or(Path::new("/")),
        None => path,
    };
    // Removed again when dropped.
    match tempfile::Builder::new().prefix(".installer-").tempfile_in(existing) {
        Ok(_) if missing.is_empty() => passed(name, expected, path.display().to_string()),
        Ok(_) => passed(name, expected, format!("{}, to be created", path.display())),
        Err(error) => {
            let why = error.to_string();
            let why = why.split(" at path").next().unwrap_or_default();
            let found = format!("cannot write to {}: {why}", existing.display());
            let root = if is_root() { "" } else { ", or run this as root" };
            failed(name, expected, found, format!("choose another folder with {flag}{root}"))
        }
    }
}

/// Checks that a port is free, or used by a server of an earlier run.
fn check_port(
    name: &'static str,
    address: SocketAddr,
    flag: &str,
    settings: &ExistingSettings,
    server: &str,
) -> Check {
    let expected = "a free port";
    let own_address = match server {
        "auth" => settings.auth.get("AUTH_LISTEN"),
        _ => settings.api.get("API_LISTEN"),
    };
    let own_address = own_address.and_then(|address| address.parse::<SocketAddr>().ok());
    // Even on another address: it moves there when it restarts.
    let is_own = settings.exist && own_address.is_some_and(|own| own.port() == address.port());
    match TcpListener::bind(address) {
        Ok(_) => passed(name, expected, format!("{address} is free")),
        Err(_) if is_own => {
            passed(name, expected, format!("{address}, used by the running {server} server"))
        }
        Err(error) => failed(
            name,
            expected,
            format!("cannot listen on {address}: {error}"),
            format!("choose another port with {flag}, or stop the program that uses it"),
        ),
    }
}

/// The api-server finds the auth server by this name, unless it was configured with another one.
async fn check_host(answers: &Answers, settings: &ExistingSettings) -> Check {
    let (name, expected) = ("host name", "resolves to an address that the servers listen on");
    let (host, listen) = (&answers.host, answers.auth_listen);
    let failed = |found, advice: &str| failed(name, expected, found, advice);
    let advice = "add it to DNS or /etc/hosts, or pass another name with --host";
    let lookup = timeout(LOOKUP_TIME, lookup_host((host.as_str(), 443))).await;
    let addresses: Vec<_> = match lookup {
        Ok(Ok(addresses)) => addresses.map(|address| address.ip()).collect(),
        Ok(Err(error)) => return failed(format!("cannot resolve {host}: {error}"), advice),
        Err(_) => Vec::new(),
    };
    let Some(first) = addresses.first() else {
        return failed(format!("cannot resolve {host}: it has no address"), advice);
    };
    let configured_url = settings.api.get("API_AUTH_URL").map(str::to_owned);
    let uses_other_url =
        settings.exist && configured_url != ExistingConfig::of(settings).auth_direct_url();
    if listen.is_unspecified() || addresses.contains(&listen) || uses_other_url {
        return passed(name, expected, format!("{host} is {first}"));
    }
    failed(
        format!("{host} is {first}, but the servers would listen only on {listen}"),
        "make them listen on that address or on all addresses with --listen, or pass a name of the \
         listen address with --host, such as one that you add to /etc/hosts",
    )
}

/// Checks the document store.
async fn check_documents(answers: &Answers, settings: &ExistingSettings) -> Check {
    let (name, expected) = ("documents", "a usable document store");
    let location = answers.documents.as_str();
    if !location.contains("://") {
        return check_folder(name, Path::new(location), "--documents");
    }
    match bucket::try_out(location, &answers.bucket, settings).await {
        Ok(()) => passed(name, expected, location),
        Err(error) => failed(
            name,
            expected,
            format!("cannot use {location}: {error}"),
            "pass the --s3-endpoint, --s3-region, --s3-access-key-id and --s3-secret-file of the \
             service, or choose a folder with --documents",
        ),
    }
}

/// Checks that both programs are of this release.
async fn check_programs(folder: &Path) -> Check {
    let (name, expected) = ("programs", "auth-server and api-server of this release");
    let own_version = env!("CARGO_PKG_VERSION");
    for program in ["auth-server", "api-server"] {
        let path = folder.join(program);
        let fault = match version(&path).await {
            Ok(version) if version == own_version => continue,
            Ok(version) => format!("{} is release {version}", path.display()),
            Err(error) => format!("{}: {error}", path.display()),
        };
        let advice = format!(
            "put auth-server and api-server of release {own_version} next to the installer, or \
             pass their folder with --programs"
        );
        return failed(name, expected, fault, advice);
    }
    passed(name, expected, format!("release {own_version} in {}", folder.display()))
}

async fn version(program: &Path) -> Result<String, String> {
    let mut command = Command::new(program);
    let output = command.arg("--version").kill_on_drop(true).output();
    let output = timeout(VERSION_TIME, output).await.map_err(|_| "it does not exit".to_owned())?;
    let output = output.map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_whitespace().nth(1).map(str::to_owned);
    version.ok_or_else(|| "it does not print its version".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_is_checked_at_its_nearest_parent() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("a/b");
        assert!(check_folder("x", &new, "--x").found.ends_with("a/b, to be created"));
        assert!(!new.exists() && !folder.path().join("a").exists());
        assert_eq!(check_folder("x", folder.path(), "--x").outcome, Outcome::Passed);
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let check = check_folder("x", &file.join("c"), "--x");
        assert_eq!(check.outcome, Outcome::Failed);
        assert!(check.found.contains("cannot write to"), "{}", check.found);
    }
}

//! The checks that must pass before anything is changed: on this machine, and in the database.

mod certificates;
mod database;
mod rights;

pub(super) use certificates::names as certificate_names;
pub(super) use database::{DatabaseState, check as check_database};
pub(super) use rights::lowest_port;

use super::answers::Answers;
use super::existing_config::{ExistingConfig, ExistingSettings};
use super::is_root;
use super::private_folders::missing_folders;
use super::{bucket, services};
use crate::installation::checks::{Failure, Finding, Report};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;
use tokio::net::lookup_host;
use tokio::time::timeout;

/// How long name resolution may take.
const LOOKUP_TIME: Duration = Duration::from_secs(5);

/// What is expected of a folder.
const FOLDER: &str = "a writable folder";
/// What is expected of a port.
const PORT: &str = "a free port";

/// Runs all checks of this machine.
pub(super) async fn check_machine(answers: &Answers, settings: &ExistingSettings) -> Report {
    let Answers { dir, data_dir, .. } = answers;
    let (auth, api) = (settings.auth.get("AUTH_LISTEN"), settings.api.get("API_LISTEN"));
    let mut report = Report::default();
    report.record(("settings folder", FOLDER), check_folder(dir, "--dir"));
    report.record(("data folder", FOLDER), check_folder(data_dir, "--data-dir"));
    report.record(
        ("auth port", PORT),
        check_port(answers.auth_address(), "--auth-port", settings.exist, auth, "auth"),
    );
    report.record(
        ("api port", PORT),
        check_port(answers.api_address(), "--api-port", settings.exist, api, "api"),
    );
    let host = check_host(answers, settings).await;
    report.record(("host name", "resolves to an address that the servers listen on"), host);
    let certificate = certificates::check(answers);
    report.record(("certificate", "matching key, names, dates and authority"), certificate);
    let documents = check_documents(answers, settings).await;
    match answers.documents.contains("://") {
        true => report.record(("documents", "a usable document store"), documents),
        false => report.record(("documents", FOLDER), documents),
    }
    if let Some(rights) = rights::check(answers, settings) {
        report
            .record(("rights", "the servers can access what they need, and nothing more"), rights);
    }
    if answers.start {
        report
            .record(("services", "of both servers, with these settings"), services::check(answers));
    }
    report
}

/// Checks that a folder is writable, or can be created.
fn check_folder(path: &Path, flag: &str) -> Finding {
    let missing = missing_folders(path);
    // The innermost existing folder.
    let existing = match missing.first() {
        Some(first) => first.parent().unwrap_or(Path::new("/")),
        None => path,
    };
    // Removed again when dropped.
    match tempfile::Builder::new().prefix(".installer-").tempfile_in(existing) {
        Ok(_) if missing.is_empty() => Ok(path.display().to_string()),
        Ok(_) => Ok(format!("{}, to be created", path.display())),
        Err(error) => {
            let why = error.to_string();
            let why = why.split(" at path").next().unwrap_or_default();
            let found = format!("cannot write to {}: {why}", existing.display());
            let root = if is_root() { "" } else { ", or run this as root" };
            Err(Failure::new(found, format!("choose another folder with {flag}{root}")))
        }
    }
}

/// Checks that a port is free, or used by a server of an earlier run.
fn check_port(
    address: SocketAddr,
    flag: &str,
    settings_exist: bool,
    own_address: Option<&str>,
    server: &str,
) -> Finding {
    let own_address = own_address.and_then(|address| address.parse::<SocketAddr>().ok());
    // Even on another address: it moves there when it restarts.
    let is_own = settings_exist && own_address.is_some_and(|own| own.port() == address.port());
    match TcpListener::bind(address) {
        Ok(_) => Ok(format!("{address} is free")),
        Err(_) if is_own => Ok(format!("{address}, used by the running {server} server")),
        Err(error) => Err(Failure::new(
            format!("cannot listen on {address}: {error}"),
            format!("choose another port with {flag}, or stop the program that uses it"),
        )),
    }
}

/// The api-server finds the auth server by this name, unless it was configured with another one.
async fn check_host(answers: &Answers, settings: &ExistingSettings) -> Finding {
    let (host, listen) = (&answers.host, answers.auth_listen);
    let unresolved = |why: &str| {
        let advice = "add it to DNS or /etc/hosts, or pass another name with --host";
        Failure::new(format!("cannot resolve {host}: {why}"), advice)
    };
    let lookup = timeout(LOOKUP_TIME, lookup_host((host.as_str(), 443))).await;
    let addresses: Vec<_> = match lookup {
        Ok(Ok(addresses)) => addresses.map(|address| address.ip()).collect(),
        Ok(Err(error)) => return Err(unresolved(&error.to_string())),
        Err(_) => Vec::new(),
    };
    let first = addresses.first().ok_or_else(|| unresolved("it has no address"))?;
    let configured_url = settings.api.get("API_AUTH_URL").map(str::to_owned);
    let uses_other_url =
        settings.exist && configured_url != ExistingConfig::of(settings).auth_direct_url();
    if listen.is_unspecified() || addresses.contains(&listen) || uses_other_url {
        return Ok(format!("{host} is {first}"));
    }
    Err(Failure::new(
        format!("{host} is {first}, but the servers would listen only on {listen}"),
        "make them listen on that address or on all addresses with --listen, or pass a name of the \
         listen address with --host, such as one that you add to /etc/hosts",
    ))
}

/// Checks the document store.
async fn check_documents(answers: &Answers, settings: &ExistingSettings) -> Finding {
    let location = answers.documents.as_str();
    if !location.contains("://") {
        return check_folder(Path::new(location), "--documents");
    }
    match bucket::try_out(location, &answers.bucket, &settings.dir).await {
        Ok(()) => Ok(location.to_owned()),
        Err(error) => Err(Failure::new(
            format!("cannot use {location}: {error}"),
            "pass the --s3-endpoint, --s3-region, --s3-access-key-id and --s3-secret-file of the \
             service, or choose a folder with --documents",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_is_checked_at_its_nearest_parent() {
        let folder = tempfile::tempdir().unwrap();
        let new = folder.path().join("a/b");
        assert!(check_folder(&new, "--x").unwrap().ends_with("a/b, to be created"));
        assert!(!new.exists() && !folder.path().join("a").exists());
        assert!(check_folder(folder.path(), "--x").is_ok());
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let failure = check_folder(&file.join("c"), "--x").unwrap_err();
        assert!(failure.found.contains("cannot write to"), "{}", failure.found);
    }
}

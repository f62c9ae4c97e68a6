//! Values that an administrator gives: what hosts, URLs and paths must look like.

use crate::installation::{CliError, refuse};
use reqwest::Url;
use std::path::PathBuf;

/// The spool folder for imports, in the data folder.
pub(super) const SPOOL: &str = "spool";
/// The folder for document files, in the data folder.
pub(super) const DOCUMENTS: &str = "documents";

/// A server's URL, in the form that browsers and [`check_url`] use.
pub(super) fn at(host: &str, port: u16) -> String {
    match port {
        443 => format!("https://{host}"),
        port => format!("https://{host}:{port}"),
    }
}

/// Refuses a host name that no certificate can contain.
pub(super) fn check_host(host: &str) -> Result<(), CliError> {
    let is_valid_name = rustls::pki_types::ServerName::try_from(host).is_ok();
    match is_valid_name && host == host.to_lowercase() && !host.contains(':') {
        true => Ok(()),
        false => refuse(format!(
            "{host:?} is not a host name: use letters, digits and hyphens, as in loans.example.com"
        )),
    }
}

/// Refuses a URL that is not an origin.
pub(super) fn check_url(url: &str) -> Result<(), CliError> {
    let origin = Url::parse(url).map(|parsed| parsed.origin().ascii_serialization());
    match url.starts_with("https://") && origin.as_deref() == Ok(url) {
        true => Ok(()),
        false => refuse(format!("{url:?} must be https://HOST or https://HOST:PORT")),
    }
}

/// Refuses an invalid list of addresses and networks.
pub(super) fn check_proxies(proxies: &str) -> Result<(), CliError> {
    match proxies.parse::<shared::networks::Networks>() {
        Ok(_) => Ok(()),
        Err(error) => refuse(format!("--proxies {proxies}: {error}")),
    }
}

/// Makes a path absolute, and refuses characters that settings and units cannot hold.
pub(super) fn absolute(path: PathBuf) -> Result<PathBuf, CliError> {
    let path = std::path::absolute(&path)
        .map_err(|error| CliError(format!("{}: {error}", path.display())))?;
    // It must fit unquoted into a line of a settings file and a word of a unit.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
    match path.to_str().is_some_and(|text| text.chars().all(is_plain)) {
        true => Ok(path),
        false => refuse(format!(
            "{} has characters that a settings file cannot hold: choose a path of letters, digits \
             and /._-+@",
            path.display()
        )),
    }
}

//! The servers' certificate: one that was given, or one that will be made.

use super::{failed, passed};
use crate::certificates::{RENEW_BEFORE, dates};
use crate::checks::Check;
use crate::install::answers::{Answers, GivenTls};
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Url;
use rustls::RootCertStore;
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::{ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use shared::tls::{Identity, read_certificates};
use std::path::Path;
use std::time::SystemTime;

/// The names that clients and the two servers use for this machine.
pub fn names(answers: &Answers) -> Vec<String> {
    let host_of = |url: &str| Some(Url::parse(url).ok()?.host_str()?.to_owned());
    let mut names = vec![answers.host.clone()];
    let others = [host_of(&answers.auth_url), host_of(&answers.api_url)];
    let local = ["localhost", "127.0.0.1", "::1"].map(|name| Some(name.to_owned()));
    for name in others.into_iter().chain(local).flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether the servers can present it, and the api-server will believe it.
pub fn check(answers: &Answers) -> Check {
    let (name, expected) = ("certificate", "key, names, dates and authority fit");
    let Some(tls) = &answers.tls else {
        let names = names(answers).join(", ");
        return passed(
            name,
            expected,
            format!("of an authority of this installation, for {names}"),
        );
    };
    match judge(tls, &answers.host) {
        Ok(until) => passed(name, expected, format!("{}, {until}", tls.certificate.display())),
        Err((found, advice)) => failed(name, expected, found, advice),
    }
}

type Fault = (String, &'static str);

fn judge(tls: &GivenTls, host: &str) -> Result<String, Fault> {
    let pem = "give PEM files that can be read: the chain, its key, and the authority";
    let (certificate, key) = (tls.certificate.as_path(), tls.key.as_path());
    let identity = Identity { certificate, key, client_certificates: false };
    identity.server_config().map_err(|error| (error, pem))?;
    let chain = read_certificates(certificate).map_err(|error| (error, pem))?;
    let (leaf, intermediates) =
        chain.split_first().ok_or_else(|| ("there is no certificate".to_owned(), pem))?;
    let until = check_dates(certificate)?;
    let path = certificate.display();
    let parsed = ParsedCertificate::try_from(leaf)
        .map_err(|error| (format!("{path} cannot be read: {error}"), pem))?;
    let server_name = ServerName::try_from(host.to_owned())
        .map_err(|error| (error.to_string(), "choose another --host"))?;
    verify_server_name(&parsed, &server_name).map_err(|_| {
        let found = format!("{path} does not name {host}");
        (found, "get a certificate with that name, or give a name of it with --host")
    })?;
    let mut roots = RootCertStore::empty();
    for root in read_certificates(&tls.authority).map_err(|error| (error, pem))? {
        let no_authority = |error| format!("{} is no authority: {error}", tls.authority.display());
        roots.add(root).map_err(|error| (no_authority(error), pem))?;
    }
    let algorithms = default_provider().signature_verification_algorithms.all;
    let now = UnixTime::now();
    verify_server_cert_signed_by_trust_anchor(&parsed, &roots, intermediates, now, algorithms)
        .map_err(|error| {
            let found = format!("{path} does not verify with {}: {error}", tls.authority.display());
            (
                found,
                "put the intermediate certificates behind the server's own, or give the \
                     authority that signed it",
            )
        })?;
    Ok(until)
}

fn check_dates(path: &Path) -> Result<String, Fault> {
    let renew = "get a new certificate";
    let (_, end) = dates(path).map_err(|error| (error, renew))?;
    let day = end.date_naive();
    match end - DateTime::<Utc>::from(SystemTime::now()) {
        left if left <= TimeDelta::zero() => {
            Err((format!("{} has expired on {day}", path.display()), renew))
        }
        left if left < RENEW_BEFORE => Ok(format!("good until {day}: get a new one soon")),
        _ => Ok(format!("good until {day}")),
    }
}

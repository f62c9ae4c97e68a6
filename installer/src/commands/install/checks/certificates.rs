//! The servers' certificate: an existing one, or one that will be created.

use crate::commands::install::answers::Answers;
use crate::installation::certificates::{RENEW_BEFORE, TlsFiles, authorities, dates};
use crate::installation::checks::{Failure, Finding};
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Url;
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error};
use shared::tls::{Identity, read_certificates};
use std::path::Path;
use std::time::SystemTime;
use x509_parser::prelude::{FromDer, X509Certificate};

/// The names under which clients and the two servers reach this machine.
pub(crate) fn names(answers: &Answers) -> Vec<String> {
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

/// Checks that the servers can present the certificate, and that the api-server will trust it.
pub(super) fn check(answers: &Answers) -> Finding {
    let Some(tls) = &answers.tls else {
        let names = names(answers).join(", ");
        return Ok(format!("issued by this installation's own authority, for {names}"));
    };
    let until = verify(tls, &answers.host)?;
    Ok(format!("{}, {until}", tls.certificate.display()))
}

fn verify(tls: &TlsFiles, host: &str) -> Finding {
    let (certificate, key) = (tls.certificate.as_path(), tls.key.as_path());
    let path = certificate.display();
    let chain = read_certificates(certificate).map_err(unusable)?;
    let (leaf, intermediates) =
        chain.split_first().ok_or_else(|| unusable("no certificate found"))?;
    check_kind(certificate, &chain)?;
    let identity = Identity { certificate, key, client_certificates: false };
    identity.server_config().map_err(unusable)?;
    let until = check_dates(certificate)?;
    let parsed = ParsedCertificate::try_from(leaf)
        .map_err(|error| unusable(format!("cannot read {path}: {error}")))?;
    let server_name = ServerName::try_from(host.to_owned())
        .map_err(|error| Failure::new(error, "choose another --host"))?;
    verify_server_name(&parsed, &server_name).map_err(|_| {
        let found = format!("{path} is not valid for {host}");
        Failure::new(found, "get a certificate for that name, or pass one of its names with --host")
    })?;
    let roots = authorities(&tls.authority).map_err(unusable)?;
    let algorithms = default_provider().signature_verification_algorithms.all;
    let now = UnixTime::now();
    verify_server_cert_signed_by_trust_anchor(&parsed, &roots, intermediates, now, algorithms)
        .map_err(|error| {
            let found = format!("{path} does not verify with {}: {error}", tls.authority.display());
            let advice = match error {
                Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
                    "append the intermediate certificates to the server's own, or pass the \
                     authority that signed it with --tls-authority"
                }
                _ => "have the authority issue a new one for a TLS server",
            };
            Failure::new(found, advice)
        })?;
    Ok(until)
}

fn unusable(why: impl ToString) -> Failure {
    Failure::new(why, "pass readable PEM files: the chain, its key, and the authority")
}

/// The first certificate must be a server's: not an authority's, and not for clients only.
fn check_kind(path: &Path, chain: &[CertificateDer<'_>]) -> Result<(), Failure> {
    let mut all = Vec::new();
    for certificate in chain {
        let (_, read) = X509Certificate::from_der(certificate)
            .map_err(|error| unusable(format!("cannot read {}: {error}", path.display())))?;
        all.push(read);
    }
    let Some((leaf, others)) = all.split_first() else { return Ok(()) };
    let path = path.display();
    if leaf.is_ca() && others.iter().any(|other| !other.is_ca()) {
        let found = format!("{path} does not start with the server's own certificate");
        let advice = "put the server's own first, then each one that signed the one before it";
        return Err(Failure::new(found, advice));
    }
    if leaf.is_ca() {
        return Err(Failure::new(
            format!("{path} is the certificate of an authority, not of a server"),
            "get one for a server; openssl req -x509 creates it with -addext \
             basicConstraints=critical,CA:FALSE",
        ));
    }
    let usage = leaf.extended_key_usage().ok().flatten().map(|usage| usage.value);
    if usage.is_some_and(|usage| !usage.server_auth && !usage.any) {
        let found = format!("{path} is not for servers: its extended key usage excludes them");
        let advice = "have the authority issue one for TLS servers (serverAuth)";
        return Err(Failure::new(found, advice));
    }
    Ok(())
}

fn check_dates(path: &Path) -> Finding {
    let renew = "get a new certificate";
    let (begin, end) = dates(path).map_err(|error| Failure::new(error, renew))?;
    let now = DateTime::<Utc>::from(SystemTime::now());
    let day = end.date_naive();
    if now < begin {
        let found = format!("{} is not valid before {begin}", path.display());
        let advice = "wait until then, or correct this machine's clock if it is wrong";
        return Err(Failure::new(found, advice));
    }
    match end - now {
        remaining if remaining <= TimeDelta::zero() => {
            Err(Failure::new(format!("{} expired on {day}", path.display()), renew))
        }
        remaining if remaining < RENEW_BEFORE => {
            Ok(format!("valid until {day}: get a new one soon"))
        }
        _ => Ok(format!("valid until {day}")),
    }
}

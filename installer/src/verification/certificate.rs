//! Chain, host name and expiry of a presented certificate, each judged separately.

use super::connect::Target;
use super::handshakes::Chain;
use super::report::{VerificationRun, VerificationStep};
use crate::installation::certificates::{RENEW_BEFORE, authorities};
use crate::installation::checks::{Failure, Finding};
use crate::installation::count;
use chrono::{DateTime, Utc};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, Error, RootCertStore};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;

/// Where common systems keep their trusted authorities.
const SYSTEM_BUNDLES: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

pub(super) struct Trust {
    /// The file that contains them.
    pub(super) path: PathBuf,
    roots: RootCertStore,
}

impl Trust {
    /// Loads the authorities in the given file, or the system's.
    pub(super) fn find(
        given: Option<&Path>,
        run: &mut VerificationRun,
    ) -> Result<Self, VerificationStep> {
        let system = || SYSTEM_BUNDLES.iter().map(Path::new).find(|path| path.is_file());
        let Some(path) = given.or_else(system) else {
            let found = format!("this system has none of {}", SYSTEM_BUNDLES.join(", "));
            return Err(run.fail(
                VerificationStep::Chain,
                found,
                "pass a file of authorities with --ca",
            ));
        };
        let advice = "pass a PEM file with the authority's certificate with --ca";
        let roots =
            authorities(path).map_err(|found| run.fail(VerificationStep::Chain, found, advice))?;
        Ok(Self { path: path.to_owned(), roots })
    }
}

/// Judges every chain the server presented. HTTP is not tried unless all of them hold.
pub(super) fn check(
    target: &Target,
    trust: &Trust,
    chains: &[Chain],
    run: &mut VerificationRun,
) -> Result<(), VerificationStep> {
    let mut chains_read = Vec::new();
    for chain in chains {
        chains_read.push(Presented::read(chain).map_err(|found| {
            let advice =
                "give the server a certificate that conforms to RFC 5280 (X.509 version 3)";
            run.fail(VerificationStep::Chain, found, advice)
        })?);
    }
    // Each of the three is reported, whichever fails.
    let issuers = find_issuers(trust, &chains_read);
    let chain = run.record_finding(VerificationStep::Chain, issuers);
    let names = find_names(target, &chains_read);
    let host_name = run.record_finding(VerificationStep::HostName, names);
    let expiry = check_expiry(trust, &chains_read, run);
    chain.and(host_name).and(expiry)
}

/// A chain in two parsed forms: one for verification, one for dates and names.
struct Presented<'a> {
    parsed: ParsedCertificate<'a>,
    all: Vec<X509Certificate<'a>>,
    /// The server's own certificate: the first one.
    leaf: X509Certificate<'a>,
    intermediates: &'a [CertificateDer<'static>],
}

impl<'a> Presented<'a> {
    fn read(chain: &'a Chain) -> Result<Self, String> {
        let (leaf_der, intermediates) =
            chain.split_first().ok_or("no certificate was presented")?;
        let unreadable =
            |error: &dyn std::fmt::Display| format!("cannot read the certificate: {error}");
        let mut all = Vec::new();
        for certificate in chain {
            let (_, read) = X509Certificate::from_der(certificate).map_err(|it| unreadable(&it))?;
            all.push(read);
        }
        let leaf = all.first().ok_or("no certificate was presented")?.clone();
        let parsed = ParsedCertificate::try_from(leaf_der).map_err(|error| unreadable(&error))?;
        Ok(Self { parsed, all, leaf, intermediates })
    }

    fn verify(&self, trust: &Trust, time: UnixTime) -> Result<(), Error> {
        let provider = CryptoProvider::get_default()
            .ok_or_else(|| Error::General("no TLS provider".to_owned()))?;
        let algorithms = provider.signature_verification_algorithms.all;
        verify_server_cert_signed_by_trust_anchor(
            &self.parsed,
            &trust.roots,
            self.intermediates,
            time,
            algorithms,
        )
    }

    /// Judges the chain regardless of time: at a moment when every required certificate is valid,
    /// if there is one. The moments at which validities begin or end cover all cases.
    fn verify_ignoring_dates(&self, trust: &Trust) -> Result<(), Error> {
        let moments = self.all.iter().flat_map(|certificate| {
            let validity = certificate.validity();
            [validity.not_before.timestamp(), validity.not_after.timestamp()]
        });
        let moments = moments.filter_map(|seconds| u64::try_from(seconds).ok());
        let moments = moments.map(|it| UnixTime::since_unix_epoch(Duration::from_secs(it)));
        let mut outcome = Ok(());
        for moment in std::iter::once(UnixTime::now()).chain(moments) {
            match self.verify(trust, moment) {
                Err(error) if is_about_time(&error) => {}
                Err(error) => outcome = Err(error),
                Ok(()) => return Ok(()),
            }
        }
        outcome
    }
}

fn find_issuers(trust: &Trust, chains: &[Presented<'_>]) -> Finding {
    let mut found = Vec::new();
    for chain in chains {
        let issuer = chain.all.last().map(|last| last.issuer().to_string()).unwrap_or_default();
        let path = trust.path.display();
        match chain.verify_ignoring_dates(trust) {
            Ok(()) => found.push(format!("issued by {issuer}, trusted by {path}")),
            Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {
                return Err(Failure::new(
                    format!("issued by {issuer}, which {path} does not list"),
                    "pass that authority's certificate with --ca; if it is in the file, have the \
                     server present its intermediate certificates as well",
                ));
            }
            Err(error) => {
                let advice = "have the authority issue a new certificate for a TLS server";
                return Err(Failure::new(error, advice));
            }
        }
    }
    found.dedup();
    Ok(found.join("; "))
}

fn find_names(target: &Target, chains: &[Presented<'_>]) -> Finding {
    for chain in chains {
        if let Err(error) = verify_server_name(&chain.parsed, &target.name) {
            let names = names(&chain.leaf);
            let found = match error {
                Error::InvalidCertificate(_) if names.is_empty() => {
                    format!("has no names at all, and so not {}", target.host)
                }
                Error::InvalidCertificate(_) => {
                    format!("valid for {}, not for {}", names.join(", "), target.host)
                }
                error => error.to_string(),
            };
            let advice = "use a name in the URL that the certificate contains, or have a \
                          certificate issued with this name as a subject alternative name";
            return Err(Failure::new(found, advice));
        }
    }
    let names = chains.first().map(|chain| names(&chain.leaf)).unwrap_or_default();
    Ok(format!("valid for {}", names.join(", ")))
}

fn check_expiry(
    trust: &Trust,
    chains: &[Presented<'_>],
    run: &mut VerificationRun,
) -> Result<(), VerificationStep> {
    let now = SystemTime::now();
    let mut last_day = DateTime::<Utc>::MAX_UTC;
    for chain in chains {
        // An intermediate authority may be out of date as well, but matters only if needed.
        let authority_at_fault =
            chain.verify(trust, UnixTime::now()).is_err_and(|error| is_about_time(&error));
        let others = chain.all.iter().skip(1).filter(|_| authority_at_fault);
        for certificate in std::iter::once(&chain.leaf).chain(others) {
            if let Some(fault) = out_of_date(certificate, now.into()) {
                let advice = "have the certificate renewed and restart the server, or correct this \
                              machine's clock if it is wrong";
                return Err(run.fail(VerificationStep::Expiry, fault, advice));
            }
        }
        last_day = last_day.min(instant(chain.leaf.validity().not_after.timestamp()));
    }
    let remaining = last_day - DateTime::<Utc>::from(now);
    let days = count(remaining.num_days(), "day");
    let found = format!("valid until {}, {days} left", format_time(last_day));
    match remaining < RENEW_BEFORE {
        true => run.pass_for_now(VerificationStep::Expiry, found, "renew the certificate soon"),
        false => run.pass(VerificationStep::Expiry, found),
    }
    Ok(())
}

fn out_of_date(certificate: &X509Certificate<'_>, now: DateTime<Utc>) -> Option<String> {
    let validity = certificate.validity();
    let begin = instant(validity.not_before.timestamp());
    let end = instant(validity.not_after.timestamp());
    let (subject, clock) = (certificate.subject(), format_time(now));
    if now < begin {
        Some(format!(
            "{subject} is not valid before {}; this machine's clock: {clock}",
            format_time(begin)
        ))
    } else if now > end {
        Some(format!("{subject} expired at {}; this machine's clock: {clock}", format_time(end)))
    } else {
        None
    }
}

fn is_about_time(error: &Error) -> bool {
    use CertificateError::{Expired, ExpiredContext, NotValidYet, NotValidYetContext};
    let Error::InvalidCertificate(error) = error else { return false };
    matches!(error, Expired | ExpiredContext { .. } | NotValidYet | NotValidYetContext { .. })
}

/// The names a client may compare: only the subject alternative names (RFC 9525).
fn names(certificate: &X509Certificate<'_>) -> Vec<String> {
    let Ok(Some(extension)) = certificate.subject_alternative_name() else { return Vec::new() };
    let names = extension.value.general_names.iter().filter_map(|name| match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => {
            let v4 = <[u8; 4]>::try_from(*bytes).map(std::net::IpAddr::from);
            let v6 = <[u8; 16]>::try_from(*bytes).map(std::net::IpAddr::from);
            v4.or(v6).ok().map(|address| address.to_string())
        }
        _ => None,
    });
    names.collect()
}

/// Certificates may end in the year 9999, which means never.
fn instant(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

fn format_time(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

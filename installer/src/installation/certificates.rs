//! Certificates: a private authority, for machines that are not on a public network; dates; and
//! which server holds the key of a certificate.

use crate::installation::files::{write, write_private};
use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, Utc};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_name;
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use shared::tls::read_certificates;
use std::path::{Path, PathBuf};
use x509_parser::prelude::{FromDer, X509Certificate};

const AUTHORITY_DAYS: u64 = 3650;
/// The longest lifetime that clients accept for a server certificate.
const SERVER_DAYS: u64 = 397;
/// How long before its end a certificate should be renewed.
pub const RENEW_BEFORE: TimeDelta = TimeDelta::days(30);

/// The certificate files of a local installation.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The authority's certificate, which clients trust.
    pub authority: PathBuf,
    /// The certificate chain that both servers present.
    pub certificate: PathBuf,
    /// The private key of that certificate.
    pub key: PathBuf,
}

impl TlsFiles {
    /// The files with the names used in a folder that this installer fills.
    pub fn in_folder(directory: &Path) -> Self {
        Self {
            authority: directory.join("ca.pem"),
            certificate: directory.join("server.pem"),
            key: directory.join("server.key"),
        }
    }

    fn exist(&self) -> bool {
        [&self.authority, &self.certificate, &self.key].into_iter().all(|path| path.exists())
    }
}

/// The files in this folder, created if missing: an authority, and a certificate issued by it for
/// `localhost`, `127.0.0.1` and `::1`.
pub fn local(directory: &Path) -> Result<TlsFiles, String> {
    let files = TlsFiles::in_folder(directory);
    match files.exist() {
        true => Ok(files),
        false => own(directory, &["localhost", "127.0.0.1", "::1"].map(str::to_owned)),
    }
}

/// What must be created in a folder so that its certificate has these names and stays valid for a
/// while; `None` if nothing.
pub fn missing(files: &TlsFiles, names: &[String]) -> Result<Option<&'static str>, String> {
    if !files.exist() {
        return Ok(Some("create an authority and a certificate"));
    }
    let chain = read_certificates(&files.certificate)?;
    let leaf = chain.first().ok_or("no certificate found")?;
    let parsed = ParsedCertificate::try_from(leaf)
        .map_err(|error| format!("cannot read {}: {error}", files.certificate.display()))?;
    let is_named = |name: &String| {
        let name = ServerName::try_from(name.as_str());
        name.is_ok_and(|name| verify_server_name(&parsed, &name).is_ok())
    };
    if !names.iter().all(is_named) {
        return Ok(Some("create another certificate"));
    }
    let (_, end) = dates(&files.certificate)?;
    Ok((end < Utc::now() + RENEW_BEFORE).then_some("renew the certificate"))
}

/// The period in which all certificates of the chain are valid.
pub fn dates(path: &Path) -> Result<(DateTime<Utc>, DateTime<Utc>), String> {
    let (mut begin, mut end) = (DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC);
    for certificate in read_certificates(path)? {
        let (_, parsed) = X509Certificate::from_der(&certificate)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let instant = |seconds| DateTime::from_timestamp(seconds, 0);
        let validity = parsed.validity();
        begin = begin.max(instant(validity.not_before.timestamp()).unwrap_or(begin));
        end = end.min(instant(validity.not_after.timestamp()).unwrap_or(end));
    }
    Ok((begin, end))
}

/// Reads the authorities in this file.
pub fn authorities(path: &Path) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    for certificate in read_certificates(path)? {
        let path = path.display();
        roots.add(certificate).map_err(|error| format!("{path} is not an authority: {error}"))?;
    }
    Ok(roots)
}

/// Creates a certificate for these names, issued by the authority in this folder, which is created
/// if missing.
pub fn own(directory: &Path, names: &[String]) -> Result<TlsFiles, String> {
    let files = TlsFiles::in_folder(directory);
    std::fs::create_dir_all(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let today = Utc::now().date_naive();
    let failed = |error: rcgen::Error| format!("cannot create certificates: {error}");
    let authority_key_file = directory.join("ca.key");
    let authority = authority(today);
    let authority_key = match std::fs::read_to_string(&authority_key_file) {
        // Keep the authority that clients already trust: a signature depends only on its name and
        // key.
        Ok(pem) if files.authority.exists() => KeyPair::from_pem(&pem).map_err(failed)?,
        _ => {
            let key = KeyPair::generate().map_err(failed)?;
            write(&files.authority, &authority.self_signed(&key).map_err(failed)?.pem())?;
            write_private(&authority_key_file, &key.serialize_pem())?;
            key
        }
    };
    let issuer = Issuer::new(authority, authority_key);
    let server_key = KeyPair::generate().map_err(failed)?;
    let mut server = CertificateParams::new(names.to_vec()).map_err(failed)?;
    let first = names.first().map_or("localhost", String::as_str);
    server.distinguished_name.push(DnType::CommonName, first);
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    // Strict clients (Python since 3.13) require it (RFC 5280, 4.2.1.1).
    server.use_authority_key_identifier_extension = true;
    validity(&mut server, today, SERVER_DAYS);
    let server_pem = server.signed_by(&server_key, &issuer).map_err(failed)?.pem();
    write_private(&files.key, &server_key.serialize_pem())?;
    write(&files.certificate, &server_pem)?;
    Ok(files)
}

fn authority(today: NaiveDate) -> CertificateParams {
    let mut authority = CertificateParams::default();
    authority.distinguished_name.push(DnType::CommonName, "Loan Servicing local authority");
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    validity(&mut authority, today, AUTHORITY_DAYS);
    authority
}

/// Valid from yesterday, for clocks that are behind.
fn validity(certificate: &mut CertificateParams, today: NaiveDate, days: u64) {
    let date =
        |day: NaiveDate| rcgen::date_time_ymd(day.year(), day.month() as u8, day.day() as u8);
    certificate.not_before = date(today - Days::new(1));
    certificate.not_after = date(today + Days::new(days - 1));
}

/// The error of a server that presents another certificate than the pinned one.
pub const ANOTHER_CERTIFICATE: &str =
    "it presents a certificate other than the one in its settings";

/// Accepts a server that holds the key of its certificate, whatever else is wrong with that.
#[derive(Debug)]
pub struct KeyHolder {
    algorithms: WebPkiSupportedAlgorithms,
    pinned: Option<CertificateDer<'static>>,
}

impl KeyHolder {
    /// Accepts any certificate, or only the pinned one.
    pub fn new(pinned: Option<CertificateDer<'static>>) -> Result<Self, String> {
        let provider = CryptoProvider::get_default().ok_or("no TLS provider")?;
        Ok(Self { algorithms: provider.signature_verification_algorithms, pinned })
    }

    /// A certificate that cannot be read may be any certificate, but not the pinned one.
    fn allow_unreadable(
        &self,
        outcome: Result<HandshakeSignatureValid, Error>,
    ) -> Result<HandshakeSignatureValid, Error> {
        match outcome {
            Err(Error::InvalidCertificate(CertificateError::BadSignature)) => outcome,
            Err(Error::InvalidCertificate(_)) if self.pinned.is_none() => {
                Ok(HandshakeSignatureValid::assertion())
            }
            outcome => outcome,
        }
    }
}

impl ServerCertVerifier for KeyHolder {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match &self.pinned {
            Some(pinned) if end_entity != pinned => {
                Err(Error::General(ANOTHER_CERTIFICATE.to_owned()))
            }
            _ => Ok(ServerCertVerified::assertion()),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let verified = verify_tls12_signature(message, certificate, signature, &self.algorithms);
        self.allow_unreadable(verified)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let verified = verify_tls13_signature(message, certificate, signature, &self.algorithms);
        self.allow_unreadable(verified)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

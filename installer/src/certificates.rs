//! A certificate authority of one's own, for machines that are not on a public network.

use chrono::{Datelike, Days, NaiveDate, Utc};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const AUTHORITY_DAYS: u64 = 3650;
/// The longest that clients accept of a server certificate.
const SERVER_DAYS: u64 = 397;

/// The files of a local installation.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// What clients trust.
    pub authority: PathBuf,
    /// What both servers present.
    pub certificate: PathBuf,
    /// The key of that certificate.
    pub key: PathBuf,
}

/// The files in this folder, made where they are missing: an authority, and a certificate of it
/// for `localhost`, `127.0.0.1` and `::1`.
pub fn local(directory: &Path) -> Result<TlsFiles, String> {
    let files = TlsFiles {
        authority: directory.join("ca.pem"),
        certificate: directory.join("server.pem"),
        key: directory.join("server.key"),
    };
    if files.certificate.exists() && files.key.exists() && files.authority.exists() {
        return Ok(files);
    }
    std::fs::create_dir_all(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let today = Utc::now().date_naive();
    let failed = |error: rcgen::Error| format!("certificates cannot be made: {error}");
    let authority_key = KeyPair::generate().map_err(failed)?;
    let authority = authority(today);
    let authority_pem = authority.self_signed(&authority_key).map_err(failed)?.pem();
    let issuer = Issuer::new(authority, authority_key);
    let server_key = KeyPair::generate().map_err(failed)?;
    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    let mut server = CertificateParams::new(names).map_err(failed)?;
    server.distinguished_name.push(DnType::CommonName, "localhost");
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    // Strict clients (Python's since 3.13) take no certificate without (RFC 5280, 4.2.1.1).
    server.use_authority_key_identifier_extension = true;
    validity(&mut server, today, SERVER_DAYS);
    let server_pem = server.signed_by(&server_key, &issuer).map_err(failed)?.pem();
    write_private(&directory.join("ca.key"), &issuer.key().serialize_pem())?;
    write_private(&files.key, &server_key.serialize_pem())?;
    write(&files.certificate, &server_pem)?;
    write(&files.authority, &authority_pem)?;
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

/// From yesterday, for clocks that are behind.
fn validity(certificate: &mut CertificateParams, today: NaiveDate, days: u64) {
    let date =
        |day: NaiveDate| rcgen::date_time_ymd(day.year(), day.month() as u8, day.day() as u8);
    certificate.not_before = date(today - Days::new(1));
    certificate.not_after = date(today + Days::new(days - 1));
}

/// Writes a file that everybody may read.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Writes a file that only its owner may read.
pub fn write_private(path: &Path, text: &str) -> Result<(), String> {
    let written = || {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        options.open(path)?.write_all(text.as_bytes())
    };
    written().map_err(|error| format!("cannot write {}: {error}", path.display()))
}

//! TLS configuration of listeners and clients: TLS 1.2 and up, and the only place that chooses a
//! rustls provider.

use crate::text_file;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    ClientConfig, DigitallySignedStruct, DistinguishedName, RootCertStore, ServerConfig,
    SignatureScheme, SupportedProtocolVersion,
};
use std::path::Path;
use std::sync::Arc;

/// Makes aws-lc-rs the provider of this process. Called first in every `main`; calling it again is
/// harmless.
pub fn install_provider() {
    // The only error is that a provider is already installed: this one.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
}

/// Identity of a listener: the certificate chain and key in these PEM files.
#[derive(Clone, Copy, Debug)]
pub struct Identity<'a> {
    /// Certificate chain, PEM.
    pub certificate: &'a Path,
    /// Private key, PEM.
    pub key: &'a Path,
    /// Request client certificates, which remain optional.
    pub client_certificates: bool,
}

impl Identity<'_> {
    /// Returns the server's own certificate.
    pub fn leaf(&self) -> Result<CertificateDer<'static>, String> {
        let chain = read_certificates(self.certificate)?;
        chain.into_iter().next().ok_or_else(|| "the chain is empty".to_owned())
    }

    /// Returns the server configuration with the current content of the files.
    ///
    /// Offers TLS 1.2 and 1.3 with HTTP/2 and HTTP/1.1, and requests client certificates if set to.
    pub fn server_config(&self) -> Result<ServerConfig, String> {
        let chain = read_certificates(self.certificate)?;
        let key = read_key(self.key)?;
        let builder = ServerConfig::builder();
        let builder = match self.client_certificates {
            true => builder.with_client_cert_verifier(Arc::new(AnyCertificate::new())),
            false => builder.with_no_client_auth(),
        };
        let mut config = builder.with_single_cert(chain, key).map_err(|error| {
            let why = match error {
                rustls::Error::InconsistentKeys(_) => {
                    "the key does not belong to the first certificate in the file".to_owned()
                }
                error => error.to_string(),
            };
            format!("certificate and key cannot be used together: {why}")
        })?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }
}

/// Accepts any client certificate, or none: a client is identified by where its certificate is
/// registered, not by who signed it (RFC 8705, 2.2). Proof of possession of the key is verified
/// here.
#[derive(Debug)]
struct AnyCertificate(WebPkiSupportedAlgorithms);

impl AnyCertificate {
    fn new() -> Self {
        Self(rustls::crypto::aws_lc_rs::default_provider().signature_verification_algorithms)
    }
}

impl ClientCertVerifier for AnyCertificate {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}

/// Returns a client configuration that trusts only the authorities in this PEM file, and speaks
/// these versions.
pub fn client_config(
    authorities: &Path,
    versions: &[&'static SupportedProtocolVersion],
) -> Result<ClientConfig, String> {
    let mut roots = RootCertStore::empty();
    for certificate in read_certificates(authorities)? {
        let path = authorities.display();
        roots
            .add(certificate)
            .map_err(|error| format!("{path} is not a certificate authority: {error}"))?;
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(versions)
        .map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// Reads the key of a PEM file, and checks that a server can sign with it.
fn read_key(path: &Path) -> Result<PrivateKeyDer<'static>, String> {
    let unreadable = |why: &str| format!("cannot read the key in {}: {why}", path.display());
    let pem = text_file::read_bytes(path).map_err(|error| unreadable(&error.to_string()))?;
    if pem.windows(9).any(|word| word == b"ENCRYPTED") {
        let file = path.display();
        return Err(unreadable(&format!(
            "it is encrypted: decrypt it with openssl pkey -in {file} -out NEWFILE"
        )));
    }
    let key = PrivateKeyDer::from_pem_slice(&pem).map_err(|error| match error {
        pem::Error::NoItemsFound => unreadable("the file has none"),
        error => unreadable(&error.to_string()),
    })?;
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    provider.key_provider.load_private_key(key.clone_key()).map_err(|_| {
        unreadable(
            "it must be RSA of 2048 to 8192 bits, ECDSA of P-256, P-384 or P-521, or Ed25519",
        )
    })?;
    Ok(key)
}

/// Reads the certificates of a PEM file: at least one.
pub fn read_certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let unreadable =
        |error: String| format!("cannot read certificates in {}: {error}", path.display());
    let pem = text_file::read_bytes(path).map_err(|error| unreadable(error.to_string()))?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&pem).collect();
    let certificates = certificates.map_err(|error| unreadable(error.to_string()))?;
    if certificates.is_empty() {
        return Err(unreadable("the file has none".to_owned()));
    }
    Ok(certificates)
}

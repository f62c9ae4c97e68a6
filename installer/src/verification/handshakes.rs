//! The TLS handshakes: TLS 1.2, TLS 1.3, the refusal of anything older, and the cipher. TLS 1.2 is
//! required; a server without TLS 1.3 gets a note.
//!
//! These handshakes accept any certificate, so that certificate faults are reported by their own
//! checks. No data is sent over them.

use super::STEP_TIME;
use super::connect::{Target, in_time};
use super::legacy_client_hello::{self, Offer, Reply, cipher_name, version_name};
use super::report::{VerificationRun, VerificationStep};
use crate::installation::certificates::KeyHolder;
use crate::installation::checks::{Failure, Finding};
use rustls::pki_types::CertificateDer;
use rustls::version::{TLS12, TLS13};
use rustls::{AlertDescription, ClientConfig, Error, SupportedProtocolVersion};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

const SEE_LOG: &str = "see the auth server's log";

/// The certificates a server presents: its own first, then those of its authorities.
pub(super) type Chain = Vec<CertificateDer<'static>>;

/// Makes the handshakes, and returns the chains presented, which may differ between versions.
pub(super) async fn check(
    target: &Target,
    run: &mut VerificationRun,
) -> Result<Vec<Chain>, VerificationStep> {
    let mut completed = Vec::new();
    for (step, version, name) in
        [(VerificationStep::Tls12, &TLS12, "TLS 1.2"), (VerificationStep::Tls13, &TLS13, "TLS 1.3")]
    {
        match handshake(target, version, name).await {
            Ok(handshake) => {
                run.pass(step, format!("handshake with {name}"));
                completed.push(handshake);
            }
            Err(HandshakeFault { failure: Failure { found, advice }, .. })
                if step == VerificationStep::Tls13 =>
            {
                run.pass_for_now(step, format!("not offered: {found}"), &advice);
            }
            Err(HandshakeFault { failure: Failure { found, advice }, is_tls }) => {
                let step = run.fail(step, found, advice);
                if !is_tls {
                    return Err(step);
                }
            }
        }
    }
    // No other check depends on these two.
    let _ = run.record_finding(VerificationStep::OlderTls, find_refusal_of_older(target).await);
    if let Some(ciphers) = find_ciphers(target, &completed).await {
        let _ = run.record_finding(VerificationStep::Cipher, ciphers);
    }
    if completed.is_empty() {
        return Err(VerificationStep::Tls12);
    }
    let mut chains: Vec<_> = completed.into_iter().map(|handshake| handshake.chain).collect();
    chains.dedup();
    Ok(chains)
}

/// The result of a completed handshake.
struct Handshake {
    chain: Chain,
    cipher: String,
}

/// Why a handshake was not completed.
struct HandshakeFault {
    failure: Failure,
    /// False if the server speaks another protocol, or does not respond.
    is_tls: bool,
}

async fn handshake(
    target: &Target,
    version: &'static SupportedProtocolVersion,
    version_name: &str,
) -> Result<Handshake, HandshakeFault> {
    let config = accepting_any_certificate(version)
        .map_err(|why| HandshakeFault { failure: Failure::new(why, SEE_LOG), is_tls: true })?;
    let connector = TlsConnector::from(Arc::new(config));
    let outcome = in_time(STEP_TIME, async {
        let stream = TcpStream::connect(target.address).await?;
        connector.connect(target.name.clone(), stream).await
    })
    .await;
    let mut stream = match outcome {
        Ok(stream) => stream,
        Err(error) => return Err(diagnose(target, &error, version_name).await),
    };
    let (_, connection) = stream.get_ref();
    let chain = connection.peer_certificates().unwrap_or_default();
    let handshake = Handshake {
        chain: chain.iter().map(|it| it.clone().into_owned()).collect(),
        cipher: connection
            .negotiated_cipher_suite()
            .map_or("unknown".to_owned(), |suite| format!("{:?}", suite.suite())),
    };
    // Only a courtesy, so that the server's log does not report a broken connection.
    let _ = in_time(Duration::from_secs(1), stream.shutdown()).await;
    Ok(handshake)
}

async fn diagnose(target: &Target, error: &io::Error, version: &str) -> HandshakeFault {
    let tls = |failure| HandshakeFault { failure, is_tls: true };
    let not_tls = |what: &str| HandshakeFault {
        failure: Failure::new(
            format!("the server speaks {what}"),
            "use the port of the auth server's TLS listener, or configure its \
             certificate and key",
        ),
        is_tls: false,
    };
    let enable = format!("enable {version} on the server, or on the proxy in front of it");
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    match (inner, error.kind()) {
        (Some(Error::AlertReceived(alert)), _) => {
            let advice = match alert {
                AlertDescription::ProtocolVersion => enable,
                AlertDescription::HandshakeFailure => {
                    format!("enable {version} with ECDHE and AES-GCM or ChaCha20-Poly1305 there")
                }
                _ => SEE_LOG.to_owned(),
            };
            tls(Failure::new(format!("refused with the alert {alert:?}"), advice))
        }
        (None | Some(Error::InvalidMessage(_)), _) if speaks_plain_http(target).await => {
            not_tls("plain HTTP, not TLS")
        }
        (Some(Error::InvalidMessage(_)), _) => not_tls("something that is not TLS"),
        (Some(error), _) => tls(Failure::new(error, SEE_LOG)),
        (None, io::ErrorKind::TimedOut) => HandshakeFault {
            failure: Failure::new(
                error,
                "make sure the process listening there is the auth server, and that it \
                 is not hanging",
            ),
            is_tls: false,
        },
        (None, io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
            tls(Failure::new("the server closed the connection without a response", enable))
        }
        (None, _) => tls(Failure::new(error, SEE_LOG)),
    }
}

/// Requests the start page without TLS. TLS listeners that recognize this answer with 400.
async fn speaks_plain_http(target: &Target) -> bool {
    let mut response = Vec::new();
    let request =
        format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", target.url.authority());
    let _ = in_time(Duration::from_secs(2), async {
        let mut stream = TcpStream::connect(target.address).await?;
        stream.write_all(request.as_bytes()).await?;
        while response.len() < 12 && stream.read_buf(&mut response).await? > 0 {}
        Ok(())
    })
    .await;
    response.starts_with(b"HTTP/") && response.get(9..12).is_some_and(|status| status != b"400")
}

async fn find_refusal_of_older(target: &Target) -> Finding {
    let found = match legacy_client_hello::offer(target, Offer::OldVersions).await {
        Ok(Reply::Alert(alert)) => return Ok(format!("refused with the alert {alert:?}")),
        Ok(Reply::Closed) => return Ok("refused by closing the connection".to_owned()),
        Ok(Reply::Accepted { version, cipher }) => {
            format!("accepted with {} and {}", version_name(version), cipher_name(cipher))
        }
        Ok(Reply::Foreign) => "answered with something that is not TLS".to_owned(),
        Err(error) => format!("neither refused nor accepted: {error}"),
    };
    let advice = "disable TLS 1.1, TLS 1.0 and SSL on the server, or on the proxy in front of it";
    Err(Failure::new(found, advice))
}

/// Without a handshake there is no cipher to judge, unless the server accepts a broken one.
async fn find_ciphers(target: &Target, completed: &[Handshake]) -> Option<Finding> {
    // This client only negotiates authenticated encryption with forward secrecy, so a weak cipher
    // can be found only by offering it.
    let ciphers: Vec<_> = completed.iter().map(|handshake| handshake.cipher.as_str()).collect();
    let ciphers = ciphers.join(", ");
    let found = match legacy_client_hello::offer(target, Offer::BrokenCiphers).await {
        Ok(Reply::Alert(_) | Reply::Closed) => {
            return (!completed.is_empty()).then_some(Ok(ciphers));
        }
        Ok(Reply::Accepted { cipher, .. }) if completed.is_empty() => cipher_name(cipher),
        Ok(Reply::Accepted { cipher, .. }) => {
            format!("{ciphers}, but also {}", cipher_name(cipher))
        }
        Ok(Reply::Foreign) => "broken ciphers are answered with something that is not TLS".into(),
        Err(error) => format!("broken ciphers are neither refused nor accepted: {error}"),
    };
    let advice = "disable ciphers without encryption or authentication, export ciphers, DES, 3DES \
                  and RC4 on the server, or on the proxy in front of it";
    Some(Err(Failure::new(found, advice)))
}

fn accepting_any_certificate(
    version: &'static SupportedProtocolVersion,
) -> Result<ClientConfig, String> {
    let verifier = Arc::new(KeyHolder::new(None)?);
    let mut config = ClientConfig::builder_with_protocol_versions(&[version])
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

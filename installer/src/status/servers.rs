//! The servers at their addresses: live, ready, and presenting the certificate of their settings.

use super::Settings;
use crate::checks::Report;
use reqwest::{Client, Url};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature,
};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, SignatureScheme};
use std::error::Error as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const EXPECTED: &str = "live and ready, with the certificate of its settings";
const WAY: &str = "the api-server's way to it holds, by TLS and its authorities";
/// The longest a server is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks both servers, and the auth server again as the api-server does.
pub async fn check(settings: &Settings, report: &mut Report) {
    let auth = settings.auth.as_ref();
    let auth = auth.map(|it| (it.listen, it.tls_certificate.as_path()));
    let api = settings.api.as_ref().map(|it| (it.listen, it.tls_certificate.as_path()));
    for (name, place) in [("auth-server", auth), ("api-server", api)] {
        let Some((listen, certificate)) = place else {
            report.skip(name, EXPECTED, "its settings cannot be read");
            continue;
        };
        let url = format!("https://{}", reachable(listen));
        let outcome = match pinned(certificate) {
            Ok(client) => ask(&client, &url).await,
            Err(why) => Err((why, "correct the setting of its certificate")),
        };
        tell(report, name, EXPECTED, &url, outcome);
    }
    let name = "way to the auth-server";
    let Some(api) = &settings.api else {
        return report.skip(name, WAY, "the settings of the api-server cannot be read");
    };
    let outcome = match trusting(&api.auth_ca) {
        Ok(client) => ask(&client, &api.auth_url).await,
        Err(why) => Err((why, "correct API_AUTH_CA")),
    };
    tell(report, name, WAY, &api.auth_url, outcome);
}

fn tell(
    report: &mut Report,
    name: &'static str,
    expected: &str,
    url: &str,
    outcome: Result<(), (String, &'static str)>,
) {
    match outcome {
        Ok(()) => report.pass(name, expected, &format!("live and ready at {url}")),
        Err((found, advice)) => report.fail(name, expected, &format!("{url}: {found}"), advice),
    }
}

/// Where a server that listens there is reached on this machine.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

async fn ask(client: &Client, url: &str) -> Result<(), (String, &'static str)> {
    for (path, advice) in [
        ("/health/live", "start it, and see its log"),
        ("/health/ready", "see what is said of the database, and its log"),
    ] {
        let url = Url::parse(&format!("{url}{path}")).map_err(|why| (why.to_string(), advice))?;
        let answer = client.get(url).send().await.map_err(|error| (in_full(&error), advice))?;
        let status = answer.status();
        if !status.is_success() {
            let json: Option<serde_json::Value> = answer.json().await.ok();
            let text = |name: &str| json.as_ref()?.get(name)?.as_str().map(str::to_owned);
            let reason = text("detail").or_else(|| text("error_description")).unwrap_or_default();
            return Err((format!("{path} is {status} {reason}"), advice));
        }
    }
    Ok(())
}

/// A client that trusts the certificate in this file and no other, whatever the host is called.
fn pinned(certificate: &Path) -> Result<Client, String> {
    let chain = shared::tls::read_certificates(certificate)?;
    let own = chain.into_iter().next().ok_or("there is no certificate")?;
    let provider = CryptoProvider::get_default().ok_or("no TLS provider")?;
    let algorithms = provider.signature_verification_algorithms;
    let config = ClientConfig::builder()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Pinned { own, algorithms }))
        .with_no_client_auth();
    client(config)
}

fn trusting(authorities: &Path) -> Result<Client, String> {
    client(shared::tls::client_config(authorities, rustls::ALL_VERSIONS)?)
}

fn client(config: ClientConfig) -> Result<Client, String> {
    Client::builder()
        .tls_backend_preconfigured(config)
        .no_proxy()
        .timeout(PATIENCE)
        .build()
        .map_err(|error| in_full(&error))
}

/// The cause behind all causes says it; the error's own text repeats the URL.
fn in_full(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("no answer within {} s", PATIENCE.as_secs());
    }
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.last().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Takes the server that has the key of one certificate.
#[derive(Debug)]
struct Pinned {
    own: CertificateDer<'static>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match *end_entity == self.own {
            true => Ok(ServerCertVerified::assertion()),
            false => Err(Error::General(
                "it presents another certificate than its settings name: send it SIGHUP".to_owned(),
            )),
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

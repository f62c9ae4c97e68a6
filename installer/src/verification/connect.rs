//! The first checks: the URL, name resolution, TCP.

use super::report::{VerificationRun, VerificationStep};
use super::{STEP_TIME, VerificationArgs};
use crate::installation::checks::Failure;
use reqwest::Url;
use rustls::pki_types::ServerName;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpStream, lookup_host};

/// A server that accepts connections.
pub(super) struct Target {
    pub(super) url: Url,
    /// The URL as given: issuers are compared character by character (RFC 8414, 3.3).
    pub(super) given: String,
    /// The host as TLS names it.
    pub(super) name: ServerName<'static>,
    /// The host as HTTP names it: the URL's, or that of the server behind a proxy.
    pub(super) host: String,
    /// The address that accepted a connection.
    pub(super) address: SocketAddr,
}

/// Finds an address of the URL's host that accepts connections. `connect_to` overrides the host's
/// addresses.
pub(super) async fn check(
    arguments: &VerificationArgs,
    run: &mut VerificationRun,
) -> Result<Target, VerificationStep> {
    let VerificationArgs { url: given, connect_to, server_name, .. } = arguments;
    let (url, host) = parse(given).map_err(|found| {
        let advice = "pass the issuer URL, such as https://auth.example.com:8443";
        run.fail(VerificationStep::Url, found, advice)
    })?;
    let host = server_name.clone().unwrap_or(host);
    let name = ServerName::try_from(host.clone()).map_err(|_| {
        let found = format!("no certificate can contain the host name {host:?}");
        let advice = "give the server a DNS name of letters, digits and hyphens";
        run.fail(VerificationStep::Url, found, advice)
    })?;
    run.pass(VerificationStep::Url, url.as_str());
    let addresses = match connect_to {
        None => resolve(&url, &host).await,
        Some(address) => Ok((vec![*address], format!("{host} is assumed to be at {address}"))),
    };
    let addresses = run.record(VerificationStep::NameResolution, addresses)?;
    let address = run.record(VerificationStep::Tcp, connect_to_one(&addresses).await)?;
    Ok(Target { url, given: given.to_owned(), name, host, address })
}

fn parse(given: &str) -> Result<(Url, String), String> {
    let url = Url::parse(given).map_err(|error| format!("{given:?} is not a URL: {error}"))?;
    if url.scheme() != "https" {
        return Err(format!("the scheme is {:?}", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the URL contains a user name or a password".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("the URL contains a query or a fragment".to_owned());
    }
    // Only URLs put brackets around IPv6 addresses.
    let host = url.host_str().ok_or("the URL has no host")?.trim_matches(['[', ']']).to_owned();
    Ok((url, host))
}

async fn resolve(url: &Url, host: &str) -> Result<(Vec<SocketAddr>, String), Failure> {
    let failed = |found: String| {
        let advice = "correct the host in the URL, or add it to DNS or the hosts file";
        Failure::new(found, advice)
    };
    let port = url.port_or_known_default().unwrap_or(443);
    let addresses = in_time(STEP_TIME, lookup_host((host, port))).await;
    let addresses = addresses.map_err(|error| failed(format!("{host}: {error}")))?;
    let mut addresses: Vec<_> = addresses.collect();
    addresses.dedup();
    if addresses.is_empty() {
        return Err(failed(format!("{host} has no address")));
    }
    let ips: Vec<_> = addresses.iter().map(|it| it.ip().to_string()).collect();
    let found = format!("{host} is {}", ips.join(", "));
    Ok((addresses, found))
}

/// Tries the addresses in turn, all within the time limit of one request.
async fn connect_to_one(addresses: &[SocketAddr]) -> Result<(SocketAddr, String), Failure> {
    let share = STEP_TIME / u32::try_from(addresses.len()).unwrap_or(u32::MAX).max(1);
    let mut failures = Vec::new();
    for address in addresses {
        match in_time(share, TcpStream::connect(address)).await {
            Ok(_) => {
                let failed: String = failures.iter().map(|it| format!("; not by {it}")).collect();
                return Ok((*address, format!("accepted by {address}{failed}")));
            }
            Err(error) => failures.push(format!("{address}: {error}")),
        }
    }
    let advice = "start the auth server, correct the port, or open the firewall for it";
    Err(Failure::new(failures.join("; "), advice))
}

/// Returns the outcome, or an error after this time.
pub(super) async fn in_time<T>(
    time: Duration,
    outcome: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    tokio::time::timeout(time, outcome).await.unwrap_or_else(|_| {
        let text = format!("no answer within {:.1} s", time.as_secs_f32());
        Err(io::Error::new(io::ErrorKind::TimedOut, text))
    })
}

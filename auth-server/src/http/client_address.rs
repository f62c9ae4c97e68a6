//! Client address of a request, used for limits and for the audit trail.
//!
//! `X-Forwarded-For` is trusted from configured proxies only, read from the right, and only up to
//! the first address that is not a proxy: the client itself may have written everything before it.

use poem::Request;
use shared::audit::{Event, EventKind};
use shared::networks::{Networks, network_of};
use shared::telemetry::RequestId;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Source of a request: client address and request id.
#[derive(Clone, Debug)]
pub struct ClientAddress {
    address: IpAddr,
    request_id: String,
}

impl ClientAddress {
    /// Returns the source of a request.
    pub fn of(request: &Request, proxies: &Networks) -> Self {
        let peer = request.remote_addr().as_socket_addr().map(|address| address.ip());
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)).to_canonical();
        let forwarded = request.headers().get_all("x-forwarded-for");
        let forwarded: Vec<&str> = forwarded
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .collect();
        let request_id = request.data::<RequestId>().map(ToString::to_string);
        Self {
            address: client(proxies, peer, &forwarded),
            request_id: request_id.unwrap_or_default(),
        }
    }

    /// Network of the client address, the key of per-source limits.
    pub fn network(&self) -> String {
        network_of(self.address).to_string()
    }

    /// Returns an audit event caused by this request.
    pub fn event(&self, kind: EventKind) -> Event {
        Event::new(kind).request(self.address.to_string(), &self.request_id)
    }
}

/// Returns the client address, following `X-Forwarded-For` through trusted proxies.
fn client(proxies: &Networks, peer: IpAddr, forwarded: &[&str]) -> IpAddr {
    let mut client = peer;
    for hop in forwarded.iter().rev() {
        if !proxies.contain(client) {
            break;
        }
        // Some proxies append the port.
        let with_port = || hop.trim().parse::<SocketAddr>().map(|address| address.ip());
        match hop.trim().parse::<IpAddr>().or_else(|_| with_port()) {
            Ok(address) => client = address.to_canonical(),
            Err(_) => break,
        }
    }
    client
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peer: &str, forwarded: &[&str], expected: &str) {
        let proxies: Networks = "10.0.0.0/8, 192.0.2.1".parse().unwrap();
        let client = client(&proxies, peer.parse().unwrap(), forwarded);
        assert_eq!(client.to_string(), expected, "{peer} {forwarded:?}");
    }

    #[test]
    fn only_trusted_proxies_may_state_the_client_address() {
        check("203.0.113.5", &["198.51.100.9"], "203.0.113.5");
        check("10.1.1.1", &["198.51.100.9"], "198.51.100.9");
        check("10.1.1.1", &["1.1.1.1", "198.51.100.9", "192.0.2.1"], "198.51.100.9");
        check("10.1.1.1", &["1.1.1.1", "junk"], "10.1.1.1");
        check("10.1.1.1", &["198.51.100.9:4711"], "198.51.100.9");
        check("10.1.1.1", &[], "10.1.1.1");
    }
}

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
    /// The address that the client itself names as the one before it.
    named: Option<IpAddr>,
    request_id: String,
}

impl ClientAddress {
    /// Returns the source of a request.
    pub fn of(request: &Request, proxies: &Networks) -> Self {
        let peer = request.remote_addr().as_socket_addr().map(|address| address.ip());
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)).to_canonical();
        let forwarded = request.headers().get_all("x-forwarded-for");
        // A proxy's address must stay readable after bytes that are not text.
        let forwarded: Vec<_> =
            forwarded.iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
        let forwarded: Vec<&str> = forwarded.iter().flat_map(|value| value.split(',')).collect();
        let request_id = request.data::<RequestId>().map(ToString::to_string);
        let (address, named) = client(proxies, peer, &forwarded);
        Self { address, named, request_id: request_id.unwrap_or_default() }
    }

    /// Returns the source that the client names, for one that passes on what people type: the address
    /// before its own in `X-Forwarded-For`.
    pub fn named_by_client(&self) -> Option<Self> {
        let request_id = self.request_id.clone();
        self.named.map(|address| Self { address, named: None, request_id })
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

/// Returns the client address, following `X-Forwarded-For` through trusted proxies, and the address
/// that the client wrote before its own.
fn client(proxies: &Networks, peer: IpAddr, forwarded: &[&str]) -> (IpAddr, Option<IpAddr>) {
    let mut client = peer;
    for hop in forwarded.iter().rev() {
        let hop = address(hop.trim());
        match hop {
            Some(address) if proxies.contain(client) => client = address,
            named => return (client, named),
        }
    }
    (client, None)
}

/// Parses one address of the header. Some proxies append the port.
fn address(hop: &str) -> Option<IpAddr> {
    let with_port = || hop.parse::<SocketAddr>().map(|address| address.ip());
    hop.parse::<IpAddr>().or_else(|_| with_port()).ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(peer: &str, forwarded: &[&str]) -> (IpAddr, Option<IpAddr>) {
        let proxies: Networks = "10.0.0.0/8, 192.0.2.1".parse().unwrap();
        client(&proxies, peer.parse().unwrap(), forwarded)
    }

    fn check(peer: &str, forwarded: &[&str], expected: &str) {
        let (client, _) = find(peer, forwarded);
        assert_eq!(client.to_string(), expected, "{peer} {forwarded:?}");
    }

    #[test]
    fn a_client_may_name_the_address_before_its_own() {
        let named =
            |peer: &str, forwarded: &[&str]| find(peer, forwarded).1.map(|it| it.to_string());
        let person = Some("198.51.100.9".to_owned());
        assert_eq!(named("203.0.113.5", &["198.51.100.9"]), person);
        assert_eq!(named("203.0.113.5", &["1.1.1.1", "198.51.100.9"]), person);
        assert_eq!(named("10.1.1.1", &["198.51.100.9", "203.0.113.5"]), person);
        assert_eq!(named("10.1.1.1", &["198.51.100.9"]), None);
        assert_eq!(named("203.0.113.5", &["198.51.100.9", "junk"]), None);
    }

    #[test]
    fn bytes_that_are_not_text_do_not_hide_what_a_proxy_appended() {
        use poem::http::HeaderValue;
        let value = HeaderValue::from_bytes(b"\xff, 198.51.100.9").unwrap();
        let request = Request::builder().header("x-forwarded-for", value).finish();
        let everywhere: Networks = "0.0.0.0/8".parse().unwrap();
        let source = ClientAddress::of(&request, &everywhere);
        assert_eq!(source.address.to_string(), "198.51.100.9");
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

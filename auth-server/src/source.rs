//! Where a request came from: the address that counts for limits and for the audit.
//!
//! `X-Forwarded-For` is believed from configured proxies alone, and only as far back as the first
//! address that is none of them: everything before it was written by whoever sent the request.

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use poem::Request;
use shared::audit::{Event, Kind};
use shared::telemetry::RequestId;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;

/// Bits of an address that name its network: what one household or office shares.
const IPV4_NETWORK_BITS: u8 = 24;
const IPV6_NETWORK_BITS: u8 = 64;

/// Where a request came from.
#[derive(Clone, Debug)]
pub struct Source {
    address: IpAddr,
    request_id: String,
}

impl Source {
    /// The source of a request.
    pub fn of(request: &Request, proxies: &Proxies) -> Self {
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
            address: proxies.client(peer, &forwarded),
            request_id: request_id.unwrap_or_default(),
        }
    }

    /// The network of the address: what source limits count by.
    pub fn network(&self) -> String {
        let network = match self.address {
            IpAddr::V4(address) => {
                Ipv4Net::new(address, IPV4_NETWORK_BITS).map(|net| IpNet::V4(net.trunc()))
            }
            IpAddr::V6(address) => {
                Ipv6Net::new(address, IPV6_NETWORK_BITS).map(|net| IpNet::V6(net.trunc()))
            }
        };
        network.map_or_else(|_| self.address.to_string(), |network| network.to_string())
    }

    /// An event that this request caused.
    pub fn event(&self, kind: Kind) -> Event {
        Event::new(kind).request(self.address.to_string(), &self.request_id)
    }
}

/// The proxies before this server, as networks or single addresses.
#[derive(Clone, Debug, Default)]
pub struct Proxies(Vec<IpNet>);

impl Proxies {
    fn client(&self, peer: IpAddr, forwarded: &[&str]) -> IpAddr {
        let mut client = peer;
        for hop in forwarded.iter().rev() {
            if !self.0.iter().any(|network| network.contains(&client)) {
                break;
            }
            // Some proxies add the port.
            let with_port = || hop.trim().parse::<SocketAddr>().map(|address| address.ip());
            match hop.trim().parse::<IpAddr>().or_else(|_| with_port()) {
                Ok(address) => client = address.to_canonical(),
                Err(_) => break,
            }
        }
        client
    }
}

impl FromStr for Proxies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let network = |entry: &str| {
            let entry = entry.trim();
            let address = entry.parse::<IpAddr>().map(IpNet::from);
            address.or_else(|_| entry.parse()).map_err(|_| format!("{entry:?} is no network"))
        };
        text.split(',').map(network).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(peer: &str, forwarded: &[&str], expected: &str) {
        let proxies: Proxies = "10.0.0.0/8, 192.0.2.1".parse().unwrap();
        let client = proxies.client(peer.parse().unwrap(), forwarded);
        assert_eq!(client.to_string(), expected, "{peer} {forwarded:?}");
    }

    #[test]
    fn only_proxies_are_believed_about_where_a_request_came_from() {
        check("203.0.113.5", &["198.51.100.9"], "203.0.113.5");
        check("10.1.1.1", &["198.51.100.9"], "198.51.100.9");
        check("10.1.1.1", &["1.1.1.1", "198.51.100.9", "192.0.2.1"], "198.51.100.9");
        check("10.1.1.1", &["1.1.1.1", "junk"], "10.1.1.1");
        check("10.1.1.1", &["198.51.100.9:4711"], "198.51.100.9");
        check("10.1.1.1", &[], "10.1.1.1");
    }

    #[test]
    fn a_network_is_what_one_office_shares() {
        let network = |address: &str| {
            Source { address: address.parse().unwrap(), request_id: String::new() }.network()
        };
        assert_eq!(network("203.0.113.77"), "203.0.113.0/24");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        assert!("10.0.0.0/40".parse::<Proxies>().is_err());
    }
}

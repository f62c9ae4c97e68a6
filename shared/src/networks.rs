//! IP networks: the block that one household or office shares, and lists of networks in settings.

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use std::net::IpAddr;
use std::str::FromStr;

/// Prefix lengths of a source network.
const IPV4_NETWORK_BITS: u8 = 24;
const IPV6_NETWORK_BITS: u8 = 64;

/// Returns the network of an address, the key of per-source limits.
pub fn network_of(address: IpAddr) -> IpNet {
    let network = match address.to_canonical() {
        IpAddr::V4(address) => Ipv4Net::new(address, IPV4_NETWORK_BITS).map(IpNet::V4),
        IpAddr::V6(address) => Ipv6Net::new(address, IPV6_NETWORK_BITS).map(IpNet::V6),
    };
    network.map_or_else(|_| IpNet::from(address), |network| network.trunc())
}

/// Networks or single addresses from a setting, separated by commas.
#[derive(Clone, Debug, Default)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// True if one of the networks contains this address.
    pub fn contain(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for Networks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let network = |entry: &str| {
            let entry = entry.trim();
            let address = entry.parse::<IpAddr>().map(IpNet::from);
            address.or_else(|_| entry.parse()).map_err(|_| format!("{entry:?} is not a network"))
        };
        text.split(',').map(network).collect::<Result<_, _>>().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_an_ipv4_24_or_ipv6_64_prefix() {
        let network = |address: &str| network_of(address.parse().unwrap()).to_string();
        assert_eq!(network("203.0.113.77"), "203.0.113.0/24");
        assert_eq!(network("::ffff:203.0.113.77"), "203.0.113.0/24");
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        let networks: Networks = "10.0.0.0/8, 192.0.2.1".parse().unwrap();
        let has = |address: &str| networks.contain(address.parse().unwrap());
        assert!(has("10.9.9.9") && has("192.0.2.1") && has("::ffff:10.0.0.1"));
        assert!(!has("192.0.2.2") && !has("::1"));
        assert!("10.0.0.0/40".parse::<Networks>().is_err());
    }
}

//! Places of connections per source network, so that one network cannot take them all.

use crate::networks::{Networks, network_of};
use ipnet::IpNet;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The places of one listener.
#[derive(Debug)]
pub struct Places {
    per_network: u32,
    /// Networks that have as many as the listener has: proxies.
    unlimited: Networks,
    taken: Mutex<HashMap<IpNet, u32>>,
}

impl Places {
    /// None is taken yet.
    pub fn new(per_network: u32, unlimited: Networks) -> Arc<Self> {
        Arc::new(Self { per_network, unlimited, taken: Mutex::default() })
    }

    /// A place for a connection from this address, if its network has one left.
    pub fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        if self.unlimited.contain(address) {
            return Some(Place { places: Arc::clone(self), network: None });
        }
        let network = network_of(address);
        let mut taken = self.taken();
        let count = taken.entry(network).or_default();
        if *count >= self.per_network {
            return None;
        }
        *count += 1;
        Some(Place { places: Arc::clone(self), network: Some(network) })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<IpNet, u32>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A taken place, free again when it is dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    /// Where it counts, if it counts.
    network: Option<IpNet>,
}

impl Place {
    /// Counts no longer: the peer has proven that it is no stranger.
    pub fn release(&mut self) {
        let Some(network) = self.network.take() else { return };
        let mut taken = self.places.taken();
        if let Some(count) = taken.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&network);
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_its_places_and_proxies_have_all() {
        let places = Places::new(2, "10.0.0.0/8".parse().unwrap());
        let take = |address: &str| places.take(address.parse().unwrap());
        let (first, second) = (take("192.0.2.1"), take("192.0.2.2"));
        assert!(first.is_some() && second.is_some() && take("192.0.2.3").is_none());
        assert!(take("192.0.3.1").is_some(), "another network");
        let proxied: Vec<_> = (0..5).map(|_| take("10.1.1.1")).collect();
        assert!(proxied.iter().all(Option::is_some));
        drop(first);
        let mut third = take("192.0.2.3").expect("one is free again");
        assert!(take("192.0.2.4").is_none());
        third.release();
        assert!(take("192.0.2.4").is_some(), "one that counts no longer leaves room");
        drop((second, third));
        assert!(places.taken().is_empty(), "nothing is kept of networks that are gone");
    }
}

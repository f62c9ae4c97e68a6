//! Per-key concurrency limit, so that no single key can take all of a shared capacity.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Permits in use, by key.
#[derive(Debug)]
pub struct KeyedPermits<K>(Arc<Mutex<PermitCounts<K>>>);

#[derive(Debug)]
struct PermitCounts<K> {
    all: u32,
    by_key: HashMap<K, u32>,
}

impl<K> Default for KeyedPermits<K> {
    fn default() -> Self {
        let counts = PermitCounts { all: 0, by_key: HashMap::new() };
        Self(Arc::new(Mutex::new(counts)))
    }
}

impl<K: Eq + Hash + Clone> KeyedPermits<K> {
    /// Takes a permit for this key if it has fewer than `max`.
    pub fn take(&self, key: K, max: u32) -> Option<KeyedPermit<K>> {
        self.take_of(key, |_| max)
    }

    /// Takes a permit for this key; the limit depends on how many permits all keys hold.
    pub fn take_of(&self, key: K, max: impl FnOnce(u32) -> u32) -> Option<KeyedPermit<K>> {
        let mut counts = lock(&self.0);
        let max = max(counts.all);
        if counts.by_key.get(&key).copied().unwrap_or_default() >= max {
            return None;
        }
        counts.all += 1;
        *counts.by_key.entry(key.clone()).or_default() += 1;
        Some(KeyedPermit { counts: Arc::clone(&self.0), key })
    }
}

/// A permit, released when dropped.
#[derive(Debug)]
pub struct KeyedPermit<K: Eq + Hash> {
    counts: Arc<Mutex<PermitCounts<K>>>,
    key: K,
}

impl<K: Eq + Hash> Drop for KeyedPermit<K> {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts);
        counts.all -= 1;
        if let Some(count) = counts.by_key.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.by_key.remove(&self.key);
            }
        }
    }
}

fn lock<K>(counts: &Mutex<PermitCounts<K>>) -> MutexGuard<'_, PermitCounts<K>> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_places_and_free_ones_are_forgotten() {
        let permits = KeyedPermits::default();
        let take = |key: &'static str| permits.take(key, 2);
        let (first, second) = (take("one"), take("one"));
        assert!(first.is_some() && second.is_some() && take("one").is_none());
        assert!(take("other").is_some());
        drop(first);
        let third = take("one");
        assert!(third.is_some() && take("one").is_none(), "one permit was free again");
        drop((second, third));
        let counts = lock(&permits.0);
        assert!(counts.by_key.is_empty() && counts.all == 0, "keys without permits are removed");
    }
}

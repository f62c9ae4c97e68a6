//! Per-key concurrency limit, so that no single key can take all of a shared capacity.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Permits in use, by key.
#[derive(Debug)]
pub struct KeyedPermits<K>(Arc<Mutex<NoPermit<K>>>);

/// Counts of permits in use.
#[derive(Debug)]
struct NoPermit<K> {
    all: u32,
    by_key: HashMap<K, u32>,
}

impl<K> Default for KeyedPermits<K> {
    fn default() -> Self {
        let taken = NoPermit { all: 0, by_key: HashMap::new() };
        Self(Arc::new(Mutex::new(taken)))
    }
}

impl<K: Eq + Hash + Clone> KeyedPermits<K> {
    /// Takes a permit for this key if it has fewer than `max`.
    pub fn take(&self, key: K, max: u32) -> Option<KeyedPermit<K>> {
        self.take_of(key, |_| max)
    }

    /// Takes a permit for this key; the limit depends on how many permits all keys hold.
    pub fn take_of(&self, key: K, max: impl FnOnce(u32) -> u32) -> Option<KeyedPermit<K>> {
        let mut taken = lock(&self.0);
        let max = max(taken.all);
        if taken.by_key.get(&key).copied().unwrap_or_default() >= max {
            return None;
        }
        taken.all += 1;
        *taken.by_key.entry(key.clone()).or_default() += 1;
        Some(KeyedPermit { taken: Arc::clone(&self.0), key })
    }
}

/// A permit, released when dropped.
#[derive(Debug)]
pub struct KeyedPermit<K: Eq + Hash> {
    taken: Arc<Mutex<NoPermit<K>>>,
    key: K,
}

impl<K: Eq + Hash> Drop for KeyedPermit<K> {
    fn drop(&mut self) {
        let mut taken = lock(&self.taken);
        taken.all -= 1;
        if let Some(count) = taken.by_key.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                taken.by_key.remove(&self.key);
            }
        }
    }
}

fn lock<K>(taken: &Mutex<NoPermit<K>>) -> MutexGuard<'_, NoPermit<K>> {
    taken.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_permits_and_idle_keys_are_dropped() {
        let permits = KeyedPermits::default();
        let take = |key: &'static str| permits.take(key, 2);
        let (first, second) = (take("one"), take("one"));
        assert!(first.is_some() && second.is_some() && take("one").is_none());
        assert!(take("other").is_some());
        drop(first);
        let third = take("one");
        assert!(third.is_some() && take("one").is_none(), "one was free again");
        drop((second, third));
        let taken = lock(&permits.0);
        assert!(taken.by_key.is_empty() && taken.all == 0, "idle keys are dropped");
    }
}

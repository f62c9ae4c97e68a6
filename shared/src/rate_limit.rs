//! Per-key rate limit, counted by each server separately.

use governor::clock::Clock;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// A rate limit per key.
pub struct KeyedRateLimiter(DefaultKeyedRateLimiter<String>);

impl KeyedRateLimiter {
    /// Returns a limit with this quota per key.
    pub fn new(quota: Quota) -> Self {
        Self(RateLimiter::keyed(quota))
    }

    /// Counts one use, or returns in how many seconds the next is allowed.
    pub fn check(&self, key: &str) -> Result<(), i64> {
        self.0
            .check_key(&key.to_owned())
            .map_err(|refused| refused.wait_time_from(self.0.clock().now()).as_secs() as i64 + 1)
    }

    /// Removes keys that have their full quota again.
    pub fn sweep(&self) {
        self.0.retain_recent();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    #[test]
    fn each_key_has_its_own_quota() {
        let two = NonZeroU32::MIN.saturating_add(1);
        let limiter = KeyedRateLimiter::new(Quota::per_hour(NonZeroU32::MIN).allow_burst(two));
        assert!(limiter.check("one").is_ok() && limiter.check("one").is_ok());
        assert!((1..=3601).contains(&limiter.check("one").unwrap_err()));
        assert!(limiter.check("other").is_ok());
    }
}

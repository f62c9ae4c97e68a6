//! How many requests a caller may send. Off unless the setting `API_REQUESTS_PER_SECOND` says
//! otherwise; each api-server counts for itself.

use crate::access::Caller;
use governor::clock::Clock;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use poem::http::HeaderValue;
use poem::http::header::RETRY_AFTER;
use shared::problem::{Problem, ProblemType};
use std::num::NonZeroU32;

/// Counts the requests of each caller.
pub struct Rates(Option<DefaultKeyedRateLimiter<String>>);

impl Rates {
    /// So many requests a second from each caller, and twice as many at once; 0: as many as come.
    pub fn new(requests_per_second: u32) -> Self {
        let quota = NonZeroU32::new(requests_per_second)
            .map(|rate| Quota::per_second(rate).allow_burst(rate.saturating_mul(TWO)));
        Self(quota.map(RateLimiter::keyed))
    }

    /// Lets a request of this caller in, or says when the next one may come.
    pub fn admit(&self, caller: &Caller) -> Result<(), Problem> {
        let Some(limiter) = &self.0 else { return Ok(()) };
        limiter.check_key(&caller.subject()).map_err(|refused| {
            let wait = refused.wait_time_from(limiter.clock().now()).as_secs() + 1;
            Problem::new(ProblemType::TooManyRequests).header(RETRY_AFTER, HeaderValue::from(wait))
        })
    }

    /// Forgets callers who have sent nothing for a while.
    pub fn sweep(&self) {
        if let Some(limiter) = &self.0 {
            limiter.retain_recent();
        }
    }
}

const TWO: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_a_quota_of_his_own() {
        let rates = Rates::new(1);
        let (one, other) = (Caller::Web { contact_id: 1 }, Caller::Web { contact_id: 2 });
        assert!(rates.admit(&one).is_ok() && rates.admit(&one).is_ok());
        let refused = rates.admit(&one).unwrap_err();
        assert_eq!(refused.kind(), ProblemType::TooManyRequests);
        assert!(rates.admit(&other).is_ok());
    }

    #[test]
    fn without_the_setting_there_is_no_limit() {
        let rates = Rates::new(0);
        assert!((0..1000).all(|_| rates.admit(&Caller::Web { contact_id: 1 }).is_ok()));
    }
}

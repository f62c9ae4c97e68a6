//! Concurrency limits for a kind of work: one for all callers together and one per caller, so that
//! no single caller takes all permits.

use crate::auth::caller::Caller;
use poem::http::HeaderValue;
use poem::http::header::RETRY_AFTER;
use shared::problem::{Problem, ProblemType};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Longest wait for a permit: shorter than any request may take.
const WAIT: Duration = Duration::from_secs(20);

/// Permits for a kind of work.
#[derive(Debug)]
pub struct ConcurrencyLimit {
    /// Name of the work, for the refusal.
    what: &'static str,
    all: Arc<Semaphore>,
    each_max: usize,
    each: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A permit, held until dropped.
#[derive(Debug)]
pub struct Permit {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl ConcurrencyLimit {
    /// Creates `all_max` permits, of which one caller may hold `each_max`.
    pub fn new(what: &'static str, all_max: usize, each_max: usize) -> Self {
        let all = Arc::new(Semaphore::new(all_max));
        Self { what, all, each_max, each: Mutex::default() }
    }

    /// Waits for a permit. A caller who holds the most allowed per caller is refused with 429; if
    /// no permit is free, with 503.
    pub async fn acquire(&self, caller: &Caller) -> Result<Permit, Problem> {
        let own = wait(self.of(caller), ProblemType::TooManyRequests);
        let own = own.await.map_err(|problem| {
            self.explain(problem.header(RETRY_AFTER, HeaderValue::from_static("5")))
        })?;
        let all = wait(Arc::clone(&self.all), ProblemType::ObjectStoreUnavailable);
        let all = all.await.map_err(|problem| self.explain(problem))?;
        Ok(Permit { _own: own, _all: all })
    }

    fn of(&self, caller: &Caller) -> Arc<Semaphore> {
        let mut each = self.each.lock().unwrap_or_else(PoisonError::into_inner);
        // Drop callers that neither hold nor wait for a permit.
        each.retain(|_, places| Arc::strong_count(places) > 1);
        let places = each.entry(caller.subject());
        Arc::clone(places.or_insert_with(|| Arc::new(Semaphore::new(self.each_max))))
    }

    fn explain(&self, problem: Problem) -> Problem {
        problem.detail(format!("too many concurrent {}", self.what))
    }
}

async fn wait(
    places: Arc<Semaphore>,
    refusal: ProblemType,
) -> Result<OwnedSemaphorePermit, Problem> {
    let place: Result<Result<_, AcquireError>, _> = timeout(WAIT, places.acquire_owned()).await;
    match place {
        Ok(place) => place.map_err(Problem::internal),
        Err(_) => Err(Problem::new(refusal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_caller_has_permits_of_its_own() {
        let limit = ConcurrencyLimit::new("things", 3, 2);
        let caller = |contact_id| Caller::Web { contact_id };
        let first = limit.acquire(&caller(1)).await.unwrap();
        let _second = limit.acquire(&caller(1)).await.unwrap();
        let pause = Duration::from_millis(50);
        assert!(timeout(pause, limit.acquire(&caller(1))).await.is_err(), "both are taken");
        let other = limit.acquire(&caller(2)).await.unwrap();
        assert!(timeout(pause, limit.acquire(&caller(3))).await.is_err(), "all three are taken");
        drop(first);
        drop(limit.acquire(&caller(3)).await.unwrap());
        drop(other);
        limit.acquire(&caller(4)).await.unwrap();
        assert_eq!(limit.each.lock().unwrap().len(), 2, "callers without a permit are dropped");
    }
}

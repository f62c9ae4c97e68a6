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
    total: Arc<Semaphore>,
    per_caller_max: usize,
    per_caller: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// A permit, held until dropped.
#[derive(Debug)]
pub struct Permit {
    _per_caller: OwnedSemaphorePermit,
    _total: OwnedSemaphorePermit,
}

impl ConcurrencyLimit {
    /// Creates `total_max` permits, of which one caller may hold `per_caller_max`.
    pub fn new(what: &'static str, total_max: usize, per_caller_max: usize) -> Self {
        let total = Arc::new(Semaphore::new(total_max));
        Self { what, total, per_caller_max, per_caller: Mutex::default() }
    }

    /// Waits for a permit. A caller who holds the most allowed per caller is refused with 429; if
    /// no permit is free, with 503.
    pub async fn acquire(&self, caller: &Caller) -> Result<Permit, Problem> {
        let own = wait(self.semaphore_of(caller), ProblemType::TooManyRequests);
        let own = own.await.map_err(|problem| {
            self.explain(problem.header(RETRY_AFTER, HeaderValue::from_static("5")))
        })?;
        let total = wait(Arc::clone(&self.total), ProblemType::ObjectStoreUnavailable);
        let total = total.await.map_err(|problem| self.explain(problem))?;
        Ok(Permit { _per_caller: own, _total: total })
    }

    fn semaphore_of(&self, caller: &Caller) -> Arc<Semaphore> {
        let mut per_caller = self.per_caller.lock().unwrap_or_else(PoisonError::into_inner);
        // Drop callers that neither hold nor wait for a permit.
        per_caller.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
        let entry = per_caller.entry(caller.subject());
        Arc::clone(entry.or_insert_with(|| Arc::new(Semaphore::new(self.per_caller_max))))
    }

    fn explain(&self, problem: Problem) -> Problem {
        problem.detail(format!("too many concurrent {}", self.what))
    }
}

async fn wait(
    semaphore: Arc<Semaphore>,
    refusal: ProblemType,
) -> Result<OwnedSemaphorePermit, Problem> {
    let permit: Result<Result<_, AcquireError>, _> = timeout(WAIT, semaphore.acquire_owned()).await;
    match permit {
        Ok(permit) => permit.map_err(Problem::internal),
        Err(_) => Err(Problem::new(refusal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_caller_has_his_own_places_and_leaves_those_of_others() {
        let places = ConcurrencyLimit::new("things", 3, 2);
        let caller = |contact_id| Caller::Web { contact_id };
        let first = places.acquire(&caller(1)).await.unwrap();
        let _second = places.acquire(&caller(1)).await.unwrap();
        let pause = Duration::from_millis(50);
        assert!(timeout(pause, places.acquire(&caller(1))).await.is_err(), "both are taken");
        let other = places.acquire(&caller(2)).await.unwrap();
        assert!(timeout(pause, places.acquire(&caller(3))).await.is_err(), "all three are taken");
        drop(first);
        drop(places.acquire(&caller(3)).await.unwrap());
        drop(other);
        places.acquire(&caller(4)).await.unwrap();
        assert_eq!(
            places.per_caller.lock().unwrap().len(),
            2,
            "callers without a permit are dropped"
        );
    }
}

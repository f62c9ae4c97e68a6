//! Request coalescing: callers who ask the same question concurrently share one answer.
//!
//! Nothing is cached: every answer comes from a question that *began after its caller asked*. While
//! a question is in flight, callers with the same key wait together for the next one. However many
//! callers there are, one question per key is in flight.

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};
use std::collections::HashMap;
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinError;

/// An answer, or why the question's task failed.
type CoalescedAnswer<T> = Result<T, Arc<JoinError>>;
type Question<T> = Shared<BoxFuture<'static, CoalescedAnswer<T>>>;

/// Questions in flight, by key.
pub struct Coalesced<K, T>(Arc<Mutex<HashMap<K, Questions<T>>>>);

/// Unanswered questions of one key.
struct Questions<T> {
    in_flight: Question<T>,
    /// Begins when the question in flight is answered.
    next: Option<Question<T>>,
}

impl<K, T> Default for Coalesced<K, T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K, T> Coalesced<K, T>
where
    K: Copy + Eq + Hash + Send + 'static,
    T: Clone + Send + Sync + 'static,
{
    /// Returns the answer to the first question with this key that begins from now on.
    pub fn ask<F>(
        &self,
        key: K,
        question: F,
    ) -> impl Future<Output = CoalescedAnswer<T>> + use<K, T, F>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match all.get_mut(&key) {
            None => {
                let question = self.begin(key, question, None);
                all.insert(key, Questions { in_flight: question.clone(), next: None });
                question
            }
            Some(Questions { in_flight, next }) => {
                let earlier = in_flight.clone();
                next.get_or_insert_with(|| self.begin(key, question, Some(earlier))).clone()
            }
        }
    }

    /// Runs a question in its own task, so that a caller who disconnects does not cancel it for the
    /// others.
    fn begin(
        &self,
        key: K,
        question: impl Future<Output = T> + Send + 'static,
        earlier: Option<Question<T>>,
    ) -> Question<T> {
        let all = Arc::clone(&self.0);
        let task = tokio::spawn(async move {
            if let Some(earlier) = earlier {
                let _ = earlier.await;
            }
            let answer = AssertUnwindSafe(question).catch_unwind().await;
            answered(&all, key);
            answer.unwrap_or_else(|panic| resume_unwind(panic))
        });
        task.map(|done| done.map_err(Arc::new)).boxed().shared()
    }
}

/// Removes the answered question; the next one, if any, becomes the one in flight.
fn answered<K: Copy + Eq + Hash, T>(all: &Mutex<HashMap<K, Questions<T>>>, key: K) {
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(Questions { next: Some(next), .. }) = all.remove(&key) {
        all.insert(key, Questions { in_flight: next, next: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::Semaphore;

    #[tokio::test]
    async fn a_result_is_of_a_query_that_began_after_its_caller_asked() {
        let coalesced = Coalesced::<(), usize>::default();
        let (started, may_end) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let query = || {
            let (started, may_end) = (Arc::clone(&started), Arc::clone(&may_end));
            async move {
                let number = started.fetch_add(1, Ordering::SeqCst) + 1;
                may_end.acquire().await.expect("open").forget();
                number
            }
        };
        let first = coalesced.ask((), query());
        while started.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        let others: Vec<_> = (0..1000).map(|_| coalesced.ask((), query())).collect();
        may_end.add_permits(2);
        assert_eq!(first.await.unwrap(), 1);
        for other in others {
            assert_eq!(other.await.unwrap(), 2, "one query for all callers that arrived meanwhile");
        }
        may_end.add_permits(1);
        assert_eq!(coalesced.ask((), query()).await.unwrap(), 3, "nothing is cached");
        assert!(coalesced.0.lock().unwrap().is_empty(), "finished queries are removed");
    }

    #[tokio::test]
    async fn a_panicking_query_fails_its_callers_and_no_later_ones() {
        let coalesced = Coalesced::<(), usize>::default();
        let failed = coalesced.ask((), async { panic!("on purpose") });
        assert!(failed.await.is_err());
        assert_eq!(coalesced.ask((), async { 7 }).await.unwrap(), 7);
        assert!(coalesced.0.lock().unwrap().is_empty(), "it is removed like any other");
    }
}

//! Fair queue: a few permits for expensive work, granted round-robin to separate queues, so that a
//! long queue delays only itself.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// A fair queue.
#[derive(Clone, Debug)]
pub struct FairQueue {
    state: Arc<Mutex<State>>,
    waiting_max: usize,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// Each non-empty line, once; the first one gets the next permit.
    round_robin: VecDeque<String>,
    lines: HashMap<String, VecDeque<oneshot::Sender<Permit>>>,
    waiting: usize,
}

/// A permit, released when dropped.
#[derive(Debug)]
pub struct Permit(Option<Arc<Mutex<State>>>);

impl FairQueue {
    /// Returns a queue with this many permits and at most `waiting_max` waiters.
    pub fn new(permits: usize, waiting_max: usize) -> Self {
        let (round_robin, lines) = (VecDeque::new(), HashMap::new());
        let state = State { free: permits, round_robin, lines, waiting: 0 };
        Self { state: Arc::new(Mutex::new(state)), waiting_max }
    }

    /// Waits in this line for a permit; `None` immediately if too many are waiting. An empty line
    /// gets a place even then, up to twice the limit.
    pub async fn acquire(&self, line: &str) -> Option<Permit> {
        let permit = {
            let mut state = lock(&self.state);
            if state.free > 0 {
                state.free -= 1;
                return Some(Permit(Some(Arc::clone(&self.state))));
            }
            let is_new = !state.lines.contains_key(line);
            let waiting_max = if is_new { 2 * self.waiting_max } else { self.waiting_max };
            if state.waiting >= waiting_max {
                return None;
            }
            let (sender, receiver) = oneshot::channel();
            state.waiting += 1;
            state.lines.entry(line.to_owned()).or_default().push_back(sender);
            if is_new {
                state.round_robin.push_back(line.to_owned());
            }
            receiver
        };
        permit.await.ok()
    }
}

impl State {
    fn next(&mut self) -> Option<oneshot::Sender<Permit>> {
        let line = self.round_robin.pop_front()?;
        let waiting = self.lines.get_mut(&line)?;
        let next = waiting.pop_front();
        match waiting.is_empty() {
            true => drop(self.lines.remove(&line)),
            false => self.round_robin.push_back(line),
        }
        self.waiting -= 1;
        next
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some(mut state) = self.0.take() else { return };
        loop {
            let next = {
                let mut state = lock(&state);
                let next = state.next();
                if next.is_none() {
                    state.free += 1;
                }
                next
            };
            let Some(next) = next else { return };
            // A waiter that has gone returns the permit.
            match next.send(Permit(Some(state))) {
                Ok(()) => return,
                Err(mut permit) => match permit.0.take() {
                    Some(returned) => state = returned,
                    None => return,
                },
            }
        }
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn queues_are_served_round_robin_whatever_their_length() {
        let queue = FairQueue::new(1, 100);
        let first = queue.acquire("long").await.expect("a free permit");
        let mut long: Vec<_> = (0..50).map(|_| Box::pin(queue.acquire("long"))).collect();
        for waiting in &mut long {
            assert!(waiting.as_mut().now_or_never().is_none());
        }
        let mut short = Box::pin(queue.acquire("short"));
        assert!(short.as_mut().now_or_never().is_none());
        drop(first);
        let second = long[0].as_mut().now_or_never().flatten().expect("the first waiter");
        drop(second);
        let third = short.as_mut().now_or_never().flatten().expect("then the other queue");
        assert!(long[1].as_mut().now_or_never().is_none());
        // Waiters that have gone are skipped, and no permit is lost.
        long.truncate(1);
        drop(third);
        assert!(queue.acquire("any").now_or_never().flatten().is_some());
        let state = lock(&queue.state);
        assert!(state.lines.is_empty() && state.round_robin.is_empty() && state.waiting == 0);
    }

    #[tokio::test]
    async fn a_permit_granted_to_a_cancelled_waiter_is_not_lost() {
        let queue = FairQueue::new(1, 100);
        let first = queue.acquire("one").await;
        let mut cancelled = Box::pin(queue.acquire("one"));
        assert!(cancelled.as_mut().now_or_never().is_none());
        drop(first);
        drop(cancelled);
        assert!(queue.acquire("one").now_or_never().flatten().is_some());
    }

    #[tokio::test]
    async fn a_full_queue_still_admits_another_key() {
        let queue = FairQueue::new(1, 2);
        let _first = queue.acquire("one").await;
        let mut waiting: Vec<_> = (0..2).map(|_| Box::pin(queue.acquire("one"))).collect();
        for waiting in &mut waiting {
            assert!(waiting.as_mut().now_or_never().is_none());
        }
        assert!(matches!(queue.acquire("one").now_or_never(), Some(None)), "refused immediately");
        let mut other = Box::pin(queue.acquire("other"));
        assert!(other.as_mut().now_or_never().is_none(), "waits");
    }
}

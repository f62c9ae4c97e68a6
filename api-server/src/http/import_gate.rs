//! Import gate, which an import closes to other writers: on SQLite a transaction locks the whole
//! database, and an import's may take minutes. Writers wait here for it to end, without holding a
//! connection that readers need.

use poem::http::HeaderValue;
use poem::http::header::RETRY_AFTER;
use shared::problem::{Problem, ProblemType};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// Longest wait of a writer, the same as for any lock.
const WAIT: Duration = Duration::from_secs(3);
/// Seconds after which a refused writer may retry.
const RETRY_AFTER_SECONDS: u64 = 10;

/// Lets writers pass while no import locks the whole database.
#[derive(Debug, Default)]
pub struct ImportGate(watch::Sender<usize>);

/// Guard that keeps the gate closed until dropped.
#[derive(Debug)]
pub struct ClosedGate(Arc<ImportGate>);

impl ImportGate {
    /// Closes the gate for an import.
    pub fn close(self: &Arc<Self>) -> ClosedGate {
        self.0.send_modify(|imports| *imports += 1);
        ClosedGate(Arc::clone(self))
    }

    /// Waits until the gate is open; 503 if that takes too long.
    pub async fn pass(&self) -> Result<(), Problem> {
        self.pass_within(WAIT).await
    }

    async fn pass_within(&self, wait: Duration) -> Result<(), Problem> {
        let mut imports = self.0.subscribe();
        let open = timeout(wait, imports.wait_for(|imports| *imports == 0)).await;
        open.map(drop).map_err(|_| busy())
    }

    /// True while an import locks the whole database.
    pub fn is_closed(&self) -> bool {
        *self.0.borrow() > 0
    }
}

impl Drop for ClosedGate {
    fn drop(&mut self) {
        self.0.0.send_modify(|imports| *imports -= 1);
    }
}

/// The problem for a writer that waited too long.
pub fn busy() -> Problem {
    Problem::new(ProblemType::DatabaseUnavailable)
        .detail("the database is busy with an import")
        .header(RETRY_AFTER, HeaderValue::from(RETRY_AFTER_SECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn writers_wait_for_a_running_import_up_to_a_limit() {
        let gate = Arc::new(ImportGate::default());
        gate.pass().await.unwrap();
        let (first, second) = (gate.close(), gate.close());
        let refused = gate.pass_within(Duration::ZERO).await.unwrap_err();
        assert_eq!(refused.message(), "the database is busy with an import");
        drop(first);
        let waiting = tokio::spawn({
            let gate = Arc::clone(&gate);
            async move { gate.pass_within(Duration::from_secs(600)).await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(second);
        waiting.await.unwrap().unwrap();
    }
}

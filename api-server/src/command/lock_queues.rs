//! In-process lock queue. Requests that write to the same loan, comment, document or cash drawer
//! wait here, in FIFO order, before they take a database connection.
//!
//! The row lock in the database (`loans/account.rs`) decides who writes, but a request that waits
//! for it there holds a connection: a few requests for one busy loan would leave none for all other
//! loans. A request that waits here holds none. Requests to other replicas, and other programs, meet
//! only at the row lock. Both waits of a request have one deadline.
//!
//! Requests that share a transaction share the lock, too.

use sea_orm::sea_query::{IntoTableRef, LockType, Query, SelectStatement};
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr};
use shared::database::{self, LOCK_WAIT};
use shared::entity::{cash_drawers, loans};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

/// Maximum wait of a request about documents only: many may arrive at the same time, and each is
/// short.
const DOCUMENTS_WAIT: Duration = Duration::from_secs(15);
/// Maximum number of requests per row, including the one that holds the lock.
const REQUESTS_MAX: usize = 512;
/// Maximum number of requests that share the lock on a row: as many as share a transaction. More
/// would hold up requests for other rows.
const SHARED_MAX: u32 = 32;

/// A row that requests write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowKey {
    Loan(i64),
    Drawer(i64),
    Comment(i64),
    /// A document of a field.
    Document(i64),
}

impl RowKey {
    /// Locks the row in the database. On SQLite the transaction holds the only lock.
    pub async fn lock_in(self, tx: &DatabaseTransaction) -> Result<(), DbErr> {
        let mut select = match self {
            _ if database::is_embedded(tx) => return Ok(()),
            Self::Comment(_) | Self::Document(_) => return Ok(()),
            Self::Loan(id) => row_of(loans::Entity, loans::Column::LoanId, id),
            Self::Drawer(id) => row_of(cash_drawers::Entity, cash_drawers::Column::DrawerId, id),
        };
        tx.query_one(select.lock(LockType::Update)).await.map(drop)
    }

    const fn wait(self) -> Duration {
        match self {
            Self::Loan(_) | Self::Drawer(_) => LOCK_WAIT,
            Self::Comment(_) | Self::Document(_) => DOCUMENTS_WAIT,
        }
    }
}

fn row_of<C: ColumnTrait>(table: impl IntoTableRef, key: C, id: i64) -> SelectStatement {
    Query::select().column(key).from(table).and_where(key.eq(id)).take()
}

/// Rows that requests are working on or waiting for.
#[derive(Debug, Default)]
pub struct LockQueues(Mutex<HashMap<RowKey, LockQueue>>);

#[derive(Debug)]
struct LockQueue {
    /// Requests get their permits in the order in which they asked.
    lock: Arc<Semaphore>,
    requests: usize,
}

impl Default for LockQueue {
    fn default() -> Self {
        Self { lock: Arc::new(Semaphore::new(SHARED_MAX as usize)), requests: 0 }
    }
}

/// Whether a request waits for all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockMode {
    /// It waits for all others.
    Exclusive,
    /// It waits for those that have the lock exclusively.
    Shared,
}

/// A request's lock on a row, held until it is dropped.
#[derive(Debug)]
pub struct QueueLock {
    // Dropped before the position, so that no queue is removed while a request holds its lock.
    _permits: OwnedSemaphorePermit,
    _position: QueuePosition,
}

/// A position in the queue for a row.
#[derive(Debug)]
struct QueuePosition {
    queues: Arc<LockQueues>,
    row: RowKey,
}

impl LockQueues {
    /// Waits for the locks on these rows, one after the other, for a request that began then. The
    /// error is the row for which the wait took too long or the queue is full.
    pub async fn lock(
        self: &Arc<Self>,
        rows: &[RowKey],
        mode: LockMode,
        began: Instant,
    ) -> Result<Vec<QueueLock>, RowKey> {
        let wait = rows.iter().map(|row| row.wait()).min().unwrap_or(LOCK_WAIT);
        let deadline = began + wait;
        let permits = match mode {
            LockMode::Exclusive => SHARED_MAX,
            LockMode::Shared => 1,
        };
        let mut locks = Vec::with_capacity(rows.len());
        for row in rows {
            let (lock, position) = self.join(*row).ok_or(*row)?;
            let acquired = timeout_at(deadline, lock.acquire_many_owned(permits)).await;
            let Ok(Ok(permits)) = acquired else { return Err(*row) };
            locks.push(QueueLock { _permits: permits, _position: position });
        }
        Ok(locks)
    }

    fn join(self: &Arc<Self>, row: RowKey) -> Option<(Arc<Semaphore>, QueuePosition)> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let queue = queues.entry(row).or_default();
        if queue.requests >= REQUESTS_MAX {
            return None;
        }
        queue.requests += 1;
        Some((Arc::clone(&queue.lock), QueuePosition { queues: Arc::clone(self), row }))
    }
}

impl Drop for QueuePosition {
    fn drop(&mut self) {
        let mut queues = self.queues.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = queues.get_mut(&self.row) {
            queue.requests -= 1;
            if queue.requests == 0 {
                queues.remove(&self.row);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use LockMode::{Exclusive, Shared};

    #[tokio::test]
    async fn requests_for_one_row_wait_for_each_other_and_leave_no_queue() {
        let queues = Arc::new(LockQueues::default());
        let first = queues
            .lock(&[RowKey::Loan(1), RowKey::Drawer(1)], Exclusive, Instant::now())
            .await
            .unwrap();
        queues
            .lock(&[RowKey::Loan(2), RowKey::Drawer(2)], Exclusive, Instant::now())
            .await
            .unwrap();
        let waiting = tokio::spawn({
            let queues = Arc::clone(&queues);
            async move {
                queues
                    .lock(&[RowKey::Loan(3), RowKey::Drawer(1)], Exclusive, Instant::now())
                    .await
                    .is_ok()
            }
        });
        tokio::time::sleep(LOCK_WAIT / 2).await;
        drop(first);
        assert!(waiting.await.unwrap());
        assert!(queues.0.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn shared_locks_are_held_together_and_wait_for_exclusive_ones() {
        let queues = Arc::new(LockQueues::default());
        let first = queues.lock(&[RowKey::Loan(1)], Shared, Instant::now()).await.unwrap();
        let second = queues.lock(&[RowKey::Loan(1)], Shared, Instant::now()).await.unwrap();
        let asked = |mode| {
            let queues = Arc::clone(&queues);
            Box::pin(
                async move { queues.lock(&[RowKey::Loan(1)], mode, Instant::now()).await.unwrap() },
            )
        };
        let (mut exclusive, mut third) = (asked(Exclusive), asked(Shared));
        assert!(futures_util::poll!(&mut exclusive).is_pending());
        assert!(futures_util::poll!(&mut third).is_pending(), "it asked later");
        drop((first, second));
        let exclusive = exclusive.await;
        assert!(futures_util::poll!(&mut third).is_pending());
        drop(exclusive);
        drop(third.await);
        assert!(queues.0.lock().unwrap().is_empty());
    }

    #[tokio::test]
    async fn waits_and_queues_are_bounded() {
        let queues = Arc::new(LockQueues::default());
        let first = queues.lock(&[RowKey::Loan(1)], Exclusive, Instant::now()).await.unwrap();
        let refused =
            queues.lock(&[RowKey::Drawer(1), RowKey::Loan(1)], Exclusive, Instant::now()).await;
        assert_eq!(refused.unwrap_err(), RowKey::Loan(1));
        let positions: Vec<_> =
            (1..REQUESTS_MAX).map(|_| queues.join(RowKey::Loan(1)).unwrap()).collect();
        assert!(queues.join(RowKey::Loan(1)).is_none());
        drop(positions);
        drop(first);
        assert!(queues.0.lock().unwrap().is_empty());
    }
}

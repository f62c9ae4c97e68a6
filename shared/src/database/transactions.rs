//! Write transactions, and retries after contention.

use super::connections::note_lost;
use super::faults::{Fault, fault, is_lost};
use super::galera;
use super::sessions::LOCK_WAIT;
use super::waits::WAITS;
use crate::random::random_bytes;
use prometheus_client::metrics::counter::Counter;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, SqliteTransactionMode,
    TransactionOptions, TransactionTrait,
};
use std::future::Future;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::time::Instant;

/// Begins a write transaction. On SQLite it takes the write lock immediately, because a reader that
/// upgrades to a writer fails instead of waiting.
pub async fn begin_write(db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let tx = begin_unmarked(db).await?;
    galera::mark(&tx).await?;
    Ok(tx)
}

/// Begins a write transaction of a migration: the table of marks may not exist yet.
pub(super) async fn begin_unmarked(db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let sqlite_transaction_mode = Some(SqliteTransactionMode::Immediate);
    let options = || TransactionOptions { sqlite_transaction_mode, ..Default::default() };
    WAITS.connection.measure(once_more(|| db.begin_with_options(options()))).await
}

/// Runs something that changes nothing; once more, on another connection, if its own was lost: after
/// all connections were cut, a request must not fail while the database is there.
pub async fn once_more<T, F: Future<Output = Result<T, DbErr>>>(
    work: impl Fn() -> F,
) -> Result<T, DbErr> {
    match work().await {
        Err(error) if is_lost(&error) => {
            note_lost();
            work().await
        }
        outcome => outcome,
    }
}

/// Commits a write transaction. Contention if another node of a cluster has silently rolled it back
/// ([`crate::database::galera`]).
pub async fn commit(tx: DatabaseTransaction) -> Result<(), DbErr> {
    galera::take_mark(&tx).await?;
    commit_unmarked(tx).await
}

/// Commits a write transaction of a migration.
#[expect(clippy::disallowed_methods, reason = "every other caller uses `commit`")]
pub(super) async fn commit_unmarked(tx: DatabaseTransaction) -> Result<(), DbErr> {
    tx.commit().await
}

/// Rolls back a write transaction whose outcome is reported, such as a dry run's. Contention as with
/// [`commit`]: the outcome may be wrong if part of the transaction was lost.
pub async fn roll_back(tx: DatabaseTransaction) -> Result<(), DbErr> {
    galera::take_mark(&tx).await?;
    tx.rollback().await
}

/// Returns the error to report for a transaction that failed: contention if another node of a
/// cluster has rolled it back, silently or not, because that may have caused the failure. The
/// transaction must not be committed afterwards: its mark is deleted.
pub async fn failed<E: From<DbErr>>(tx: &DatabaseTransaction, error: E) -> E {
    match galera::take_mark(tx).await {
        Err(lost) if lost.is_contention() => lost.into(),
        _ => error,
    }
}

/// Commits a transaction whose work succeeded; otherwise rolls it back and returns the error of
/// [`failed`].
pub async fn finish<T, E: From<DbErr>>(
    tx: DatabaseTransaction,
    outcome: Result<T, E>,
) -> Result<T, E> {
    match outcome {
        Ok(done) => Ok(commit(tx).await.map(|()| done)?),
        Err(error) => Err(failed(&tx, error).await),
    }
}

/// Begins a savepoint, a part of a transaction that can be rolled back separately. `None` in a
/// cluster, where only the whole transaction can be rolled back.
#[expect(clippy::disallowed_methods, reason = "checks first that savepoints work here")]
pub async fn begin_part(tx: &DatabaseTransaction) -> Result<Option<DatabaseTransaction>, DbErr> {
    if galera::is_node(tx) {
        return Ok(None);
    }
    tx.begin().await.map(Some)
}

/// Tries something at the beginning of a transaction, before anything is written, and rolls it
/// back.
pub async fn try_out<E: From<DbErr>>(
    tx: &DatabaseTransaction,
    work: impl AsyncFnOnce(&DatabaseTransaction) -> Result<(), E>,
) -> Result<(), E> {
    let Some(trial) = begin_part(tx).await? else {
        work(tx).await?;
        galera::take_mark(tx).await?;
        tx.execute_unprepared("ROLLBACK AND CHAIN").await?;
        return Ok(galera::mark(tx).await?);
    };
    work(&trial).await?;
    Ok(trial.rollback().await?)
}

/// Retries after contention: the minimum number of attempts, and the time for which there are more.
const ATTEMPTS_MIN: u32 = 4;
const RETRY_TIME_MIN: Duration = LOCK_WAIT;
/// Longest pause before a retry. The first retry is immediate; later ones are jittered.
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// Number of retries in this process.
pub(super) static TRIED_AGAIN: LazyLock<Counter> = LazyLock::new(Counter::default);

/// An error that may be contention.
pub trait Contended {
    /// True if another transaction came first: a retry may succeed.
    fn is_contention(&self) -> bool;
}

impl Contended for DbErr {
    fn is_contention(&self) -> bool {
        fault(self) == Fault::Contention
    }
}

/// Attempts at something that may meet contention.
#[derive(Debug)]
pub struct Tries {
    began: Instant,
    attempts: u32,
}

impl Tries {
    /// Starts counting before the first attempt.
    pub fn begin() -> Self {
        Self { began: Instant::now(), attempts: 0 }
    }

    /// Counts a failed attempt. Returns true when it is time for the next, false when there have
    /// been enough: at least four attempts and three seconds.
    pub async fn another(&mut self) -> bool {
        self.attempts += 1;
        if self.attempts >= ATTEMPTS_MIN && self.began.elapsed() >= RETRY_TIME_MIN {
            return false;
        }
        TRIED_AGAIN.inc();
        if self.attempts > 1 {
            let pause_max = Duration::from_millis(5 << Ord::min(self.attempts, 8));
            let pause_max = Ord::min(PAUSE_MAX, pause_max);
            tokio::time::sleep(pause_max * u32::from(random_bytes::<1>()[0]) / 256).await;
        }
        true
    }
}

/// Runs work that is a whole transaction or a single statement; retries it after contention. In a
/// cluster, contention may be reported as late as the commit.
pub async fn retry<T, E: Contended, F: Future<Output = Result<T, E>>>(
    mut work: impl FnMut() -> F,
) -> Result<T, E> {
    let mut tries = Tries::begin();
    loop {
        let outcome = work().await;
        let contended = outcome.as_ref().is_err_and(Contended::is_contention);
        if !contended || !tries.another().await {
            return outcome;
        }
    }
}

/// Runs work in a write transaction of its own, and retries the whole after contention
/// ([`retry`]). So the work must have no effect outside the transaction. A commit with an unknown
/// outcome is not contention.
pub async fn write<T, E: Contended + From<DbErr>>(
    db: &DatabaseConnection,
    work: impl Copy + AsyncFnOnce(&DatabaseTransaction) -> Result<T, E>,
) -> Result<T, E> {
    retry(async || {
        let tx = begin_write(db).await?;
        let outcome = work(&tx).await;
        finish(tx, outcome).await
    })
    .await
}

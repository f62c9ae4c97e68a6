//! Commands: how an operation writes to the database. A command waits its turn in the lock queue,
//! runs in one transaction, and is retried on contention. If a POST has an idempotency key, its
//! response is stored in the same transaction, and the request is executed only if there is no
//! stored response yet.

use crate::command::failure::{Failure, LockedRow, UnavailableService};
use crate::command::idempotency::{
    IdempotencyScope, KeyError, Replayable, StoredResponse, in_transaction,
};
use crate::command::lock_queues::{LockMode, LockQueues, QueueLock, RowKey};
use crate::http::import_gate::ImportGate;
use poem::http::StatusCode;
use poem_openapi::types::ToJSON;
use sea_orm::{DatabaseConnection, DatabaseTransaction};
use shared::database;
use shared::database::gate::DatabaseGate;
use shared::database::waits::WAITS;
use shared::time::{Clock, Timestamp};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// Time limit of one attempt. Without it, a database that neither responds nor disconnects would
/// hold the row's lock forever.
pub(super) const ATTEMPT_TIME_MAX: Duration = Duration::from_secs(20);
/// How long an attempt waits for locks whose request has no time left.
const LATE_LOCK_WAIT: Duration = Duration::from_millis(500);

/// What an operation writes to the database.
pub trait Command: Send + Sync + 'static {
    /// Its result, which becomes the response.
    type Answer: Send + Sync;

    /// Refusal type of its rules.
    type Refusal: Send;

    /// The row that a 423 response names when a lock times out.
    const LOCKED: Option<LockedRow> = None;

    /// Returns the rows whose lock queues the request waits in, in lock order: first the loan or
    /// comment, then drawers in ascending order of id.
    fn rows(&self) -> Vec<RowKey> {
        Vec::new()
    }

    /// True if the command must be prepared.
    const PREPARES: bool = false;

    /// True if the command locks its rows in the database first: the clock that it is executed by, and
    /// so today, is read once they are locked.
    const LOCKS_ROWS: bool = false;

    /// Finds out what must be known before the transaction begins. It may wait for the network,
    /// because nothing is locked yet. Not called if a stored response is replayed.
    fn prepare(&mut self) -> impl Future<Output = Result<(), Failure<Self::Refusal>>> + Send {
        async { Ok(()) }
    }

    /// Executes the command within a transaction that the caller commits or rolls back.
    fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> impl Future<Output = Result<Self::Answer, Failure<Self::Refusal>>> + Send;
}

/// Executes commands on one database.
#[derive(Clone)]
pub struct Executor {
    /// Closed while an import locks the whole database.
    pub import_gate: Arc<ImportGate>,
    /// Closed while the database must not be used.
    pub database_gate: DatabaseGate,
    pub(super) db: DatabaseConnection,
    lock_queues: Arc<LockQueues>,
    /// When the request began: all its waits for locks share one deadline.
    began: Instant,
}

impl Executor {
    /// Returns an executor of commands on this database. All of its clones share the lock queues in
    /// which requests wait.
    pub fn new(db: DatabaseConnection, database_gate: DatabaseGate) -> Self {
        let (import_gate, lock_queues) = (Arc::default(), Arc::default());
        Self { import_gate, database_gate, db, lock_queues, began: Instant::now() }
    }
}

/// How a POST is executed.
pub enum ExecutionMode {
    /// Committed. The response is stored under the key, if the client sent one.
    Commit(Option<IdempotencyScope>),
    /// Executed and rolled back. The response is what it would have been.
    DryRun,
}

impl ExecutionMode {
    pub(super) fn scope(&self) -> Option<&IdempotencyScope> {
        match self {
            Self::Commit(scope) => scope.as_ref(),
            Self::DryRun => None,
        }
    }

    /// Returns the stored response of the same request, if there is one.
    async fn replay<A>(
        &self,
        tx: &DatabaseTransaction,
    ) -> Result<Option<Replayable<A, true>>, KeyError> {
        let Some(scope) = self.scope() else { return Ok(None) };
        let stored = in_transaction::find(tx, tx, &[scope]).await?.into_iter().next();
        Ok(stored.transpose()?.flatten().map(Replayable::from))
    }

    /// Stores the response under the request's key and commits, or rolls back a dry run.
    async fn end<A: ToJSON>(
        &self,
        tx: DatabaseTransaction,
        now: Timestamp,
        answer: A,
    ) -> Result<Replayable<A, true>, KeyError> {
        match self {
            Self::DryRun => {
                let response = Replayable::new(StatusCode::OK, &answer);
                database::roll_back(tx).await?;
                Ok(response)
            }
            Self::Commit(scope) => {
                let response = Replayable::new(StatusCode::CREATED, &answer);
                let stored = scope.iter().map(|scope| response.of_request(scope)).collect();
                in_transaction::store(&tx, now, stored).await?;
                database::commit(tx).await?;
                Ok(response)
            }
        }
    }
}

/// Executes a POST: 201 with the result, or 200 with the result of a dry run.
pub async fn execute<C: Command<Answer: ToJSON>>(
    executor: &Executor,
    mut command: C,
    mode: ExecutionMode,
) -> Result<Replayable<C::Answer, true>, Failure<C::Refusal>> {
    in_task::<C, _, _>(executor, |executor| async move {
        if C::PREPARES
            && let ExecutionMode::Commit(scope) = &mode
        {
            if let Some(stored) = executor.stored(scope.as_ref()).await? {
                return Ok(stored.into());
            }
            command.prepare().await?;
        }
        let _locks = executor.lock(&command, LockMode::Exclusive).await?;
        executor.run(&command, &mode).await
    })
    .await
}

/// Executes a write without a key: a PUT, a DELETE, or a step of a card payment, whose key is
/// claimed in [`cards::payment`](crate::cards::payment). A PUT or DELETE needs none: it specifies
/// the version of the row that it changes, so sending it again is harmless.
pub async fn execute_without_key<C: Command>(
    executor: &Executor,
    command: C,
) -> Result<C::Answer, Failure<C::Refusal>> {
    in_task::<C, _, _>(executor, |executor| async move {
        let _locks = executor.lock(&command, LockMode::Exclusive).await?;
        database::retry(|| with_time_limit(executor.attempt_without_key(&command))).await
    })
    .await
}

/// Runs work in a separate task, so that a client that disconnects does not stop it halfway.
pub(super) async fn in_task<C, T, W>(
    executor: &Executor,
    work: impl FnOnce(Executor) -> W,
) -> Result<T, Failure<C::Refusal>>
where
    C: Command,
    T: Send + 'static,
    W: Future<Output = Result<T, Failure<C::Refusal>>> + Send + 'static,
{
    let outcome = tokio::spawn(work(executor.beginning_now())).await.map_err(Failure::defect)?;
    outcome.map_err(|failure| executor.attribute::<C>(failure))
}

/// Reports a lock wait that timed out while an import locks the whole database as caused by the
/// import.
fn attribute_to_import<C: Command>(
    failure: Failure<C::Refusal>,
    gate: &ImportGate,
) -> Failure<C::Refusal> {
    match failure.at(C::LOCKED) {
        Failure::Locked(_) | Failure::Contended(Some(_)) if gate.is_closed() => {
            Failure::Unavailable(UnavailableService::Import)
        }
        failure => failure,
    }
}

impl Executor {
    /// The same executor for a request that begins now.
    pub(super) fn beginning_now(&self) -> Self {
        Self { began: Instant::now(), ..self.clone() }
    }

    /// Names the row whose lock timed out, or the import that locks the database.
    pub(super) fn attribute<C: Command>(
        &self,
        failure: Failure<C::Refusal>,
    ) -> Failure<C::Refusal> {
        attribute_to_import::<C>(failure, &self.import_gate)
    }

    /// Waits for the command's turn in the lock queues of its rows.
    pub(super) async fn lock<C: Command>(
        &self,
        command: &C,
        mode: LockMode,
    ) -> Result<Vec<QueueLock>, Failure<C::Refusal>> {
        let rows = command.rows();
        let locks = WAITS.row.measure(self.lock_queues.lock(&rows, mode, self.began)).await;
        locks.map_err(|row| Failure::Locked(LockedRow::of(row)))
    }

    /// When the request's waits for locks end. An attempt that comes late has a moment, too.
    fn lock_deadline(&self) -> Instant {
        (self.began + database::LOCK_WAIT).max(Instant::now() + LATE_LOCK_WAIT)
    }

    /// Begins a write transaction. On SQLite that is the lock on every row.
    async fn begin<C: Command>(&self) -> Result<DatabaseTransaction, Failure<C::Refusal>> {
        let begun = self.database_gate.begin_write();
        if !C::LOCKS_ROWS || !database::is_embedded(&self.db) {
            return Ok(begun.await?);
        }
        match timeout_at(self.lock_deadline(), begun).await {
            Ok(begun) => Ok(begun?),
            Err(_) => Err(Failure::Locked(None)),
        }
    }

    /// Locks the command's rows in the database, within the request's deadline.
    async fn lock_rows<C: Command>(
        &self,
        tx: &DatabaseTransaction,
        command: &C,
    ) -> Result<(), Failure<C::Refusal>> {
        if !C::LOCKS_ROWS {
            return Ok(());
        }
        let deadline = self.lock_deadline();
        for row in command.rows() {
            let at_row = |failure: Failure<C::Refusal>| failure.at(LockedRow::of(row));
            match timeout_at(deadline, row.lock_in(tx)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return Err(database::failed(tx, at_row(error.into())).await),
                // The statement is still waiting: dropping the transaction gives it up.
                Err(_) => return Err(at_row(Failure::Locked(None))),
            }
        }
        Ok(())
    }

    async fn stored(
        &self,
        scope: Option<&IdempotencyScope>,
    ) -> Result<Option<StoredResponse>, KeyError> {
        match scope {
            Some(scope) => in_transaction::peek(&self.db, scope).await,
            None => Ok(None),
        }
    }

    /// Returns the stored response of a request that found its rows locked for too long, or this
    /// failure.
    pub(super) async fn replay_or<A, R>(
        &self,
        scope: Option<&IdempotencyScope>,
        failure: Failure<R>,
    ) -> Result<Replayable<A, true>, Failure<R>> {
        match self.stored(scope).await? {
            Some(stored) => Ok(stored.into()),
            None => Err(failure),
        }
    }

    /// Executes a POST in a transaction of its own, and retries it on contention.
    pub(super) async fn run<C: Command<Answer: ToJSON>>(
        &self,
        command: &C,
        mode: &ExecutionMode,
    ) -> Result<Replayable<C::Answer, true>, Failure<C::Refusal>> {
        database::retry(|| with_time_limit(self.attempt(command, mode))).await
    }

    async fn attempt<C: Command<Answer: ToJSON>>(
        &self,
        command: &C,
        mode: &ExecutionMode,
    ) -> Result<Replayable<C::Answer, true>, Failure<C::Refusal>> {
        let tx = self.begin::<C>().await?;
        if let Some(response) = mode.replay(&tx).await? {
            database::roll_back(tx).await?;
            return Ok(response);
        }
        self.lock_rows(&tx, command).await?;
        let clock = database::clock(&tx).await?;
        let failure = match command.apply(&tx, clock).await {
            Ok(answer) => return Ok(mode.end(tx, clock.now, answer).await?),
            Err(failure) => failure,
        };
        // The same request may have been executed while this one waited for a row, and its effect be
        // the reason of the refusal.
        if failure.is_refusal()
            && let Some(response) = mode.replay(&tx).await?
        {
            database::roll_back(tx).await?;
            return Ok(response);
        }
        Err(database::failed(&tx, failure).await)
    }

    async fn attempt_without_key<C: Command>(
        &self,
        command: &C,
    ) -> Result<C::Answer, Failure<C::Refusal>> {
        let tx = self.begin::<C>().await?;
        self.lock_rows(&tx, command).await?;
        let clock = database::clock(&tx).await?;
        match command.apply(&tx, clock).await {
            Ok(answer) => database::commit(tx).await.map(|()| answer).map_err(Failure::from),
            Err(failure) => Err(database::failed(&tx, failure).await),
        }
    }
}

pub(super) async fn with_time_limit<T, R>(
    attempt: impl Future<Output = Result<T, Failure<R>>>,
) -> Result<T, Failure<R>> {
    timeout(ATTEMPT_TIME_MAX, attempt)
        .await
        .unwrap_or(Err(Failure::Unavailable(UnavailableService::Database)))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct OnLoan;

    impl Command for OnLoan {
        type Answer = ();
        type Refusal = ();

        const LOCKED: Option<LockedRow> = Some(LockedRow::Loan);

        async fn apply(&self, _: &DatabaseTransaction, _: Clock) -> Result<(), Failure<()>> {
            Ok(())
        }
    }

    #[test]
    fn only_lock_waits_during_an_import_are_attributed_to_it() {
        let gate = Arc::new(ImportGate::default());
        let attribute = |failure| attribute_to_import::<OnLoan>(failure, &gate);
        assert_eq!(attribute(Failure::Locked(None)), Failure::Locked(Some(LockedRow::Loan)));
        let _closed = gate.close();
        assert_eq!(
            attribute(Failure::Locked(None)),
            Failure::Unavailable(UnavailableService::Import)
        );
        let drawer = Failure::Locked(Some(LockedRow::Drawer));
        assert_eq!(attribute(drawer), Failure::Unavailable(UnavailableService::Import));
        assert_eq!(attribute(Failure::NotFound), Failure::NotFound);
    }
}

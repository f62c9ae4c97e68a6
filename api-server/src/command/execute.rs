//! Commands: how an operation writes to the database. A command waits its turn in the lock queue,
//! runs in one transaction, and is retried on contention. A POST first claims its idempotency key;
//! if it was executed before, the stored response is returned.

use crate::command::failure::{Away, Failure, LockedRow};
use crate::command::idempotency::{
    self, Claim, ClaimOutcome, IdempotencyScope, KeyError, LEASE_SECONDS, Replayable,
};
use crate::command::row_locks::{LockQueues, RowKey};
use crate::http::import_gate::ImportGate;
use poem::http::StatusCode;
use poem_openapi::types::ToJSON;
use sea_orm::{DatabaseConnection, DatabaseTransaction};
use shared::db;
use shared::time::Clock;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Time limit of one attempt, and of releasing its key afterwards. Without it, a database that
/// neither responds nor disconnects would hold the row's lock forever.
const ATTEMPT_TIME_MAX: Duration = Duration::from_secs(20);

/// What an operation writes to the database.
pub trait Command: Send + Sync + 'static {
    /// Its result, which becomes the response.
    type Answer: Send + Sync;

    /// Refusal type of its rules.
    type Rule: Send;

    /// The row that a 423 response names when a lock times out.
    const LOCKED: Option<LockedRow> = None;

    /// Returns the rows whose lock queues the request waits in, in lock order: first the loan or
    /// comment, then drawers in ascending order of id.
    fn rows(&self) -> Vec<RowKey>;

    /// Finds out what must be known before the transaction begins. It may wait for the network,
    /// because nothing is locked yet. Not called if a stored response is replayed.
    fn prepare(&mut self) -> impl Future<Output = Result<(), Failure<Self::Rule>>> + Send {
        async { Ok(()) }
    }

    /// Executes the command within a transaction that the caller commits or rolls back.
    fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> impl Future<Output = Result<Self::Answer, Failure<Self::Rule>>> + Send;
}

/// Executes commands on one database.
#[derive(Clone)]
pub struct Executor {
    /// Closed while an import locks the whole database.
    pub import_gate: Arc<ImportGate>,
    db: DatabaseConnection,
    lock_queues: Arc<LockQueues>,
}

impl Executor {
    /// Returns an executor of commands on this database. All of its clones share the lock queues in
    /// which requests wait.
    pub fn new(db: DatabaseConnection) -> Self {
        Self { db, import_gate: Arc::default(), lock_queues: Arc::default() }
    }
}

/// How a POST is executed.
pub enum ExecutionMode {
    /// Committed. The response is stored under the key, if the client sent one.
    Commit(Option<IdempotencyScope>),
    /// Executed and rolled back. The response is what it would have been.
    DryRun,
}

/// Executes a POST: 201 with the result, or 200 with the result of a dry run.
///
/// It runs in a separate task, so that a client that disconnects does not leave a claim behind that
/// would make its retry wait.
pub async fn execute<E: Command<Answer: ToJSON>>(
    executor: &Executor,
    mut command: E,
    mode: ExecutionMode,
) -> Result<Replayable<E::Answer, true>, Failure<E::Rule>> {
    let gate = Arc::clone(&executor.import_gate);
    let executor = executor.clone();
    let task = tokio::spawn(async move {
        let claim = match mode {
            ExecutionMode::DryRun => {
                return with_locks(&executor, &command, &PostEnd::RollBack).await;
            }
            ExecutionMode::Commit(None) => None,
            ExecutionMode::Commit(Some(scope)) => {
                match idempotency::claim(&executor.db, &scope, LEASE_SECONDS).await? {
                    ClaimOutcome::Done(stored) => return Ok(stored.into()),
                    ClaimOutcome::New(claim) => Some(claim),
                }
            }
        };
        let outcome = match command.prepare().await {
            Ok(()) => with_locks(&executor, &command, &PostEnd::Commit(claim.as_ref())).await,
            Err(failure) => Err(failure),
        };
        if let (Err(_), Some(claim)) = (&outcome, &claim) {
            // If releasing the key fails, the claim ends with its lease.
            let _ = timeout(ATTEMPT_TIME_MAX, claim.release(&executor.db)).await;
        }
        outcome
    });
    let outcome = task.await.map_err(Failure::defect)?;
    outcome.map_err(|failure| attribute_to_import::<E>(failure, &gate))
}

/// Executes a write without a key: a PUT, a DELETE, or a step of a card payment, whose key is
/// claimed in [`cards::payment`](crate::cards::payment). A PUT or DELETE needs none: it specifies
/// the version of the row that it changes, so sending it again is harmless.
pub async fn execute_update<E: Command>(
    executor: &Executor,
    command: E,
) -> Result<E::Answer, Failure<E::Rule>> {
    let gate = Arc::clone(&executor.import_gate);
    let executor = executor.clone();
    let task = tokio::spawn(async move { with_locks(&executor, &command, &CommitEnd).await });
    let outcome = task.await.map_err(Failure::defect)?;
    outcome.map_err(|failure| attribute_to_import::<E>(failure, &gate))
}

/// Reports a lock wait that timed out while an import locks the whole database as caused by the
/// import.
fn attribute_to_import<E: Command>(
    failure: Failure<E::Rule>,
    gate: &ImportGate,
) -> Failure<E::Rule> {
    match failure.at(E::LOCKED) {
        Failure::Locked(_) | Failure::Contended(Some(_)) if gate.is_closed() => {
            Failure::Unavailable(Away::Import)
        }
        failure => failure,
    }
}

/// How a transaction ends, and what is returned.
trait TransactionEnd<A>: Sync {
    type Output: Send;

    fn end(
        &self,
        tx: DatabaseTransaction,
        answer: A,
    ) -> impl Future<Output = Result<Self::Output, KeyError>> + Send;
}

/// A POST's transaction stores the response under the request's claim and commits, or rolls back a
/// dry run.
enum PostEnd<'a> {
    Commit(Option<&'a Claim>),
    RollBack,
}

impl<A: ToJSON + Send + Sync> TransactionEnd<A> for PostEnd<'_> {
    type Output = Replayable<A, true>;

    async fn end(&self, tx: DatabaseTransaction, answer: A) -> Result<Self::Output, KeyError> {
        match self {
            Self::RollBack => {
                let response = Replayable::new(StatusCode::OK, &answer);
                db::roll_back(tx).await?;
                Ok(response)
            }
            Self::Commit(claim) => {
                let response = Replayable::new(StatusCode::CREATED, &answer);
                response.store(*claim, &tx).await?;
                db::commit(tx).await?;
                Ok(response)
            }
        }
    }
}

/// Any other transaction just commits.
struct CommitEnd;

impl<A: Send> TransactionEnd<A> for CommitEnd {
    type Output = A;

    async fn end(&self, tx: DatabaseTransaction, answer: A) -> Result<A, KeyError> {
        db::commit(tx).await?;
        Ok(answer)
    }
}

async fn with_locks<E: Command, N: TransactionEnd<E::Answer>>(
    executor: &Executor,
    command: &E,
    transaction_end: &N,
) -> Result<N::Output, Failure<E::Rule>> {
    let locks = executor.lock_queues.lock(&command.rows()).await;
    let _locks = locks.map_err(|row| Failure::Locked(LockedRow::of(row)))?;
    db::again(|| with_time_limit(attempt(executor, command, transaction_end))).await
}

async fn with_time_limit<T, R>(
    attempt: impl Future<Output = Result<T, Failure<R>>>,
) -> Result<T, Failure<R>> {
    timeout(ATTEMPT_TIME_MAX, attempt).await.unwrap_or(Err(Failure::Unavailable(Away::Database)))
}

async fn attempt<E: Command, N: TransactionEnd<E::Answer>>(
    executor: &Executor,
    command: &E,
    transaction_end: &N,
) -> Result<N::Output, Failure<E::Rule>> {
    let tx = db::begin_write(&executor.db).await?;
    let clock = db::clock(&tx).await?;
    match command.apply(&tx, clock).await {
        Ok(answer) => Ok(transaction_end.end(tx, answer).await?),
        Err(failure) => Err(db::failed(&tx, failure).await),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct OnLoan;

    impl Command for OnLoan {
        type Answer = ();
        type Rule = ();

        const LOCKED: Option<LockedRow> = Some(LockedRow::Loan);

        fn rows(&self) -> Vec<RowKey> {
            Vec::new()
        }

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
        assert_eq!(attribute(Failure::Locked(None)), Failure::Unavailable(Away::Import));
        let drawer = Failure::Locked(Some(LockedRow::Drawer));
        assert_eq!(attribute(drawer), Failure::Unavailable(Away::Import));
        assert_eq!(attribute(Failure::NotFound), Failure::NotFound);
    }
}

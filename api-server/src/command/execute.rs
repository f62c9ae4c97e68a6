//! Effects: how an operation writes to the database. It waits its turn in the lock queue, runs in
//! one transaction, and is retried on contention. A POST first claims its idempotency key; if it
//! was executed before, the stored response is returned.

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
/// neither responds nor disconnects would hold the row's turn forever.
const TRY_TIME_MAX: Duration = Duration::from_secs(20);

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

    /// Executes the effect within a transaction that the caller commits or rolls back.
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
    turns: Arc<LockQueues>,
}

impl Executor {
    /// Returns a writer to this database. Requests wait in the lock queues shared by all clones of
    /// this writer.
    pub fn new(db: DatabaseConnection) -> Self {
        Self { db, import_gate: Arc::default(), turns: Arc::default() }
    }
}

/// How a POST is executed.
pub enum ExecutionMode {
    /// Committed. The response is stored under the key, if the client sent one.
    Kept(Option<IdempotencyScope>),
    /// Dry run: executed and rolled back. The response is what it would have been.
    Tried,
}

/// Executes a POST: 201 with the result, or 200 with the result of a dry run.
///
/// It runs in a separate task, so that a client that disconnects does not leave a claim behind that
/// would make its retry wait.
pub async fn execute<E: Command<Answer: ToJSON>>(
    writer: &Executor,
    mut effect: E,
    keeping: ExecutionMode,
) -> Result<Replayable<E::Answer, true>, Failure<E::Rule>> {
    let gate = Arc::clone(&writer.import_gate);
    let writer = writer.clone();
    let done = tokio::spawn(async move {
        let claim = match keeping {
            ExecutionMode::Tried => return in_turn(&writer, &effect, &PostEnd::Undone).await,
            ExecutionMode::Kept(None) => None,
            ExecutionMode::Kept(Some(scope)) => {
                match idempotency::claim(&writer.db, &scope, LEASE_SECONDS).await? {
                    ClaimOutcome::Done(kept) => return Ok(kept.into()),
                    ClaimOutcome::New(claim) => Some(claim),
                }
            }
        };
        let outcome = match effect.prepare().await {
            Ok(()) => in_turn(&writer, &effect, &PostEnd::Kept(claim.as_ref())).await,
            Err(failure) => Err(failure),
        };
        if let (Err(_), Some(claim)) = (&outcome, &claim) {
            // If releasing the key fails, the claim ends with its lease.
            let _ = timeout(TRY_TIME_MAX, claim.free(&writer.db)).await;
        }
        outcome
    });
    let outcome = done.await.map_err(Failure::defect)?;
    outcome.map_err(|failure| explained::<E>(failure, &gate))
}

/// Executes a PUT or DELETE. It needs no key: it names the version of the row that it changes, so
/// sending it again is harmless.
pub async fn execute_update<E: Command>(
    writer: &Executor,
    effect: E,
) -> Result<E::Answer, Failure<E::Rule>> {
    let gate = Arc::clone(&writer.import_gate);
    let writer = writer.clone();
    let done = tokio::spawn(async move { in_turn(&writer, &effect, &CommitEnd).await });
    let outcome = done.await.map_err(Failure::defect)?;
    outcome.map_err(|failure| explained::<E>(failure, &gate))
}

/// Reports a lock wait that timed out while an import locks the whole database as caused by the
/// import.
fn explained<E: Command>(failure: Failure<E::Rule>, gate: &ImportGate) -> Failure<E::Rule> {
    match failure.at(E::LOCKED) {
        Failure::Locked(_) | Failure::Contended(Some(_)) if gate.is_closed() => {
            Failure::Unavailable(Away::Import)
        }
        failure => failure,
    }
}

/// How a transaction ends, and what is returned.
trait TransactionEnd<A>: Sync {
    type Told: Send;

    fn end(
        &self,
        tx: DatabaseTransaction,
        answer: A,
    ) -> impl Future<Output = Result<Self::Told, KeyError>> + Send;
}

/// A POST's transaction stores the response under the request's claim and commits, or rolls back a
/// dry run.
enum PostEnd<'a> {
    Kept(Option<&'a Claim>),
    Undone,
}

impl<A: ToJSON + Send + Sync> TransactionEnd<A> for PostEnd<'_> {
    type Told = Replayable<A, true>;

    async fn end(&self, tx: DatabaseTransaction, answer: A) -> Result<Self::Told, KeyError> {
        match self {
            Self::Undone => {
                let tried = Replayable::new(StatusCode::OK, &answer);
                db::roll_back(tx).await?;
                Ok(tried)
            }
            Self::Kept(claim) => {
                let done = Replayable::new(StatusCode::CREATED, &answer);
                done.keep(*claim, &tx).await?;
                db::commit(tx).await?;
                Ok(done)
            }
        }
    }
}

/// Any other transaction just commits.
struct CommitEnd;

impl<A: Send> TransactionEnd<A> for CommitEnd {
    type Told = A;

    async fn end(&self, tx: DatabaseTransaction, answer: A) -> Result<A, KeyError> {
        db::commit(tx).await?;
        Ok(answer)
    }
}

async fn in_turn<E: Command, N: TransactionEnd<E::Answer>>(
    writer: &Executor,
    effect: &E,
    ending: &N,
) -> Result<N::Told, Failure<E::Rule>> {
    let turns = writer.turns.lock(&effect.rows()).await;
    let _turns = turns.map_err(|row| Failure::Locked(LockedRow::of(row)))?;
    db::again(|| bounded(attempt(writer, effect, ending))).await
}

async fn bounded<T, R>(
    attempt: impl Future<Output = Result<T, Failure<R>>>,
) -> Result<T, Failure<R>> {
    timeout(TRY_TIME_MAX, attempt).await.unwrap_or(Err(Failure::Unavailable(Away::Database)))
}

async fn attempt<E: Command, N: TransactionEnd<E::Answer>>(
    writer: &Executor,
    effect: &E,
    ending: &N,
) -> Result<N::Told, Failure<E::Rule>> {
    let tx = db::begin_write(&writer.db).await?;
    let clock = db::clock(&tx).await?;
    match effect.apply(&tx, clock).await {
        Ok(answer) => Ok(ending.end(tx, answer).await?),
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
    fn only_a_wait_for_an_import_is_reported_as_one() {
        let gate = Arc::new(ImportGate::default());
        let explain = |failure| explained::<OnLoan>(failure, &gate);
        assert_eq!(explain(Failure::Locked(None)), Failure::Locked(Some(LockedRow::Loan)));
        let _closed = gate.close();
        assert_eq!(explain(Failure::Locked(None)), Failure::Unavailable(Away::Import));
        let drawer = Failure::Locked(Some(LockedRow::Drawer));
        assert_eq!(explain(drawer), Failure::Unavailable(Away::Import));
        assert_eq!(explain(Failure::NotFound), Failure::NotFound);
    }
}

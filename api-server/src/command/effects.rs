//! An operation that writes: done in its turn and in one transaction, and tried again where another
//! transaction got in its way. A POST is claimed by its key before, and answered with what was kept.

use crate::command::failure::{Away, Failure, LockedRow};
use crate::command::idempotency::{
    self, Claim, Claimed, KeyError, LEASE_SECONDS, Replayable, Scope,
};
use crate::command::turns::{Row, Turns};
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

/// How long one try may take, and giving its key back after it. A database that neither answers
/// nor hangs up would keep the row's turn for ever.
const TRY_TIME_MAX: Duration = Duration::from_secs(20);

/// What an operation does to the database.
pub trait Effect: Send + Sync + 'static {
    /// What it answers with.
    type Answer: Send + Sync;

    /// What its rules refuse.
    type Rule: Send;

    /// The row that 423 names when a lock times out.
    const LOCKED: Option<LockedRow> = None;

    /// The rows that requests like this one take turns at: the loan or comment first, drawers by
    /// id.
    fn rows(&self) -> Vec<Row>;

    /// What must be known before the transaction begins and may take as long as the network does:
    /// nothing is locked yet. Not done where an answer is replayed.
    fn prepare(&mut self) -> impl Future<Output = Result<(), Failure<Self::Rule>>> + Send {
        async { Ok(()) }
    }

    /// Does it, within a transaction that somebody else commits or rolls back.
    fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> impl Future<Output = Result<Self::Answer, Failure<Self::Rule>>> + Send;
}

/// What carrying out takes.
#[derive(Clone)]
pub struct Writer {
    /// Closed while an import holds the whole database.
    pub import_gate: Arc<ImportGate>,
    db: DatabaseConnection,
    turns: Arc<Turns>,
}

impl Writer {
    /// A writer to this database. Requests take turns at rows with those of the same writer.
    pub fn new(db: DatabaseConnection) -> Self {
        Self { db, import_gate: Arc::default(), turns: Arc::default() }
    }
}

/// How a POST is carried out.
pub enum Keeping {
    /// It is done, and kept under a key where the client sent one.
    Kept(Option<Scope>),
    /// It is done and undone: the answer is what would have been.
    Tried,
}

/// Carries out a POST: 201 with the answer, or 200 with what it would be.
///
/// In a task of its own: a client that hangs up does not leave a claim behind that keeps its next
/// try waiting.
pub async fn carry_out<E: Effect<Answer: ToJSON>>(
    writer: &Writer,
    mut effect: E,
    keeping: Keeping,
) -> Result<Replayable<E::Answer, true>, Failure<E::Rule>> {
    let gate = Arc::clone(&writer.import_gate);
    let writer = writer.clone();
    let done = tokio::spawn(async move {
        let claim = match keeping {
            Keeping::Tried => return in_turn(&writer, &effect, &Ending::Undone).await,
            Keeping::Kept(None) => None,
            Keeping::Kept(Some(scope)) => {
                match idempotency::claim(&writer.db, &scope, LEASE_SECONDS).await? {
                    Claimed::Done(kept) => return Ok(kept.into()),
                    Claimed::New(claim) => Some(claim),
                }
            }
        };
        let outcome = match effect.prepare().await {
            Ok(()) => in_turn(&writer, &effect, &Ending::Kept(claim.as_ref())).await,
            Err(failure) => Err(failure),
        };
        if let (Err(_), Some(claim)) = (&outcome, &claim) {
            // In vain it is the lease that ends the claim.
            let _ = timeout(TRY_TIME_MAX, claim.free(&writer.db)).await;
        }
        outcome
    });
    let outcome = done.await.map_err(Failure::defect)?;
    outcome.map_err(|failure| explained::<E>(failure, &gate))
}

/// Carries out a PUT or DELETE, which says itself which version of a row it is about: sent again it
/// does no harm.
pub async fn change<E: Effect>(writer: &Writer, effect: E) -> Result<E::Answer, Failure<E::Rule>> {
    let gate = Arc::clone(&writer.import_gate);
    let writer = writer.clone();
    let done = tokio::spawn(async move { in_turn(&writer, &effect, &Committed).await });
    let outcome = done.await.map_err(Failure::defect)?;
    outcome.map_err(|failure| explained::<E>(failure, &gate))
}

/// Who waited for a lock while an import holds the whole database waited for the import.
fn explained<E: Effect>(failure: Failure<E::Rule>, gate: &ImportGate) -> Failure<E::Rule> {
    match failure.at(E::LOCKED) {
        Failure::Locked(_) | Failure::Contended(Some(_)) if gate.is_closed() => {
            Failure::Unavailable(Away::Import)
        }
        failure => failure,
    }
}

/// How a transaction ends, and what is told of it.
trait End<A>: Sync {
    type Told: Send;

    fn end(
        &self,
        tx: DatabaseTransaction,
        answer: A,
    ) -> impl Future<Output = Result<Self::Told, KeyError>> + Send;
}

/// A POST's transaction keeps the answer under the request's claim.
enum Ending<'a> {
    Kept(Option<&'a Claim>),
    Undone,
}

impl<A: ToJSON + Send + Sync> End<A> for Ending<'_> {
    type Told = Replayable<A, true>;

    async fn end(&self, tx: DatabaseTransaction, answer: A) -> Result<Self::Told, KeyError> {
        match self {
            Self::Undone => {
                let tried = Replayable::new(StatusCode::OK, &answer);
                tx.rollback().await?;
                Ok(tried)
            }
            Self::Kept(claim) => {
                let done = Replayable::new(StatusCode::CREATED, &answer);
                done.keep(*claim, &tx).await?;
                tx.commit().await?;
                Ok(done)
            }
        }
    }
}

/// Every other transaction is committed, and no more.
struct Committed;

impl<A: Send> End<A> for Committed {
    type Told = A;

    async fn end(&self, tx: DatabaseTransaction, answer: A) -> Result<A, KeyError> {
        tx.commit().await?;
        Ok(answer)
    }
}

async fn in_turn<E: Effect, N: End<E::Answer>>(
    writer: &Writer,
    effect: &E,
    ending: &N,
) -> Result<N::Told, Failure<E::Rule>> {
    let turns = writer.turns.take(&effect.rows()).await;
    let _turns = turns.map_err(|row| Failure::Locked(LockedRow::of(row)))?;
    db::again(|| bounded(attempt(writer, effect, ending))).await
}

async fn bounded<T, R>(
    attempt: impl Future<Output = Result<T, Failure<R>>>,
) -> Result<T, Failure<R>> {
    timeout(TRY_TIME_MAX, attempt).await.unwrap_or(Err(Failure::Unavailable(Away::Database)))
}

async fn attempt<E: Effect, N: End<E::Answer>>(
    writer: &Writer,
    effect: &E,
    ending: &N,
) -> Result<N::Told, Failure<E::Rule>> {
    let tx = db::begin_write(&writer.db).await?;
    let clock = db::clock(&tx).await?;
    let answer = effect.apply(&tx, clock).await?;
    Ok(ending.end(tx, answer).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct OnLoan;

    impl Effect for OnLoan {
        type Answer = ();
        type Rule = ();

        const LOCKED: Option<LockedRow> = Some(LockedRow::Loan);

        fn rows(&self) -> Vec<Row> {
            Vec::new()
        }

        async fn apply(&self, _: &DatabaseTransaction, _: Clock) -> Result<(), Failure<()>> {
            Ok(())
        }
    }

    #[test]
    fn only_what_waited_for_an_import_is_explained_by_it() {
        let gate = Arc::new(ImportGate::default());
        let told = |failure| explained::<OnLoan>(failure, &gate);
        assert_eq!(told(Failure::Locked(None)), Failure::Locked(Some(LockedRow::Loan)));
        let _closed = gate.close();
        assert_eq!(told(Failure::Locked(None)), Failure::Unavailable(Away::Import));
        let drawer = Failure::Locked(Some(LockedRow::Drawer));
        assert_eq!(told(drawer), Failure::Unavailable(Away::Import));
        assert_eq!(told(Failure::NotFound), Failure::NotFound);
    }
}

//! A POST that writes: claimed by its key, done in its turn and in one transaction, tried again
//! where another transaction got in its way, and answered with what was kept.

use crate::app::App;
use crate::idempotency::{self, Claim, Claimed, LEASE_SECONDS, Replayable, Scope};
use crate::turns::Row;
use poem::http::StatusCode;
use poem_openapi::types::ToJSON;
use sea_orm::DatabaseTransaction;
use shared::db;
use shared::problem::{Problem, ProblemType};
use shared::time::Clock;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Tries of an effect that another transaction got in the way of.
const TRIES: usize = 4;
/// How long one try may take, and giving its key back after it. A database that neither answers
/// nor hangs up would keep the row's turn for ever.
const TRY_TIME_MAX: Duration = Duration::from_secs(20);

/// What a POST does to the database.
pub trait Effect: Send + Sync + 'static {
    /// What it answers with.
    type Answer: ToJSON + Send + Sync;

    /// What a caller is told for whom a lock was held for too long.
    const LOCKED: ProblemType;

    /// The rows that requests like this one take turns at: the loan first, drawers by id.
    fn rows(&self) -> Vec<Row>;

    /// Does it, within a transaction that somebody else commits or rolls back.
    fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> impl Future<Output = Result<Self::Answer, Problem>> + Send;
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
pub async fn carry_out<E: Effect>(
    app: &Arc<App>,
    effect: E,
    keeping: Keeping,
) -> Result<Replayable<E::Answer, true>, Problem> {
    let app = Arc::clone(app);
    let done = tokio::spawn(async move {
        let claim = match keeping {
            Keeping::Tried => return in_turn(&app, &effect, None, true).await,
            Keeping::Kept(None) => None,
            Keeping::Kept(Some(scope)) => {
                match idempotency::claim(&app.db, &scope, LEASE_SECONDS).await? {
                    Claimed::Done(kept) => return Ok(kept.into()),
                    Claimed::New(claim) => Some(claim),
                }
            }
        };
        let outcome = in_turn(&app, &effect, claim.as_ref(), false).await;
        if let (Err(_), Some(claim)) = (&outcome, &claim) {
            // In vain it is the lease that ends the claim.
            let _ = timeout(TRY_TIME_MAX, claim.free(&app.db)).await;
        }
        outcome
    });
    let outcome = done.await.map_err(Problem::internal)?;
    outcome.map_err(|problem| problem.or_locked(E::LOCKED))
}

async fn in_turn<E: Effect>(
    app: &App,
    effect: &E,
    claim: Option<&Claim>,
    test: bool,
) -> Result<Replayable<E::Answer, true>, Problem> {
    let turns = app.turns.take(&effect.rows()).await;
    let _turns = turns.map_err(|row| Problem::new(row.locked()))?;
    let mut outcome = bounded(attempt(app, effect, claim, test)).await;
    for _ in 1..TRIES {
        match &outcome {
            Err(problem) if problem.is_contention() => {
                outcome = bounded(attempt(app, effect, claim, test)).await;
            }
            _ => break,
        }
    }
    outcome
}

async fn bounded<T>(attempt: impl Future<Output = Result<T, Problem>>) -> Result<T, Problem> {
    let too_long = |_| Err(Problem::new(ProblemType::DatabaseUnavailable));
    timeout(TRY_TIME_MAX, attempt).await.unwrap_or_else(too_long)
}

async fn attempt<E: Effect>(
    app: &App,
    effect: &E,
    claim: Option<&Claim>,
    test: bool,
) -> Result<Replayable<E::Answer, true>, Problem> {
    let tx = db::begin_write(&app.db).await?;
    let clock = db::clock(&tx).await?;
    let answer = effect.apply(&tx, clock).await?;
    if test {
        let tried = Replayable::new(StatusCode::OK, &answer);
        tx.rollback().await?;
        return Ok(tried);
    }
    let done = Replayable::new(StatusCode::CREATED, &answer);
    done.keep(claim, &tx).await?;
    tx.commit().await?;
    Ok(done)
}

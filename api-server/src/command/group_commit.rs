//! Group commit: commands of one kind share a transaction. A lone command is executed at once; there
//! is no timer. While a transaction runs, commands gather, and those that gathered share the next
//! one.
//!
//! Whatever a command cannot share, it does in a transaction of its own: it waits for a row that
//! another program holds, its key is taken at the moment, or the shared transaction failed before it
//! was committed. If a commit was not acknowledged, commands with a key are executed again, which finds
//! the response if it was stored; the outcome of the others is unknown.

use crate::command::execute::{ATTEMPT_TIME_MAX, Command, ExecutionMode, Executor, in_task};
use crate::command::failure::{Away, Failure};
use crate::command::idempotency::{IdempotencyScope, KeyError, Replayable, in_transaction};
use futures_util::FutureExt;
use poem::http::StatusCode;
use poem_openapi::types::ToJSON;
use sea_orm::{DatabaseConnection, DatabaseTransaction};
use shared::coalesced::{BatchLimits, Coalesced, Unanswered};
use shared::db::{self, Contended};
use shared::time::Clock;
use std::collections::HashSet;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// Limits of a shared transaction: at most 32 commands, and as much time as one alone has.
const LIMITS: BatchLimits = BatchLimits {
    questions_max: 32,
    queue_time_max: Duration::from_secs(5),
    batch_time_max: ATTEMPT_TIME_MAX,
};

/// A command that can share a transaction with others of its kind.
pub trait GroupCommand: Command<Answer: ToJSON + Clone> {
    /// What a command reads of the row that it locks.
    type Locked: Send + Sync;

    /// Locks the rows of those commands whose rows no other transaction holds. `None`: the command
    /// has to wait, in a transaction of its own.
    fn lock_free(
        tx: &DatabaseTransaction,
        commands: &[&Self],
    ) -> impl Future<Output = Result<Vec<Option<Self::Locked>>, Failure<Self::Rule>>> + Send;

    /// Executes commands on locked rows. One that is refused does not stop the others. `None`: the
    /// command needs a transaction of its own.
    fn apply_all(
        tx: &DatabaseTransaction,
        clock: Clock,
        commands: &[(&Self, Self::Locked)],
    ) -> impl Future<Output = GroupResult<Self>> + Send;
}

/// The results of several commands, in their order, or why none was executed.
pub type GroupResult<E> = Result<
    Vec<Option<Result<<E as Command>::Answer, Failure<<E as Command>::Rule>>>>,
    Failure<<E as Command>::Rule>,
>;

type Response<E> = Result<Replayable<<E as Command>::Answer, true>, Failure<<E as Command>::Rule>>;

/// Executes commands of one kind in shared transactions.
pub struct GroupCommit<E: GroupCommand<Rule: Clone + Sync>> {
    executor: Executor,
    groups: Coalesced<Member<E>, Shared<Response<E>>>,
}

/// What came of a command in a shared transaction.
#[derive(Clone)]
enum Shared<T> {
    /// It was executed or refused.
    Done(T),
    /// It needs a transaction of its own.
    Alone,
}

/// A command, and where its response is stored.
struct Post<E> {
    command: E,
    mode: ExecutionMode,
}

/// A command that waits for the next transaction. Each is different from all others.
struct Member<E>(Arc<Post<E>>);

impl<E> Clone for Member<E> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<E> PartialEq for Member<E> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<E> Eq for Member<E> {}

impl<E> Hash for Member<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl<E> Member<E> {
    fn scope(&self) -> Option<&IdempotencyScope> {
        self.0.mode.scope()
    }
}

impl<E: GroupCommand<Rule: Clone + Sync>> GroupCommit<E> {
    /// Returns a group for commands that this executor may also execute alone.
    pub fn new(executor: Executor) -> Self {
        let db = executor.db.clone();
        let groups = Coalesced::new(LIMITS, move |members| {
            let db = db.clone();
            async move { share(&db, &members).await }
        });
        Self { executor, groups }
    }

    /// Executes a POST as [`execute`](super::execute::execute) does; in a shared transaction if
    /// `may_share`.
    pub async fn execute(
        self: &Arc<Self>,
        command: E,
        mode: ExecutionMode,
        may_share: bool,
    ) -> Response<E> {
        let group = Arc::clone(self);
        let may_share = may_share && matches!(mode, ExecutionMode::Commit(_));
        in_task::<E, _, _>(&self.executor, |executor| async move {
            let member = Member(Arc::new(Post { command, mode }));
            let _locks = match executor.lock(&member.0.command).await {
                Ok(locks) => locks,
                Err(failure) => return executor.replay_or(member.scope(), failure).await,
            };
            if may_share {
                match group.groups.ask(member.clone()).await {
                    Ok(Shared::Done(response)) => return response,
                    Ok(Shared::Alone) => {}
                    // It may have been committed. The key tells whether it was.
                    Err(Unanswered::TimedOut) if member.scope().is_some() => {}
                    Err(Unanswered::TimedOut) => {
                        return Err(Failure::Unavailable(Away::Database));
                    }
                    Err(Unanswered::Overloaded) => return Err(Failure::Locked(None)),
                    Err(Unanswered::Panicked) => return Err(Failure::defect(Unanswered::Panicked)),
                }
            }
            executor.run(&member.0.command, &member.0.mode).await
        })
        .await
    }
}

/// Executes commands in one transaction. Returns what came of each, in their order.
async fn share<E: GroupCommand<Rule: Clone + Sync>>(
    db: &DatabaseConnection,
    members: &[Member<E>],
) -> Vec<Shared<Response<E>>> {
    let tx = match db::begin_write(db).await {
        Ok(tx) => tx,
        Err(error) if error.is_contention() => return vec![Shared::Alone; members.len()],
        Err(error) => return vec![Shared::Done(Err(Failure::from(error))); members.len()],
    };
    // A command that panics must fail alone.
    let applied = AssertUnwindSafe(apply(&tx, members)).catch_unwind().await;
    let Ok(Ok(responses)) = applied else {
        // Dropping the transaction rolls it back.
        return vec![Shared::Alone; members.len()];
    };
    match db::commit(tx).await {
        Ok(()) => responses,
        Err(error) => {
            let contended = error.is_contention();
            let failure = Failure::from(error);
            let unknown = members.iter().map(|member| match member.scope() {
                None if !contended => Shared::Done(Err(failure.clone())),
                _ => Shared::Alone,
            });
            unknown.collect()
        }
    }
}

/// Executes commands, and stores their responses. If it fails, nothing may be committed.
async fn apply<E: GroupCommand<Rule: Clone + Sync>>(
    tx: &DatabaseTransaction,
    members: &[Member<E>],
) -> Result<Vec<Shared<Response<E>>>, Failure<E::Rule>> {
    let mut responses: Vec<Shared<Response<E>>> = vec![Shared::Alone; members.len()];
    let commands: Vec<&E> = members.iter().map(|member| &member.0.command).collect();
    let locked = E::lock_free(tx, &commands).await?;
    let mut held: Vec<(usize, E::Locked)> =
        locked.into_iter().enumerate().filter_map(|(index, row)| Some((index, row?))).collect();
    // Of several requests under one key, the first decides: the others find what it stored.
    let mut keys = HashSet::new();
    held.retain(|(index, _)| {
        members[*index].scope().is_none_or(|scope| keys.insert(scope.key_hash()))
    });
    let with_key = held.iter().filter_map(|(index, _)| Some((*index, members[*index].scope()?)));
    let (indexes, scopes): (Vec<usize>, Vec<&IdempotencyScope>) = with_key.unzip();
    for (index, stored) in indexes.into_iter().zip(in_transaction::find(tx, &scopes).await?) {
        match stored {
            Ok(None) => {}
            Ok(Some(stored)) => responses[index] = Shared::Done(Ok(stored.into())),
            Err(error @ (KeyError::Mismatch | KeyError::InProgress)) => {
                responses[index] = Shared::Done(Err(error.into()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    held.retain(|(index, _)| matches!(responses[*index], Shared::Alone));
    let (indexes, locked): (Vec<usize>, Vec<(&E, E::Locked)>) =
        held.into_iter().map(|(index, row)| (index, (commands[index], row))).unzip();
    let clock = db::clock(tx).await?;
    let outcomes = E::apply_all(tx, clock, &locked).await?;
    for (index, outcome) in indexes.into_iter().zip(outcomes) {
        if let Some(outcome) = outcome {
            let response = outcome.map(|answer| Replayable::new(StatusCode::CREATED, &answer));
            responses[index] = Shared::Done(response);
        }
    }
    let new = members.iter().zip(&responses).filter_map(|(member, response)| match response {
        Shared::Done(Ok(response)) if !response.is_replayed() => {
            Some(response.of_request(member.scope()?))
        }
        _ => None,
    });
    in_transaction::store(tx, new.collect()).await?;
    Ok(responses)
}

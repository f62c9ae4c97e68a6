//! Group commit: commands of one kind share a transaction. A lone command is executed at once; there
//! is no timer. While a transaction runs, commands gather, and those that gathered share the next
//! one.
//!
//! Whatever a command cannot share, it does in a transaction of its own: it waits for a row that
//! another program holds, its key is taken at the moment, or the shared transaction failed before it
//! was committed. If a commit was not acknowledged, commands with a key are executed again, which finds
//! the response if it was stored; the outcome of the others is unknown.

use crate::command::execute::{ATTEMPT_TIME_MAX, Command, ExecutionMode, Executor, in_task};
use crate::command::failure::Failure;
use crate::command::idempotency::{IdempotencyScope, KeyError, Replayable, in_transaction};
use crate::command::lock_queues::LockMode;
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
    /// The rows that a transaction has locked for its commands.
    type Locked: Send + Sync;

    /// Locks those rows of these commands that no other transaction holds.
    fn lock_available(
        tx: &DatabaseTransaction,
        commands: &[&Self],
    ) -> impl Future<Output = Result<Self::Locked, Failure<Self::Refusal>>> + Send;

    /// True if the command's row is among those locked. Otherwise it has to wait, in a transaction
    /// of its own.
    fn is_locked(&self, locked: &Self::Locked) -> bool;

    /// Executes commands on locked rows, those on one row in their order. One that is refused does
    /// not stop the others. `None`: the command needs a transaction of its own.
    fn apply_all(
        tx: &DatabaseTransaction,
        clock: Clock,
        locked: Self::Locked,
        commands: &[&Self],
    ) -> impl Future<Output = GroupResult<Self>> + Send;
}

/// The results of several commands, in their order, or why none was executed.
pub type GroupResult<C> = Result<
    Vec<Option<Result<<C as Command>::Answer, Failure<<C as Command>::Refusal>>>>,
    Failure<<C as Command>::Refusal>,
>;

type Response<C> =
    Result<Replayable<<C as Command>::Answer, true>, Failure<<C as Command>::Refusal>>;

/// Executes commands of one kind in shared transactions.
pub struct GroupCommit<C: GroupCommand<Refusal: Clone + Sync>> {
    executor: Executor,
    groups: Coalesced<Member<C>, Shared<Response<C>>>,
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
struct Post<C> {
    command: C,
    mode: ExecutionMode,
}

/// A command that waits for the next transaction. Each is different from all others.
struct Member<C>(Arc<Post<C>>);

impl<C> Clone for Member<C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<C> PartialEq for Member<C> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<C> Eq for Member<C> {}

impl<C> Hash for Member<C> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.0).hash(state);
    }
}

impl<C> Member<C> {
    fn scope(&self) -> Option<&IdempotencyScope> {
        self.0.mode.scope()
    }
}

impl<C: GroupCommand<Refusal: Clone + Sync>> GroupCommit<C> {
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
        command: C,
        mode: ExecutionMode,
        may_share: bool,
    ) -> Response<C> {
        let group = Arc::clone(self);
        let may_share = may_share && matches!(mode, ExecutionMode::Commit(_));
        in_task::<C, _, _>(&self.executor, |executor| async move {
            let member = Member(Arc::new(Post { command, mode }));
            if may_share && let Some(response) = group.share(&member).await {
                return response;
            }
            let Post { command, mode } = &*member.0;
            match executor.lock(command, LockMode::Exclusive).await {
                Ok(_locks) => executor.run(command, mode).await,
                Err(failure) => executor.replay_or(member.scope(), failure).await,
            }
        })
        .await
    }

    /// Executes a command in a transaction with others. `None`: it needs one of its own.
    async fn share(&self, member: &Member<C>) -> Option<Response<C>> {
        let _locks = match self.executor.lock(&member.0.command, LockMode::Shared).await {
            Ok(locks) => locks,
            Err(failure) => return Some(self.executor.replay_or(member.scope(), failure).await),
        };
        match self.groups.ask(member.clone()).await {
            Ok(Shared::Done(response)) => Some(response),
            Ok(Shared::Alone) => None,
            // It may have been committed. The key tells whether it was.
            Err(Unanswered::TimedOut) if member.scope().is_some() => None,
            Err(unanswered) => Some(Err(unanswered.into())),
        }
    }
}

/// Executes commands in one transaction. Returns what came of each, in their order.
async fn share<C: GroupCommand<Refusal: Clone + Sync>>(
    db: &DatabaseConnection,
    members: &[Member<C>],
) -> Vec<Shared<Response<C>>> {
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
async fn apply<C: GroupCommand<Refusal: Clone + Sync>>(
    tx: &DatabaseTransaction,
    members: &[Member<C>],
) -> Result<Vec<Shared<Response<C>>>, Failure<C::Refusal>> {
    let mut responses: Vec<Shared<Response<C>>> = vec![Shared::Alone; members.len()];
    let commands: Vec<&C> = members.iter().map(|member| &member.0.command).collect();
    let locked = C::lock_available(tx, &commands).await?;
    // Of several requests under one key, the first decides: the others find what it stored.
    let mut keys = HashSet::new();
    let held = members.iter().enumerate().filter(|(_, member)| {
        member.0.command.is_locked(&locked)
            && member.scope().is_none_or(|scope| keys.insert(scope.key_hash()))
    });
    let mut held: Vec<usize> = held.map(|(index, _)| index).collect();
    let with_key = held.iter().filter_map(|index| Some((*index, members[*index].scope()?)));
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
    held.retain(|index| matches!(responses[*index], Shared::Alone));
    let executed: Vec<&C> = held.iter().map(|index| commands[*index]).collect();
    let clock = db::clock(tx).await?;
    let outcomes = C::apply_all(tx, clock, locked, &executed).await?;
    for (index, outcome) in held.into_iter().zip(outcomes) {
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

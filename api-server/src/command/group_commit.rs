//! Group commit: commands of one kind share a transaction. A lone command is executed at once; there
//! is no timer. While a transaction runs, commands gather, and those that gathered share the next
//! one.
//!
//! A command runs in its own transaction if another transaction has locked its row, if another
//! command in the batch has the same key, or if the shared transaction failed before its commit. If a
//! commit is not acknowledged, commands with a key are executed again and find the response if it was
//! stored; the outcome of the others is unknown.

use crate::command::execute::{
    ATTEMPT_TIME_MAX, Command, ExecutionMode, Executor, in_task, with_time_limit,
};
use crate::command::failure::Failure;
use crate::command::idempotency::{IdempotencyScope, KeyError, Replayable, in_transaction};
use crate::command::lock_queues::LockMode;
use futures_util::FutureExt;
use poem::http::StatusCode;
use poem_openapi::types::ToJSON;
use sea_orm::{ConnectionTrait, DatabaseTransaction};
use shared::database::batch::WriteBatch;
use shared::database::coalesced::{BatchLimits, Coalesced, Unanswered};
use shared::database::gate::DatabaseGate;
use shared::database::reads::ReadPool;
use shared::database::{self, Contended};
use shared::time::Clock;
use std::collections::HashSet;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// Most members of a shared transaction, and most commands of a member.
pub const GROUP_MAX: usize = 32;
/// Limits of a shared transaction: it has as much time as a command alone.
const LIMITS: BatchLimits = BatchLimits {
    questions_max: GROUP_MAX,
    queue_time_max: Duration::from_secs(5),
    batch_time_max: ATTEMPT_TIME_MAX,
};

/// A command that can share a transaction with others of its kind.
pub trait GroupCommand: Command<Answer: ToJSON + Clone> {
    /// The rows that a transaction has locked for its commands.
    type Locked: Send + Sync;

    /// What commands on locked rows need to know.
    type Read: Send;

    /// Locks those rows of these commands that no other transaction holds.
    fn lock_available(
        tx: &DatabaseTransaction,
        commands: &[&Self],
    ) -> impl Future<Output = Result<Self::Locked, Failure<Self::Refusal>>> + Send;

    /// True if the command's row is among those locked. Otherwise it has to wait, in a transaction
    /// of its own.
    fn is_locked(&self, locked: &Self::Locked) -> bool;

    /// Reads what these commands need, if possible several statements at a time: `db` may be another
    /// connection than that of the transaction.
    fn read(
        db: &impl ConnectionTrait,
        locked: Self::Locked,
        commands: &[&Self],
    ) -> impl Future<Output = Result<Self::Read, Failure<Self::Refusal>>> + Send;

    /// Executes commands on locked rows, those on one row in their order: what is yet to be written
    /// is added to `writes`. One that is refused does not stop the others. `None`: the command needs
    /// a transaction of its own.
    fn apply_all(
        tx: &DatabaseTransaction,
        writes: &mut WriteBatch,
        clock: Clock,
        read: Self::Read,
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
    groups: Coalesced<Member<C>, Vec<GroupOutcome<Response<C>>>>,
}

/// Outcome of a command in a shared transaction.
#[derive(Clone)]
enum GroupOutcome<T> {
    /// It was executed or refused.
    Done(T),
    /// It needs a transaction of its own.
    RunAlone,
}

/// A command, and where its response is stored.
pub struct Post<C> {
    pub command: C,
    /// How it is executed.
    pub mode: ExecutionMode,
}

impl<C> Post<C> {
    fn scope(&self) -> Option<&IdempotencyScope> {
        self.mode.scope()
    }
}

/// Commands on one row that wait for the next transaction, in their order. Each member is different
/// from all others.
struct Member<C>(Arc<Vec<Post<C>>>);

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

impl<C: GroupCommand<Refusal: Clone + Sync>> GroupCommit<C> {
    /// Returns a group for commands that this executor may also execute alone.
    pub fn new(executor: Executor, reads: &ReadPool) -> Self {
        let (gate, reads) = (executor.database_gate.clone(), reads.clone());
        let groups = Coalesced::new(LIMITS, move |members: Vec<Member<C>>| {
            let (gate, reads) = (gate.clone(), reads.clone());
            async move {
                let posts: Vec<&Post<C>> = members.iter().flat_map(|it| it.0.iter()).collect();
                let mut responses = share(&gate, &reads, &posts).await.into_iter();
                let of_member = |it: &Member<C>| responses.by_ref().take(it.0.len()).collect();
                members.iter().map(of_member).collect()
            }
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
        let may_share = may_share && matches!(mode, ExecutionMode::Commit(_));
        let responses = self.execute_in_order(vec![Post { command, mode }], may_share).await;
        let no_response = || Err(Failure::defect("a command has no response"));
        responses.into_iter().next().unwrap_or_else(no_response)
    }

    /// Executes POSTs on one row in their order, at most [`GROUP_MAX`] in a shared transaction if
    /// they `may_share`. Returns their responses.
    ///
    /// One that is refused does not stop those after it. Any other failure does: they would come
    /// before it if it were repeated.
    pub async fn execute_in_order(
        self: &Arc<Self>,
        posts: Vec<Post<C>>,
        may_share: bool,
    ) -> Vec<Response<C>> {
        let (group, count) = (Arc::clone(self), posts.len());
        let responses = in_task::<C, _, _>(&self.executor, |executor| async move {
            let member = Member(Arc::new(posts));
            let shared = match may_share {
                true => group.share(&executor, &member).await,
                false => Vec::new(),
            };
            let mut shared = shared.into_iter();
            let mut responses: Vec<Response<C>> = Vec::with_capacity(count);
            let mut stopped_by = None;
            for post in member.0.iter() {
                let response = match (shared.next(), &stopped_by) {
                    (Some(GroupOutcome::Done(response)), _) => response,
                    (_, Some(failure)) => Err(Failure::clone(failure)),
                    // Each waits for the locks of its own, not of those before it.
                    (_, None) if !responses.is_empty() => {
                        execute_alone(&executor.beginning_now(), post).await
                    }
                    (_, None) => execute_alone(&executor, post).await,
                };
                let failure = response.as_ref().err().filter(|failure| !failure.is_refusal());
                stopped_by = stopped_by.or(failure.cloned());
                responses.push(response);
            }
            Ok(responses)
        });
        let attribute = |response: Response<C>| {
            response.map_err(|failure| self.executor.attribute::<C>(failure))
        };
        match responses.await {
            Ok(responses) => responses.into_iter().map(attribute).collect(),
            Err(failure) => vec![Err(failure); count],
        }
    }

    /// Executes commands in a transaction with others. None may be left: what could not be shared
    /// needs a transaction of its own.
    async fn share(
        &self,
        executor: &Executor,
        member: &Member<C>,
    ) -> Vec<GroupOutcome<Response<C>>> {
        let posts = &member.0;
        let Some(first) = posts.first() else { return Vec::new() };
        let _locks = match executor.lock(&first.command, LockMode::Shared).await {
            Ok(locks) => locks,
            Err(failure) => {
                let mut responses = Vec::with_capacity(posts.len());
                for post in posts.iter() {
                    let stored = executor.replay_or(post.scope(), failure.clone()).await;
                    responses.push(GroupOutcome::Done(stored));
                }
                return responses;
            }
        };
        match self.groups.ask(member.clone()).await {
            Ok(shared) => shared,
            Err(unanswered) => {
                let response = |post: &Post<C>| match (unanswered, post.scope()) {
                    // It may have been committed. The key tells whether it was.
                    (Unanswered::TimedOut, Some(_)) => GroupOutcome::RunAlone,
                    _ => GroupOutcome::Done(Err(unanswered.into())),
                };
                posts.iter().map(response).collect()
            }
        }
    }

    /// Executes commands on one row in their order, in a transaction that is rolled back: each is
    /// executed on what those before it leave. Returns their results, or why none was tried.
    pub async fn dry_run(&self, commands: Vec<C>) -> Result<DryRunResults<C>, Failure<C::Refusal>> {
        in_task::<C, _, _>(&self.executor, |executor| async move {
            let Some(first) = commands.first() else { return Ok(Vec::new()) };
            let _locks = executor.lock(first, LockMode::Exclusive).await?;
            let commands: Vec<&C> = commands.iter().collect();
            database::retry(|| {
                with_time_limit(try_and_roll_back(&executor.database_gate, &commands))
            })
            .await
        })
        .await
    }
}

/// Results of commands in a dry run, in their order.
pub type DryRunResults<C> = Vec<Result<<C as Command>::Answer, Failure<<C as Command>::Refusal>>>;

/// Executes a command in a transaction of its own.
async fn execute_alone<C: GroupCommand>(executor: &Executor, post: &Post<C>) -> Response<C> {
    match executor.lock(&post.command, LockMode::Exclusive).await {
        Ok(_locks) => executor.run(&post.command, &post.mode).await,
        Err(failure) => executor.replay_or(post.scope(), failure).await,
    }
}

async fn try_and_roll_back<C: GroupCommand>(
    gate: &DatabaseGate,
    commands: &[&C],
) -> Result<DryRunResults<C>, Failure<C::Refusal>> {
    let tx = gate.begin_write().await?;
    match try_in_order(&tx, commands).await {
        Ok(results) => {
            database::roll_back(tx).await?;
            Ok(results)
        }
        Err(failure) => Err(database::failed(&tx, failure).await),
    }
}

/// Executes commands in one transaction: as many as can be at once, then the next one by itself.
/// Writes only what a later command reads: on SQLite, other writers wait meanwhile.
async fn try_in_order<C: GroupCommand>(
    tx: &DatabaseTransaction,
    commands: &[&C],
) -> Result<DryRunResults<C>, Failure<C::Refusal>> {
    let clock = database::clock(tx).await?;
    let mut results: DryRunResults<C> = Vec::with_capacity(commands.len());
    while results.len() < commands.len() {
        let begun = results.len();
        let group = &commands[begun..];
        let locked = C::lock_available(tx, group).await?;
        if commands[begun].is_locked(&locked) {
            let read = C::read(tx, locked, group).await?;
            let mut writes = WriteBatch::new(tx);
            let together = C::apply_all(tx, &mut writes, clock, read, group).await?;
            results.extend(together.into_iter().map_while(|result| result));
            if results.len() < commands.len() {
                writes.execute(tx).await?;
            }
        }
        if results.len() < commands.len() {
            let next = commands[results.len()];
            results.push(try_alone(tx, clock, next).await?);
        }
    }
    Ok(results)
}

/// Executes a command as a part of a transaction: a refusal leaves nothing. The error is a failure
/// that ends the transaction.
async fn try_alone<C: Command>(
    tx: &DatabaseTransaction,
    clock: Clock,
    command: &C,
) -> Result<Result<C::Answer, Failure<C::Refusal>>, Failure<C::Refusal>> {
    let part = database::begin_part(tx).await?;
    let result = command.apply(part.as_ref().unwrap_or(tx), clock).await;
    match (result, part) {
        (Err(failure), _) if !failure.is_refusal() => Err(failure),
        (Err(refusal), Some(part)) => {
            part.rollback().await?;
            Ok(Err(refusal))
        }
        (Ok(answer), Some(part)) => {
            database::commit(part).await?;
            Ok(Ok(answer))
        }
        (result, None) => Ok(result),
    }
}

/// Executes commands in one transaction. Returns their outcomes, in order.
async fn share<C: GroupCommand<Refusal: Clone + Sync>>(
    gate: &DatabaseGate,
    reads: &ReadPool,
    posts: &[&Post<C>],
) -> Vec<GroupOutcome<Response<C>>> {
    let tx = match gate.begin_write().await {
        Ok(tx) => tx,
        Err(error) if error.is_contention() => return vec![GroupOutcome::RunAlone; posts.len()],
        Err(error) => return vec![GroupOutcome::Done(Err(Failure::from(error))); posts.len()],
    };
    // A command that panics must fail alone.
    let applied = AssertUnwindSafe(apply(&tx, reads, posts)).catch_unwind().await;
    let Ok(Ok(responses)) = applied else {
        // Dropping the transaction rolls it back.
        return vec![GroupOutcome::RunAlone; posts.len()];
    };
    match database::commit(tx).await {
        Ok(()) => responses,
        Err(error) => {
            let contended = error.is_contention();
            let failure = Failure::from(error);
            let unknown = posts.iter().map(|post| match post.scope() {
                None if !contended => GroupOutcome::Done(Err(failure.clone())),
                _ => GroupOutcome::RunAlone,
            });
            unknown.collect()
        }
    }
}

/// Executes commands, and stores their responses. What they need to know once their rows are locked
/// is read several statements at a time. If it fails, nothing may be committed.
async fn apply<C: GroupCommand<Refusal: Clone + Sync>>(
    tx: &DatabaseTransaction,
    reads: &ReadPool,
    posts: &[&Post<C>],
) -> Result<Vec<GroupOutcome<Response<C>>>, Failure<C::Refusal>> {
    let mut responses: Vec<GroupOutcome<Response<C>>> = vec![GroupOutcome::RunAlone; posts.len()];
    let commands: Vec<&C> = posts.iter().map(|post| &post.command).collect();
    let locked = C::lock_available(tx, &commands).await?;
    // Of several requests under one key, the first decides: the others find what it stored.
    let mut keys = HashSet::new();
    let held = posts.iter().enumerate().filter(|(_, post)| {
        post.command.is_locked(&locked)
            && post.scope().is_none_or(|scope| keys.insert(scope.key_hash.as_str()))
    });
    let mut held: Vec<usize> = held.map(|(index, _)| index).collect();
    let with_key = held.iter().filter_map(|index| Some((*index, posts[*index].scope()?)));
    let (indexes, scopes): (Vec<usize>, Vec<&IdempotencyScope>) = with_key.unzip();
    if held.is_empty() {
        return Ok(responses);
    }
    let of_held: Vec<&C> = held.iter().map(|index| commands[*index]).collect();
    let reads = reads.of(tx);
    let (read, stored, clock) = tokio::join!(
        C::read(&reads, locked, &of_held),
        in_transaction::find(tx, &reads, &scopes),
        database::clock(&reads),
    );
    let (read, stored, clock) = (read?, stored?, clock?);
    for (index, stored) in indexes.into_iter().zip(stored) {
        match stored {
            Ok(None) => {}
            Ok(Some(stored)) => responses[index] = GroupOutcome::Done(Ok(stored.into())),
            Err(error @ (KeyError::Mismatch | KeyError::InProgress)) => {
                responses[index] = GroupOutcome::Done(Err(error.into()));
            }
            Err(error) => return Err(error.into()),
        }
    }
    held.retain(|index| matches!(responses[*index], GroupOutcome::RunAlone));
    let executed: Vec<&C> = held.iter().map(|index| commands[*index]).collect();
    let mut writes = WriteBatch::new(tx);
    let outcomes = C::apply_all(tx, &mut writes, clock, read, &executed).await?;
    for (index, outcome) in held.into_iter().zip(outcomes) {
        if let Some(outcome) = outcome {
            let response = outcome.map(|answer| Replayable::new(StatusCode::CREATED, &answer));
            responses[index] = GroupOutcome::Done(response);
        }
    }
    let new = posts.iter().zip(&responses).filter_map(|(post, response)| match response {
        GroupOutcome::Done(Ok(response)) if !response.is_replayed() => {
            Some(response.of_request(post.scope()?))
        }
        _ => None,
    });
    in_transaction::queue(&mut writes, clock.now, new.collect())?;
    writes.execute(tx).await?;
    Ok(responses)
}

//! Many payments of one request: each is posted or refused by itself, those on one loan in their
//! order, and those on different loans at the same time.

use super::{EntryRows, NewPayment, PostPayment};
use crate::audit::Actor;
use crate::auth::caller::Caller;
use crate::command::execute::ExecutionMode;
use crate::command::group_commit::{GROUP_MAX, GroupCommit, Post};
use crate::command::idempotency::{IdempotencyScope, Replayable};
use crate::loans::lookups::LoanLookups;
use crate::loans::refusals::LoanError;
use futures_util::StreamExt;
use futures_util::stream;
use poem::http::StatusCode;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Most payments in one request.
pub const PAYMENTS_MAX: usize = 1000;
/// Dry runs at a time: each holds the rows of all its payments and its response, some 25 MiB.
pub const DRY_RUNS_MAX: usize = 2;
/// Most payments of one request that are posted at the same time.
const AT_ONCE: usize = 2 * GROUP_MAX;

pub type PaymentResponse = Result<Replayable<EntryRows, true>, LoanError>;

pub struct BatchPayment {
    pub loan_id: i64,
    pub new: NewPayment,
    /// The request that it stands for.
    pub scope: IdempotencyScope,
}

/// Who posts a batch, and with what.
pub struct PaymentBatch<'a> {
    pub caller: &'a Caller,
    /// Author of the rows.
    pub author: &'a Actor,
    /// Looks loans up.
    pub loans: &'a LoanLookups,
    pub group: &'a Arc<GroupCommit<PostPayment>>,
    /// True if nothing is committed.
    pub is_dry_run: bool,
}

/// A payment, its place in the request, and its scope.
type BatchItem<T> = (usize, T, IdempotencyScope);

impl PaymentBatch<'_> {
    /// Posts payments. Returns the responses in their order.
    pub async fn post(&self, payments: Vec<BatchPayment>) -> Vec<PaymentResponse> {
        let mut by_loan: BTreeMap<i64, Vec<BatchItem<NewPayment>>> = BTreeMap::new();
        for (place, BatchPayment { loan_id, new, scope }) in payments.into_iter().enumerate() {
            by_loan.entry(loan_id).or_default().push((place, new, scope));
        }
        let permits = Semaphore::new(AT_ONCE);
        let permits = &permits;
        let posted = stream::iter(by_loan)
            .map(|(loan_id, payments)| self.post_on(loan_id, payments, permits))
            .buffer_unordered(AT_ONCE)
            .concat()
            .await;
        let in_order: BTreeMap<usize, PaymentResponse> = posted.into_iter().collect();
        in_order.into_values().collect()
    }

    /// Posts payments on a loan, in their order. Returns the response to each with its place.
    async fn post_on(
        &self,
        loan_id: i64,
        payments: Vec<BatchItem<NewPayment>>,
        permits: &Semaphore,
    ) -> Vec<(usize, PaymentResponse)> {
        let drawer_ids = payments.iter().filter_map(|(_, new, _)| new.cash_drawer_id).collect();
        let looked_up = tokio::try_join!(
            self.loans.visible_codes(self.caller, loan_id),
            self.loans.visible_drawers(self.caller, drawer_ids),
        );
        let (visible_codes, drawers) = match looked_up {
            Ok(looked_up) => looked_up,
            Err(error) => return all_fail(payments, &error),
        };
        let mut responses = Vec::with_capacity(payments.len());
        let mut admitted = Vec::with_capacity(payments.len());
        for (place, new, scope) in payments {
            match new.check_privileges(self.caller, &visible_codes) {
                Ok(()) => {
                    let (caller, author) = (self.caller.clone(), self.author.clone());
                    let visible_codes = Arc::clone(&visible_codes);
                    let command =
                        PostPayment::new(caller, author, loan_id, new, &drawers, visible_codes);
                    admitted.push((place, command, scope));
                }
                Err(forbidden) => responses.push((place, Err(forbidden.into()))),
            }
        }
        let mut stopped_by: Option<LoanError> = None;
        for run in self.runs(admitted) {
            if let Some(failure) = &stopped_by {
                responses.extend(all_fail(run, failure));
                continue;
            }
            // Never closed.
            let count = u32::try_from(run.len().min(AT_ONCE)).unwrap_or(u32::MAX);
            let _permits = permits.acquire_many(count).await;
            let posted = self.post_run(run).await;
            let mut failures = posted.iter().filter_map(|(_, response)| response.as_ref().err());
            stopped_by = failures.find(|failure| !failure.is_refusal()).cloned();
            responses.extend(posted);
        }
        responses
    }

    /// Divides payments on a loan into runs that are posted together: all of a dry run, and
    /// otherwise as many as share a transaction, with or without a cash drawer.
    fn runs(&self, payments: Vec<BatchItem<PostPayment>>) -> Vec<Vec<BatchItem<PostPayment>>> {
        let mut runs: Vec<Vec<BatchItem<PostPayment>>> = Vec::new();
        for payment in payments {
            let fits = |run: &&mut Vec<BatchItem<PostPayment>>| {
                let is_like_it =
                    run.last().is_none_or(|last| last.1.may_share() == payment.1.may_share());
                self.is_dry_run || (is_like_it && run.len() < GROUP_MAX)
            };
            match runs.last_mut().filter(fits) {
                Some(run) => run.push(payment),
                None => runs.push(vec![payment]),
            }
        }
        runs
    }

    async fn post_run(&self, run: Vec<BatchItem<PostPayment>>) -> Vec<(usize, PaymentResponse)> {
        let places: Vec<usize> = run.iter().map(|(place, ..)| *place).collect();
        let responses = match self.is_dry_run {
            true => {
                let commands = run.into_iter().map(|(_, command, _)| command).collect();
                match self.group.dry_run(commands).await {
                    Ok(results) => results.into_iter().map(|result| result.map(would_be)).collect(),
                    Err(failure) => vec![Err(failure); places.len()],
                }
            }
            false => {
                let may_share = run.iter().all(|(_, command, _)| command.may_share());
                let posts = run.into_iter().map(|(_, command, scope)| Post {
                    command,
                    mode: ExecutionMode::Commit(Some(scope)),
                });
                self.group.execute_in_order(posts.collect(), may_share).await
            }
        };
        places.into_iter().zip(responses).collect()
    }
}

/// Returns the response of a dry run.
fn would_be(rows: EntryRows) -> Replayable<EntryRows, true> {
    Replayable::new(StatusCode::OK, &rows)
}

/// Returns this failure for each of these payments.
fn all_fail<T>(payments: Vec<BatchItem<T>>, failure: &LoanError) -> Vec<(usize, PaymentResponse)> {
    payments.into_iter().map(|(place, ..)| (place, Err(failure.clone()))).collect()
}

//! Reversals: rows with odd transaction codes offset an entry and restore the loan to its state
//! before it.
//!
//! An entry that moved the accrual base can be reversed only while nothing has moved the base
//! since: the latest such entry goes first. Charges, waivers and disbursements move a balance but
//! not the base: they stay when an earlier entry is reversed, and can themselves be reversed while
//! the loan is open, or, if they paid out money held for the borrower, at any time. No reversal leaves
//! a balance below zero.

mod command;
mod due_rows;
mod obstacles;
mod validation;

pub use self::command::ReverseEntry;
pub use self::validation::{NewReversal, ReturnedPayment, ReversalReason, ValidatedReversal};

use self::obstacles::{closed_by_entry, refuse};
use crate::audit::Actor;
use crate::drawers;
use crate::loans::account::{self, LoanAccount};
use crate::loans::adjustments::{self, ValidatedAdjustment};
use crate::loans::credit_lines::{CreditLineChange, LockedCreditLine};
use crate::loans::journal::{self, Entry};
use crate::loans::payments::EntryRows;
use crate::loans::refusals::{LoanError, ReversalObstacle};
use crate::loans::servicing::LoanState;
use crate::loans::servicing::adjustment::AdjustmentKind;
use crate::loans::snapshots::LoanSnapshot;
use crate::loans::terms::accrues;
use chrono::NaiveDate;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder};
use shared::amounts::{Money, OutOfRange};
use shared::entity::loan_transactions::{self, BalanceName};
use shared::entity::{loans, transaction_codes};
use shared::time::Clock;
use std::collections::HashMap;

/// Added to the description of a reversed card payment: the loan's books are not the gateway's.
const NOT_REFUNDED: &str = "card not refunded";

/// Reverses the entry of a loan that has this reference number. Returns the reversing rows, in the
/// order of the rows they reverse, and then the row of the fee for a returned payment. The caller
/// commits.
pub async fn reverse(
    tx: &DatabaseTransaction,
    author: &Actor,
    clock: Clock,
    loan_id: i64,
    reference: i64,
    reversal: &ValidatedReversal,
) -> Result<EntryRows, LoanError> {
    let account = LoanAccount::lock(tx, loan_id).await?;
    let rows = entry_rows(tx, loan_id, reference).await?;
    let first = rows.first().ok_or(LoanError::NotFound)?;
    obstacles::check_entry(tx, first, reference).await?;
    let returned = reversal.returned.as_ref();
    if let Some(ReturnedPayment { date, .. }) = returned {
        validation::check_returned(first, *date, clock.today)?;
    }
    let reversals = row_reversals(tx, &rows).await?;
    let prior = obstacles::prior_state(tx, &account, first, &reversals).await?;
    let latest_activity = obstacles::latest_other_activity(tx, first).await?;
    let latest_activity = latest_activity.unwrap_or(account.loan.origination_date);
    let plan = ReversalPlan { account: &account, rows: &rows, reversals, prior, latest_activity };
    let (entry, after) = plan.entry(tx, author, clock, reversal).await?;
    let mut entries = vec![entry];
    if let Some((date, amount)) = returned.and_then(|returned| Some((returned.date, returned.fee?)))
    {
        let fee = ValidatedAdjustment {
            kind: AdjustmentKind::Fee,
            amount,
            effective_date: Some(date),
            creditline_id: None,
            user_reference: reversal.user_reference.clone(),
        };
        entries.push(adjustments::entry(&after, author, clock, &fee, None)?);
    }
    let written = journal::write(tx, clock.now, entries).await?;
    if let Some(total) = written.first().and_then(|rows| rows.first()) {
        drawers::reverse_payment(tx, total).await?;
    }
    Ok(written.concat())
}

/// Reads the rows of an entry under the loan's row lock. If the reference number is that of another
/// row of an entry, returns that row alone.
#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole, hidden rows too")]
async fn entry_rows(
    tx: &DatabaseTransaction,
    loan_id: i64,
    reference: i64,
) -> Result<EntryRows, LoanError> {
    use loan_transactions::Column::{LoanId, TransactionId, TransactionReferenceNo};
    let rows = loan_transactions::Entity::find()
        .filter(LoanId.eq(loan_id))
        .filter(TransactionReferenceNo.eq(reference).or(TransactionId.eq(reference)))
        .order_by_asc(TransactionId);
    Ok(rows.all(tx).await?)
}

/// The effect of one row of an entry, and the code that reverses it.
struct RowReversal<'a> {
    row: &'a loan_transactions::Model,
    /// +1: the row raised its balance; -1: it lowered it; 0: it moved none.
    sign: i32,
    reversal_code: transaction_codes::Model,
}

#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole, hidden rows too")]
async fn row_reversals<'a>(
    tx: &DatabaseTransaction,
    rows: &'a [loan_transactions::Model],
) -> Result<Vec<RowReversal<'a>>, LoanError> {
    let posted = rows.iter().map(|row| row.transaction_code);
    let with_reversals = posted.flat_map(|code| [code, code + 1]);
    let codes = transaction_codes::Entity::find()
        .filter(transaction_codes::Column::TransactionCode.is_in(with_reversals))
        .all(tx)
        .await?;
    let codes: HashMap<i32, transaction_codes::Model> =
        codes.into_iter().map(|code| (code.transaction_code, code)).collect();
    let reversals = rows.iter().map(|row| {
        let sign = codes.get(&row.transaction_code).map(|code| code.sign);
        let reversal_code = codes.get(&(row.transaction_code + 1)).cloned();
        Some(RowReversal { row, sign: sign?, reversal_code: reversal_code? })
    });
    let reversals: Option<Vec<RowReversal<'_>>> = reversals.collect();
    reversals.ok_or_else(|| refuse(ReversalObstacle::NoReversalCode, None))
}

impl RowReversal<'_> {
    /// Returns the amount that reversing the row adds to its balance.
    fn balance_change(&self) -> Result<Money, OutOfRange> {
        match self.sign {
            1.. => Money::ZERO.minus(self.row.transaction_amount),
            0 => Ok(Money::ZERO),
            _ => Ok(self.row.transaction_amount),
        }
    }
}

/// Returns the balances without the entry. For interest, the settled total is taken back.
fn state_without(state: &LoanState, reversals: &[RowReversal<'_>]) -> Result<LoanState, LoanError> {
    let mut after = state.clone();
    for reversal in reversals {
        let Some(name) = reversal.row.balance_name else { continue };
        let change = reversal.balance_change()?;
        let balance = balance(&mut after, name);
        *balance = match name {
            BalanceName::Interest => balance.minus(change)?,
            _ => balance.plus(change)?,
        };
    }
    Ok(after)
}

/// Returns the balance that rows of this name move: for interest the settled total, because
/// interest owed is not a sum of rows.
fn balance(state: &mut LoanState, name: BalanceName) -> &mut Money {
    match name {
        BalanceName::Principal => &mut state.principal,
        BalanceName::Interest => &mut state.interest_settled_total,
        BalanceName::LateCharge => &mut state.late_charges,
        BalanceName::Fees => &mut state.fees,
        BalanceName::Impound => &mut state.impound,
        BalanceName::Suspense => &mut state.suspense,
    }
}

/// An entry that can be reversed.
struct ReversalPlan<'a> {
    /// The loan before the reversal.
    account: &'a LoanAccount,
    rows: &'a [loan_transactions::Model],
    reversals: Vec<RowReversal<'a>>,
    /// The loan before the entry, if the entry moved the accrual base.
    prior: Option<LoanSnapshot>,
    /// Effective date of the entry that is the latest without this one; of none, the origination date.
    latest_activity: NaiveDate,
}

impl ReversalPlan<'_> {
    /// Returns the entry that reverses it, and the account after that entry.
    async fn entry<'a>(
        &self,
        tx: &DatabaseTransaction,
        author: &'a Actor,
        clock: Clock,
        reversal: &ValidatedReversal,
    ) -> Result<(Entry<'a>, LoanAccount), LoanError> {
        let mut account = self.account.clone();
        let mut after = state_without(&account.state, &self.reversals)?;
        obstacles::check_balances(tx, &mut after, self.rows).await?;
        let mut status = account.status.clone();
        let mut deleted_due_rows = None;
        if let Some(prior) = &self.prior {
            if closed_by_entry(&account, prior) {
                status = account::status(tx, prior.status_code_id).await?;
                account.terms.accrues = accrues(&status);
            }
            after.accrual_base_date = prior.accrual_base_date;
            after.accrual_base_total = prior.accrual_base_total;
            after.paid_ahead_amount = prior.paid_ahead_amount;
            after.next_due_date = prior.next_due_date;
            deleted_due_rows =
                due_rows::revert(tx, &mut after, self.rows, prior.next_due_date).await?;
        }
        let rows = self.reversing_rows(author, clock, &account, &after, reversal)?;
        let mut change = account.changed(author, &after, |loan| {
            loan.last_activity_date = Some(self.latest_activity);
            restore(loan, self.account, self.prior.as_ref());
        })?;
        change.deleted_due_rows = deleted_due_rows;
        let account = account.after(&change, after, status);
        let credit_line = self.credit_line(tx).await?;
        let (due_row_parts, moves_base) = (Vec::new(), false);
        Ok((Entry { rows, change, due_row_parts, moves_base, credit_line }, account))
    }

    /// Returns the change of the credit line that the entry drew on, if it did.
    async fn credit_line(
        &self,
        tx: &DatabaseTransaction,
    ) -> Result<Option<CreditLineChange>, LoanError> {
        let Some(first) = self.rows.first() else { return Ok(None) };
        let Some(creditline_id) = first.creditline_id else { return Ok(None) };
        let line = LockedCreditLine::lock(tx, first.loan_id, creditline_id).await?;
        Ok(Some(CreditLineChange::drawn_back(&line.row, first.transaction_amount)?))
    }

    /// Builds the rows that reverse the entry, each with its resulting balance.
    fn reversing_rows(
        &self,
        author: &Actor,
        clock: Clock,
        account: &LoanAccount,
        after: &LoanState,
        reversal: &ValidatedReversal,
    ) -> Result<EntryRows, LoanError> {
        let mut running = account.state.clone();
        let mut rows = Vec::with_capacity(self.reversals.len());
        for row_reversal in &self.reversals {
            let RowReversal { row, reversal_code, .. } = row_reversal;
            let effective_date = row.effective_date;
            let is_first = row.transaction_id == row.transaction_reference_no;
            let nsf_date = reversal.returned.as_ref().filter(|_| is_first).map(|it| it.date);
            let resulting_balance = match row.balance_name {
                None if row.resulting_balance.is_none() => None,
                None => Some(after.payoff_on(&account.terms, effective_date)?.amount),
                Some(BalanceName::Interest) => {
                    Some(after.interest_owed_on(&account.terms, effective_date)?)
                }
                Some(name) => {
                    let balance = balance(&mut running, name);
                    *balance = balance.plus(row_reversal.balance_change()?)?;
                    Some(*balance)
                }
            };
            let user_reference = reversal.user_reference.as_ref().or(row.user_reference.as_ref());
            rows.push(loan_transactions::Model {
                transaction_code: reversal_code.transaction_code,
                transaction_description: description(row, reversal_code, is_first),
                transaction_date: clock.now,
                gl_date: clock.today,
                resulting_balance,
                user_reference: user_reference.cloned(),
                // The External_ID stays with the payment.
                external_id: None,
                entered_by_user_id: author.user_id().unwrap_or(row.entered_by_user_id),
                reversed_flag: true,
                reversal_transaction_id: Some(row.transaction_id),
                nsf_flag: nsf_date.is_some(),
                nsf_date,
                ..(*row).clone()
            });
        }
        match same_balances(&running, after) {
            true => Ok(rows),
            false => Err(LoanError::defect(
                "the rows of a reversal do not add up to the restored balances",
            )),
        }
    }
}

/// Returns the description of a reversing row. The total row of a card payment says that the money
/// is not refunded at the gateway.
fn description(
    row: &loan_transactions::Model,
    reversal_code: &transaction_codes::Model,
    is_first: bool,
) -> String {
    let description = &reversal_code.description;
    match is_first && row.payment_gateway_token_id.is_some() {
        true => format!("{description}, {NOT_REFUNDED}"),
        false => description.clone(),
    }
}

/// True if the balances that are sums of rows agree.
fn same_balances(left: &LoanState, right: &LoanState) -> bool {
    let balances = |state: &LoanState| {
        [state.principal, state.late_charges, state.fees, state.impound, state.suspense]
    };
    balances(left) == balances(right)
}

/// Restores the columns that a posting writes in addition to those of the arithmetic. Later changes
/// stay.
fn restore(loan: &mut loans::Model, account: &LoanAccount, prior: Option<&LoanSnapshot>) {
    let Some(prior) = prior else { return };
    if closed_by_entry(account, prior) {
        loan.status_code_id = prior.status_code_id;
        loan.payoff_date = prior.payoff_date;
        loan.closed_date = prior.closed_date;
    }
    loan.last_payment_date = prior.last_payment_date;
    loan.last_payment_amount = prior.last_payment_amount;
}

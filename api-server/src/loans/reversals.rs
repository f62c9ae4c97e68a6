//! Reversals: rows with odd transaction codes offset an entry and restore the loan to its state
//! before it. No operation of the API posts them yet; the core system's programs and the demo
//! portfolio do.
//!
//! An entry that moved the accrual base can be reversed only while nothing has moved the base
//! since: the latest such entry goes first. Charges, waivers and disbursements move a balance but
//! not the base: they stay when an earlier entry is reversed, and can themselves be reversed while
//! the loan is open. No reversal leaves a balance below zero.

mod due_rows;

use crate::audit::Actor;
use crate::drawers;
use crate::loans::account::{self, LoanAccount, PAID_OFF, accrues, refuse_if_closed};
use crate::loans::adjustments;
use crate::loans::journal::{self, codes};
use crate::loans::refusals::LoanError;
use crate::loans::servicing::LoanState;
use crate::loans::servicing::payment::payoff_amount;
use crate::loans::snapshots::LoanSnapshot;
use chrono::NaiveDate;
use sea_orm::sea_query::{Expr, Query};
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QueryOrder};
use shared::amounts::{Money, OutOfRange};
use shared::bulk_update::{RowUpdate, update_each};
use shared::entity::loan_transactions::{self, BalanceName};
use shared::entity::{loan_snapshots, loan_status_codes, loans, transaction_codes};
use shared::time::Clock;
use std::collections::HashMap;

/// Reverses an entry. Returns the reversing rows, in the order of the rows they reverse.
/// `returned_on` is the day on which the bank returned a payment: the payment is then marked as
/// returned (NSF). The caller commits.
pub async fn reverse(
    tx: &DatabaseTransaction,
    author: &Actor,
    clock: Clock,
    reference: i64,
    returned_on: Option<NaiveDate>,
) -> Result<Vec<loan_transactions::Model>, LoanError> {
    let mut account = LoanAccount::lock(tx, loan_of(tx, reference).await?).await?;
    let rows = entry(tx, reference).await?;
    let first = rows.first().ok_or_else(|| refuse("is not an entry"))?;
    check_reversible(first, returned_on, clock.today)?;
    let reversals = row_reversals(tx, &rows).await?;
    let snapshot = prior_state(tx, &account, first, &reversals).await?;
    if !snapshot.as_ref().is_some_and(|snapshot| closed_by_entry(&account, snapshot)) {
        // Only reversing the entry that closed a loan reopens it.
        refuse_if_closed(&account.status)?;
    }
    let mut after = state_without(&account.state, &reversals)?;
    if let Some(snapshot) = &snapshot {
        if closed_by_entry(&account, snapshot) {
            account.terms.accrues = accrues(&status(tx, snapshot.status_code_id).await?);
        }
        after.accrual_base_date = snapshot.accrual_base_date;
        after.accrual_base_total = snapshot.accrual_base_total;
        after.paid_ahead_amount = snapshot.paid_ahead_amount;
        after.next_due_date = snapshot.next_due_date;
        due_rows::revert(tx, first.loan_id, &rows, snapshot.next_due_date).await?;
    }
    let new_rows = reversing_rows(author, clock, &account, &after, &reversals, returned_on)?;
    let new_rows = write(tx, &rows, new_rows, returned_on).await?;
    if let Some(total) = new_rows.first() {
        drawers::reverse_payment(tx, total).await?;
    }
    // The due rows in `after` are as they were read, so `save` leaves those written above alone.
    let change = account.changed(author, &after, |loan| {
        restore(loan, &account, snapshot.as_ref(), first.effective_date)
    })?;
    account::save(tx, clock.now, &[change]).await?;
    if let Some(creditline_id) = first.creditline_id {
        let drawn_back = Money::ZERO.minus(first.transaction_amount)?;
        let line = (first.loan_id, creditline_id);
        adjustments::count_draw(tx, author, clock, line, (-1, drawn_back)).await?;
    }
    Ok(new_rows)
}

fn refuse(message: impl Into<String>) -> LoanError {
    LoanError::invalid("Transaction_Reference_No", message)
}

#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole, hidden rows too")]
async fn loan_of(tx: &DatabaseTransaction, reference: i64) -> Result<i64, LoanError> {
    let first = loan_transactions::Entity::find_by_id(reference).one(tx).await?;
    Ok(first.ok_or(LoanError::NotFound)?.loan_id)
}

/// Reads the rows of an entry under the loan's row lock.
#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole, hidden rows too")]
async fn entry(
    tx: &DatabaseTransaction,
    reference: i64,
) -> Result<Vec<loan_transactions::Model>, LoanError> {
    let rows = loan_transactions::Entity::find()
        .filter(loan_transactions::Column::TransactionReferenceNo.eq(reference))
        .order_by_asc(loan_transactions::Column::TransactionId);
    Ok(rows.all(tx).await?)
}

fn check_reversible(
    first: &loan_transactions::Model,
    returned_on: Option<NaiveDate>,
    today: NaiveDate,
) -> Result<(), LoanError> {
    if first.transaction_code % 2 == 1 {
        return Err(refuse("is itself a reversal"));
    }
    if first.reversed_flag {
        return Err(refuse("is already reversed"));
    }
    let Some(returned_day) = returned_on else { return Ok(()) };
    if first.transaction_code != codes::PAYMENT_TOTAL.number {
        return Err(refuse("is not a payment: only payments can be returned"));
    }
    let from = first.effective_date;
    match (from..=today).contains(&returned_day) {
        true => Ok(()),
        false => Err(LoanError::invalid("NSF_Date", format!("must be between {from} and {today}"))),
    }
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
    reversals.ok_or_else(|| refuse("has a transaction code without a reversal"))
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
    for (name, field) in [
        (BalanceName::Principal, "Current_Principal_Balance"),
        (BalanceName::LateCharge, "Current_Late_Charge_Balance"),
        (BalanceName::Fees, "Current_Fees_Balance"),
        (BalanceName::Impound, "Current_Impound_Balance"),
        (BalanceName::Suspense, "Current_Suspense_Balance"),
    ] {
        if *balance(&mut after, name) < Money::ZERO {
            let message = format!("would leave {field} below zero: reverse later entries first");
            return Err(refuse(message));
        }
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

/// Returns the snapshot of the loan before the entry, or `None` if the entry did not move the
/// accrual base. Refuses an entry that was not the last to move it.
#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole, hidden rows too")]
async fn prior_state(
    tx: &DatabaseTransaction,
    account: &LoanAccount,
    first: &loan_transactions::Model,
    reversals: &[RowReversal<'_>],
) -> Result<Option<LoanSnapshot>, LoanError> {
    let snapshot = loan_snapshots::Entity::find_by_id(first.transaction_id).one(tx).await?;
    let Some(snapshot) = snapshot else {
        let moves_base = |name| matches!(name, BalanceName::Principal | BalanceName::Interest);
        let is_payment = first.transaction_code == codes::PAYMENT_TOTAL.number;
        return match is_payment
            || reversals.iter().any(|reversal| reversal.row.balance_name.is_some_and(moves_base))
        {
            true => Err(refuse("has no stored snapshot of the loan before it")),
            false => Ok(None),
        };
    };
    let prior = LoanSnapshot::read(snapshot.prior_state).map_err(LoanError::defect)?;
    let snapshots = Query::select()
        .column(loan_snapshots::Column::TransactionId)
        .from(loan_snapshots::Entity)
        .take();
    let later = loan_transactions::Entity::find()
        .filter(loan_transactions::Column::LoanId.eq(first.loan_id))
        .filter(loan_transactions::Column::TransactionId.gt(first.transaction_id))
        .filter(loan_transactions::Column::ReversedFlag.eq(false))
        .filter(loan_transactions::Column::TransactionId.in_subquery(snapshots))
        .order_by_desc(loan_transactions::Column::TransactionId)
        .one(tx)
        .await?;
    if let Some(later) = later {
        return Err(refuse(format!(
            "is followed by entry {}: reverse that one first",
            later.transaction_id
        )));
    }
    let same_accrual = closed_by_entry(account, &prior)
        || accrues(&status(tx, prior.status_code_id).await?) == accrues(&account.status);
    if account.loan.accrual_base_date != first.effective_date
        || !prior.has_same_terms(&account.loan)
        || !same_accrual
    {
        return Err(refuse("is no longer the last change to the loan's accrual base and terms"));
    }
    Ok(Some(prior))
}

/// True if the loan is still closed as the entry left it: its status has not been changed since.
fn closed_by_entry(account: &LoanAccount, prior: &LoanSnapshot) -> bool {
    let paid_off_since = account.loan.payoff_date.is_some() && prior.payoff_date.is_none();
    paid_off_since && account.status.code == PAID_OFF
}

#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole, hidden rows too")]
async fn status(
    tx: &DatabaseTransaction,
    status_code_id: i64,
) -> Result<loan_status_codes::Model, LoanError> {
    let status = loan_status_codes::Entity::find_by_id(status_code_id).one(tx).await?;
    status.ok_or_else(|| LoanError::defect("a loan has no status"))
}

/// Restores the columns that a posting writes in addition to those of the arithmetic. Later changes
/// stay.
fn restore(
    loan: &mut loans::Model,
    account: &LoanAccount,
    prior: Option<&LoanSnapshot>,
    effective_date: NaiveDate,
) {
    let Some(prior) = prior else { return };
    if closed_by_entry(account, prior) {
        loan.status_code_id = prior.status_code_id;
        loan.payoff_date = prior.payoff_date;
        loan.closed_date = prior.closed_date;
    }
    loan.last_payment_date = prior.last_payment_date;
    loan.last_payment_amount = prior.last_payment_amount;
    if loan.last_activity_date == Some(effective_date) {
        loan.last_activity_date = prior.last_activity_date;
    }
}

/// Builds the rows that reverse an entry, each with its resulting balance.
fn reversing_rows(
    author: &Actor,
    clock: Clock,
    account: &LoanAccount,
    after: &LoanState,
    reversals: &[RowReversal<'_>],
    returned_on: Option<NaiveDate>,
) -> Result<Vec<loan_transactions::Model>, LoanError> {
    let mut running = account.state.clone();
    let reversing_row = |reversal: &RowReversal<'_>| {
        let row = reversal.row;
        let effective_date = row.effective_date;
        let is_first = row.transaction_id == row.transaction_reference_no;
        let nsf_date = returned_on.filter(|_| is_first);
        let resulting_balance = match row.balance_name {
            None if row.resulting_balance.is_none() => None,
            None => Some(payoff_amount(&account.terms, after, effective_date)?),
            Some(BalanceName::Interest) => {
                Some(after.interest_owed_on(&account.terms, effective_date)?)
            }
            Some(name) => {
                let balance = balance(&mut running, name);
                *balance = balance.plus(reversal.balance_change()?)?;
                Some(*balance)
            }
        };
        Ok(loan_transactions::Model {
            transaction_code: reversal.reversal_code.transaction_code,
            transaction_description: reversal.reversal_code.description.clone(),
            transaction_date: clock.now,
            gl_date: clock.today,
            resulting_balance,
            // The External_ID stays with the payment.
            external_id: None,
            entered_by_user_id: author.user_id().unwrap_or(row.entered_by_user_id),
            reversed_flag: true,
            reversal_transaction_id: Some(row.transaction_id),
            nsf_flag: nsf_date.is_some(),
            nsf_date,
            ..row.clone()
        })
    };
    let rows = reversals.iter().map(reversing_row).collect::<Result<_, LoanError>>()?;
    match same_balances(&running, after) {
        true => Ok(rows),
        false => {
            Err(LoanError::defect("the rows of a reversal do not add up to the restored balances"))
        }
    }
}

/// True if the balances that are sums of rows agree.
fn same_balances(left: &LoanState, right: &LoanState) -> bool {
    let balances = |state: &LoanState| {
        [state.principal, state.late_charges, state.fees, state.impound, state.suspense]
    };
    balances(left) == balances(right)
}

/// Writes the rows of a reversal, and links them and the rows they reverse to each other.
async fn write(
    tx: &DatabaseTransaction,
    reversed: &[loan_transactions::Model],
    new_rows: Vec<loan_transactions::Model>,
    returned_on: Option<NaiveDate>,
) -> Result<Vec<loan_transactions::Model>, LoanError> {
    use loan_transactions::Column::{
        NsfDate, NsfFlag, ReversalTransactionId, ReversedFlag, TransactionId,
    };
    let mut entry = [new_rows];
    journal::insert(tx, &mut entry).await?;
    let [written] = entry;
    let links = written.iter().filter_map(|row| {
        let values = vec![true.into(), row.transaction_id.into()];
        Some(RowUpdate { key: row.reversal_transaction_id?, values })
    });
    let links: Vec<RowUpdate> = links.collect();
    update_each(tx, TransactionId, &[ReversedFlag, ReversalTransactionId], &links).await?;
    if let (Some(day), Some(total)) = (returned_on, reversed.first()) {
        loan_transactions::Entity::update_many()
            .col_expr(NsfFlag, Expr::value(true))
            .col_expr(NsfDate, Expr::value(day))
            .filter(TransactionId.eq(total.transaction_id))
            .exec(tx)
            .await?;
    }
    Ok(written)
}

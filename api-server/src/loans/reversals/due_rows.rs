//! Due rows in a reversal: amounts that the entry settled become due again, and rows that the entry
//! created are deleted.

use crate::loans::journal::codes;
use crate::loans::refusals::LoanError;
use crate::loans::servicing::{DueRow, LoanState};
use chrono::NaiveDate;
use sea_orm::sea_query::{ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, DatabaseTransaction, EntityTrait, QueryFilter};
use shared::amounts::Money;
use shared::database::coalesced::padded;
use shared::entity::{loan_transactions, payment_allocations, payments_due};
use std::collections::HashMap;

/// Takes back the amounts that an entry settled, and removes the due rows that it created from the
/// state: those due on or after `first_created`. Returns that day if there are any.
#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole")]
pub(super) async fn revert(
    tx: &DatabaseTransaction,
    state: &mut LoanState,
    entry: &[loan_transactions::Model],
    first_created: Option<NaiveDate>,
) -> Result<Option<NaiveDate>, LoanError> {
    use payments_due::Column::{DueDate, LoanId, RowId};
    let Some(first) = entry.first() else { return Ok(None) };
    let rows = padded(entry.iter().map(|row| row.transaction_id).collect());
    let of_entry = payment_allocations::Column::TransactionId.is_in(rows);
    let settled = Query::select()
        .column(payment_allocations::Column::PaymentDueId)
        .from(payment_allocations::Entity)
        .and_where(of_entry.clone())
        .take();
    let created = first_created.map(|day| LoanId.eq(first.loan_id).and(DueDate.gte(day)));
    let touched = Condition::any().add(RowId.in_subquery(settled)).add_option(created);
    let stored = payments_due::Entity::find().filter(touched).all(tx).await?;
    let allocations = payment_allocations::Entity::find().filter(of_entry).all(tx).await?;
    let settled = amounts_by_due_row(entry, &allocations)?;
    let is_created = |due_date| first_created.is_some_and(|day| due_date >= day);
    let (created, kept): (Vec<_>, Vec<_>) =
        stored.into_iter().partition(|row| is_created(row.due_date));
    for row in kept {
        let (interest, principal) = settled.get(&row.row_id).copied().unwrap_or_default();
        replace(state, unsettled(row, interest, principal)?);
    }
    state.due_rows.retain(|row| !is_created(row.due_date));
    if let Some(number) = created.iter().map(|row| row.payment_number).min() {
        state.due_row_count = number - 1;
    }
    Ok(first_created.filter(|_| !created.is_empty()))
}

/// Returns the interest and principal that an entry settled, by due row.
fn amounts_by_due_row(
    entry: &[loan_transactions::Model],
    allocations: &[payment_allocations::Model],
) -> Result<HashMap<i64, (Money, Money)>, LoanError> {
    let codes: HashMap<i64, i32> =
        entry.iter().map(|row| (row.transaction_id, row.transaction_code)).collect();
    let mut amounts: HashMap<i64, (Money, Money)> = HashMap::new();
    for allocation in allocations {
        let (interest, principal) = amounts.entry(allocation.payment_due_id).or_default();
        let settles_interest = codes
            .get(&allocation.transaction_id)
            .is_some_and(|code| codes::SETTLES_INTEREST.contains(code));
        let amount = if settles_interest { interest } else { principal };
        *amount = amount.plus(allocation.amount)?;
    }
    Ok(amounts)
}

/// Returns a stored due row without these amounts.
fn unsettled(
    row: payments_due::Model,
    interest: Money,
    principal: Money,
) -> Result<DueRow, LoanError> {
    Ok(DueRow {
        row_id: Some(row.row_id),
        payment_number: row.payment_number,
        due_date: row.due_date,
        interest_due: row.interest_due,
        principal_due: row.principal_due,
        interest_paid: row.interest_paid.minus(interest)?,
        principal_paid: row.principal_paid.minus(principal)?,
    })
}

/// Puts a due row in the place of the same row, or adds it: a row that was fully paid is not part of
/// the state.
fn replace(state: &mut LoanState, row: DueRow) {
    match state.due_rows.binary_search_by_key(&row.due_date, |row| row.due_date) {
        Ok(index) => state.due_rows[index] = row,
        Err(index) => state.due_rows.insert(index, row),
    }
}

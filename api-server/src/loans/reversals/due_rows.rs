//! Due rows in a reversal: amounts that the entry settled become due again, and rows that the entry
//! created are deleted.

use crate::loans::account::update_paid;
use crate::loans::journal::codes;
use crate::loans::refusals::LoanError;
use chrono::NaiveDate;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter};
use shared::amounts::Money;
use shared::entity::{loan_transactions, payment_allocations, payments_due};
use std::collections::HashMap;

/// Keys per statement.
const KEYS_MAX: usize = 500;

/// Takes back the amounts that an entry settled, and deletes the due rows that it created: those
/// due on or after `first_created`.
#[expect(clippy::disallowed_methods, reason = "due rows have no visibility rule")]
pub(super) async fn revert(
    tx: &DatabaseTransaction,
    loan_id: i64,
    entry: &[loan_transactions::Model],
    first_created: Option<NaiveDate>,
) -> Result<(), LoanError> {
    let codes: HashMap<i64, i32> =
        entry.iter().map(|row| (row.transaction_id, row.transaction_code)).collect();
    let of_entry = || payment_allocations::Column::TransactionId.is_in(codes.keys().copied());
    let allocations = payment_allocations::Entity::find().filter(of_entry()).all(tx).await?;
    let mut unsettled: HashMap<i64, (Money, Money)> = HashMap::new();
    for allocation in &allocations {
        let (interest, principal) = unsettled.entry(allocation.payment_due_id).or_default();
        let settles_interest = codes
            .get(&allocation.transaction_id)
            .is_some_and(|code| codes::SETTLES_INTEREST.contains(code));
        let settled = if settles_interest { interest } else { principal };
        *settled = settled.plus(allocation.amount)?;
    }
    let keys: Vec<i64> = unsettled.keys().copied().collect();
    for keys in keys.chunks(KEYS_MAX) {
        let in_chunk = payments_due::Column::RowId.is_in(keys.iter().copied());
        let due_rows = payments_due::Entity::find().filter(in_chunk).all(tx).await?;
        let paid_amounts = due_rows.iter().map(|row| {
            let (interest, principal) = unsettled.get(&row.row_id).copied().unwrap_or_default();
            let interest = row.interest_paid.minus(interest)?;
            Ok((row.row_id, interest, row.principal_paid.minus(principal)?))
        });
        let paid_amounts: Result<Vec<_>, LoanError> = paid_amounts.collect();
        update_paid(tx, paid_amounts?).await?;
    }
    payment_allocations::Entity::delete_many().filter(of_entry()).exec(tx).await?;
    if let Some(first_created) = first_created {
        payments_due::Entity::delete_many()
            .filter(payments_due::Column::LoanId.eq(loan_id))
            .filter(payments_due::Column::DueDate.gte(first_created))
            .exec(tx)
            .await?;
    }
    Ok(())
}

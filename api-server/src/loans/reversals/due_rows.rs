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
/// due on or after `first_made`.
#[expect(clippy::disallowed_methods, reason = "an entry counts every due row of its loan")]
pub(super) async fn undo(
    tx: &DatabaseTransaction,
    loan_id: i64,
    entry: &[loan_transactions::Model],
    first_made: Option<NaiveDate>,
) -> Result<(), LoanError> {
    let codes: HashMap<i64, i32> =
        entry.iter().map(|row| (row.transaction_id, row.transaction_code)).collect();
    let of_entry = || payment_allocations::Column::TransactionId.is_in(codes.keys().copied());
    let allocations = payment_allocations::Entity::find().filter(of_entry()).all(tx).await?;
    let mut taken_back: HashMap<i64, (Money, Money)> = HashMap::new();
    for allocation in &allocations {
        let (interest, principal) = taken_back.entry(allocation.payment_due_id).or_default();
        let of_interest = codes
            .get(&allocation.transaction_id)
            .is_some_and(|code| codes::SETTLES_INTEREST.contains(code));
        let settled = if of_interest { interest } else { principal };
        *settled = settled.plus(allocation.amount)?;
    }
    let keys: Vec<i64> = taken_back.keys().copied().collect();
    for keys in keys.chunks(KEYS_MAX) {
        let asked = payments_due::Column::RowId.is_in(keys.iter().copied());
        let due_rows = payments_due::Entity::find().filter(asked).all(tx).await?;
        let unpaid = due_rows.iter().map(|row| {
            let (interest, principal) = taken_back.get(&row.row_id).copied().unwrap_or_default();
            let interest = row.interest_paid.minus(interest)?;
            Ok((row.row_id, interest, row.principal_paid.minus(principal)?))
        });
        let unpaid: Result<Vec<_>, LoanError> = unpaid.collect();
        update_paid(tx, unpaid?).await?;
    }
    payment_allocations::Entity::delete_many().filter(of_entry()).exec(tx).await?;
    if let Some(first_made) = first_made {
        payments_due::Entity::delete_many()
            .filter(payments_due::Column::LoanId.eq(loan_id))
            .filter(payments_due::Column::DueDate.gte(first_made))
            .exec(tx)
            .await?;
    }
    Ok(())
}

//! A payment returned by the bank: reversed, with a fee.

use super::block::{Block, MIX, cents};
use api_server::loans::journal::codes::PAYMENT_TOTAL;
use api_server::loans::reversals::{self, ReturnedPayment, ValidatedReversal};
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder};
use shared::entity::loan_transactions::{self, Column};

/// The place in the mix of loans whose latest payment was returned.
const RETURNED: u32 = MIX - 1;
/// The fee for a returned payment, in cents.
const FEE: i64 = 3500;

/// Reverses the latest payment of each such loan as returned.
pub(super) async fn add(tx: &DatabaseTransaction, block: &Block) -> Result<(), DbErr> {
    for loan in block.at(|slot| slot == RETURNED) {
        let latest = loan_transactions::Entity::find()
            .filter(Column::LoanId.eq(loan.loan_id))
            .filter(Column::TransactionCode.eq(PAYMENT_TOTAL.number))
            .order_by_desc(Column::TransactionId);
        let Some(payment) = latest.one(tx).await? else { continue };
        let reversal = ValidatedReversal {
            returned: Some(ReturnedPayment { date: block.clock.today, fee: Some(cents(FEE)) }),
            user_reference: Some(format!("Payment {} returned", payment.transaction_id)),
        };
        let (actor, clock) = (&block.actor, block.clock);
        let reference = payment.transaction_id;
        reversals::reverse(tx, actor, clock, loan.loan_id, reference, &reversal)
            .await
            .map_err(|error| DbErr::Custom(error.message()))?;
    }
    Ok(())
}

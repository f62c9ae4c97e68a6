//! A payment returned by the bank: reversed, with a fee.

use super::block::{Block, MIX, cents};
use api_server::loans::adjustments::{self, NewAdjustment};
use api_server::loans::journal::codes::PAYMENT_TOTAL;
use api_server::loans::refusals::LoanError;
use api_server::loans::reversals;
use api_server::loans::servicing::adjustment::AdjustmentKind;
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder};
use shared::entity::loan_transactions::{self, Column};

/// The place in the mix of loans whose latest payment was returned.
const RETURNED: u32 = MIX - 1;
/// The fee for a returned payment, in cents.
const FEE: i64 = 3500;

/// Reverses the latest payment of each such loan as returned.
pub(super) async fn add(tx: &DatabaseTransaction, block: &Block) -> Result<(), DbErr> {
    let loan_error = |error: LoanError| DbErr::Custom(error.message());
    for loan in block.at(|slot| slot == RETURNED) {
        let latest = loan_transactions::Entity::find()
            .filter(Column::LoanId.eq(loan.loan_id))
            .filter(Column::TransactionCode.eq(PAYMENT_TOTAL.number))
            .order_by_desc(Column::TransactionId);
        let Some(payment) = latest.one(tx).await? else { continue };
        let (actor, clock) = (&block.actor, block.clock);
        let day = Some(clock.today);
        reversals::reverse(tx, actor, clock, payment.transaction_id, day)
            .await
            .map_err(loan_error)?;
        let fee = NewAdjustment {
            kind: AdjustmentKind::Fee,
            amount: cents(FEE),
            effective_date: clock.today,
            creditline_id: None,
            user_reference: Some(format!("Payment {} returned", payment.transaction_id)),
        };
        adjustments::post(tx, actor, clock, loan.loan_id, &fee).await.map_err(loan_error)?;
    }
    Ok(())
}

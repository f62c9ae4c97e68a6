//! Entries on the loans that no import makes: draws on credit lines, and a returned payment.

use super::{Portfolio, cents};
use api_server::loans::adjustments::{self, ValidatedAdjustment};
use api_server::loans::journal::codes::PAYMENT_TOTAL;
use api_server::loans::reversals::{self, ReturnedPayment, ValidatedReversal};
use api_server::loans::servicing::adjustment::AdjustmentKind;
use chrono::Days;
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder};
use shared::entity::{credit_lines, loan_transactions};

/// Draws on a main line, and on one for cash: days after origination, and cents. They are later than
/// the loan's only payment, and posted in the order in which they move its accrual base.
const MAIN_DRAWS: &[(u64, i64)] = &[(35, 35_000)];
const CASH_DRAWS: &[(u64, i64)] = &[(40, 60_000), (45, 12_550)];
/// The loan whose latest payment was returned, and the fee in cents.
const RETURNED: (u32, i64) = (50, 3500);

/// Draws on every credit line, as many times as its kind says.
pub(super) async fn draw(tx: &DatabaseTransaction, portfolio: &Portfolio) -> Result<(), DbErr> {
    let ids = portfolio.loans.iter().map(|loan| loan.loan_id);
    let lines = credit_lines::Entity::find()
        .filter(credit_lines::Column::LoanId.is_in(ids))
        .order_by_asc(credit_lines::Column::CreditlineId);
    for line in lines.all(tx).await? {
        let loan = portfolio.loans.iter().find(|loan| loan.loan_id == line.loan_id);
        let Some(loan) = loan else { continue };
        let draws = if line.transaction_code == 0 { MAIN_DRAWS } else { CASH_DRAWS };
        for (days, amount) in draws {
            let draw = ValidatedAdjustment {
                kind: AdjustmentKind::Draw,
                amount: cents(*amount),
                effective_date: Some(loan.origination + Days::new(*days)),
                creditline_id: Some(line.creditline_id),
                user_reference: Some("By telephone".to_owned()),
            };
            let (actor, clock) = (&portfolio.actor, portfolio.clock);
            adjustments::post(tx, actor, clock, line.loan_id, &draw)
                .await
                .map_err(|error| DbErr::Custom(error.message()))?;
        }
    }
    Ok(())
}

/// Reverses a loan's latest payment: the bank returned it today.
pub(super) async fn return_payment(
    tx: &DatabaseTransaction,
    portfolio: &Portfolio,
) -> Result<(), DbErr> {
    use loan_transactions::Column::{LoanId, TransactionCode, TransactionId};
    let (number, fee) = RETURNED;
    let Some(loan) = portfolio.loan(number) else { return Ok(()) };
    let latest = loan_transactions::Entity::find()
        .filter(LoanId.eq(loan.loan_id))
        .filter(TransactionCode.eq(PAYMENT_TOTAL.number))
        .order_by_desc(TransactionId)
        .one(tx)
        .await?;
    let Some(payment) = latest else { return Ok(()) };
    let (actor, clock) = (&portfolio.actor, portfolio.clock);
    let reversal = ValidatedReversal {
        returned: Some(ReturnedPayment { date: clock.today, fee: Some(cents(fee)) }),
        user_reference: Some(format!("Payment {} returned", payment.transaction_id)),
    };
    reversals::reverse(tx, actor, clock, loan.loan_id, payment.transaction_id, &reversal)
        .await
        .map(drop)
        .map_err(|error| DbErr::Custom(error.message()))
}

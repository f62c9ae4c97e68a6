//! Card payment response, with the transactions of its entry.

use crate::auth::caller::Caller;
use poem_openapi::Object;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, QueryFilter, QueryOrder};
use shared::amounts::Money;
use shared::entity::gateway_payments::{CardPaymentState, Model};
use shared::entity::loan_transactions;
use shared::interface_names;
use shared::time::Timestamp;

/// A card payment.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct CardPayment {
    card_payment_id: i64,
    loan_id: i64,
    payment_gateway_token_id: i64,
    state: CardPaymentState,
    /// Amount posted on the loan.
    amount: Money,
    /// Convenience fee, in addition to the amount.
    convenience_fee: Money,
    /// Total charged to the card: amount plus fee.
    total_charged: Money,
    waive_reason: Option<String>,
    /// The gateway's own id of the payment.
    gateway_reference: Option<String>,
    failure_code: Option<String>,
    failure_message: Option<String>,
    /// Reference number of the entry on the loan.
    transaction_reference_no: Option<i64>,
    created_date: Timestamp,
    charged_date: Option<Timestamp>,
    posted_date: Option<Timestamp>,
    entered_by_user_id: i64,
    /// Transactions of the entry: the total row first, the convenience fee last.
    transactions: Vec<loan_transactions::Model>,
}

/// Returns a payment with the rows of its entry that the caller may see.
pub(super) async fn card_payment(
    db: &impl ConnectionTrait,
    caller: &Caller,
    intent: Model,
) -> Result<CardPayment, DbErr> {
    use loan_transactions::Column::{TransactionId, TransactionReferenceNo};
    let transactions = match intent.transaction_reference_no {
        None => Vec::new(),
        Some(reference) => {
            let rows = caller.find::<loan_transactions::Entity>();
            let rows = rows.filter(TransactionReferenceNo.eq(reference));
            rows.order_by_asc(TransactionId).all(db).await?
        }
    };
    Ok(CardPayment {
        card_payment_id: intent.card_payment_id,
        loan_id: intent.loan_id,
        payment_gateway_token_id: intent.payment_gateway_token_id,
        state: intent.state,
        amount: intent.amount,
        convenience_fee: intent.convenience_fee,
        total_charged: intent.total_charged,
        waive_reason: intent.waive_reason,
        gateway_reference: intent.gateway_reference,
        failure_code: intent.failure_code,
        failure_message: intent.failure_message,
        transaction_reference_no: intent.transaction_reference_no,
        created_date: intent.created_date,
        charged_date: intent.charged_date,
        posted_date: intent.posted_date,
        entered_by_user_id: intent.entered_by_user_id,
        transactions,
    })
}

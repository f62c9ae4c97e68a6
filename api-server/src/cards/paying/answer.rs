//! What is answered of a payment by card.

use crate::auth::caller::Caller;
use poem_openapi::Object;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, QueryFilter, QueryOrder};
use shared::amounts::Money;
use shared::entity::gateway_payments::{CardPaymentState, Model};
use shared::entity::loan_transactions;
use shared::time::Timestamp;

/// A payment by card.
#[derive(Clone, Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct CardPayment {
    #[oai(rename = "Card_Payment_ID")]
    card_payment_id: i64,
    #[oai(rename = "Loan_ID")]
    loan_id: i64,
    #[oai(rename = "PaymentGatewayTokenID")]
    payment_gateway_token_id: i64,
    #[oai(rename = "State")]
    state: CardPaymentState,
    /// What is posted on the loan.
    #[oai(rename = "Amount")]
    amount: Money,
    #[oai(rename = "Convenience_Fee")]
    convenience_fee: Money,
    /// What the card was charged: amount and fee.
    #[oai(rename = "Total_Charged")]
    total_charged: Money,
    #[oai(rename = "Waive_Reason")]
    waive_reason: Option<String>,
    /// The gateway's own name of the payment.
    #[oai(rename = "Gateway_Reference")]
    gateway_reference: Option<String>,
    #[oai(rename = "Failure_Code")]
    failure_code: Option<String>,
    #[oai(rename = "Failure_Message")]
    failure_message: Option<String>,
    /// The entry on the loan.
    #[oai(rename = "Transaction_Reference_No")]
    transaction_reference_no: Option<i64>,
    #[oai(rename = "Created_Date")]
    created_date: Timestamp,
    #[oai(rename = "Charged_Date")]
    charged_date: Option<Timestamp>,
    #[oai(rename = "Posted_Date")]
    posted_date: Option<Timestamp>,
    #[oai(rename = "Entered_By_User_ID")]
    entered_by_user_id: i64,
    /// The rows of the entry, the total first, the convenience fee last.
    #[oai(rename = "Transactions")]
    transactions: Vec<loan_transactions::Model>,
}

/// A payment with those rows of its entry that the caller may see.
pub(super) async fn answer(
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

//! Card payment response, with the transactions of its entry.

use crate::auth::caller::Caller;
use poem_openapi::Object;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, QueryFilter, QueryOrder};
use shared::entity::gateway_payments::Model;
use shared::entity::loan_transactions;
use shared::interface_names;

/// A card payment.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct CardPayment {
    /// The stored payment.
    #[oai(flatten)]
    row: Model,
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
    Ok(CardPayment { row: intent, transactions })
}

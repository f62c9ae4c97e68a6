//! Card payment responses, with the transactions of their entries.

use crate::auth::caller::Caller;
use crate::http::pagination::List;
use poem_openapi::Object;
use sea_orm::sea_query::{Query, SelectStatement};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, QueryFilter, QueryOrder};
use shared::entity::gateway_payments::{Column, Entity, Model};
use shared::entity::loan_transactions;
use shared::entity::payment_gateway_tokens::{self as cards, BrandType};
use shared::interface_names;
use std::collections::HashMap;

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
    let transactions = match intent.transaction_reference_no {
        None => Vec::new(),
        Some(no) => {
            let reference = Query::select().expr(no).take();
            entries(db, caller, reference).await?.remove(&no).unwrap_or_default()
        }
    };
    Ok(CardPayment { row: intent, transactions })
}

/// A card payment in a loan's list, whatever became of it.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct LoanCardPayment {
    /// The payment.
    #[oai(flatten)]
    payment: CardPayment,
    /// Brand of the card; absent if the caller may not see the card.
    brand_type: Option<BrandType>,
    /// Last four digits of the card number; absent if the caller may not see the card.
    last_four: Option<String>,
}

/// Completes a page of the card payments on a loan, in the order of their ids, with what the caller
/// may see of their entries and cards.
pub async fn with_entries(
    db: &impl ConnectionTrait,
    caller: &Caller,
    loan_id: i64,
    payments: List<Model>,
) -> Result<List<LoanCardPayment>, DbErr> {
    let span = payments.span(|payment| payment.card_payment_id);
    let of_page = |column| of_page(loan_id, span, column);
    let mut entries = entries(db, caller, of_page(Column::TransactionReferenceNo)).await?;
    let is_charged =
        cards::Column::PaymentGatewayTokenId.in_subquery(of_page(Column::PaymentGatewayTokenId));
    let cards = caller.find::<cards::Entity>().filter(is_charged).all(db).await?.into_iter();
    let cards: HashMap<i64, _> = cards.map(|card| (card.payment_gateway_token_id, card)).collect();
    Ok(payments.map(|row| {
        let card = cards.get(&row.payment_gateway_token_id);
        let reference = row.transaction_reference_no;
        let transactions = reference.and_then(|no| entries.remove(&no)).unwrap_or_default();
        LoanCardPayment {
            brand_type: card.map(|card| card.brand_type),
            last_four: card.map(|card| card.last_four.clone()),
            payment: CardPayment { row, transactions },
        }
    }))
}

/// Selects a column of the card payments on a loan with ids from the first to the last.
fn of_page(loan_id: i64, (first, last): (i64, i64), column: Column) -> SelectStatement {
    Query::select()
        .column(column)
        .from(Entity)
        .and_where(Column::LoanId.eq(loan_id))
        .and_where(Column::CardPaymentId.between(first, last))
        .and_where(column.is_not_null())
        .take()
}

/// Returns the rows that the caller may see of the entries with these reference numbers, by
/// reference number.
async fn entries(
    db: &impl ConnectionTrait,
    caller: &Caller,
    references: SelectStatement,
) -> Result<HashMap<i64, Vec<loan_transactions::Model>>, DbErr> {
    use loan_transactions::Column::{TransactionId, TransactionReferenceNo};
    let rows = caller.find::<loan_transactions::Entity>();
    let rows = rows.filter(TransactionReferenceNo.in_subquery(references));
    let mut entries: HashMap<i64, Vec<_>> = HashMap::new();
    for row in rows.order_by_asc(TransactionId).all(db).await? {
        entries.entry(row.transaction_reference_no).or_default().push(row);
    }
    Ok(entries)
}

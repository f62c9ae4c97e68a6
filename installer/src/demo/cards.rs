//! Borrowers' cards, payments with them, and automated payments drawn from them.

mod by_card;

use super::{LoanRef, Portfolio, cents};
use api_server::cards::refusals::CardError;
use api_server::cards::saved_cards::Card;
use api_server::cards::{GatewayChoice, GatewaySettings, PaymentGateway};
use sea_orm::ActiveValue::Set;
use sea_orm::{ActiveModelTrait, DatabaseConnection, DatabaseTransaction, EntityTrait};
use shared::database::batch;
use shared::entity::automated_payments::{
    self, AutomatedAmountType, AutomatedPaymentStatus, AutomatedPaymentType, BillingType,
    DebitOrCredit,
};
use shared::entity::loans::PaymentPeriod;
use shared::entity::payment_gateway_secrets;
use shared::entity::payment_gateway_tokens::{self, EntryType};
use shared::envelope_encryption::MasterKeys;
use std::time::Duration;

/// Loan, sandbox token, entry type, number of earlier uses.
type DemoCard = (u32, &'static str, EntryType, i32);

const CARDS: [DemoCard; 8] = [
    (1, PAYING, EntryType::Wallet, 3),
    (1, "tok_mastercard", EntryType::Wallet, 0),
    (1, FORGOTTEN, EntryType::Wallet, 2),
    (1, "tok_discover", EntryType::OneTime, 1),
    (4, "tok_mastercard", EntryType::Wallet, 1),
    (6, "tok_visa", EntryType::Wallet, 4),
    (13, "tok_amex", EntryType::Wallet, 0),
    (21, "tok_expired", EntryType::Wallet, 1),
];
/// The first loan's card with payments: one posted, one declined.
const PAYING: &str = "tok_visa";
/// The first loan's card that its owner has forgotten.
const FORGOTTEN: &str = "tok_amex";

/// The gateway that holds the portfolio's cards.
pub(super) fn sandbox(
    db: &DatabaseConnection,
    keys: &MasterKeys,
) -> Result<PaymentGateway, String> {
    let settings = GatewaySettings {
        choice: GatewayChoice::Sandbox,
        master_keys: keys.clone(),
        public_url: String::new(),
        recovery_interval: Duration::MAX,
    };
    PaymentGateway::new(settings, db)
}

/// Adds cards as the API does, payments with them, and automated payments from those used more than
/// once.
pub(super) async fn add(
    tx: &DatabaseTransaction,
    gateway: &PaymentGateway,
    portfolio: &Portfolio,
) -> Result<(), CardError> {
    for (number, token, entry_type, used_count) in CARDS {
        let Some(loan) = portfolio.loan(number) else { continue };
        let card = Card {
            loan_id: loan.loan_id,
            contact_id: loan.contact_id,
            entry_type,
            cardholder_name: Some(format!("Cardholder {number}")),
            described: gateway.describe(token, loan.contact_id).await?,
        };
        let card = card.insert(tx, gateway, &portfolio.actor, portfolio.clock).await?;
        let forgotten = (number, token) == (1, FORGOTTEN);
        backdate(tx, portfolio, &card, used_count, forgotten).await?;
        let card_id = card.payment_gateway_token_id;
        if entry_type == EntryType::Wallet && used_count > 1 {
            let status = match forgotten {
                true => AutomatedPaymentStatus::Disabled,
                false => AutomatedPaymentStatus::Active,
            };
            batch::insert_row(tx, automated_payment(portfolio, loan, card_id, status)).await?;
        }
        if (number, token) == (1, PAYING) {
            by_card::add(tx, portfolio, &card).await?;
        }
    }
    Ok(())
}

/// Backdates a card. A forgotten one is no longer at the gateway.
async fn backdate(
    tx: &DatabaseTransaction,
    portfolio: &Portfolio,
    card: &payment_gateway_tokens::Model,
    used_count: i32,
    forgotten: bool,
) -> Result<(), CardError> {
    let mut backdated: payment_gateway_tokens::ActiveModel = card.clone().into();
    backdated.created_date = Set(portfolio.days_ago(120));
    backdated.last_used_date = Set((used_count > 0).then(|| portfolio.days_ago(10)));
    backdated.used_count = Set(used_count);
    backdated.forget_flag = Set(forgotten);
    backdated.update(tx).await?;
    if forgotten {
        let id = card.payment_gateway_token_id;
        payment_gateway_secrets::Entity::delete_by_id(id).exec(tx).await?;
    }
    Ok(())
}

/// An automated payment from a card; one whose card was forgotten is no longer drawn.
fn automated_payment(
    portfolio: &Portfolio,
    loan: &LoanRef,
    card_id: i64,
    status: AutomatedPaymentStatus,
) -> automated_payments::Model {
    automated_payments::Model {
        row_id: 0,
        loan_id: loan.loan_id,
        description: "Card on file".to_owned(),
        payment_type: AutomatedPaymentType::Card,
        status,
        bank_routing_number: None,
        bank_account_number: None,
        bank_account_type: None,
        payment_gateway_token_id: Some(card_id),
        amount_type: AutomatedAmountType::Fixed,
        amount: Some(cents(7500)),
        percentage: None,
        minimum_amount: None,
        maximum_amount: None,
        debit_or_credit: DebitOrCredit::Debit,
        billing_type: BillingType::Recurring,
        billing_period: PaymentPeriod::Monthly,
        start_date: portfolio.day(-120),
        next_date: (status == AutomatedPaymentStatus::Active).then(|| portfolio.day(12)),
        expire_date: None,
        temp_grace_period: 0,
    }
}

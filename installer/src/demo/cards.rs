//! Borrowers' cards, the fees for paying by card, and automated payments.

mod by_card;

use super::block::{Block, LoanRef, basis_points, cents};
use api_server::cards::refusals::CardError;
use api_server::cards::saved_cards::Card;
use api_server::cards::{GatewayChoice, GatewaySettings, PaymentGateway};
use sea_orm::ActiveValue::Set;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait,
    QueryFilter,
};
use shared::bulk_insert;
use shared::entity::automated_payments::{
    self, AutomatedAmountType, AutomatedPaymentStatus, AutomatedPaymentType, BankAccountType,
    BillingType, DebitOrCredit,
};
use shared::entity::loans::PaymentPeriod;
use shared::entity::payment_gateway_tokens::{self, BrandType, EntryType};
use shared::entity::{convenience_fee_rules, loan_groups, payment_gateway_secrets};
use shared::envelope_encryption::MasterKeys;
use shared::secrets::Masked;
use std::time::Duration;

/// Place in the mix, sandbox token, entry type, number of earlier uses.
type DemoCard = (u32, &'static str, EntryType, i32);

const CARDS: [DemoCard; 8] = [
    (0, "tok_visa", EntryType::Wallet, 3),
    (0, "tok_mastercard", EntryType::Wallet, 0),
    (0, FORGOTTEN, EntryType::Wallet, 2),
    (0, "tok_discover", EntryType::OneTime, 1),
    (3, "tok_mastercard", EntryType::Wallet, 1),
    (5, "tok_visa", EntryType::Wallet, 4),
    (12, "tok_amex", EntryType::Wallet, 0),
    (20, "tok_expired", EntryType::Wallet, 1),
];
/// The card its owner has forgotten.
const FORGOTTEN: &str = "tok_amex";
/// The place in the mix with payments by card: one posted, one declined.
const PAID_AT: u32 = 0;

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

/// Adds cards and the payments made with them, and automated payments from bank accounts.
pub(super) async fn add_with_payments(
    tx: &DatabaseTransaction,
    gateway: &PaymentGateway,
    block: &Block,
) -> Result<(), DbErr> {
    let mut payments = Vec::new();
    for loan in block.at(|slot| slot == 0 || slot % 5 == 2) {
        payments.push(from_bank(block, loan));
    }
    for (slot, token, entry, used) in CARDS {
        for loan in block.at(|other| other == slot) {
            let forgotten = slot == 0 && token == FORGOTTEN;
            let card =
                add_card(tx, gateway, block, loan, (token, entry)).await.map_err(card_error)?;
            backdate(tx, block, &card, used, forgotten).await?;
            let token_id = card.payment_gateway_token_id;
            if entry == EntryType::Wallet && used > 1 {
                payments.push(from_card(block, loan, token_id, !forgotten));
            }
            if slot == PAID_AT && token == "tok_visa" {
                by_card::add(tx, block, loan, &card).await.map_err(card_error)?;
            }
        }
    }
    bulk_insert::add_all(tx, payments).await
}

fn card_error(error: CardError) -> DbErr {
    DbErr::Custom(error.message())
}

/// Adds a card as the API does.
async fn add_card(
    tx: &DatabaseTransaction,
    gateway: &PaymentGateway,
    block: &Block,
    loan: &LoanRef,
    (token, entry_type): (&str, EntryType),
) -> Result<payment_gateway_tokens::Model, CardError> {
    let card = Card {
        loan_id: loan.loan_id,
        contact_id: loan.contact_id,
        entry_type,
        cardholder_name: Some(format!("Cardholder {}", loan.number + 1)),
        described: gateway.describe(token, loan.contact_id).await?,
    };
    card.insert(tx, gateway, &block.actor, block.clock).await
}

/// Backdates a card. A forgotten one is no longer at the gateway.
async fn backdate(
    tx: &DatabaseTransaction,
    block: &Block,
    card: &payment_gateway_tokens::Model,
    used_count: i32,
    forgotten: bool,
) -> Result<(), DbErr> {
    let mut backdated: payment_gateway_tokens::ActiveModel = card.clone().into();
    backdated.created_date = Set(block.days_ago(120));
    backdated.last_used_date = Set((used_count > 0).then(|| block.days_ago(10)));
    backdated.used_count = Set(used_count);
    backdated.forget_flag = Set(forgotten);
    backdated.update(tx).await?;
    if forgotten {
        let id = card.payment_gateway_token_id;
        payment_gateway_secrets::Entity::delete_by_id(id).exec(tx).await?;
    }
    Ok(())
}

/// An automated payment from a bank account. One in the mix has its next draw postponed.
fn from_bank(block: &Block, loan: &LoanRef) -> automated_payments::Model {
    let (status, amount_type) = match loan.slot {
        17 => (AutomatedPaymentStatus::Disabled, AutomatedAmountType::Fixed),
        22 => (AutomatedPaymentStatus::Expired, AutomatedAmountType::Fixed),
        32 => (AutomatedPaymentStatus::Active, AutomatedAmountType::PercentOfPrincipal),
        42 => (AutomatedPaymentStatus::Active, AutomatedAmountType::Billing),
        _ => (AutomatedPaymentStatus::Active, AutomatedAmountType::Fixed),
    };
    let billed = amount_type == AutomatedAmountType::Billing;
    let percentage = amount_type == AutomatedAmountType::PercentOfPrincipal;
    automated_payments::Model {
        row_id: 0,
        loan_id: loan.loan_id,
        description: "Monthly draft".to_owned(),
        payment_type: AutomatedPaymentType::Ach,
        status,
        bank_routing_number: Some("021000021".to_owned()),
        bank_account_number: Some(Masked::new(format!("88{:08}", 4_000_123 + loan.number))),
        bank_account_type: Some(match loan.slot % 2 {
            0 => BankAccountType::Checking,
            _ => BankAccountType::Savings,
        }),
        payment_gateway_token_id: None,
        amount_type,
        amount: (amount_type == AutomatedAmountType::Fixed).then(|| cents(20_530)),
        percentage: percentage.then(|| basis_points(250)),
        minimum_amount: percentage.then(|| cents(2500)),
        maximum_amount: percentage.then(|| cents(90_000)),
        debit_or_credit: DebitOrCredit::Debit,
        billing_type: if billed { BillingType::Billing } else { BillingType::Recurring },
        billing_period: PaymentPeriod::Monthly,
        start_date: loan.origination,
        next_date: (status == AutomatedPaymentStatus::Active).then(|| block.day(9)),
        expire_date: (status == AutomatedPaymentStatus::Expired).then(|| block.day(-9)),
        temp_grace_period: if loan.slot == 2 { 5 } else { 0 },
    }
}

/// An automated payment from a card; one whose card was forgotten is no longer drawn.
fn from_card(
    block: &Block,
    loan: &LoanRef,
    token_id: i64,
    active: bool,
) -> automated_payments::Model {
    automated_payments::Model {
        description: "Card on file".to_owned(),
        payment_type: AutomatedPaymentType::Card,
        status: match active {
            true => AutomatedPaymentStatus::Active,
            false => AutomatedPaymentStatus::Disabled,
        },
        bank_routing_number: None,
        bank_account_number: None,
        bank_account_type: None,
        payment_gateway_token_id: Some(token_id),
        amount_type: AutomatedAmountType::Fixed,
        amount: Some(cents(7500)),
        next_date: active.then(|| block.day(12)),
        temp_grace_period: 0,
        ..from_bank(block, loan)
    }
}

/// Adds fee rules where the general one does not apply: by brand, by loan group.
pub(super) async fn add_fee_rules(tx: &DatabaseTransaction) -> Result<(), DbErr> {
    let group = loan_groups::Entity::find().filter(loan_groups::Column::Code.eq("AUTO"));
    let group = group.one(tx).await?;
    let group = group.ok_or_else(|| DbErr::RecordNotFound("loan group AUTO".to_owned()))?;
    let amex = convenience_fee_rules::Model {
        rule_id: 0,
        loan_group_id: None,
        brand_type: Some(BrandType::Amex),
        flat_amount: cents(0),
        percentage: basis_points(325),
        minimum_fee: Some(cents(300)),
        maximum_fee: None,
        active_flag: true,
    };
    let auto = convenience_fee_rules::Model {
        loan_group_id: Some(group.loan_group_id),
        brand_type: None,
        flat_amount: cents(495),
        percentage: basis_points(0),
        minimum_fee: None,
        ..amex.clone()
    };
    bulk_insert::add_all(tx, vec![amex, auto]).await
}

//! Cards that borrowers added, what paying by card costs, and payments that are drawn by themselves.

use super::block::{Block, Place, basis_points, cents};
use chrono::Datelike;
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter};
use shared::entity::automated_payments::{
    self, AutomatedAmountType, AutomatedPaymentStatus, AutomatedPaymentType, BankAccountType,
    BillingType, DebitOrCredit,
};
use shared::entity::loans::PaymentPeriod;
use shared::entity::payment_gateway_tokens::{self, BrandType, EntryType, Gateway};
use shared::entity::{convenience_fee_rules, loan_groups};
use shared::rows;
use shared::secrecy::Masked;

/// Place in the mix, brand, entry, last four, times used.
type Card = (u32, BrandType, EntryType, &'static str, i32);

const CARDS: [Card; 8] = [
    (0, BrandType::Visa, EntryType::Wallet, "4242", 3),
    (0, BrandType::Mastercard, EntryType::Wallet, "4444", 0),
    (0, BrandType::Amex, EntryType::Wallet, FORGOTTEN, 2),
    (0, BrandType::Discover, EntryType::OneTime, "1117", 1),
    (3, BrandType::Mastercard, EntryType::Wallet, "5454", 1),
    (5, BrandType::Visa, EntryType::Wallet, "1881", 4),
    (12, BrandType::Amex, EntryType::Wallet, "8431", 0),
    (20, BrandType::Other, EntryType::Wallet, "0077", 1),
];
/// The last four of the card that its owner took back.
const FORGOTTEN: &str = "0005";
/// Where in the mix a card is past its month.
const EXPIRED_AT: u32 = 20;

/// Cards, and the automated payments of this block: from bank accounts, and from used cards.
pub async fn add_with_payments(tx: &DatabaseTransaction, block: &Block) -> Result<(), DbErr> {
    let mut payments = Vec::new();
    for place in block.at(|slot| slot == 0 || slot % 5 == 2) {
        payments.push(from_bank(block, place));
    }
    for (slot, brand, entry, last_four, used) in CARDS {
        for place in block.at(|other| other == slot) {
            let token = card(block, place, brand, entry, last_four, used);
            let token_id = rows::add(tx, token).await?;
            if entry == EntryType::Wallet && used > 1 {
                payments.push(from_card(block, place, token_id, last_four != FORGOTTEN));
            }
        }
    }
    rows::add_all(tx, payments).await
}

fn card(
    block: &Block,
    place: &Place,
    brand_type: BrandType,
    entry_type: EntryType,
    last_four: &str,
    used_count: i32,
) -> payment_gateway_tokens::Model {
    let expired = place.slot == EXPIRED_AT;
    let expiry = block.day(if expired { -60 } else { 700 });
    payment_gateway_tokens::Model {
        payment_gateway_token_id: 0,
        brand_type,
        entry_type,
        forget_flag: last_four == FORGOTTEN,
        contact_id: place.contact_id,
        loan_id: place.loan_id,
        last_four: last_four.to_owned(),
        expiry_month: i32::try_from(expiry.month()).unwrap_or(12),
        expiry_year: expiry.year(),
        cardholder_name: Some(format!("Cardholder {}", place.number + 1)),
        gateway: Gateway::Sandbox,
        created_date: block.days_ago(120),
        last_used_date: (used_count > 0).then(|| block.days_ago(if expired { 90 } else { 10 })),
        used_count,
    }
}

/// A payment from a bank account. One of the mix has its next draw put off.
fn from_bank(block: &Block, place: &Place) -> automated_payments::Model {
    let (status, amount_type) = match place.slot {
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
        loan_id: place.loan_id,
        description: "Monthly draft".to_owned(),
        payment_type: AutomatedPaymentType::Ach,
        status,
        bank_routing_number: Some("021000021".to_owned()),
        bank_account_number: Some(Masked::new(format!("88{:08}", 4_000_123 + place.number))),
        bank_account_type: Some(match place.slot % 2 {
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
        start_date: place.origination,
        next_date: (status == AutomatedPaymentStatus::Active).then(|| block.day(9)),
        expire_date: (status == AutomatedPaymentStatus::Expired).then(|| block.day(-9)),
        temp_grace_period: if place.slot == 2 { 5 } else { 0 },
    }
}

/// A payment from a card; one that was forgotten is drawn no more.
fn from_card(
    block: &Block,
    place: &Place,
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
        ..from_bank(block, place)
    }
}

/// What paying by card costs where the general rule does not hold: by brand, by loan group.
pub async fn add_fee_rules(tx: &DatabaseTransaction) -> Result<(), DbErr> {
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
    rows::add_all(tx, vec![amex, auto]).await
}

//! Payments that are drawn without anybody sending them.

use super::loans::PaymentPeriod;
use crate::amounts::{Money, Rate};
use crate::interface_names;
use crate::secrecy::Masked;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A payment that is drawn from a bank account or a card.
///
/// The bank account shows `*` but for its last four characters, unless the caller holds
/// Loan > Automated Payments > View Account.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "automated_payments")]
#[oai(rename = "AutomatedPayment", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub loan_id: i64,
    pub description: String,
    pub payment_type: AutomatedPaymentType,
    pub status: AutomatedPaymentStatus,
    pub bank_routing_number: Option<String>,
    /// Masked but for its last four, unless the caller may view accounts.
    pub bank_account_number: Option<Masked>,
    pub bank_account_type: Option<BankAccountType>,
    /// The card.
    pub payment_gateway_token_id: Option<i64>,
    pub amount_type: AutomatedAmountType,
    pub amount: Option<Money>,
    pub percentage: Option<Rate>,
    pub minimum_amount: Option<Money>,
    pub maximum_amount: Option<Money>,
    pub debit_or_credit: DebitOrCredit,
    pub billing_type: BillingType,
    pub billing_period: PaymentPeriod,
    pub start_date: Date,
    pub next_date: Option<Date>,
    pub expire_date: Option<Date>,
    /// Days by which the next draw alone is put off; then 0 again.
    pub temp_grace_period: i32,
}

no_relations!();

text_enum! {
    /// Where the money is drawn from.
    pub enum AutomatedPaymentType {
        /// A bank account.
        Ach,
        /// A card.
        Card,
    }

    /// Whether it is drawn.
    pub enum AutomatedPaymentStatus {
        /// It is.
        Active,
        /// Somebody stopped it.
        Disabled,
        /// Its time is over.
        Expired,
    }

    /// Kind of bank account.
    pub enum BankAccountType {
        /// A checking account.
        Checking,
        /// A savings account.
        Savings,
    }

    /// How much is drawn.
    pub enum AutomatedAmountType {
        /// The same amount.
        Fixed,
        /// A percentage of the principal.
        PercentOfPrincipal,
        /// What is billed.
        Billing,
    }

    /// Which way the money goes.
    pub enum DebitOrCredit {
        /// To the lender.
        Debit,
        /// To the borrower.
        Credit,
    }

    /// When it is drawn.
    pub enum BillingType {
        /// When the loan is billed.
        Billing,
        /// Once.
        OneTime,
        /// Every billing period.
        Recurring,
    }
}

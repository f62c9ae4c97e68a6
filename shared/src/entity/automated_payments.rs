//! Payments that are drawn without anybody sending them.

use super::loans::PaymentPeriod;
use crate::amounts::{Money, Rate};
use crate::secrecy::Masked;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A payment that is drawn from a bank account or a card.
///
/// The bank account shows `*` but for its last four characters, unless the caller holds
/// Loan > Automated Payments > View Account.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "automated_payments")]
#[oai(rename = "AutomatedPayment", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Row_ID")]
    pub row_id: i64,
    #[oai(rename = "Loan_ID")]
    pub loan_id: i64,
    #[oai(rename = "Description")]
    pub description: String,
    #[oai(rename = "Payment_Type")]
    pub payment_type: AutomatedPaymentType,
    #[oai(rename = "Status")]
    pub status: AutomatedPaymentStatus,
    #[oai(rename = "Bank_Routing_Number")]
    pub bank_routing_number: Option<String>,
    /// Masked but for its last four, unless the caller may view accounts.
    #[oai(rename = "Bank_Account_Number")]
    pub bank_account_number: Option<Masked>,
    #[oai(rename = "Bank_Account_Type")]
    pub bank_account_type: Option<BankAccountType>,
    /// The card.
    #[oai(rename = "PaymentGatewayTokenID")]
    pub payment_gateway_token_id: Option<i64>,
    #[oai(rename = "Amount_Type")]
    pub amount_type: AutomatedAmountType,
    #[oai(rename = "Amount")]
    pub amount: Option<Money>,
    #[oai(rename = "Percentage")]
    pub percentage: Option<Rate>,
    #[oai(rename = "Minimum_Amount")]
    pub minimum_amount: Option<Money>,
    #[oai(rename = "Maximum_Amount")]
    pub maximum_amount: Option<Money>,
    #[oai(rename = "Debit_Or_Credit")]
    pub debit_or_credit: DebitOrCredit,
    #[oai(rename = "Billing_Type")]
    pub billing_type: BillingType,
    #[oai(rename = "Billing_Period")]
    pub billing_period: PaymentPeriod,
    #[oai(rename = "Start_Date")]
    pub start_date: Date,
    #[oai(rename = "Next_Date")]
    pub next_date: Option<Date>,
    #[oai(rename = "Expire_Date")]
    pub expire_date: Option<Date>,
    /// Days by which the next draw alone is put off; then 0 again.
    #[oai(rename = "Temp_Grace_Period")]
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

//! Automated payments: drawn on a schedule or with each billing, without a request.

use super::loans::PaymentPeriod;
use crate::amounts::{Money, Rate};
use crate::secrets::Masked;
use sea_orm::entity::prelude::*;

/// A payment drawn automatically from a bank account or a card.
///
/// The bank account number is masked with `*` except for its last four characters, unless the
/// caller holds Loan > Automated Payments > View Account.
#[shared_macros::table("automated_payments", object = "AutomatedPayment", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub loan_id: i64,
    pub description: String,
    pub payment_type: AutomatedPaymentType,
    pub status: AutomatedPaymentStatus,
    pub bank_routing_number: Option<String>,
    /// Bank account number, masked except for its last four characters unless the caller may view
    /// accounts.
    pub bank_account_number: Option<Masked>,
    pub bank_account_type: Option<BankAccountType>,
    /// Id of the card.
    pub payment_gateway_token_id: Option<i64>,
    pub amount_type: AutomatedAmountType,
    /// Fixed amount.
    pub amount: Option<Money>,
    /// Percentage of the principal.
    pub percentage: Option<Rate>,
    pub minimum_amount: Option<Money>,
    pub maximum_amount: Option<Money>,
    pub debit_or_credit: DebitOrCredit,
    pub billing_type: BillingType,
    pub billing_period: PaymentPeriod,
    pub start_date: Date,
    pub next_date: Option<Date>,
    pub expire_date: Option<Date>,
    /// Days by which only the next draw is postponed; reset to 0 afterwards.
    pub temp_grace_period: i32,
}

text_enum! {
    /// Source of an automated payment.
    pub enum AutomatedPaymentType {
        /// Bank account.
        Ach,
        /// Card.
        Card,
    }

    /// Status of an automated payment.
    pub enum AutomatedPaymentStatus {
        /// Payments are drawn.
        Active,
        /// Stopped; nothing is drawn.
        Disabled,
        /// Its expiry date has passed.
        Expired,
    }

    /// Kind of bank account.
    pub enum BankAccountType {
        /// Checking account.
        Checking,
        /// Savings account.
        Savings,
    }

    /// How the amount drawn is determined.
    pub enum AutomatedAmountType {
        /// A fixed amount.
        Fixed,
        /// A percentage of the principal.
        PercentOfPrincipal,
        /// The billed amount.
        Billing,
    }

    /// Direction of the payment.
    pub enum DebitOrCredit {
        /// To the lender.
        Debit,
        /// To the borrower.
        Credit,
    }

    /// When an automated payment is drawn.
    pub enum BillingType {
        /// With each billing of the loan.
        Billing,
        /// Once.
        OneTime,
        /// Once per billing period.
        Recurring,
    }
}

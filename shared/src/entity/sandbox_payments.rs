//! The books of the built-in gateway: what a real one would know of each payment.

use crate::amounts::Money;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A row of `sandbox_payments`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sandbox_payments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub reference: String,
    /// What the card does when it is charged.
    pub outcome: SandboxOutcome,
    pub amount: Money,
    pub state: SandboxState,
    /// How often the card was charged: 0 or 1.
    pub charge_count: i32,
    /// How often the money was given back: 0 or 1.
    pub refund_count: i32,
    pub created_date: Timestamp,
    pub charged_date: Option<Timestamp>,
}

no_relations!();

/// What a test card does when it is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
pub enum SandboxOutcome {
    /// It pays.
    Charged,
    /// It is declined.
    CardDeclined,
    /// It is declined for want of money.
    InsufficientFunds,
    /// It pays, and the answer is lost.
    LostCharged,
    /// It does not pay, and the answer is lost.
    LostFailed,
}

/// What became of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
pub enum SandboxState {
    /// It can be charged.
    Prepared,
    /// The money was taken.
    Charged,
    /// The card was declined.
    Declined,
    /// It can no longer be charged.
    Cancelled,
    /// The money was given back.
    Refunded,
}

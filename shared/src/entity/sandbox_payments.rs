//! Payments of the built-in gateway, with what a real gateway would record.

use crate::amounts::Money;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

#[shared_macros::table("sandbox_payments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub reference: String,
    /// Outcome of charging the card.
    pub outcome: SandboxOutcome,
    pub amount: Money,
    pub state: SandboxState,
    /// Number of charges: 0 or 1.
    pub charge_count: i32,
    /// Number of refunds: 0 or 1.
    pub refund_count: i32,
    pub created_date: Timestamp,
    pub charged_date: Option<Timestamp>,
}

/// Outcome of charging a test card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
pub enum SandboxOutcome {
    /// Charged.
    Charged,
    /// Declined.
    CardDeclined,
    /// Declined for insufficient funds.
    InsufficientFunds,
    /// Charged, but the response is lost.
    LostCharged,
    /// Not charged, and the response is lost.
    LostFailed,
}

/// State of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
pub enum SandboxState {
    /// Prepared: can be charged.
    Prepared,
    /// Charged.
    Charged,
    /// Declined.
    Declined,
    /// Cancelled: can no longer be charged.
    Cancelled,
    /// Refunded.
    Refunded,
}

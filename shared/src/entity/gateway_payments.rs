//! Payments by card, on their way from intent to posting.
//!
//! ```text
//! created ──► charged ──► posted
//!    │  │      ▲   └────► voided
//!    │  └► unknown ─┐
//!    └──────────────┴───► failed
//! ```

use super::payment_gateway_tokens::Gateway;
use crate::amounts::Money;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A row of `gateway_payments`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "gateway_payments")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub card_payment_id: i64,
    pub loan_id: i64,
    pub payment_gateway_token_id: i64,
    pub state: CardPaymentState,
    /// What is posted on the loan.
    pub amount: Money,
    pub convenience_fee: Money,
    /// What the card is charged: amount and fee.
    pub total_charged: Money,
    pub waive_reason: Option<String>,
    /// The gateway's own name of the payment. Nothing is charged before it is known.
    pub gateway_reference: Option<String>,
    /// Why it failed. While it is charged: why it could not be posted, and is to be given back.
    pub failure_code: Option<String>,
    pub failure_message: Option<String>,
    /// The entry on the loan.
    pub transaction_reference_no: Option<i64>,
    pub created_date: Timestamp,
    pub charged_date: Option<Timestamp>,
    pub posted_date: Option<Timestamp>,
    /// When it was posted, voided or failed.
    pub ended_date: Option<Timestamp>,
    pub entered_by_user_id: i64,
    /// What else was asked for: [`CardPaymentRequest`].
    pub request: Json,
    /// Of the request that began it, for the field history.
    pub request_id: String,
    /// Names caller, path and `Idempotency-Key` of the request, for a day after it is over.
    pub scope_hash: Option<String>,
    /// SHA-256 of the request's query and body.
    pub fingerprint: Option<String>,
}

no_relations!();

text_enum! {
    /// How far a payment by card has come.
    pub enum CardPaymentState {
        /// It is stored, and nothing is charged.
        Created,
        /// The gateway took the money.
        Charged,
        /// The payment is on the loan.
        Posted,
        /// A rule refused the posting afterwards; the charge was given back.
        Voided,
        /// Declined, or never charged.
        Failed,
        /// The gateway did not answer the charge.
        Unknown,
    }
}

/// What a payment by card says beside its amounts: a stored form of its own, whose fields keep their
/// names. Version 1 had no version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardPaymentRequest {
    /// The version of the form.
    #[serde(default = "unversioned")]
    pub version: u32,
    /// Where the card is kept.
    pub gateway: Gateway,
    /// The loan is to be paid off.
    pub payoff: bool,
    pub excess_handling: Option<super::loans::ExcessHandling>,
    pub user_reference: Option<String>,
    pub external_id: Option<String>,
    pub user_fields: [Option<String>; 5],
}

const fn unversioned() -> u32 {
    1
}

impl CardPaymentRequest {
    /// The version that is written.
    pub const VERSION: u32 = 2;

    /// Reads a stored one, of this release or of an earlier one.
    pub fn read(stored: &Json) -> Result<Self, String> {
        let request = Self::deserialize(stored).map_err(|error| error.to_string())?;
        match request.version {
            1..=Self::VERSION => Ok(request),
            version => Err(format!("a card payment of version {version}, of a later release")),
        }
    }
}

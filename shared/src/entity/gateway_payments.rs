//! Card payments, from intent to posting.
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

#[shared_macros::table("gateway_payments", object = "CardPaymentRecord")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub card_payment_id: i64,
    pub loan_id: i64,
    pub payment_gateway_token_id: i64,
    pub state: CardPaymentState,
    /// Amount posted on the loan.
    pub amount: Money,
    /// Convenience fee, in addition to the amount.
    pub convenience_fee: Money,
    /// Total charged to the card: amount plus fee.
    pub total_charged: Money,
    pub waive_reason: Option<String>,
    // Nothing is charged before it is known.
    /// The gateway's own id of the payment.
    pub gateway_reference: Option<String>,
    // Reason for the failure. In the state `charged`: reason why the payment could not be posted
    // and is to be refunded.
    pub failure_code: Option<String>,
    pub failure_message: Option<String>,
    /// Reference number of the entry on the loan.
    pub transaction_reference_no: Option<i64>,
    pub created_date: Timestamp,
    pub charged_date: Option<Timestamp>,
    pub posted_date: Option<Timestamp>,
    /// Time at which it was posted, voided or failed.
    #[oai(skip)]
    pub ended_date: Option<Timestamp>,
    pub entered_by_user_id: i64,
    /// The rest of the request: [`CardPaymentRequest`].
    #[oai(skip)]
    pub request: Json,
    /// Id of the request that began the payment, for the field history.
    #[oai(skip)]
    pub request_id: String,
    /// Key of the request's row in `idempotency_records`, kept for a day after the payment has ended.
    #[oai(skip)]
    pub key_hash: Option<String>,
    /// Fingerprint of the request, as in `idempotency_records`.
    #[oai(skip)]
    pub fingerprint: Option<String>,
}

text_enum! {
    /// Progress of a card payment.
    pub enum CardPaymentState {
        /// Stored; nothing has been charged.
        Created,
        /// Charged by the gateway.
        Charged,
        /// Posted on the loan.
        Posted,
        /// Charged, then refused by a rule of the loan and refunded.
        Voided,
        /// Declined, or never charged.
        Failed,
        /// The gateway did not respond to the charge.
        Unknown,
    }
}

/// The rest of a card payment request, besides its amounts. A stored form whose fields keep their
/// names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardPaymentRequest {
    /// Version of the stored form.
    pub version: u32,
    /// Gateway that keeps the card.
    pub gateway: Gateway,
    /// True if the loan is to be paid off.
    pub payoff: bool,
    pub excess_handling: Option<super::loans::ExcessHandling>,
    pub user_reference: Option<String>,
    pub external_id: Option<String>,
    pub user_fields: [Option<String>; 5],
}

impl CardPaymentRequest {
    /// Version that is written.
    pub const VERSION: u32 = 1;

    /// Reads a stored request.
    pub fn read(stored: &Json) -> Result<Self, String> {
        let request = Self::deserialize(stored).map_err(|error| error.to_string())?;
        match request.version {
            Self::VERSION => Ok(request),
            version => Err(format!("a card payment of version {version}, of a later release")),
        }
    }
}

//! Cards: saving them, charging them, and the payment gateway that does both. This file has the
//! interface to gateways, and the choice of one.
//!
//! An adapter converts but never decides: it translates calls into its gateway's API, and responses
//! into the types of this file. [`payment`], [`saved_cards`] and [`checkout_sessions`] decide what
//! follows from a response. The gateway is never called while a row is locked.
//!
//! | Module | Contents |
//! |---|---|
//! | `saved_cards` | adding and forgetting cards |
//! | `rules`, `convenience_fee` | which card may be charged on which loan, and the convenience fee |
//! | `payment` | card payments from intent to posting or refund, whatever fails on the way |
//! | `refusals` | why a card command was refused |
//! | `recovery` | recovery of work that got stuck |
//! | `checkout_sessions` | the gateway's pages on which a card is added |
//! | `sandbox`, `stripe` | the adapters |

pub mod checkout_sessions;
pub mod convenience_fee;
pub mod payment;
pub mod recovery;
pub mod refusals;
pub mod rules;
pub mod sandbox;
pub mod saved_cards;
pub mod sealed_tokens;
pub mod stripe;

use self::sandbox::Sandbox;
use self::stripe::Stripe;
use crate::cards::refusals::CardError;
use crate::command::execute::Executor;
use crate::loans::lookups::LoanLookups;
use sea_orm::DatabaseConnection;
use shared::amounts::Money;
use shared::entity::payment_gateway_tokens::{BrandType, Gateway};
use shared::envelope_encryption::MasterKeys;
use shared::secrets::Secret;
use shared::time::Timestamp;
use std::sync::Arc;
use std::time::Duration;

/// Choice of gateway, and how it is reached.
#[derive(Clone, Debug)]
pub enum GatewayChoice {
    /// The built-in gateway, for trials.
    Sandbox,
    Stripe(stripe::Account),
}

/// The settings of the payment gateway.
#[derive(Clone, Debug)]
pub struct GatewaySettings {
    /// The gateway in use.
    pub choice: GatewayChoice,
    /// Keys that seal the gateway's tokens of cards.
    pub master_keys: MasterKeys,
    /// URL at which browsers reach this server.
    pub public_url: String,
    pub recovery_interval: Duration,
}

/// Everything needed to charge cards.
pub struct CardProcessor {
    pub db: DatabaseConnection,
    pub gateway: PaymentGateway,
    /// Looks loans up.
    pub loans: Arc<LoanLookups>,
    /// Executes commands that write rows.
    pub executor: Executor,
}

/// The gateway of this installation.
pub struct PaymentGateway {
    adapter: Adapter,
    settings: GatewaySettings,
}

enum Adapter {
    Sandbox(Sandbox),
    Stripe(Stripe),
}

/// A card, as its gateway describes it.
#[derive(Clone)]
pub struct CardDetails {
    /// The gateway's token for charging the card: never shown, and sealed when stored.
    pub token: String,
    pub brand: BrandType,
    /// The last four digits of its number.
    pub last_four: String,
    /// The month in which it expires, 1 to 12.
    pub expiry_month: i32,
    pub expiry_year: i32,
    /// The name on it, if the gateway asked for one.
    pub cardholder_name: Option<String>,
}

/// A payment to be prepared at the gateway.
#[derive(Clone, Copy)]
pub struct ChargeRequest<'a> {
    pub card_payment_id: i64,
    /// Amount that the card will be charged.
    pub total: Money,
    /// Token of the card, as in [`CardDetails::token`].
    pub token: &'a str,
    /// Id of the request that began it. It is part of the idempotency key at the gateway, because a
    /// restored database may assign the same card-payment id again.
    pub request_id: &'a str,
}

#[derive(Clone, Debug)]
pub struct PaymentRef {
    pub card_payment_id: i64,
    /// Amount that the card is charged.
    pub total: Money,
    pub reference: String,
}

/// Outcome of a payment at the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChargeOutcome {
    /// The card was charged, at this time if the gateway reports one.
    Charged(Option<Timestamp>),
    /// The card was declined, and will not be charged.
    Declined(GatewayRefusal),
    /// It is prepared, and has not been charged.
    NotCharged,
    /// It was not charged, and can no longer be charged.
    Cancelled,
    /// It was charged and refunded.
    Refunded,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayRefusal {
    /// The gateway's own code, such as `insufficient_funds`.
    pub code: String,
    pub message: String,
}

/// Why a call to the gateway failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GatewayError {
    /// The gateway refused: nothing was done.
    Refused(GatewayRefusal),
    /// The gateway was not reached, or cannot be called: nothing was done.
    Unavailable,
    /// There was no readable response: it may or may not have been done.
    Unknown,
}

impl GatewayRefusal {
    fn new(code: &str, message: &str) -> Self {
        Self { code: code.to_owned(), message: message.to_owned() }
    }
}

impl GatewayError {
    fn refused(code: &str, message: &str) -> Self {
        Self::Refused(GatewayRefusal::new(code, message))
    }
}

impl PaymentGateway {
    /// Returns the gateway of these settings. The built-in one keeps its records in the core
    /// database.
    pub fn new(settings: GatewaySettings, db: &DatabaseConnection) -> Result<Self, String> {
        let adapter = match &settings.choice {
            GatewayChoice::Sandbox => Adapter::Sandbox(Sandbox::new(db.clone())),
            GatewayChoice::Stripe(account) => Adapter::Stripe(Stripe::new(account)?),
        };
        Ok(Self { adapter, settings })
    }

    /// Returns which gateway it is. Cards kept by another gateway cannot be charged.
    pub fn kind(&self) -> Gateway {
        match &self.adapter {
            Adapter::Sandbox(_) => Gateway::Sandbox,
            Adapter::Stripe(_) => Gateway::Stripe,
        }
    }

    /// Returns Stripe, if it is the gateway.
    pub fn stripe(&self) -> Option<&Stripe> {
        match &self.adapter {
            Adapter::Stripe(stripe) => Some(stripe),
            Adapter::Sandbox(_) => None,
        }
    }

    /// Returns the URL at which browsers reach this server.
    pub fn origin(&self) -> &str {
        &self.settings.public_url
    }

    /// Returns the interval of the recovery. Work counts as stuck after twice as long.
    pub fn recovery_interval(&self) -> Duration {
        self.settings.recovery_interval
    }

    /// True if a token stands for a single card, rather than for any number of test cards.
    pub fn tokens_are_unique(&self) -> bool {
        match &self.adapter {
            Adapter::Sandbox(_) => false,
            Adapter::Stripe(_) => true,
        }
    }

    /// Looks up the card of a token that a client got from the gateway, and prepares it to be
    /// charged for this contact. `Refused`: there is no such token, or the gateway does not accept
    /// the card.
    pub async fn describe(
        &self,
        token: &str,
        contact_id: i64,
    ) -> Result<CardDetails, GatewayError> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.describe(token),
            Adapter::Stripe(stripe) => stripe.describe(token, contact_id).await,
        }
    }

    /// Removes a card from the gateway. Idempotent.
    pub async fn forget(&self, token: &str) -> Result<(), GatewayError> {
        match &self.adapter {
            Adapter::Sandbox(_) => Ok(()),
            Adapter::Stripe(stripe) => stripe.forget(token).await,
        }
    }

    /// Prepares a payment. Returns the gateway's reference. Nothing is charged.
    pub async fn prepare(&self, request: ChargeRequest<'_>) -> Result<String, GatewayError> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.prepare(request).await,
            Adapter::Stripe(stripe) => stripe.prepare(request).await,
        }
    }

    /// Charges a prepared payment: once, however often it is called.
    pub async fn charge(&self, payment: &PaymentRef) -> Result<ChargeOutcome, GatewayError> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.charge(&payment.reference).await,
            Adapter::Stripe(stripe) => stripe.charge(payment).await,
        }
    }

    /// Looks up the outcome of a payment.
    pub async fn retrieve(&self, payment: &PaymentRef) -> Result<ChargeOutcome, GatewayError> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.retrieve(&payment.reference).await,
            Adapter::Stripe(stripe) => stripe.retrieve(payment).await,
        }
    }

    /// Cancels a payment, so that it can no longer be charged. Returns its outcome: it may have
    /// been charged before.
    pub async fn cancel(&self, payment: &PaymentRef) -> Result<ChargeOutcome, GatewayError> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.cancel(&payment.reference).await,
            Adapter::Stripe(stripe) => stripe.cancel(payment).await,
        }
    }

    /// Refunds a charge: once, however often it is called.
    pub async fn refund(&self, payment: &PaymentRef) -> Result<(), GatewayError> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.refund(&payment.reference).await,
            Adapter::Stripe(stripe) => stripe.refund(payment).await,
        }
    }

    /// Seals the gateway's token of a card, bound to this card.
    pub fn seal(&self, card_id: i64, token: &str) -> Result<Secret, CardError> {
        let sealed = self.settings.master_keys.seal(&label(card_id), token.as_bytes());
        sealed.map_err(CardError::defect)
    }

    /// Unseals the gateway's token of a card.
    pub fn unseal(&self, card_id: i64, sealed: &Secret) -> Result<String, CardError> {
        let plaintext = self.settings.master_keys.unseal(&label(card_id), sealed);
        let plaintext = plaintext.map_err(CardError::defect)?;
        String::from_utf8(plaintext).map_err(CardError::defect)
    }

    /// Reseals a token that was sealed under an older key; `None` if it was sealed under the first
    /// key.
    fn reseal(&self, card_id: i64, sealed: &Secret) -> Result<Option<Secret>, CardError> {
        match self.settings.master_keys.is_outdated(sealed) {
            false => Ok(None),
            true => self.seal(card_id, &self.unseal(card_id, sealed)?).map(Some),
        }
    }
}

/// Returns the label that binds a sealed token to its card: a token in the row of another card
/// cannot be unsealed.
pub fn label(card_id: i64) -> String {
    format!("card:{card_id}")
}

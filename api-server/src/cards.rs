//! The payment gateway: what is asked of one, and which one answers.
//!
//! An adapter converts, never decides: it puts a question into its gateway's words and the answer
//! into those of this file. What follows from an answer is decided by [`paying`], [`saved_cards`] and
//! [`sessions`]. Nothing is asked while a row is locked.
//!
//! | Module | What |
//! |---|---|
//! | `saved_cards` | adding cards and forgetting them |
//! | `rules` | which card may be charged on which loan, and the convenience fee |
//! | `paying` | a payment's way from intent to posting, whatever breaks on it |
//! | `refusals` | why something was not done with a card |
//! | `recovery` | looks after what got stuck on the way |
//! | `sessions` | pages of the gateway on which a card is added |
//! | `sandbox`, `stripe` | the adapters |

pub mod convenience_fee;
pub mod paying;
pub mod recovery;
pub mod refusals;
pub mod rules;
pub mod sandbox;
pub mod saved_cards;
pub mod sessions;
pub mod stripe;

use self::sandbox::Sandbox;
use self::stripe::Stripe;
use crate::cards::refusals::CardError;
use crate::command::effects::Writer;
use sea_orm::DatabaseConnection;
use shared::amounts::Money;
use shared::entity::payment_gateway_tokens::{BrandType, Gateway};
use shared::master_keys::MasterKeys;
use shared::secrecy::Secret;
use shared::time::Timestamp;
use std::time::Duration;

/// Which gateway, and how it is reached.
#[derive(Clone, Debug)]
pub enum Choice {
    /// The built-in one, for trying.
    Sandbox,
    /// Stripe.
    Stripe(stripe::Account),
}

/// The settings of the payment gateway.
#[derive(Clone, Debug)]
pub struct GatewaySettings {
    /// Which one.
    pub choice: Choice,
    /// What cards are at the gateway is sealed under these.
    pub master_keys: MasterKeys,
    /// The URL under which browsers reach this server.
    pub public_url: String,
    /// How often what got stuck is looked after.
    pub recovery_interval: Duration,
}

/// What cards are charged with.
pub struct CardProcessor {
    /// The core database.
    pub db: DatabaseConnection,
    /// The gateway.
    pub gateway: PaymentGateway,
    /// Carries out what writes rows.
    pub writer: Writer,
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
pub struct Described {
    /// What the gateway is to be told when the card is charged: never shown, sealed when stored.
    pub token: String,
    /// Its brand.
    pub brand: BrandType,
    /// The last four digits of its number.
    pub last_four: String,
    /// The month in which it expires, 1 to 12.
    pub expiry_month: i32,
    /// The year in which it expires.
    pub expiry_year: i32,
    /// The name on it, if the gateway asked for one.
    pub cardholder_name: Option<String>,
}

/// A payment to be prepared at the gateway.
#[derive(Clone, Copy)]
pub struct Intended<'a> {
    /// Its number here.
    pub card_payment_id: i64,
    /// What the card will be charged.
    pub total: Money,
    /// What [`Described::token`] was.
    pub token: &'a str,
    /// Of the request that began it: its number may come again in a database that was restored.
    pub request_id: &'a str,
}

/// A payment that was prepared.
#[derive(Clone, Debug)]
pub struct Referred {
    /// Its number here.
    pub card_payment_id: i64,
    /// What the card is charged.
    pub total: Money,
    /// The gateway's name of it.
    pub reference: String,
}

/// What became of a payment at the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The card was charged, at this time if the gateway says so.
    Charged(Option<Timestamp>),
    /// The card was declined, and will not be charged.
    Declined(Refusal),
    /// It is prepared, and was not charged so far.
    NotCharged,
    /// It was not charged and can no longer be.
    Cancelled,
    /// It was charged, and the money given back.
    GivenBack,
}

/// Why a gateway refused something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// In the gateway's own word, such as `insufficient_funds`.
    pub code: String,
    /// For people.
    pub message: String,
}

/// Why a gateway did not answer a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It was asked and refuses: nothing was done.
    Refused(Refusal),
    /// It was not reached, or cannot be asked: nothing was done.
    Unavailable,
    /// There was no answer that could be read: it may have done it or not.
    Unknown,
}

impl PaymentGateway {
    /// The gateway of these settings. The built-in one keeps its books in the core database.
    pub fn new(settings: GatewaySettings, db: &DatabaseConnection) -> Result<Self, String> {
        let adapter = match &settings.choice {
            Choice::Sandbox => Adapter::Sandbox(Sandbox::new(db.clone())),
            Choice::Stripe(account) => Adapter::Stripe(Stripe::new(account)?),
        };
        Ok(Self { adapter, settings })
    }

    /// Which one it is. Cards that another one keeps cannot be charged.
    pub fn kind(&self) -> Gateway {
        match &self.adapter {
            Adapter::Sandbox(_) => Gateway::Sandbox,
            Adapter::Stripe(_) => Gateway::Stripe,
        }
    }

    /// Stripe, if it is the gateway.
    pub fn stripe(&self) -> Option<&Stripe> {
        match &self.adapter {
            Adapter::Stripe(stripe) => Some(stripe),
            Adapter::Sandbox(_) => None,
        }
    }

    /// Where browsers reach this server.
    pub fn origin(&self) -> &str {
        &self.settings.public_url
    }

    /// How often what got stuck is looked after. It counts as stuck after twice as long.
    pub fn recovery_interval(&self) -> Duration {
        self.settings.recovery_interval
    }

    /// True where a token stands for one card alone, and not for any number of test cards.
    pub fn tokens_are_unique(&self) -> bool {
        match &self.adapter {
            Adapter::Sandbox(_) => false,
            Adapter::Stripe(_) => true,
        }
    }

    /// What stands behind a token that a client got from the gateway, made ready to be charged for
    /// this contact. `Refused`: no such token, or the gateway does not take the card.
    pub async fn describe(&self, token: &str, contact_id: i64) -> Result<Described, Trouble> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.describe(token),
            Adapter::Stripe(stripe) => stripe.describe(token, contact_id).await,
        }
    }

    /// Takes a card from the gateway. Done twice it does no harm.
    pub async fn forget(&self, token: &str) -> Result<(), Trouble> {
        match &self.adapter {
            Adapter::Sandbox(_) => Ok(()),
            Adapter::Stripe(stripe) => stripe.forget(token).await,
        }
    }

    /// Prepares a payment and gives the gateway's name of it. Nothing is charged.
    pub async fn prepare(&self, intended: Intended<'_>) -> Result<String, Trouble> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.prepare(intended).await,
            Adapter::Stripe(stripe) => stripe.prepare(intended).await,
        }
    }

    /// Charges what was prepared: once, however often it is asked.
    pub async fn charge(&self, referred: &Referred) -> Result<Outcome, Trouble> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.charge(&referred.reference).await,
            Adapter::Stripe(stripe) => stripe.charge(referred).await,
        }
    }

    /// What became of a payment.
    pub async fn look_up(&self, referred: &Referred) -> Result<Outcome, Trouble> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.look_up(&referred.reference).await,
            Adapter::Stripe(stripe) => stripe.look_up(referred).await,
        }
    }

    /// Sees to it that a payment can no longer be charged, and tells what became of it: it may have
    /// been charged before.
    pub async fn cancel(&self, referred: &Referred) -> Result<Outcome, Trouble> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.cancel(&referred.reference).await,
            Adapter::Stripe(stripe) => stripe.cancel(referred).await,
        }
    }

    /// Gives the money of a charge back: once, however often it is asked.
    pub async fn give_back(&self, referred: &Referred) -> Result<(), Trouble> {
        match &self.adapter {
            Adapter::Sandbox(sandbox) => sandbox.give_back(&referred.reference).await,
            Adapter::Stripe(stripe) => stripe.give_back(referred).await,
        }
    }

    /// Seals what a card is at the gateway, for this card alone.
    pub fn seal(&self, card_id: i64, token: &str) -> Result<Secret, CardError> {
        let sealed = self.settings.master_keys.seal(&label(card_id), token.as_bytes());
        sealed.map_err(CardError::defect)
    }

    /// Reads back what a card is at the gateway.
    pub fn unseal(&self, card_id: i64, sealed: &Secret) -> Result<String, CardError> {
        let clear = self.settings.master_keys.unseal(&label(card_id), sealed);
        let clear = clear.map_err(CardError::defect)?;
        String::from_utf8(clear).map_err(CardError::defect)
    }

    /// Seals a token anew that an older key sealed; `None` if the first key did.
    fn reseal(&self, card_id: i64, sealed: &Secret) -> Result<Option<Secret>, CardError> {
        match self.settings.master_keys.is_outdated(sealed) {
            false => Ok(None),
            true => self.seal(card_id, &self.unseal(card_id, sealed)?).map(Some),
        }
    }
}

/// What a sealed token is bound to: one that stands in another card's row is not read.
/// What a card's token is sealed with beside the key.
pub fn label(card_id: i64) -> String {
    format!("card:{card_id}")
}

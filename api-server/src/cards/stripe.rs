//! Stripe: its HTTP API, in its own words.
//!
//! A card is a payment method that is attached to a customer of ours; a payment is a payment intent
//! that is made without being confirmed, and confirmed off-session when the card is charged. Stripe
//! confirms an intent once; the idempotency keys are there for answers that got lost.

pub mod checkout;
mod http;
pub mod webhooks;

use self::http::Http;
use super::{Described, Intended, Outcome, Referred, Refusal, Trouble};
use crate::http::card_numbers;
use aws_lc_rs::digest::{SHA256, digest};
use chrono::DateTime;
use serde_json::Value;
use shared::amounts::Money;
use shared::entity::payment_gateway_tokens::BrandType;
use shared::time::Timestamp;
use std::path::PathBuf;

/// Currencies whose smallest unit is not a hundredth: amounts here have two decimals.
const NOT_HUNDREDTHS: [&str; 24] = [
    "bhd", "bif", "clp", "djf", "gnf", "iqd", "isk", "jod", "jpy", "kmf", "krw", "kwd", "lyd",
    "mga", "omr", "pyg", "rwf", "tnd", "ugx", "vnd", "vuv", "xaf", "xof", "xpf",
];

/// Characters of the name on a card.
const NAME_LENGTH_MAX: usize = 80;

/// Whose card it is, in the metadata of customers.
const CONTACT: &str = "Contact_ID";
/// Which payment it is, in the metadata of payment intents.
const PAYMENT: &str = "Card_Payment_ID";

/// How Stripe is reached, and as whom.
#[derive(Clone)]
pub struct Account {
    /// The base address of its API, without a slash at its end.
    pub url: String,
    /// The secret key.
    pub key: String,
    /// What webhooks are signed with, if any come.
    pub webhook_secret: Option<String>,
    /// PEM file with the authorities that may have signed its certificate; the system's where
    /// absent.
    pub authority: Option<PathBuf>,
    /// What amounts are in: three small letters.
    pub currency: String,
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stripe at {}", self.url)
    }
}

/// True for a currency of which a hundredth is the smallest unit.
pub fn is_taken(currency: &str) -> bool {
    let shaped = currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_lowercase());
    shaped && !NOT_HUNDREDTHS.contains(&currency)
}

/// The gateway.
pub struct Stripe {
    http: Http,
    currency: String,
    webhook_secret: Option<String>,
}

/// What a card is at Stripe.
struct Stored<'a> {
    payment_method: &'a str,
    customer: &'a str,
}

impl<'a> Stored<'a> {
    fn read(token: &'a str) -> Result<Self, Trouble> {
        let (payment_method, customer) = token.split_once(' ').ok_or(Trouble::Unavailable)?;
        Ok(Self { payment_method, customer })
    }
}

impl Stripe {
    pub(super) fn new(account: &Account) -> Result<Self, String> {
        Ok(Self {
            http: Http::new(account)?,
            currency: account.currency.clone(),
            webhook_secret: account.webhook_secret.clone(),
        })
    }

    /// What webhooks are signed with.
    pub fn webhook_secret(&self) -> Option<&str> {
        self.webhook_secret.as_deref()
    }

    pub(super) async fn describe(
        &self,
        token: &str,
        contact_id: i64,
    ) -> Result<Described, Trouble> {
        let id = id_of(token, "pm_").ok_or_else(unknown_token)?;
        let query = [("expand[]", "customer")];
        let answer = self.http.get(&format!("/v1/payment_methods/{id}"), &query).await?;
        let found = match answer.status {
            200 => answer.body,
            404 => return Err(unknown_token()),
            _ => return Err(answer.trouble()),
        };
        if text(&found["type"]) != "card" {
            return Err(refused("payment_method_unsupported", "is no card"));
        }
        let contact = contact_id.to_string();
        let customer = match &found["customer"] {
            Value::Null => self.attach(text(&found["id"]), &contact).await?,
            customer if text(&customer["metadata"][CONTACT]) == contact => {
                text(&customer["id"]).to_owned()
            }
            _ => return Err(refused("payment_method_attached", "is another customer's")),
        };
        described(&found, &customer)
    }

    /// Attaches a payment method to a new customer for this contact.
    async fn attach(&self, payment_method: &str, contact: &str) -> Result<String, Trouble> {
        // The same key for the same card: where an answer got lost there is no second customer.
        let hash = hex::encode(digest(&SHA256, payment_method.as_bytes()));
        let owner = format!("metadata[{CONTACT}]");
        let form = [(owner.as_str(), contact)];
        let key = format!("core-customer-{contact}-{hash}");
        let answer = self.http.post("/v1/customers", &form, &key).await?.success()?;
        let customer = text(&answer["id"]).to_owned();
        let path = format!("/v1/payment_methods/{payment_method}/attach");
        let key = format!("core-attach-{customer}-{hash}");
        self.http.post(&path, &[("customer", &customer)], &key).await?.success()?;
        Ok(customer)
    }

    pub(super) async fn forget(&self, token: &str) -> Result<(), Trouble> {
        let payment_method = Stored::read(token)?.payment_method;
        let path = format!("/v1/payment_methods/{payment_method}/detach");
        let answer = self.http.post(&path, &[], "").await?;
        match answer.status {
            // Not there, or attached to nobody: as it should be.
            200 | 400 | 404 => Ok(()),
            _ => Err(answer.trouble()),
        }
    }

    pub(super) async fn prepare(&self, intended: Intended<'_>) -> Result<String, Trouble> {
        let stored = Stored::read(intended.token)?;
        let id = intended.card_payment_id.to_string();
        let form = [
            ("amount", &*cents(intended.total)?.to_string()),
            ("currency", &*self.currency),
            ("customer", stored.customer),
            ("payment_method", stored.payment_method),
            ("payment_method_types[0]", "card"),
            (&*format!("metadata[{PAYMENT}]"), &*id),
        ];
        let key = format!("core-{id}-prepare-{}", intended.request_id);
        let answer = self.http.post("/v1/payment_intents", &form, &key).await?.success()?;
        let reference = id_of(text(&answer["id"]), "pi_").ok_or(Trouble::Unavailable)?.to_owned();
        let card_payment_id = intended.card_payment_id;
        let referred = Referred { card_payment_id, total: intended.total, reference };
        match self.outcome(&referred, &answer) {
            Ok(Outcome::NotCharged) => Ok(referred.reference),
            _ => Err(Trouble::Unavailable),
        }
    }

    /// An answer that does not say that the card was charged says nothing: something in between may
    /// have given it. Then Stripe is asked what became of the payment.
    pub(super) async fn charge(&self, referred: &Referred) -> Result<Outcome, Trouble> {
        let path = format!("/v1/payment_intents/{}/confirm", referred.reference);
        let form = [("off_session", "true")];
        let key = format!("core-{}", referred.card_payment_id);
        let answer = self.http.post(&path, &form, &key).await?;
        if matches!(answer.status, 408 | 409 | 500..) {
            return Err(Trouble::Unknown);
        }
        if answer.status == 200 {
            return match text(&answer.body["status"]) {
                "requires_action" => self.refuse_to_ask_holder(referred).await,
                _ => self.outcome(referred, &answer.body),
            };
        }
        match self.look_up(referred).await {
            // The bank's own reason stands in the first answer alone.
            Ok(Outcome::Declined(_))
                if answer.status == 402 && answer.body["error"].is_object() =>
            {
                Ok(Outcome::Declined(answer.refusal()))
            }
            Ok(outcome) => Ok(outcome),
            Err(_) => Err(Trouble::Unknown),
        }
    }

    /// Ends a payment whose card asks its holder: nobody is there to prove that the card is his.
    /// Whoever was faster than this has charged it.
    async fn refuse_to_ask_holder(&self, referred: &Referred) -> Result<Outcome, Trouble> {
        match self.cancel(referred).await {
            Ok(Outcome::Cancelled) => {
                let message = "The card asks its holder to authenticate the payment.";
                Ok(Outcome::Declined(Refusal {
                    code: "authentication_required".to_owned(),
                    message: message.to_owned(),
                }))
            }
            Ok(outcome) => Ok(outcome),
            Err(_) => Err(Trouble::Unknown),
        }
    }

    pub(super) async fn look_up(&self, referred: &Referred) -> Result<Outcome, Trouble> {
        let path = format!("/v1/payment_intents/{}", referred.reference);
        let query = [("expand[]", "latest_charge")];
        self.outcome(referred, &self.http.get(&path, &query).await?.success()?)
    }

    /// Without a key: cancelling twice does no harm, and under a key Stripe would repeat an answer
    /// of 500 for a day.
    pub(super) async fn cancel(&self, referred: &Referred) -> Result<Outcome, Trouble> {
        let path = format!("/v1/payment_intents/{}/cancel", referred.reference);
        let answer = self.http.post(&path, &[], "").await?;
        match answer.status {
            200 => self.outcome(referred, &answer.body),
            // It was charged or cancelled before.
            400 => self.look_up(referred).await,
            _ => Err(answer.trouble()),
        }
    }

    /// Under a key, so that two who ask at once give back once. Stripe repeats an answer of 500
    /// under a key for a day: after one it is asked without, and gives no more back than was
    /// charged.
    pub(super) async fn give_back(&self, referred: &Referred) -> Result<(), Trouble> {
        if self.look_up(referred).await? == Outcome::GivenBack {
            return Ok(());
        }
        let form = [("payment_intent", referred.reference.as_str())];
        let key = format!("core-{}-refund", referred.card_payment_id);
        let mut answer = self.http.post("/v1/refunds", &form, &key).await?;
        if answer.status >= 500 {
            if self.look_up(referred).await? == Outcome::GivenBack {
                return Ok(());
            }
            answer = self.http.post("/v1/refunds", &form, "").await?;
        }
        if text(&answer.body["error"]["code"]) == "charge_already_refunded" {
            return Ok(());
        }
        match text(&answer.success()?["status"]) {
            // Cards take what is given back some days later.
            "succeeded" | "pending" => Ok(()),
            _ => Err(Trouble::Unknown),
        }
    }

    /// What a payment intent says of itself, if it is the one that was prepared.
    fn outcome(&self, referred: &Referred, intent: &Value) -> Result<Outcome, Trouble> {
        let number = referred.card_payment_id.to_string();
        let is_it = text(&intent["id"]) == referred.reference
            && intent["amount"].as_i64() == Some(cents(referred.total)?)
            && text(&intent["currency"]) == self.currency
            && text(&intent["metadata"][PAYMENT]) == number;
        if !is_it {
            tracing::error!(id = number, "stripe tells of another payment than was prepared");
            return Err(Trouble::Unknown);
        }
        outcome(intent)
    }
}

/// What a payment intent says of itself.
fn outcome(intent: &Value) -> Result<Outcome, Trouble> {
    let charge = &intent["latest_charge"];
    let error = &intent["last_payment_error"];
    Ok(match text(&intent["status"]) {
        "succeeded" if charge["refunded"] == true => Outcome::GivenBack,
        "succeeded" if charge["amount_refunded"].as_i64().is_some_and(|cents| cents > 0) => {
            tracing::error!("a part of a charge was given back at stripe before it was posted");
            return Err(Trouble::Unknown);
        }
        "succeeded" => {
            let created = charge["created"].as_i64();
            let created = created.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
            Outcome::Charged(created.map(Timestamp))
        }
        "requires_payment_method" if error.is_object() => Outcome::Declined(http::refusal(error)),
        "requires_payment_method" | "requires_confirmation" | "requires_action" => {
            Outcome::NotCharged
        }
        "canceled" => Outcome::Cancelled,
        // Processing, or what nobody knows yet: it is asked again.
        _ => return Err(Trouble::Unknown),
    })
}

fn described(payment_method: &Value, customer: &str) -> Result<Described, Trouble> {
    let card = &payment_method["card"];
    let number = |value: &Value| value.as_i64().and_then(|number| i32::try_from(number).ok());
    let (id, last_four) = (text(&payment_method["id"]), text(&card["last4"]));
    let (Some(expiry_month @ 1..=12), Some(expiry_year)) =
        (number(&card["exp_month"]), number(&card["exp_year"]))
    else {
        return Err(Trouble::Unavailable);
    };
    if last_four.len() != 4 || !last_four.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Trouble::Unavailable);
    }
    Ok(Described {
        token: format!("{id} {customer}"),
        brand: match text(&card["brand"]) {
            "visa" => BrandType::Visa,
            "mastercard" => BrandType::Mastercard,
            "amex" => BrandType::Amex,
            "discover" => BrandType::Discover,
            _ => BrandType::Other,
        },
        last_four: last_four.to_owned(),
        expiry_month,
        expiry_year,
        cardholder_name: cardholder_name(text(&payment_method["billing_details"]["name"])),
    })
}

/// The name on a card, if it is one that can be stored.
fn cardholder_name(name: &str) -> Option<String> {
    let sound = !name.trim().is_empty() && !name.contains('\0') && !card_numbers::found_in(name);
    sound.then(|| name.chars().take(NAME_LENGTH_MAX).collect())
}

/// An amount in the currency's smallest unit, as Stripe counts.
fn cents(amount: Money) -> Result<i64, Trouble> {
    match amount.units() {
        units if units % 100 == 0 => Ok(units / 100),
        _ => Err(refused("invalid_amount", "has more than two decimals")),
    }
}

/// The text, if it is an id of this kind: nothing else may get into a path.
fn id_of<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(prefix)?;
    let sound = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (sound && !rest.is_empty() && text.len() <= 100).then_some(text)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn unknown_token() -> Trouble {
    refused("resource_missing", "is no payment method of the gateway")
}

fn refused(code: &str, message: &str) -> Trouble {
    Trouble::Refused(Refusal { code: code.to_owned(), message: message.to_owned() })
}

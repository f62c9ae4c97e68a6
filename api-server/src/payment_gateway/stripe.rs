//! Stripe: its HTTP API, in its own words.
//!
//! A card is a payment method that is attached to a customer of ours; a payment is a payment intent
//! that is made without being confirmed, and confirmed off-session when the card is charged. Stripe
//! confirms an intent once; the idempotency keys are there for answers that got lost.

pub mod checkout;
mod http;
pub mod webhooks;

use self::http::Http;
use super::{Described, Intended, Outcome, Refusal, Trouble};
use crate::card_numbers;
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
        let form = [("metadata[Contact_ID]", contact)];
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
            ("metadata[Card_Payment_ID]", &*id),
        ];
        let key = format!("core-{id}-prepare-{}", intended.request_id);
        let answer = self.http.post("/v1/payment_intents", &form, &key).await?.success()?;
        let reference = id_of(text(&answer["id"]), "pi_");
        reference.map(str::to_owned).ok_or(Trouble::Unavailable)
    }

    pub(super) async fn charge(&self, id: i64, reference: &str) -> Result<Outcome, Trouble> {
        let path = format!("/v1/payment_intents/{reference}/confirm");
        let form = [("off_session", "true")];
        let answer = self.http.post(&path, &form, &format!("core-{id}")).await?;
        match answer.status {
            200 => match text(&answer.body["status"]) {
                "requires_action" => self.refuse_to_ask_holder(reference).await,
                _ => outcome(&answer.body),
            },
            402 => Ok(Outcome::Declined(answer.refusal())),
            // It was confirmed or cancelled before.
            400 | 404 => self.look_up(reference).await.map_err(|_| Trouble::Unknown),
            _ => Err(answer.trouble()),
        }
    }

    /// Ends a payment whose card asks its holder: nobody is there to prove that the card is his.
    /// Whoever was faster than this has charged it.
    async fn refuse_to_ask_holder(&self, reference: &str) -> Result<Outcome, Trouble> {
        match self.cancel(reference).await {
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

    pub(super) async fn look_up(&self, reference: &str) -> Result<Outcome, Trouble> {
        let path = format!("/v1/payment_intents/{reference}");
        let query = [("expand[]", "latest_charge")];
        outcome(&self.http.get(&path, &query).await?.success()?)
    }

    /// Without a key: cancelling twice does no harm, and under a key Stripe would repeat an answer
    /// of 500 for a day.
    pub(super) async fn cancel(&self, reference: &str) -> Result<Outcome, Trouble> {
        let path = format!("/v1/payment_intents/{reference}/cancel");
        let answer = self.http.post(&path, &[], "").await?;
        match answer.status {
            200 => Ok(Outcome::Cancelled),
            // It was charged or cancelled before.
            400 => self.look_up(reference).await,
            _ => Err(answer.trouble()),
        }
    }

    pub(super) async fn give_back(&self, id: i64, reference: &str) -> Result<(), Trouble> {
        if self.look_up(reference).await? == Outcome::GivenBack {
            return Ok(());
        }
        let form = [("payment_intent", reference)];
        let answer = self.http.post("/v1/refunds", &form, &format!("core-{id}-refund")).await?;
        match text(&answer.body["error"]["code"]) {
            "charge_already_refunded" => Ok(()),
            _ => answer.success().map(drop),
        }
    }
}

/// What a payment intent says of itself.
fn outcome(intent: &Value) -> Result<Outcome, Trouble> {
    let charge = &intent["latest_charge"];
    let error = &intent["last_payment_error"];
    Ok(match text(&intent["status"]) {
        "succeeded" if charge["refunded"] == true => Outcome::GivenBack,
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

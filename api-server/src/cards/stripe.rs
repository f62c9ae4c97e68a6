//! Stripe adapter: calls to Stripe's HTTP API.
//!
//! A card is a payment method attached to a customer of our account. A payment is a payment intent
//! that is created unconfirmed, and confirmed off-session when the card is charged. Stripe confirms
//! an intent once; the idempotency keys are for responses that got lost.

pub mod checkout;
mod http;
pub mod webhooks;

use self::http::Http;
use super::{CardDetails, ChargeOutcome, ChargeRequest, GatewayError, GatewayRefusal, PaymentRef};
use crate::http::pan_scan;
use aws_lc_rs::digest::{SHA256, digest};
use chrono::DateTime;
use serde_json::Value;
use shared::amounts::Money;
use shared::entity::payment_gateway_tokens::BrandType;
use shared::time::Timestamp;
use std::path::PathBuf;

/// Currencies that are not accepted, because their smallest unit is not a hundredth: amounts here
/// have two decimals.
const UNSUPPORTED_CURRENCIES: [&str; 24] = [
    "bhd", "bif", "clp", "djf", "gnf", "iqd", "isk", "jod", "jpy", "kmf", "krw", "kwd", "lyd",
    "mga", "omr", "pyg", "rwf", "tnd", "ugx", "vnd", "vuv", "xaf", "xof", "xpf",
];

/// Maximum length of the name on a card, in characters.
const NAME_LENGTH_MAX: usize = 80;

/// Metadata of customers: the contact who owns the card.
const CONTACT: &str = "Contact_ID";
/// Metadata of payment intents: the card payment.
const PAYMENT: &str = "Card_Payment_ID";

/// A Stripe account, and how Stripe is reached.
#[derive(Clone)]
pub struct Account {
    /// Base URL of the API, without a trailing slash.
    pub url: String,
    /// Secret key of the account.
    pub key: String,
    /// Secret that signs webhooks, if they are used.
    pub webhook_secret: Option<String>,
    /// PEM file with the certificate authorities to trust; if absent, the system's are trusted.
    pub authority: Option<PathBuf>,
    /// Currency of all amounts: three lower-case letters.
    pub currency: String,
}

impl std::fmt::Debug for Account {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stripe at {}", self.url)
    }
}

/// True for a currency with a hundredth as its smallest unit.
pub fn is_supported(currency: &str) -> bool {
    let is_well_formed =
        currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_lowercase());
    is_well_formed && !UNSUPPORTED_CURRENCIES.contains(&currency)
}

pub struct Stripe {
    http: Http,
    currency: String,
    webhook_secret: Option<String>,
}

/// Returns the payment method and the customer that the token of a card stands for.
fn card_of(token: &str) -> Result<(&str, &str), GatewayError> {
    token.split_once(' ').ok_or(GatewayError::Unavailable)
}

impl Stripe {
    pub(super) fn new(account: &Account) -> Result<Self, String> {
        Ok(Self {
            http: Http::new(account)?,
            currency: account.currency.clone(),
            webhook_secret: account.webhook_secret.clone(),
        })
    }

    /// Returns the secret that signs webhooks, if they are used.
    pub fn webhook_secret(&self) -> Option<&str> {
        self.webhook_secret.as_deref()
    }

    pub(super) async fn describe(
        &self,
        token: &str,
        contact_id: i64,
    ) -> Result<CardDetails, GatewayError> {
        let id = id_of(token, "pm_").ok_or_else(unknown_token)?;
        let query = [("expand[]", "customer")];
        let response = self.http.get(&format!("/v1/payment_methods/{id}"), &query).await?;
        let found = match response.status {
            200 => response.body,
            404 => return Err(unknown_token()),
            _ => return Err(response.error()),
        };
        if text(&found["type"]) != "card" {
            return Err(GatewayError::refused("payment_method_unsupported", "is not a card"));
        }
        let contact = contact_id.to_string();
        let customer = match &found["customer"] {
            Value::Null => self.attach(text(&found["id"]), &contact).await?,
            customer if text(&customer["metadata"][CONTACT]) == contact => {
                text(&customer["id"]).to_owned()
            }
            _ => {
                return Err(GatewayError::refused(
                    "payment_method_attached",
                    "belongs to another customer",
                ));
            }
        };
        card_details(&found, &customer)
    }

    /// Attaches a payment method to a new customer for this contact.
    async fn attach(&self, payment_method: &str, contact: &str) -> Result<String, GatewayError> {
        // The same key for the same card: if a response got lost, no second customer is created.
        let hash = hex::encode(digest(&SHA256, payment_method.as_bytes()));
        let owner = format!("metadata[{CONTACT}]");
        let form = [(owner.as_str(), contact)];
        let key = format!("core-customer-{contact}-{hash}");
        let response = self.http.post("/v1/customers", &form, &key).await?.success()?;
        let customer = text(&response["id"]).to_owned();
        let path = format!("/v1/payment_methods/{payment_method}/attach");
        let key = format!("core-attach-{customer}-{hash}");
        self.http.post(&path, &[("customer", &customer)], &key).await?.success()?;
        Ok(customer)
    }

    pub(super) async fn forget(&self, token: &str) -> Result<(), GatewayError> {
        let (payment_method, _) = card_of(token)?;
        let path = format!("/v1/payment_methods/{payment_method}/detach");
        let response = self.http.post(&path, &[], "").await?;
        match response.status {
            // Missing, or attached to no customer: as it should be.
            200 | 400 | 404 => Ok(()),
            _ => Err(response.error()),
        }
    }

    pub(super) async fn prepare(&self, request: ChargeRequest<'_>) -> Result<String, GatewayError> {
        let (payment_method, customer) = card_of(request.token)?;
        let id = request.card_payment_id.to_string();
        let form = [
            ("amount", &*cents(request.total)?.to_string()),
            ("currency", &*self.currency),
            ("customer", customer),
            ("payment_method", payment_method),
            ("payment_method_types[0]", "card"),
            (&*format!("metadata[{PAYMENT}]"), &*id),
        ];
        let key = format!("core-{id}-prepare-{}", request.request_id);
        let response = self.http.post("/v1/payment_intents", &form, &key).await?.success()?;
        let reference =
            id_of(text(&response["id"]), "pi_").ok_or(GatewayError::Unavailable)?.to_owned();
        let card_payment_id = request.card_payment_id;
        let payment = PaymentRef { card_payment_id, total: request.total, reference };
        match self.outcome(&payment, &response) {
            Ok(ChargeOutcome::NotCharged) => Ok(payment.reference),
            _ => Err(GatewayError::Unavailable),
        }
    }

    /// A response that does not say that the card was charged proves nothing, because an
    /// intermediary may have sent it. Stripe is then asked for the outcome of the payment.
    pub(super) async fn charge(&self, payment: &PaymentRef) -> Result<ChargeOutcome, GatewayError> {
        let path = format!("/v1/payment_intents/{}/confirm", payment.reference);
        let form = [("off_session", "true")];
        let key = format!("core-{}", payment.card_payment_id);
        let response = self.http.post(&path, &form, &key).await?;
        if matches!(response.status, 408 | 409 | 500..) {
            return Err(GatewayError::Unknown);
        }
        if response.status == 200 {
            return match text(&response.body["status"]) {
                "requires_action" => self.decline_authentication(payment).await,
                _ => self.outcome(payment, &response.body),
            };
        }
        match self.retrieve(payment).await {
            // Only the first response contains the bank's own reason.
            Ok(ChargeOutcome::Declined(_))
                if response.status == 402 && response.body["error"].is_object() =>
            {
                Ok(ChargeOutcome::Declined(response.refusal()))
            }
            Ok(outcome) => Ok(outcome),
            Err(_) => Err(GatewayError::Unknown),
        }
    }

    /// Cancels a payment that requires the cardholder to authenticate: no cardholder is present. If
    /// another request was faster, the card was charged.
    async fn decline_authentication(
        &self,
        payment: &PaymentRef,
    ) -> Result<ChargeOutcome, GatewayError> {
        match self.cancel(payment).await {
            Ok(ChargeOutcome::Cancelled) => {
                let message = "The card requires its holder to authenticate the payment.";
                let refusal = GatewayRefusal::new("authentication_required", message);
                Ok(ChargeOutcome::Declined(refusal))
            }
            Ok(outcome) => Ok(outcome),
            Err(_) => Err(GatewayError::Unknown),
        }
    }

    pub(super) async fn retrieve(
        &self,
        payment: &PaymentRef,
    ) -> Result<ChargeOutcome, GatewayError> {
        let path = format!("/v1/payment_intents/{}", payment.reference);
        let query = [("expand[]", "latest_charge")];
        self.outcome(payment, &self.http.get(&path, &query).await?.success()?)
    }

    /// Sent without a key: cancelling twice does no harm, and under a key Stripe would repeat a 500
    /// response for a day.
    pub(super) async fn cancel(&self, payment: &PaymentRef) -> Result<ChargeOutcome, GatewayError> {
        let path = format!("/v1/payment_intents/{}/cancel", payment.reference);
        let response = self.http.post(&path, &[], "").await?;
        match response.status {
            200 => self.outcome(payment, &response.body),
            // It was charged or cancelled before.
            400 => self.retrieve(payment).await,
            _ => Err(response.error()),
        }
    }

    /// Sent under a key, so that two concurrent calls refund once. Stripe repeats a 500 response
    /// under a key for a day, so after a 500 the refund is sent without a key: Stripe never refunds
    /// more than was charged.
    pub(super) async fn refund(&self, payment: &PaymentRef) -> Result<(), GatewayError> {
        if self.retrieve(payment).await? == ChargeOutcome::Refunded {
            return Ok(());
        }
        let form = [("payment_intent", payment.reference.as_str())];
        let key = format!("core-{}-refund", payment.card_payment_id);
        let mut response = self.http.post("/v1/refunds", &form, &key).await?;
        if response.status >= 500 {
            if self.retrieve(payment).await? == ChargeOutcome::Refunded {
                return Ok(());
            }
            response = self.http.post("/v1/refunds", &form, "").await?;
        }
        if text(&response.body["error"]["code"]) == "charge_already_refunded" {
            return Ok(());
        }
        match text(&response.success()?["status"]) {
            // A refund reaches the card some days later.
            "succeeded" | "pending" => Ok(()),
            _ => Err(GatewayError::Unknown),
        }
    }

    /// Returns the outcome that a payment intent reports, if it is the one that was prepared.
    fn outcome(&self, payment: &PaymentRef, intent: &Value) -> Result<ChargeOutcome, GatewayError> {
        let number = payment.card_payment_id.to_string();
        let is_same = text(&intent["id"]) == payment.reference
            && intent["amount"].as_i64() == Some(cents(payment.total)?)
            && text(&intent["currency"]) == self.currency
            && text(&intent["metadata"][PAYMENT]) == number;
        if !is_same {
            tracing::error!(
                id = number,
                "stripe returned a payment other than the one that was prepared"
            );
            return Err(GatewayError::Unknown);
        }
        outcome(intent)
    }
}

/// Returns the outcome that a payment intent reports.
fn outcome(intent: &Value) -> Result<ChargeOutcome, GatewayError> {
    let charge = &intent["latest_charge"];
    let error = &intent["last_payment_error"];
    Ok(match text(&intent["status"]) {
        "succeeded" if charge["refunded"] == true => ChargeOutcome::Refunded,
        "succeeded" if charge["amount_refunded"].as_i64().is_some_and(|cents| cents > 0) => {
            tracing::error!("a charge was partly refunded at stripe before it was posted");
            return Err(GatewayError::Unknown);
        }
        "succeeded" => {
            let created = charge["created"].as_i64();
            let created = created.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
            ChargeOutcome::Charged(created.map(Timestamp))
        }
        "requires_payment_method" if error.is_object() => {
            ChargeOutcome::Declined(http::refusal(error))
        }
        "requires_payment_method" | "requires_confirmation" | "requires_action" => {
            ChargeOutcome::NotCharged
        }
        "canceled" => ChargeOutcome::Cancelled,
        // Processing, or a status that is not known here: it is looked up again.
        _ => return Err(GatewayError::Unknown),
    })
}

fn card_details(payment_method: &Value, customer: &str) -> Result<CardDetails, GatewayError> {
    let card = &payment_method["card"];
    let number = |value: &Value| value.as_i64().and_then(|number| i32::try_from(number).ok());
    let (id, last_four) = (text(&payment_method["id"]), text(&card["last4"]));
    let (Some(expiry_month @ 1..=12), Some(expiry_year)) =
        (number(&card["exp_month"]), number(&card["exp_year"]))
    else {
        return Err(GatewayError::Unavailable);
    };
    if last_four.len() != 4 || !last_four.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(GatewayError::Unavailable);
    }
    Ok(CardDetails {
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

/// Returns the name on a card, if it can be stored.
fn cardholder_name(name: &str) -> Option<String> {
    let is_storable = !name.trim().is_empty() && !name.contains('\0') && !pan_scan::found_in(name);
    is_storable.then(|| name.chars().take(NAME_LENGTH_MAX).collect())
}

/// Returns an amount in the currency's smallest unit, as Stripe counts.
fn cents(amount: Money) -> Result<i64, GatewayError> {
    match amount.units() {
        units if units % 100 == 0 => Ok(units / 100),
        _ => Err(GatewayError::refused("invalid_amount", "has more than two decimals")),
    }
}

/// Returns the text, if it is an id of this kind: nothing else may get into a path.
fn id_of<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(prefix)?;
    let is_valid = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_valid && !rest.is_empty() && text.len() <= 100).then_some(text)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn unknown_token() -> GatewayError {
    GatewayError::refused("resource_missing", "is not a payment method of the gateway")
}

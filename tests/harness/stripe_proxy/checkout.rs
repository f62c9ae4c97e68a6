//! The provider's pages on which a borrower enters a card: Checkout sessions in the mode `setup`,
//! which Stripe has and localstripe lacks. The names are Stripe's; the cards are localstripe's.
//!
//! It is stricter than Stripe in one respect: a session needs an existing customer, because the
//! card must be found with that customer afterwards.

use super::{RecordedRequest, Reply};
use crate::localstripe::SECRET_KEY;
use chrono::Utc;
use reqwest::{Client, Method};
use serde_json::{Map, Value, json};
use std::sync::Mutex;

/// How long a session is open, unless its form says otherwise.
const OPEN_SECONDS: i64 = 24 * 60 * 60;
/// The shortest and the longest time allowed.
const OPEN_ALLOWED: std::ops::RangeInclusive<i64> = 30 * 60..=OPEN_SECONDS;
/// The form's parameters, up to any bracket.
const PARAMETERS: [&str; 13] = [
    "billing_address_collection",
    "cancel_url",
    "client_reference_id",
    "currency",
    "customer",
    "expand",
    "expires_at",
    "locale",
    "metadata",
    "mode",
    "payment_method_types",
    "setup_intent_data",
    "success_url",
];

/// A session, and the setup intent that it creates.
#[derive(Clone)]
struct CheckoutSession {
    shown: Value,
    intent: Value,
}

impl CheckoutSession {
    fn id(&self) -> &str {
        self.shown["id"].as_str().unwrap_or_default()
    }

    fn is_open(&self) -> bool {
        self.shown["status"] == "open"
    }

    /// Closes the session: no card can be entered any more.
    fn close(&mut self, status: &str) {
        self.shown["status"] = json!(status);
        self.shown["url"] = Value::Null;
    }
}

/// The sessions of one provider.
pub struct Checkout {
    provider: String,
    http: Client,
    sessions: Mutex<Vec<CheckoutSession>>,
}

impl Checkout {
    /// Creates the sessions for customers of the provider at this URL.
    pub fn new(provider: &str, http: &Client) -> Self {
        Self { provider: provider.to_owned(), http: http.clone(), sessions: Mutex::default() }
    }

    /// Answers a request about sessions; `None` if it is about something else.
    pub async fn handle(&self, request: &RecordedRequest) -> Option<Reply> {
        let segments = request.path.strip_prefix("/v1/checkout/sessions")?;
        let segments: Vec<&str> = segments.split('/').skip(1).collect();
        let key = request.header("authorization").unwrap_or_default();
        if !key.starts_with("Bearer sk_") && !key.starts_with("Basic ") {
            return Some(invalid(401, None, "You did not provide an API key."));
        }
        let reply = match (request.method.as_str(), segments.as_slice()) {
            ("POST", []) => self.create(request).await,
            ("GET", [id]) => self.show(id, &expanded(&request.parameters())).await,
            ("POST", [id, "expire"]) if self.is_open(id) => {
                self.expire(id);
                self.show(id, &expanded(&request.form())).await
            }
            ("POST", [_, "expire"]) => invalid(400, None, "Only open sessions can expire."),
            _ => invalid(404, None, "Unrecognized request URL."),
        };
        Some(reply)
    }

    async fn create(&self, request: &RecordedRequest) -> Reply {
        let form = request.form();
        for (name, _) in &form {
            let base = name.split('[').next().unwrap_or_default();
            if !PARAMETERS.contains(&base) {
                let message = format!("Received unknown parameter: {base}");
                return invalid(400, Some("parameter_unknown"), &message);
            }
        }
        let field = |name: &str| request.field(name).filter(|value| !value.is_empty());
        for name in ["mode", "customer", "success_url"] {
            if field(name).is_none() {
                let message = format!("Missing required param: {name}.");
                return invalid(400, Some("parameter_missing"), &message);
            }
        }
        let card = form
            .iter()
            .any(|(name, value)| name.starts_with("payment_method_types[") && value == "card");
        if field("mode").as_deref() != Some("setup") || !card {
            return invalid(400, None, "Only the mode setup is here, and only for cards.");
        }
        let customer = field("customer").unwrap_or_default();
        if self.find(&format!("/v1/customers/{customer}")).await.is_none() {
            let message = format!("No such customer: '{customer}'");
            return invalid(400, Some("resource_missing"), &message);
        }
        let now = Utc::now().timestamp();
        let expires = field("expires_at").map_or(Ok(now + OPEN_SECONDS), |time| time.parse());
        let Some(expires) = expires.ok().filter(|time| OPEN_ALLOWED.contains(&(time - now))) else {
            return invalid(400, None, "expires_at is from 30 minutes to 24 hours from now.");
        };
        let session = session(&form, &customer, (now, expires));
        let id = session.id().to_owned();
        self.sessions.lock().expect("not poisoned").push(session);
        self.show(&id, &expanded(&form)).await
    }

    /// Returns a session, with expanded objects where requested.
    async fn show(&self, id: &str, expand: &[String]) -> Reply {
        let Some(CheckoutSession { mut shown, mut intent }) = self.session(id) else {
            let message = format!("No such checkout.session: {id}");
            return invalid(404, Some("resource_missing"), &message);
        };
        let expands = |name: &str| expand.iter().any(|path| path == name);
        let card = intent["payment_method"].as_str().map(str::to_owned);
        let whole_card = expands("setup_intent.payment_method");
        if let Some(card) = card.filter(|_| whole_card) {
            let found = self.find(&format!("/v1/payment_methods/{card}")).await;
            intent["payment_method"] = found.unwrap_or_default();
        }
        if whole_card || expands("setup_intent") {
            shown["setup_intent"] = intent;
        }
        Reply::json(200, &shown)
    }

    /// All sessions, oldest first.
    pub fn sessions(&self) -> Vec<Value> {
        let sessions = self.sessions.lock().expect("not poisoned");
        sessions.iter().map(|session| session.shown.clone()).collect()
    }

    /// Plays a borrower who enters this card, which is then attached to the customer. Returns the
    /// URL to which the browser is sent.
    pub async fn complete(&self, id: &str, card: &str) -> String {
        let session = self.session(id).filter(CheckoutSession::is_open).expect("an open session");
        let customer = session.shown["customer"].as_str().unwrap_or_default();
        let url = format!("{}/v1/payment_methods/{card}/attach", self.provider);
        let attach = self.http.post(url).bearer_auth(SECRET_KEY).form(&[("customer", customer)]);
        let attached = attach.send().await.expect("a response");
        assert!(attached.status().is_success(), "{card} is not taken: {attached:?}");
        self.change(id, |session| {
            session.close("complete");
            session.intent["status"] = json!("succeeded");
            session.intent["payment_method"] = json!(card);
        });
        let target = session.shown["success_url"].as_str().unwrap_or_default();
        target.replace("{CHECKOUT_SESSION_ID}", id)
    }

    /// Lets a session expire.
    pub fn expire(&self, id: &str) {
        assert!(self.is_open(id), "{id} is not open");
        self.change(id, |session| {
            session.close("expired");
            session.intent["status"] = json!("canceled");
        });
    }

    fn is_open(&self, id: &str) -> bool {
        self.session(id).is_some_and(|session| session.is_open())
    }

    fn session(&self, id: &str) -> Option<CheckoutSession> {
        let sessions = self.sessions.lock().expect("not poisoned");
        sessions.iter().find(|session| session.id() == id).cloned()
    }

    fn change(&self, id: &str, change: impl FnOnce(&mut CheckoutSession)) {
        let mut sessions = self.sessions.lock().expect("not poisoned");
        change(sessions.iter_mut().find(|session| session.id() == id).expect("a session"));
    }

    /// Looks up an object at the provider.
    async fn find(&self, path: &str) -> Option<Value> {
        let request = self.http.request(Method::GET, format!("{}{path}", self.provider));
        let found = request.bearer_auth(SECRET_KEY).send().await.ok()?;
        found.error_for_status().ok()?.json().await.ok()
    }
}

fn session(
    form: &[(String, String)],
    customer: &str,
    (now, expires): (i64, i64),
) -> CheckoutSession {
    let field = |name: &str| form.iter().find(|(field, _)| field == name).map(|(_, value)| value);
    let (id, intent) = (format!("cs_test_{}", random(58)), format!("seti_{}", random(24)));
    let shown = json!({
        "id": id,
        "object": "checkout.session",
        "amount_subtotal": null,
        "amount_total": null,
        "cancel_url": field("cancel_url"),
        "client_reference_id": field("client_reference_id"),
        "created": now,
        "currency": field("currency"),
        "customer": customer,
        "customer_email": null,
        "expires_at": expires,
        "livemode": false,
        "locale": field("locale"),
        "metadata": bracketed(form, "metadata"),
        "mode": "setup",
        "payment_intent": null,
        "payment_method_types": ["card"],
        "payment_status": "no_payment_required",
        // Present from the start; it does not mean that a card was entered.
        "setup_intent": intent,
        "status": "open",
        "subscription": null,
        "success_url": field("success_url"),
        "ui_mode": "hosted",
        "url": format!("https://checkout.stripe.com/c/pay/{id}"),
    });
    let intent = json!({
        "id": intent,
        "object": "setup_intent",
        "created": now,
        "customer": customer,
        "last_setup_error": null,
        "livemode": false,
        "metadata": bracketed(form, "setup_intent_data[metadata]"),
        "next_action": null,
        "payment_method": null,
        "payment_method_types": ["card"],
        "status": "requires_payment_method",
        "usage": "off_session",
    });
    CheckoutSession { shown, intent }
}

/// The fields `name[…]`.
fn bracketed(form: &[(String, String)], name: &str) -> Value {
    let inside = form.iter().filter_map(|(field, value)| {
        let key = field.strip_prefix(name)?.strip_prefix('[')?.strip_suffix(']')?;
        Some((key.to_owned(), json!(value)))
    });
    Value::Object(inside.collect::<Map<_, _>>())
}

/// The objects to expand: `expand[]`, or `expand[0]` and so on.
fn expanded(parameters: &[(String, String)]) -> Vec<String> {
    let paths = parameters.iter().filter(|(name, _)| name.starts_with("expand["));
    paths.map(|(_, path)| path.clone()).collect()
}

fn invalid(status: u16, code: Option<&str>, message: &str) -> Reply {
    Reply::error(status, "invalid_request_error", code, message)
}

fn random(length: usize) -> String {
    std::iter::repeat_with(fastrand::alphanumeric).take(length).collect()
}

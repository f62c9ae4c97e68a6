//! An independent implementation of Stripe's API: localstripe from PyPI, as a process per test. It
//! keeps everything in memory, and tests read its state without the product's client and past the
//! door in front of it.
//!
//! It is simpler than Stripe: it accepts any key that begins with `sk_`, ignores idempotency keys
//! (see `StripeProxy::keep_keys`), refunds a charge as often as requested, and reports a decline
//! as `invalid_request_error`, with Stripe's own code.

use crate::installed_clients::python_program;
use crate::python_server::PythonServer;
use reqwest::{Method, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// The key that the api-server uses.
pub const SECRET_KEY: &str = "sk_test_of_the_api_server";
/// The key that tests use, so that their requests can be told from the product's.
const OWN_KEY: &str = "sk_test_of_the_test_itself";
/// The fixed path to which it writes a copy of its state.
const COPY: &str = "/tmp/localstripe.pickle";

/// The number of a card that can be stored and charged.
pub const GOOD_CARD: &str = "4242424242424242";
/// The number of a card that can be stored, and whose charges are declined.
pub const DECLINED_CARD: &str = "4000000000000341";
/// The number of a card that cannot even be attached to a customer.
pub const REJECTED_CARD: &str = "4000000000000002";
/// The number of a card whose holder must authenticate every charge.
pub const AUTHENTICATED_CARD: &str = "4000002500003155";

/// How a test wants the provider to run.
#[derive(Clone, Debug)]
pub struct LocalStripeProgram {
    program: PathBuf,
    authority: Option<PathBuf>,
}

impl LocalStripeProgram {
    pub fn find() -> Result<Self, String> {
        let program = python_program("localstripe")?;
        // It listens on an IPv6 address that also accepts IPv4.
        if std::net::TcpListener::bind("[::]:0").is_err() {
            return Err("IPv6 is missing on this machine, and localstripe needs it".to_owned());
        }
        // It writes every change there, although with `--from-scratch` it never reads the file.
        let copy = std::fs::OpenOptions::new().create(true).append(true).open(COPY);
        copy.map_err(|error| format!("localstripe cannot write {COPY}: {error}"))?;
        Ok(Self { program, authority: None })
    }

    /// Lets it send its events to servers whose certificates this authority signed.
    pub fn trusting(self, authority: &Path) -> Self {
        Self { authority: Some(authority.to_owned()), ..self }
    }
}

/// A charge, of any status.
#[derive(Clone, Debug, Deserialize)]
pub struct Charge {
    /// `ch_…`
    pub id: String,
    /// The payment intent it belongs to.
    pub payment_intent: Option<String>,
    /// The customer whose card was charged.
    pub customer: Option<String>,
    /// The card charged.
    pub payment_method: String,
    /// The amount in cents.
    pub amount: i64,
    /// The amount refunded, in cents.
    pub amount_refunded: i64,
    /// `succeeded`, `failed` or `pending`.
    pub status: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Intent {
    /// `pi_…`
    pub id: String,
    /// The amount in cents.
    pub amount: i64,
    /// In lower case.
    pub currency: String,
    /// The customer who pays.
    pub customer: Option<String>,
    /// The card to pay with.
    pub payment_method: Option<String>,
    /// `requires_confirmation`, `succeeded`, …
    pub status: String,
    /// Metadata written by the product.
    pub metadata: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Refund {
    /// `re_…`
    pub id: String,
    pub charge: String,
    /// The amount in cents.
    pub amount: i64,
    /// `succeeded`, …
    pub status: String,
    /// Metadata written by the product.
    pub metadata: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Customer {
    /// `cus_…`
    pub id: String,
    /// The name given by the product.
    pub name: Option<String>,
    /// Metadata written by the product.
    pub metadata: BTreeMap<String, String>,
}

/// A stored card.
#[derive(Clone, Debug, Deserialize)]
pub struct PaymentMethod {
    /// `pm_…`
    pub id: String,
    /// The customer it is attached to.
    pub customer: Option<String>,
    /// `brand`, `last4`, `exp_month`, `exp_year`, …
    pub card: Value,
}

/// The outcome of a payment intent: how often money moved, and how much, in cents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settlement {
    pub charges: usize,
    /// Their sum.
    pub charged: i64,
    pub refunds: usize,
    /// Their sum.
    pub refunded: i64,
}

/// The provider.
pub struct LocalStripe {
    /// Its process.
    pub server: PythonServer,
}

impl LocalStripe {
    /// Starts it without any data. It writes its files into this directory.
    pub async fn start(installed: &LocalStripeProgram, folder: &Path) -> Self {
        let mut command = Command::new(&installed.program);
        // Without `--from-scratch` it would start from the state that another one left in /tmp.
        command.args(["--from-scratch", "--port"]);
        command.envs(installed.authority.iter().map(|authority| ("SSL_CERT_FILE", authority)));
        let server = PythonServer::start(command, folder.join("localstripe.log")).await;
        Self { server }
    }

    /// All charges, oldest first.
    pub async fn charges(&self) -> Vec<Charge> {
        self.list("charges", "").await
    }

    /// All payment intents, oldest first.
    pub async fn intents(&self) -> Vec<Intent> {
        self.list("payment_intents", "").await
    }

    /// All refunds, newest first.
    pub async fn refunds(&self) -> Vec<Refund> {
        self.list("refunds", "").await
    }

    /// All customers, oldest first.
    pub async fn customers(&self) -> Vec<Customer> {
        self.list("customers", "").await
    }

    /// The cards of a customer, oldest first.
    pub async fn payment_methods(&self, customer: &str) -> Vec<PaymentMethod> {
        self.list("payment_methods", &format!("&type=card&customer={customer}")).await
    }

    /// The outcome of a payment intent.
    pub async fn settlement(&self, intent: &str) -> Settlement {
        let mut charges = self.charges().await;
        charges.retain(|charge| charge.payment_intent.as_deref() == Some(intent));
        self.settle(&charges).await
    }

    /// The outcome of all payment intents together.
    pub async fn settlement_of_all(&self) -> Settlement {
        self.settle(&self.charges().await).await
    }

    async fn settle(&self, charges: &[Charge]) -> Settlement {
        let mut settlement = Settlement::default();
        for charge in charges.iter().filter(|charge| charge.status == "succeeded") {
            settlement.charges += 1;
            settlement.charged += charge.amount;
        }
        let of_these = |refund: &Refund| charges.iter().any(|charge| charge.id == refund.charge);
        let refunds = self.refunds().await.into_iter().filter(of_these);
        for refund in refunds.filter(|refund| refund.status == "succeeded") {
            settlement.refunds += 1;
            settlement.refunded += refund.amount;
        }
        settlement
    }

    /// Fails the test unless this intent was charged this amount exactly once, and this much of it
    /// was refunded in total; both in cents, and 0 for never.
    pub async fn assert_settled(&self, intent: &str, charged: i64, refunded: i64) {
        let found = self.settlement(intent).await;
        let expected = (usize::from(charged != 0), charged, refunded);
        assert_eq!((found.charges, found.charged, found.refunded), expected, "{intent}: {found:?}");
    }

    /// Creates a customer and returns its id.
    pub async fn create_customer(&self, name: &str) -> String {
        id_of(self.post("/v1/customers", &[("name", name)]).await).await
    }

    /// Creates a card as Stripe's pages do, attached to no customer yet.
    pub async fn create_card(&self, number: &str) -> String {
        let form = [
            ("type", "card"),
            ("card[number]", number),
            ("card[exp_month]", "12"),
            ("card[exp_year]", "2035"),
            ("card[cvc]", "123"),
        ];
        id_of(self.post("/v1/payment_methods", &form).await).await
    }

    /// Attaches a card to a customer; false if the card is declined.
    pub async fn attach(&self, card: &str, customer: &str) -> bool {
        let path = format!("/v1/payment_methods/{card}/attach");
        let response = self.send(Method::POST, &path, &[("customer", customer)]).await;
        assert!(
            matches!(response.status().as_u16(), 200 | 402),
            "{response:?} {}",
            self.server.log()
        );
        response.status().is_success()
    }

    /// Detaches a card from its customer.
    pub async fn detach(&self, card: &str) {
        self.post(&format!("/v1/payment_methods/{card}/detach"), &[]).await;
    }

    /// Lets the card's holder approve or reject a charge that requires authentication.
    pub async fn authenticate(&self, intent: &str, agrees: bool) {
        let path = format!("/v1/payment_intents/{intent}");
        let intent_json = self.send(Method::GET, &path, &[]).await;
        let intent_json: Value = intent_json.json().await.expect("JSON");
        let secret = intent_json["client_secret"].as_str().expect("a secret");
        let form = [("client_secret", secret), ("success", if agrees { "true" } else { "false" })];
        self.post(&format!("{path}/_authenticate"), &form).await;
    }

    /// Lets it send its events there, signed with this secret, each one second after it happened.
    pub async fn send_events_to(&self, url: &str, secret: &str) {
        self.post("/_config/webhooks/product", &[("url", url), ("secret", secret)]).await;
    }

    async fn list<T: DeserializeOwned>(&self, resource: &str, query: &str) -> Vec<T> {
        #[derive(Deserialize)]
        struct ListResponse<T> {
            data: Vec<T>,
        }
        let path = format!("/v1/{resource}?limit=100000{query}");
        let response = self.send(Method::GET, &path, &[]).await;
        assert!(response.status().is_success(), "{path}: {response:?} {}", self.server.log());
        response.json::<ListResponse<T>>().await.expect("a list").data
    }

    async fn post(&self, path: &str, form: &[(&str, &str)]) -> Response {
        let response = self.send(Method::POST, path, form).await;
        assert!(response.status().is_success(), "{path}: {response:?} {}", self.server.log());
        response
    }

    async fn send(&self, method: Method, path: &str, form: &[(&str, &str)]) -> Response {
        let request = self.server.http.request(method, format!("{}{path}", self.server.url));
        let request = request.bearer_auth(OWN_KEY);
        let request = if form.is_empty() { request } else { request.form(form) };
        request.send().await.expect("a response")
    }
}

async fn id_of(response: Response) -> String {
    let response: Value = response.json().await.expect("JSON");
    response["id"].as_str().expect("an id").to_owned()
}

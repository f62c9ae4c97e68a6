//! A world in which localstripe charges cards: payments in it, and the invariants that must hold
//! whatever happens.

use super::super::book;
use crate::PROGRAM;
use acceptance::installed_clients::skip;
use acceptance::localstripe::{GOOD_CARD, LocalStripeProgram};
use acceptance::provider::Provider;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{TestResponse, World};
use reqwest::StatusCode;
use sea_orm::{ConnectionTrait, DatabaseTransaction, TransactionTrait};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

/// The requests to the provider that make up a payment.
pub const PREPARE: &str = "POST /v1/payment_intents";
pub const CONFIRM: &str = "POST /v1/payment_intents/*/confirm";
pub const LOOK_UP: &str = "GET /v1/payment_intents/*";
pub const CANCEL: &str = "POST /v1/payment_intents/*/cancel";
pub const REFUND: &str = "POST /v1/refunds";

/// The setting for the interval of the api-server's recovery.
pub const RECOVERY: &str = "API_GATEWAY_RECOVERY_SECONDS";
/// The interval of the recovery here: practically never. It also runs at start.
pub const RECOVERY_SECONDS: i64 = 600;
/// The longest that anything here takes.
const LONGEST: Duration = Duration::from_secs(30);

/// A world with localstripe, whose api-server also has these settings.
pub fn at_stripe(stripe: LocalStripeProgram, api: &[(&str, &str)]) -> Environment {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let mut settings = BTreeMap::from([(RECOVERY.to_owned(), RECOVERY_SECONDS.to_string())]);
    settings.extend(api.iter().map(owned));
    Environment { provider: Some(stripe), api: settings, ..Environment::default() }
}

/// Runs a test at localstripe with this many loans on each database, and finally checks the books.
pub async fn with_stripe(
    api: &[(&str, &str)],
    loans: usize,
    test: impl AsyncFn(&mut StripeFixture),
) {
    let stripe = match LocalStripeProgram::find() {
        Ok(stripe) => stripe,
        Err(missing) => return skip(&missing),
    };
    on_each_database_with(PROGRAM, at_stripe(stripe, api).in_processes(), async |world| {
        let mut fixture = StripeFixture::open(world, loans).await;
        test(&mut fixture).await;
        fixture.check_books().await;
        fixture.world
    })
    .await;
}

/// A payment on a loan that gets no other payment.
#[derive(Clone, Debug)]
pub struct Payment {
    pub loan: i64,
    pub card: i64,
    /// The `Idempotency-Key`.
    pub key: String,
    /// The amount in cents.
    pub amount: i64,
    /// The integrator's own id.
    pub external_id: Option<String>,
}

impl Payment {
    pub fn body(&self) -> Value {
        let amount = format!("{}.{:02}", self.amount / 100, self.amount % 100);
        let mut body = json!({"PaymentGatewayTokenID": self.card, "Amount": amount});
        if let Some(id) = &self.external_id {
            body["External_ID"] = json!(id);
        }
        body
    }
}

/// How a payment ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentEnd {
    /// It was charged, and is on the loan.
    Posted,
    /// It was not charged.
    Failed,
    /// It was charged and given back.
    Voided,
}

impl PaymentEnd {
    fn state(self) -> &'static str {
        match self {
            Self::Posted => "posted",
            Self::Failed => "failed",
            Self::Voided => "voided",
        }
    }
}

/// The world, and who pays in it.
pub struct StripeFixture {
    pub world: World,
    pub admin: String,
    payments: Vec<Payment>,
}

impl StripeFixture {
    /// Books loans that can each be paid once, by cards of their borrowers. Every payment costs a
    /// fee of 1.25 plus 1 %.
    pub async fn open(world: World, loans: usize) -> Self {
        let columns = "flat_amount, percentage, active_flag";
        let rule = "12500, 100000000, true".to_owned();
        world.insert("convenience_fee_rules", "rule_id", columns, [rule]).await;
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, loans as u32).await;
        let mut fixture = Self { world, admin, payments: Vec::new() };
        for (number, loan) in loans.into_iter().enumerate().rev() {
            let card = fixture.add_card(loan, GOOD_CARD).await;
            let amount = 10_007 + 100 * number as i64;
            let key = format!("key {number}");
            fixture.payments.push(Payment { loan, card, key, amount, external_id: None });
        }
        fixture
    }

    pub fn provider(&self) -> &Provider {
        self.world.provider.as_ref().expect("a provider")
    }

    /// Adds a card with this number to the borrower of a loan.
    pub async fn add_card(&self, loan: i64, number: &str) -> i64 {
        let token = self.provider().stripe.create_card(number).await;
        let path = format!("/loans/{loan}/payment-gateway/credit-cards");
        let body = json!({ "Gateway_Token": token });
        let added = self.world.client.post(&self.admin, &path, &body, None).await.expect(201);
        added.json()["PaymentGatewayTokenID"].as_i64().expect("an id")
    }

    /// A payment on a loan that has no payment yet.
    pub fn payment(&mut self) -> Payment {
        self.payments.pop().expect("another loan")
    }

    /// Requests a payment in a task of its own. `None` if there is no answer.
    pub fn begin(&self, payment: &Payment) -> JoinHandle<Option<TestResponse>> {
        let (client, admin, payment) =
            (self.world.client.clone(), self.admin.clone(), payment.clone());
        tokio::spawn(async move {
            let path = format!("/loans/{}/payment-gateway/payments", payment.loan);
            client.try_post(&admin, &path, &payment.body(), Some(&payment.key)).await.ok()
        })
    }

    /// Requests a payment, and returns the answer.
    pub async fn pay(&self, payment: &Payment) -> TestResponse {
        self.begin(payment).await.expect("it ran").expect("a response")
    }

    /// Retries under the same key until the answer is final, as clients do. Claims of a dead server
    /// expire immediately.
    pub async fn pay_with_retries(&self, payment: &Payment) -> TestResponse {
        let deadline = Instant::now() + LONGEST;
        loop {
            self.world.age("idempotency_records", &["lease_until"], 120).await;
            let response = self.pay(payment).await;
            if !matches!(response.status.as_u16(), 409 | 423 | 503) {
                return response;
            }
            assert!(Instant::now() < deadline, "{payment:?}: {}", response.text);
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Fails the test unless the payment ends like this for its client, and stays so.
    pub async fn expect_end(&self, payment: &Payment, end: PaymentEnd) {
        let first = self.pay_with_retries(payment).await;
        let (status, kind) = match end {
            PaymentEnd::Posted => (StatusCode::CREATED, ""),
            PaymentEnd::Failed => (StatusCode::UNPROCESSABLE_ENTITY, "card-declined"),
            PaymentEnd::Voided => (StatusCode::UNPROCESSABLE_ENTITY, "charge-voided"),
        };
        assert_eq!((first.status, first.problem().as_str()), (status, kind), "{}", first.text);
        assert_eq!(self.state(payment).await, end.state());
        let repeated = self.pay(payment).await;
        assert_eq!(repeated.header("idempotency-replayed"), "true", "{}", repeated.text);
        let [first, repeated] = [first, repeated].map(|response| {
            let mut body = response.json();
            body.as_object_mut().expect("an object").remove("requestId");
            (response.status, body)
        });
        assert_eq!(first, repeated);
    }

    pub async fn state(&self, payment: &Payment) -> String {
        let sql = format!("SELECT state FROM gateway_payments WHERE loan_id = {}", payment.loan);
        self.world.text(&sql).await
    }

    /// Waits until a payment has this state.
    pub async fn wait_for_state(&self, payment: &Payment, state: &str) {
        let deadline = Instant::now() + LONGEST;
        loop {
            let found = self.state(payment).await;
            if found == state {
                return;
            }
            assert!(Instant::now() < deadline, "{found}, not {state}: {}", self.world.api.log());
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits until a query returns this count.
    pub async fn wait_for_count(&self, sql: &str, count: i64) {
        let deadline = Instant::now() + LONGEST;
        while self.world.count(sql).await != count {
            assert!(Instant::now() < deadline, "{sql}: {}", self.world.api.log());
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// The states of all payments.
    async fn states(&self) -> Vec<String> {
        self.world.texts("SELECT state FROM gateway_payments").await
    }

    /// Waits until all payments have ended.
    pub async fn wait_until_over(&self) {
        let deadline = Instant::now() + LONGEST;
        loop {
            let states = self.states().await;
            if states.iter().all(|state| matches!(state.as_str(), "posted" | "voided" | "failed")) {
                return;
            }
            assert!(Instant::now() < deadline, "{states:?}: {}", self.world.api.log());
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Makes all payments so far old enough for the recovery.
    pub async fn age_attempts(&self) {
        let old = 2 * RECOVERY_SECONDS + 10;
        self.world.age("gateway_payments", &["created_date"], old).await;
    }

    /// Kills the api-server in the middle of its work, and restarts it.
    pub async fn restart(&mut self) {
        self.world.api.kill().await;
        self.world.api.restart(&self.world.client.http).await;
    }

    /// Locks rows until the transaction ends. SQLite has no row locks.
    pub async fn lock(&self, rows: &str) -> DatabaseTransaction {
        let tx = self.world.db.begin().await.expect("a transaction");
        tx.execute_unprepared(&format!("SELECT 1 FROM {rows} FOR UPDATE")).await.expect("locked");
        tx
    }

    /// Closes a loan, as another user would.
    pub async fn close_loan(&self, payment: &Payment) {
        let closed = "SELECT MIN(status_code_id) FROM loan_status_codes WHERE closed_flag";
        let set = format!("UPDATE loans SET status_code_id = ({closed})");
        self.world.sql(&format!("{set} WHERE loan_id = {}", payment.loan)).await;
    }
}

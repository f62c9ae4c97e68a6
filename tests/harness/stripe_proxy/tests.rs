//! Tests of the proxy in front of localstripe.

use super::{RecordedRequest, Reply};
use crate::installed_clients::skip;
use crate::localstripe::{
    AUTHENTICATED_CARD, DECLINED_CARD, GOOD_CARD, LocalStripeProgram, REJECTED_CARD, SECRET_KEY,
    Settlement,
};
use crate::provider::{Provider, WEBHOOK_SECRET};
use crate::webhooks::{event, stripe_signature};
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;
use tokio::time::{Instant, timeout};

const INTENTS: &str = "/v1/payment_intents";

/// A provider, and a client that charges cards at it.
struct Fixture {
    provider: Provider,
    http: Client,
    _folder: TempDir,
}

impl Fixture {
    async fn open() -> Option<Self> {
        let program = LocalStripeProgram::find().inspect_err(|missing| skip(missing)).ok()?;
        let folder = tempfile::tempdir().expect("a folder");
        let provider = Provider::start(&program, folder.path()).await;
        let http = Client::builder().no_proxy().timeout(Duration::from_secs(20));
        Some(Self { provider, http: http.build().expect("a client"), _folder: folder })
    }

    /// Sends a request through the proxy; `None` if the connection broke.
    async fn post(&self, path: &str, form: &[(&str, &str)], key: &str) -> Option<(u16, Value)> {
        let request = self.http.post(format!("{}{path}", self.provider.proxy.url()));
        let request = request.bearer_auth(SECRET_KEY).header("Idempotency-Key", key).form(form);
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        Some((status, serde_json::from_str(&response.text().await.ok()?).unwrap_or_default()))
    }

    async fn get(&self, path_and_query: &str) -> Value {
        let request = self.http.get(format!("{}{path_and_query}", self.provider.proxy.url()));
        let response = request.bearer_auth(SECRET_KEY).send().await.expect("a response");
        response.json().await.expect("JSON")
    }

    /// Creates an unconfirmed intent of ten dollars, with a card of this number.
    async fn intent(&self, number: &str) -> String {
        let stripe = &self.provider.stripe;
        let (customer, card) =
            (stripe.create_customer("Ann").await, stripe.create_card(number).await);
        assert!(stripe.attach(&card, &customer).await);
        let form = [
            ("amount", "1000"),
            ("currency", "usd"),
            ("customer", customer.as_str()),
            ("payment_method", card.as_str()),
            ("metadata[attempt]", "17"),
        ];
        let (status, intent) = self.post(INTENTS, &form, "create").await.expect("a response");
        assert_eq!(status, 200, "{intent}");
        intent["id"].as_str().expect("an id").to_owned()
    }

    async fn confirm(&self, intent: &str, key: &str) -> Option<(u16, Value)> {
        self.post(&format!("{INTENTS}/{intent}/confirm"), &[("off_session", "true")], key).await
    }
}

const NEVER: Settlement = Settlement { charges: 0, charged: 0, refunds: 0, refunded: 0 };
const ONCE: Settlement = Settlement { charges: 1, charged: 1000, ..NEVER };

#[test]
fn a_pattern_matches_the_end_of_a_path() {
    let request = |method: Method, path: &str| RecordedRequest {
        at: Instant::now(),
        method,
        path: path.to_owned(),
        query: String::new(),
        headers: HeaderMap::new(),
        body: String::new(),
    };
    let confirm = request(Method::POST, "/v1/payment_intents/pi_1/confirm");
    for pattern in ["*", "/confirm", "/payment_intents/*/confirm", "POST /v1/*/*/confirm"] {
        assert!(confirm.matches(pattern), "{pattern}");
    }
    for pattern in ["POST /v1/payment_intents", "GET /v1/*/*/confirm", "/*/v1/*/*/confirm", "irm"] {
        assert!(!confirm.matches(pattern), "{pattern}");
    }
    assert!(request(Method::GET, "/v1/refunds").matches("GET /v1/refunds"));
}

#[tokio::test]
async fn a_lost_request_is_not_charged_and_a_lost_reply_is() {
    let Some(fixture) = Fixture::open().await else { return };
    let (proxy, stripe) = (&fixture.provider.proxy, &fixture.provider.stripe);
    let intent = fixture.intent(GOOD_CARD).await;
    proxy.refuse("/confirm", 2);
    proxy.lose_reply("/confirm", 1);
    for expected in [NEVER, NEVER, ONCE] {
        assert_eq!(fixture.confirm(&intent, "k1").await, None);
        assert_eq!(stripe.settlement(&intent).await, expected);
    }
    // Every fault has struck, and the provider does not confirm an intent twice.
    assert_eq!(proxy.clear_faults(), 0);
    assert_eq!(fixture.confirm(&intent, "k1").await.expect("a response").0, 400);
    stripe.assert_settled(&intent, 1000, 0).await;

    let seen = proxy.requests_to("/confirm");
    assert_eq!(seen.len(), 4);
    for request in seen {
        assert_eq!(request.idempotency_key(), Some("k1"));
        assert_eq!(request.field("off_session").as_deref(), Some("true"));
        assert!(!request.text().contains(SECRET_KEY), "{}", request.text());
    }
    let created = &proxy.requests_to("POST /v1/payment_intents")[0];
    assert_eq!(created.field("metadata[attempt]").as_deref(), Some("17"));
    assert!(created.text().contains("metadata[attempt]=17"));
    assert_eq!(stripe.intents().await[0].metadata["attempt"], "17");

    fixture.post("/v1/refunds", &[("payment_intent", &intent), ("amount", "400")], "k2").await;
    stripe.assert_settled(&intent, 1000, 400).await;
    assert_eq!(stripe.charges().await[0].amount_refunded, 400);
    assert_eq!(stripe.settlement_of_all().await.refunds, 1);
}

#[tokio::test]
async fn a_held_request_arrives_when_the_test_forwards_it() {
    let Some(fixture) = Fixture::open().await else { return };
    let (proxy, stripe) = (&fixture.provider.proxy, &fixture.provider.stripe);
    let intent = fixture.intent(GOOD_CARD).await;
    let wait = Duration::from_millis(300);

    // First the request is lost; then it arrives late, when its sender no longer waits.
    let mut held = proxy.hold_before("/confirm");
    let (response, ()) = tokio::join!(fixture.confirm(&intent, "k"), async {
        held.arrived().await;
        held.lose();
    });
    assert_eq!(response, None);
    let mut held = proxy.hold_before("/confirm");
    assert!(timeout(wait, fixture.confirm(&intent, "k")).await.is_err());
    assert!(held.arrived().await.matches("POST /v1/payment_intents/*/confirm"));
    assert_eq!(stripe.settlement(&intent).await, NEVER);
    held.forward().await;
    assert_eq!(stripe.settlement(&intent).await, ONCE);

    // A sender that waits gets the answer.
    let second = fixture.intent(GOOD_CARD).await;
    let held = proxy.hold_before("/confirm");
    let (response, ()) = tokio::join!(fixture.confirm(&second, "k"), held.forward());
    assert_eq!(response.expect("a response").1["status"], "succeeded");

    // The charge exists before its answer arrives.
    let third = fixture.intent(GOOD_CARD).await;
    let mut held = proxy.hold_after("/confirm");
    let (response, ()) = tokio::join!(fixture.confirm(&third, "k"), async {
        held.arrived().await;
        assert_eq!(stripe.settlement(&third).await, ONCE);
        held.forward().await;
    });
    assert_eq!(response.expect("a response").0, 200);
}

#[tokio::test]
async fn replies_can_be_replaced_truncated_slowed_and_endless() {
    let Some(fixture) = Fixture::open().await else { return };
    let (proxy, stripe) = (&fixture.provider.proxy, &fixture.provider.stripe);

    let intent = fixture.intent(GOOD_CARD).await;
    let limited = Reply::error(429, "api_error", Some("rate_limit"), "Too many.");
    proxy.reply_with("/confirm", 1, &limited.with("retry-after", "1"));
    let (status, error) = fixture.confirm(&intent, "k").await.expect("a response");
    assert_eq!((status, &error["error"]["code"]), (429, &json!("rate_limit")));
    assert_eq!(stripe.settlement(&intent).await, NEVER);
    proxy.replace_reply("/confirm", 1, &Reply::new(200, "<html>"));
    assert_eq!(fixture.confirm(&intent, "k").await, Some((200, Value::Null)));
    assert_eq!(stripe.settlement(&intent).await, ONCE);

    let intent = fixture.intent(GOOD_CARD).await;
    proxy.truncate_reply("/confirm", 1);
    assert_eq!(fixture.confirm(&intent, "k").await, None);
    assert_eq!(stripe.settlement(&intent).await, ONCE);

    proxy.drip_reply("/v1/payment_intents/*", 1, Duration::from_millis(1));
    let started = Instant::now();
    let found = fixture.get(&format!("{INTENTS}/{intent}")).await;
    assert_eq!(found["status"], "succeeded");
    assert!(started.elapsed() > Duration::from_millis(found.to_string().len() as u64));

    proxy.reply_endlessly("/v1/payment_intents/*", 1);
    let url = format!("{}{INTENTS}/{intent}", proxy.url());
    let response = fixture.http.get(url).bearer_auth(SECRET_KEY).send().await;
    let mut response = response.expect("a response");
    let mut bytes = 0;
    while bytes < 8 * 1024 * 1024 {
        bytes += response.chunk().await.expect("more").expect("more").len();
    }
}

#[tokio::test]
async fn the_provider_can_be_unreachable_and_restarted() {
    let Some(mut fixture) = Fixture::open().await else { return };
    let intent = fixture.intent(GOOD_CARD).await;
    let proxy = &fixture.provider.proxy;
    proxy.down().await;
    let refused = fixture.http.get(proxy.url()).send().await.expect_err("nothing listens");
    assert!(refused.is_connect(), "{refused:?}");
    proxy.up().await;
    fixture.provider.stripe.assert_settled(&intent, 0, 0).await;
    assert_eq!(fixture.confirm(&intent, "k").await.expect("a response").0, 200);
    fixture.provider.stripe.assert_settled(&intent, 1000, 0).await;

    // A held request is not lost when its connection is cut.
    let intent = fixture.intent(GOOD_CARD).await;
    let proxy = &fixture.provider.proxy;
    let mut held = proxy.hold_before("/confirm");
    let (response, ()) = tokio::join!(fixture.confirm(&intent, "k"), async {
        held.arrived().await;
        proxy.down().await;
        held.forward().await;
        proxy.up().await;
    });
    assert_eq!(response, None);
    fixture.provider.stripe.assert_settled(&intent, 1000, 0).await;

    fixture.provider.stripe.server.kill().await;
    assert_eq!(fixture.confirm(&intent, "k").await, None);
    fixture.provider.stripe.server.restart().await;
    assert_eq!(fixture.provider.stripe.intents().await.len(), 0);
}

#[tokio::test]
async fn idempotency_keys_are_remembered_on_request() {
    let Some(fixture) = Fixture::open().await else { return };
    let (proxy, stripe) = (&fixture.provider.proxy, &fixture.provider.stripe);
    proxy.remember_keys();
    let intent = fixture.intent(DECLINED_CARD).await;
    let first = fixture.confirm(&intent, "declined").await.expect("a response");
    assert_eq!((first.0, &first.1["error"]["code"]), (402, &json!("card_declined")));
    assert_eq!(fixture.confirm(&intent, "declined").await, Some(first));

    let card = stripe.create_card(GOOD_CARD).await;
    let form = [
        ("amount", "1000"),
        ("currency", "usd"),
        ("payment_method", card.as_str()),
        ("confirm", "true"),
    ];
    proxy.lose_reply("/v1/payment_intents", 1);
    assert_eq!(fixture.post(INTENTS, &form, "once").await, None);
    let (status, repeated) = fixture.post(INTENTS, &form, "once").await.expect("a response");
    assert_eq!((status, stripe.charges().await.len()), (200, 2));
    let intent = repeated["id"].as_str().expect("an id");
    stripe.assert_settled(intent, 1000, 0).await;

    // The same key for another request, and while the first is in progress.
    let refund = [("payment_intent", intent)];
    assert_eq!(fixture.post("/v1/refunds", &refund, "once").await.expect("a response").0, 400);
    let mut held = proxy.hold_after("/v1/refunds");
    let (response, ()) = tokio::join!(fixture.post("/v1/refunds", &refund, "back"), async {
        held.arrived().await;
        held.lose();
    });
    assert_eq!(response, None);
    assert_eq!(fixture.post("/v1/refunds", &refund, "back").await.expect("a response").0, 200);
    stripe.assert_settled(intent, 1000, 1000).await;
    assert_eq!(proxy.wait_for("/v1/refunds", 3).await.len(), 3);
}

#[tokio::test]
async fn a_checkout_session_saves_a_card() {
    let Some(fixture) = Fixture::open().await else { return };
    let (proxy, stripe) = (&fixture.provider.proxy, &fixture.provider.stripe);
    let customer = stripe.create_customer("Bob").await;
    let form = [
        ("mode", "setup"),
        ("customer", customer.as_str()),
        ("success_url", "https://app.test/done?session={CHECKOUT_SESSION_ID}"),
        ("cancel_url", "https://app.test/cards"),
        ("payment_method_types[0]", "card"),
        ("metadata[loan]", "12"),
    ];
    let sessions = "/v1/checkout/sessions";
    let (status, session) = fixture.post(sessions, &form, "k").await.expect("a response");
    assert_eq!(status, 200, "{session}");
    assert_eq!(session["status"], "open");
    assert_eq!(session["metadata"], json!({"loan": "12"}));
    let id = session["id"].as_str().expect("an id");
    assert!(session["url"].as_str().expect("a URL").ends_with(id));

    let card = stripe.create_card(GOOD_CARD).await;
    let target = proxy.complete_checkout(id, &card).await;
    assert_eq!(target, format!("https://app.test/done?session={id}"));
    let path = format!("{sessions}/{id}");
    let done = fixture.get(&path).await;
    assert_eq!((&done["status"], &done["url"]), (&json!("complete"), &Value::Null));
    assert!(done["setup_intent"].as_str().expect("an id").starts_with("seti_"));
    let done = fixture.get(&format!("{path}?expand[]=setup_intent")).await;
    assert_eq!(done["setup_intent"]["payment_method"], json!(card));
    assert_eq!(done["setup_intent"]["status"], "succeeded");
    let done = fixture.get(&format!("{path}?expand%5B%5D=setup_intent.payment_method")).await;
    assert_eq!(done["setup_intent"]["payment_method"]["card"]["last4"], "4242");
    let saved = stripe.payment_methods(&customer).await;
    assert_eq!((saved.len(), saved[0].id.as_str()), (1, card.as_str()));
    stripe.detach(&card).await;
    assert_eq!(stripe.payment_methods(&customer).await.len(), 0);
    let rejected = stripe.create_card(REJECTED_CARD).await;
    assert!(!stripe.attach(&rejected, &customer).await);

    // Another session expires; and some that are refused.
    let (_, other) = fixture.post(sessions, &form, "other").await.expect("a response");
    proxy.expire_checkout(other["id"].as_str().expect("an id"));
    let statuses: Vec<_> = proxy.checkouts().iter().map(|one| one["status"].clone()).collect();
    assert_eq!(statuses, ["complete", "expired"]);
    for (field, value, code) in [
        ("customer", "cus_nobody", json!("resource_missing")),
        ("metadatas", "x", json!("parameter_unknown")),
        ("mode", "payment", Value::Null),
    ] {
        let mut form: Vec<_> = form.into_iter().filter(|(name, _)| *name != field).collect();
        form.push((field, value));
        let (status, error) = fixture.post(sessions, &form, "k").await.expect("a response");
        assert_eq!((status, &error["error"]["code"]), (400, &code), "{field}");
    }
    let unauthenticated =
        fixture.http.get(format!("{}{path}", proxy.url())).send().await.expect("a response");
    assert_eq!(unauthenticated.status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn some_cards_require_authentication() {
    let Some(fixture) = Fixture::open().await else { return };
    let stripe = &fixture.provider.stripe;
    for (agrees, charged, status) in
        [(true, 1000, "succeeded"), (false, 0, "requires_payment_method")]
    {
        let intent = fixture.intent(AUTHENTICATED_CARD).await;
        let (_, request) = fixture.confirm(&intent, "k").await.expect("a response");
        assert_eq!(request["status"], "requires_action");
        stripe.authenticate(&intent, agrees).await;
        stripe.assert_settled(&intent, charged, 0).await;
        let intents = stripe.intents().await;
        assert_eq!(intents.last().expect("an intent").status, status);
    }
}

#[test]
fn webhook_signatures_match_a_published_example() {
    // Computed with Python's hmac.
    let expected = "c89214b5b5da833daed6f0b8c5bb6bd58cea9022bd80ccc78230f3942d632925";
    let signature = stripe_signature("whsec_test", 1_700_000_000, "{\"id\":\"evt_1\"}");
    assert_eq!(signature, format!("t=1700000000,v1={expected}"));
    let event = event("checkout.session.completed", &json!({"id": "cs_test_1"}));
    assert_eq!(event["data"]["object"]["id"], "cs_test_1");
}

#[tokio::test]
async fn localstripe_signs_its_events_the_same_way() {
    let Some(fixture) = Fixture::open().await else { return };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let url = format!("http://127.0.0.1:{port}/");
    fixture.provider.stripe.send_events_to(&url, WEBHOOK_SECRET).await;
    fixture.provider.stripe.create_customer("Cid").await;
    let receive = async {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut text = String::new();
        let mut buffer = [0; 4096];
        // An event ends with a brace in the first column.
        while !text.ends_with("\n}") {
            let count = stream.read(&mut buffer).await.expect("bytes");
            assert_ne!(count, 0, "{text}");
            text += std::str::from_utf8(&buffer[..count]).expect("text");
        }
        text
    };
    let text = timeout(Duration::from_secs(20), receive).await.expect("an event");
    let (head, payload) = text.split_once("\r\n\r\n").expect("a head");
    let signature = head.lines().find_map(|line| line.strip_prefix("Stripe-Signature: "));
    let event: Value = serde_json::from_str(payload).expect("JSON");
    assert_eq!(event["type"], "customer.created");
    let at = event["created"].as_i64().expect("a time");
    assert_eq!(signature, Some(stripe_signature(WEBHOOK_SECRET, at, payload).as_str()));
}

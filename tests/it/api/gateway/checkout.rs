//! Cards entered on the provider's page, and `/gateway/stripe/return`, to which browsers return
//! from it.

use super::{
    ADDED, OVER, STRIPE_RETURN, book, cards, expect_page, expect_states, expire_sessions, history,
    request_url, states, url_path,
};
use crate::PROGRAM;
use acceptance::installed_clients::skip;
use acceptance::localstripe::{GOOD_CARD, LocalStripeProgram};
use acceptance::stripe_proxy::Reply;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{TestResponse, World};
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::sleep;

/// A world in which the provider charges cards. `recovery` is the interval in seconds at which the
/// api-server settles unfinished work.
pub(super) fn stripe_environment(recovery: u32) -> Option<Environment> {
    let program = LocalStripeProgram::find().map_err(|missing| skip(&missing)).ok()?;
    let api = [("API_GATEWAY_RECOVERY_SECONDS".to_owned(), recovery.to_string())];
    Some(Environment { provider: Some(program), api: api.into(), ..Environment::default() })
}

/// A page of the provider, that is, a checkout session.
pub(super) struct OpenedCheckout {
    /// The provider's id of it.
    pub id: String,
    /// The path on this server to which browsers return.
    pub done: String,
    /// The path for borrowers who gave up.
    pub cancelled: String,
}

pub(super) async fn open(world: &World, token: &str, loan: i64) -> OpenedCheckout {
    let opened = request_url(world, token, loan).await.expect(200).json();
    let proxy = &world.provider.as_ref().expect("a provider").proxy;
    let session = proxy.checkouts().pop().expect("a session");
    assert_eq!(opened["Url"], session["url"]);
    let path = |name: &str| {
        let url = session[name].as_str().expect("a URL");
        url.strip_prefix(&world.client.api_url).expect("this server").to_owned()
    };
    let id = session["id"].as_str().expect("an id").to_owned();
    OpenedCheckout { id, done: path("success_url"), cancelled: path("cancel_url") }
}

/// Plays a borrower who enters a card there and closes the window.
pub(super) async fn enter_card(world: &World, opened: &OpenedCheckout) -> String {
    let provider = world.provider.as_ref().expect("a provider");
    let card = provider.stripe.create_card(GOOD_CARD).await;
    let target = provider.proxy.complete_checkout(&opened.id, &card).await;
    assert_eq!(target, format!("{}{}", world.client.api_url, opened.done));
    card
}

async fn return_from_provider(world: &World, path: &str) -> TestResponse {
    world.client.get("", path).await
}

const WAIT: &str = "One moment";
const AWAY: &str = "Something went wrong";
const SESSION: &str = "GET /v1/checkout/sessions/*";

#[tokio::test]
async fn a_completed_checkout_adds_the_card_to_the_wallet() {
    let Some(environment) = stripe_environment(30) else { return };
    on_each_database_with(PROGRAM, environment.in_processes(), |world| async move {
        let (admin, officer) = (world.token("admin").await, world.token("officer").await);
        let (loan, contact) = book(&world, &admin).await;
        let provider = world.provider.as_ref().expect("a provider");
        // HEAD does not open a page here either.
        let head = world.client.request(Method::HEAD, &officer, &url_path(loan));
        world.client.send(head).await.expect("a response").expect(200);
        assert_eq!(provider.proxy.requests().len(), 0);
        let opened = open(&world, &officer, loan).await;
        let session = &provider.proxy.checkouts()[0];
        let customers = provider.stripe.customers().await;
        assert_eq!(session["customer"], customers[0].id);
        assert_eq!(customers[0].metadata["Contact_ID"], contact.to_string());
        let stored = world.text("SELECT gateway_reference FROM payment_method_sessions").await;
        assert_eq!(stored, opened.id);

        expect_page(return_from_provider(&world, &opened.done).await, 200, WAIT);
        assert!(cards(&world, &admin, loan).await.is_empty());
        let card = enter_card(&world, &opened).await;
        expect_page(return_from_provider(&world, &opened.done).await, 200, ADDED);
        let added = cards(&world, &admin, loan).await;
        assert_eq!(added.len(), 1);
        for (member, value) in [
            ("BrandType", json!("visa")),
            ("EntryType", json!("wallet")),
            ("Contact_ID", json!(contact)),
            ("Loan_ID", json!(loan)),
            ("Last_Four", json!("4242")),
            ("Expiry_Month", json!(12)),
            ("Expiry_Year", json!(2035)),
            ("Gateway", json!("stripe")),
        ] {
            assert_eq!(added[0][member], value, "{member}");
        }
        for owner in [format!("/loans/{loan}"), format!("/contacts/{contact}")] {
            let changes = history(&world, &admin, &owner).await;
            assert!(
                changes.iter().all(|row| row[2] == "officer" && row[3] == "gateway"),
                "{changes:?}"
            );
        }
        // Reloading the page shows the same, and changes nothing.
        for path in [&opened.done, &opened.cancelled] {
            expect_page(return_from_provider(&world, path).await, 200, ADDED);
        }
        assert_eq!(cards(&world, &admin, loan).await, added);
        assert_eq!(states(&world).await, ["used"]);
        let log = world.api.log();
        let (_, secret) = opened.done.split_once('=').expect("a secret");
        for hidden in [secret, card.as_str(), customers[0].id.as_str()] {
            assert!(!log.contains(hidden), "{hidden} is in the log");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn of_concurrent_returns_one_adds_the_card() {
    let Some(environment) = stripe_environment(1) else { return };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let opened = open(&world, &admin, loan).await;
        enter_card(&world, &opened).await;
        // The recovery runs at the same time.
        expire_sessions(&world).await;
        let responses = join_all((0..8).map(|_| return_from_provider(&world, &opened.done))).await;
        responses.into_iter().for_each(|response| drop(expect_page(response, 200, ADDED)));
        assert_eq!(cards(&world, &admin, loan).await.len(), 1);
        assert_eq!(states(&world).await, ["used"]);
        world
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_checkout_adds_no_card_and_can_still_be_completed() {
    let Some(environment) = stripe_environment(30) else { return };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let opened = open(&world, &admin, loan).await;
        expect_page(return_from_provider(&world, &opened.cancelled).await, 200, "No card added");
        assert_eq!(states(&world).await, ["open"]);
        enter_card(&world, &opened).await;
        expect_page(return_from_provider(&world, &opened.done).await, 200, ADDED);

        // The provider closes pages on its own initiative, too.
        let closed = open(&world, &admin, loan).await;
        world.provider.as_ref().expect("a provider").proxy.expire_checkout(&closed.id);
        for path in [&closed.done, &closed.done, &closed.cancelled] {
            expect_page(return_from_provider(&world, path).await, 410, OVER);
        }
        assert_eq!(states(&world).await, ["used", "expired"]);

        // In the seconds before the recovery has settled it.
        let expired = open(&world, &admin, loan).await;
        let in_time = open(&world, &admin, loan).await;
        enter_card(&world, &in_time).await;
        expire_sessions(&world).await;
        expect_page(return_from_provider(&world, &expired.done).await, 410, OVER);
        expect_page(return_from_provider(&world, &in_time.done).await, 200, ADDED);
        assert_eq!(states(&world).await, ["used", "expired", "expired", "used"]);
        assert_eq!(cards(&world, &admin, loan).await.len(), 2);
        world
    })
    .await;
}

#[tokio::test]
async fn an_abandoned_checkout_is_settled_after_its_expiry() {
    let Some(environment) = stripe_environment(1) else { return };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let proxy = &world.provider.as_ref().expect("a provider").proxy;
        let (done, remaining) =
            (open(&world, &admin, loan).await, open(&world, &admin, loan).await);
        // This borrower returned before entering a card.
        expect_page(return_from_provider(&world, &done.done).await, 200, WAIT);
        enter_card(&world, &done).await;
        sleep(Duration::from_secs(3)).await;
        assert_eq!(states(&world).await, ["open", "open"]);

        expire_sessions(&world).await;
        expect_states(&world, &["used", "expired"]).await;
        let found = cards(&world, &admin, loan).await;
        assert_eq!((found.len(), &found[0]["Last_Four"]), (1, &json!("4242")));
        let statuses: Vec<Value> =
            proxy.checkouts().iter().map(|session| session["status"].clone()).collect();
        assert_eq!(statuses, ["complete", "expired"]);
        assert_eq!(proxy.requests_to("POST /v1/checkout/sessions/*/expire").len(), 1);
        expect_page(return_from_provider(&world, &done.done).await, 200, ADDED);
        expect_page(return_from_provider(&world, &remaining.done).await, 410, OVER);
        assert!(open(&world, &admin, loan).await.done.starts_with(STRIPE_RETURN));
        world
    })
    .await;
}

#[tokio::test]
async fn an_unavailable_provider_is_asked_again() {
    let Some(environment) = stripe_environment(1) else { return };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let proxy = &world.provider.as_ref().expect("a provider").proxy;
        let opened = open(&world, &admin, loan).await;
        enter_card(&world, &opened).await;
        proxy.down().await;
        let unavailable = expect_page(return_from_provider(&world, &opened.done).await, 503, AWAY);
        assert_eq!(unavailable.header("retry-after"), "5");
        request_url(&world, &admin, loan).await.expect_problem(503, "gateway-unavailable");
        proxy.up().await;
        let broken = Reply::error(500, "api_error", None, "We are sorry.");
        let rubbish = Reply::json(200, &json!({"status": "complete", "setup_intent": "seti_1"}));
        for (pattern, reply) in [
            (SESSION, &broken),
            (SESSION, &Reply::new(200, "<html>")),
            (SESSION, &rubbish),
            (SESSION, &Reply::error(404, "invalid_request_error", None, "No such session.")),
            ("GET /v1/payment_methods/*", &broken),
            ("GET /v1/payment_methods/*", &Reply::json(200, &json!({"type": "card"}))),
        ] {
            proxy.reply_with(pattern, 1, reply);
            expect_page(return_from_provider(&world, &opened.done).await, 503, AWAY);
        }
        for reply in [broken.clone(), Reply::json(200, &json!({"id": "cs_1", "url": null}))] {
            proxy.reply_with("POST /v1/checkout/sessions", 1, &reply);
            request_url(&world, &admin, loan).await.expect_problem(503, "gateway-unavailable");
        }
        assert_eq!((proxy.clear_faults(), states(&world).await), (0, vec!["open".to_owned()]));
        assert!(cards(&world, &admin, loan).await.is_empty());

        // The recovery keeps asking as well.
        proxy.down().await;
        expire_sessions(&world).await;
        sleep(Duration::from_secs(3)).await;
        assert_eq!(states(&world).await, ["open"]);
        proxy.up().await;
        expect_states(&world, &["used"]).await;
        expect_page(return_from_provider(&world, &opened.done).await, 200, ADDED);
        assert_eq!(cards(&world, &admin, loan).await.len(), 1);
        world
    })
    .await;
}

#[tokio::test]
async fn an_unsettled_checkout_does_not_block_others() {
    let Some(environment) = stripe_environment(1) else { return };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let proxy = &world.provider.as_ref().expect("a provider").proxy;
        let mut opened = Vec::new();
        for _ in 0..4 {
            opened.push(open(&world, &admin, loan).await);
        }
        let request_of = |index: usize| format!("GET /v1/checkout/sessions/{}", opened[index].id);
        proxy.reply_with(
            &request_of(0),
            1000,
            &Reply::error(500, "api_error", None, "We are sorry."),
        );
        let unknown = Reply::error(404, "invalid_request_error", None, "No such session.");
        proxy.reply_with(&request_of(1), 1, &unknown);
        // A card that the provider no longer has when it is looked up.
        enter_card(&world, &opened[2]).await;
        proxy.reply_with("GET /v1/payment_methods/*", 1, &unknown);
        expire_sessions(&world).await;
        expect_states(&world, &["open", "expired", "expired", "expired"]).await;
        expect_page(return_from_provider(&world, &opened[2].done).await, 410, OVER);
        assert!(proxy.clear_faults() > 0);
        expect_states(&world, &["expired"; 4]).await;
        assert!(cards(&world, &admin, loan).await.is_empty());
        world
    })
    .await;
}

#[tokio::test]
async fn a_card_already_on_file_is_not_added_twice() {
    let Some(environment) = stripe_environment(30) else { return };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let opened = open(&world, &admin, loan).await;
        let card = enter_card(&world, &opened).await;
        let path = format!("/loans/{loan}/payment-gateway/credit-cards");
        let body = json!({"Gateway_Token": card});
        world.client.post(&admin, &path, &body, None).await.expect(201);
        for _ in 0..2 {
            expect_page(return_from_provider(&world, &opened.done).await, 200, ADDED);
        }
        assert_eq!(cards(&world, &admin, loan).await.len(), 1);
        assert_eq!(states(&world).await, ["used"]);
        world
    })
    .await;
}

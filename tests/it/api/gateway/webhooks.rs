//! `/gateway/stripe/webhook`: events about pages for adding cards.

use super::checkout::{enter_card, open, stripe_environment};
use super::{ADDED, book, cards, expect_page, expect_states, states};
use crate::PROGRAM;
use acceptance::provider::WEBHOOK_SECRET;
use acceptance::stripe_proxy::StripeProxy;
use acceptance::webhooks::{event, stripe_signature};
use acceptance::world::on_each_database_with;
use acceptance::{TestResponse, World, on_each_database};
use chrono::Utc;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::json;
use std::time::Duration;
use tokio::time::sleep;

const PATH: &str = "/gateway/stripe/webhook";
const SIGNATURE: &str = "Stripe-Signature";

async fn send(world: &World, payload: &str, signature: Option<&str>) -> TestResponse {
    let request = world.client.request(Method::POST, "", PATH).body(payload.to_owned());
    let request = match signature {
        Some(signature) => request.header(SIGNATURE, signature),
        None => request,
    };
    world.client.send(request).await.expect("a response")
}

async fn send_signed(world: &World, payload: &str) -> TestResponse {
    let signature = world.provider.as_ref().expect("a provider").sign(payload);
    send(world, payload, Some(&signature)).await
}

fn proxy(world: &World) -> &StripeProxy {
    &world.provider.as_ref().expect("a provider").proxy
}

#[tokio::test]
async fn a_webhook_adds_the_card_at_once_and_only_once() {
    let Some(environment) = stripe_environment(3600) else { return };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let opened = open(&world, &admin, loan).await;
        let completed = || {
            let session = proxy(&world).checkouts().remove(0);
            event("checkout.session.completed", &session).to_string()
        };
        // The event's content is not trusted: the provider is asked, and says otherwise.
        let mut forged = proxy(&world).checkouts().remove(0);
        forged["status"] = json!("complete");
        let forged = event("checkout.session.completed", &forged).to_string();
        send_signed(&world, &forged).await.expect(204);
        proxy(&world).wait_for("GET /v1/checkout/sessions/*", 1).await;
        sleep(Duration::from_secs(1)).await;
        assert_eq!(states(&world).await, ["open"]);

        enter_card(&world, &opened).await;
        let payload = completed();
        let signature = world.provider.as_ref().unwrap().sign(&payload);
        let many = join_all((0..6).map(|_| send(&world, &payload, Some(&signature)))).await;
        for response in many {
            assert!(response.expect(204).text.is_empty());
        }
        expect_states(&world, &["used"]).await;
        send(&world, &payload, Some(&signature)).await.expect(204);
        send_signed(&world, &completed()).await.expect(204);
        sleep(Duration::from_secs(1)).await;
        assert_eq!(cards(&world, &admin, loan).await.len(), 1);
        // The borrower's browser returns after the event.
        expect_page(world.client.get("", &opened.done).await, 200, ADDED);
        assert_eq!(cards(&world, &admin, loan).await.len(), 1);

        let other = open(&world, &admin, loan).await;
        proxy(&world).expire_checkout(&other.id);
        let session = proxy(&world).checkouts().remove(1);
        send_signed(&world, &event("checkout.session.expired", &session).to_string()).await;
        expect_states(&world, &["used", "expired"]).await;
        world
    })
    .await;
}

#[tokio::test]
async fn an_unsigned_or_forged_webhook_is_refused() {
    let Some(environment) = stripe_environment(3600) else { return };
    on_each_database_with(PROGRAM, environment.in_processes(), |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        let opened = open(&world, &admin, loan).await;
        enter_card(&world, &opened).await;
        let session = proxy(&world).checkouts().remove(0);
        let payload = event("checkout.session.completed", &session).to_string();
        proxy(&world).forget_requests();
        let now = Utc::now().timestamp();
        let good = stripe_signature(WEBHOOK_SECRET, now, &payload);
        let (_, tag) = good.split_once(",v1=").expect("a signature");
        for wrong in [
            stripe_signature("whsec_of_another", now, &payload),
            stripe_signature("", now, &payload),
            stripe_signature(WEBHOOK_SECRET, now, &format!("{payload} ")),
            stripe_signature(WEBHOOK_SECRET, now - 320, &payload),
            stripe_signature(WEBHOOK_SECRET, now + 320, &payload),
            good.replace(&now.to_string(), &(now + 1).to_string()),
            format!("v1={tag}"),
            format!("t={now},v0={tag}"),
            format!("t={now},v1={}", &tag[..62]),
            format!("t={now},v1="),
            format!("t={},v1={tag}", i64::MIN),
            format!("t={now}{now}{now},v1={tag}"),
            "rubbish".to_owned(),
            String::new(),
        ] {
            let refused = send(&world, &payload, Some(&wrong)).await;
            refused.expect_problem(400, "bad-request");
        }
        send(&world, &payload, None).await.expect_problem(400, "bad-request");
        send(&world, "", Some(&good)).await.expect_problem(400, "bad-request");
        let huge = format!("{payload}{}", " ".repeat(1 << 20));
        send_signed(&world, &huge).await.expect_problem(400, "bad-request");
        send(&world, &huge, None).await.expect_problem(400, "bad-request");
        sleep(Duration::from_secs(1)).await;
        assert_eq!(proxy(&world).requests().len(), 0);
        assert_eq!(states(&world).await, ["open"]);
        // The same event with a valid signature.
        send(&world, &payload, Some(&good)).await.expect(204);
        expect_states(&world, &["used"]).await;
        let log = world.api.log();
        assert!(!log.contains(WEBHOOK_SECRET) && !log.contains(tag), "{log}");
        world
    })
    .await;
}

#[tokio::test]
async fn a_webhook_about_an_unknown_session_is_accepted_and_ignored() {
    let Some(environment) = stripe_environment(3600) else { return };
    on_each_database_with(PROGRAM, environment, |world| async move {
        let admin = world.token("admin").await;
        let (loan, _) = book(&world, &admin).await;
        open(&world, &admin, loan).await;
        proxy(&world).forget_requests();
        for payload in [
            String::new(),
            "no JSON".to_owned(),
            "null".to_owned(),
            "[]".to_owned(),
            "\u{0}".to_owned(),
            json!({"type": 7, "data": []}).to_string(),
            "[".repeat(100_000),
            event("checkout.session.completed", &json!({"id": "cs_test_of_nobody"})).to_string(),
            event("checkout.session.completed", &json!({"id": "../customers"})).to_string(),
            event("checkout.session.completed", &json!({"id": null})).to_string(),
            event("payment_intent.succeeded", &json!({"id": "pi_of_nobody"})).to_string(),
            event("customer.deleted", &json!({"id": "cus_1"})).to_string(),
        ] {
            send_signed(&world, &payload).await.expect(204);
        }
        sleep(Duration::from_secs(1)).await;
        assert_eq!(proxy(&world).requests().len(), 0);
        assert_eq!(states(&world).await, ["open"]);
        world
    })
    .await;
}

#[tokio::test]
async fn webhooks_are_not_found_without_a_secret() {
    let payload = event("checkout.session.completed", &json!({"id": "cs_1"})).to_string();
    let signature = stripe_signature("", Utc::now().timestamp(), &payload);
    let try_it = async |world: &World| {
        for signature in [None, Some(signature.as_str())] {
            send(world, &payload, signature).await.expect_problem(404, "not-found");
        }
    };
    on_each_database(PROGRAM, |world| async {
        try_it(&world).await;
        world
    })
    .await;
    let Some(mut environment) = stripe_environment(30) else { return };
    environment.api.insert("API_STRIPE_WEBHOOK_SECRET".to_owned(), String::new());
    on_each_database_with(PROGRAM, environment, |world| async {
        try_it(&world).await;
        world
    })
    .await;
}

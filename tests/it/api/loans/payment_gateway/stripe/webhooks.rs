//! `POST /gateway/stripe/webhook`: the provider's events trigger an immediate look-up, and only
//! signed ones do.

use super::fixture::{CONFIRM, LOOK_UP, PaymentEnd, StripeFixture, with_stripe};
use acceptance::TestResponse;
use acceptance::provider::WEBHOOK_SECRET;
use acceptance::webhooks::{event, stripe_signature};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;

const PATH: &str = "/gateway/stripe/webhook";

async fn send(fixture: &StripeFixture, signature: &str, payload: &str) -> TestResponse {
    let request = fixture.world.client.request(Method::POST, "", PATH);
    let request = request.header("Stripe-Signature", signature).body(payload.to_owned());
    fixture.world.client.send(request).await.expect("a response")
}

#[tokio::test]
async fn a_webhook_settles_a_payment_and_a_forged_one_does_nothing() {
    with_stripe(&[], 2, async |fixture| {
        let payment = fixture.payment();
        fixture.provider().proxy.lose_reply(CONFIRM, 1);
        fixture.pay(&payment).await.expect_problem(503, "gateway-outcome-unknown");
        let intent = fixture.provider().stripe.intents().await.remove(0);
        let object = json!({ "id": intent.id, "object": "payment_intent" });
        let payload = event("payment_intent.succeeded", &object).to_string();
        let now = shared::database::time(&fixture.world.db).await.expect("a time").0.timestamp();
        let forged = [
            stripe_signature("whsec_of_somebody", now, &payload),
            stripe_signature(WEBHOOK_SECRET, now, &format!("{payload} ")),
            stripe_signature(WEBHOOK_SECRET, now - 400, &payload),
            stripe_signature(WEBHOOK_SECRET, now + 400, &payload),
            stripe_signature(WEBHOOK_SECRET, now, &payload).replace("v1=", "v0="),
            "t=1,v1=".to_owned(),
        ];
        for signature in forged {
            send(fixture, &signature, &payload).await.expect_problem(400, "bad-request");
        }
        let unsigned = fixture.world.client.request(Method::POST, "", PATH).body(payload.clone());
        let unsigned = fixture.world.client.send(unsigned).await.expect("a response");
        unsigned.expect_problem(400, "bad-request");
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(fixture.state(&payment).await, "unknown");
        assert_eq!(fixture.provider().proxy.requests_to(LOOK_UP).len(), 0);

        let signature = fixture.provider().sign(&payload);
        send(fixture, &signature, &payload).await.expect(204);
        fixture.wait_for_state(&payment, "posted").await;
        // Sent again, and about a payment of another system.
        send(fixture, &signature, &payload).await.expect(204);
        for object in [json!({"id": "pi_of_nobody"}), json!({"id": "../x"}), json!({})] {
            let payload = event("payment_intent.succeeded", &object).to_string();
            send(fixture, &fixture.provider().sign(&payload), &payload).await.expect(204);
        }
        fixture.expect_end(&payment, PaymentEnd::Posted).await;

        // The provider is asked for the outcome, whatever the event says; the event itself ends
        // nothing.
        let payment = fixture.payment();
        fixture.provider().proxy.refuse(CONFIRM, 1);
        fixture.pay(&payment).await.expect_problem(503, "gateway-outcome-unknown");
        let intent = fixture.provider().stripe.intents().await.pop().expect("an intent");
        let object = json!({ "id": intent.id, "object": "payment_intent", "status": "succeeded" });
        let payload = event("payment_intent.succeeded", &object).to_string();
        let requests_before = fixture.provider().proxy.requests_to(LOOK_UP).len();
        send(fixture, &fixture.provider().sign(&payload), &payload).await.expect(204);
        fixture.provider().proxy.wait_for(LOOK_UP, requests_before + 1).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(fixture.state(&payment).await, "unknown");
        fixture.expect_end(&payment, PaymentEnd::Failed).await;
    })
    .await;
}

#[tokio::test]
async fn an_event_sent_by_localstripe_settles_a_payment() {
    with_stripe(&[], 1, async |fixture| {
        let url = format!("{}{PATH}", fixture.world.client.api_url);
        fixture.provider().stripe.send_events_to(&url, WEBHOOK_SECRET).await;
        let payment = fixture.payment();
        fixture.provider().proxy.lose_reply(CONFIRM, 1);
        fixture.pay(&payment).await.expect_problem(503, "gateway-outcome-unknown");
        fixture.wait_for_state(&payment, "posted").await;
        fixture.expect_end(&payment, PaymentEnd::Posted).await;
    })
    .await;
}

#[tokio::test]
async fn payment_webhooks_are_not_found_without_a_secret() {
    with_stripe(&[("API_STRIPE_WEBHOOK_SECRET", "")], 1, async |fixture| {
        let payload = event("payment_intent.succeeded", &json!({ "id": "pi_1" })).to_string();
        let response = send(fixture, &fixture.provider().sign(&payload), &payload).await;
        response.expect_problem(404, "not-found");
    })
    .await;
}

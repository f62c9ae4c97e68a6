//! `POST /gateway/stripe/webhook`: the provider's events trigger an immediate look-up, and only
//! signed ones do.

use super::till::{CONFIRM, End, LOOK_UP, Till, at_the_till};
use acceptance::TestResponse;
use acceptance::provider::WEBHOOK_SECRET;
use acceptance::webhooks::{event, stripe_signature};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;

const PATH: &str = "/gateway/stripe/webhook";

async fn send(till: &Till, signature: &str, payload: &str) -> TestResponse {
    let request = till.world.client.request(Method::POST, "", PATH);
    let request = request.header("Stripe-Signature", signature).body(payload.to_owned());
    till.world.client.send(request).await.expect("a response")
}

#[tokio::test]
async fn an_event_settles_a_payment_at_once_and_a_forged_one_does_nothing() {
    at_the_till(&[], 2, async |till| {
        let payment = till.payment();
        till.provider().proxy.lose_reply(CONFIRM, 1);
        till.pay(&payment).await.expect_problem(503, "gateway-outcome-unknown");
        let intent = till.provider().stripe.intents().await.remove(0);
        let object = json!({ "id": intent.id, "object": "payment_intent" });
        let payload = event("payment_intent.succeeded", &object).to_string();
        let now = shared::db::time(&till.world.db).await.expect("a time").0.timestamp();
        let forged = [
            stripe_signature("whsec_of_somebody", now, &payload),
            stripe_signature(WEBHOOK_SECRET, now, &format!("{payload} ")),
            stripe_signature(WEBHOOK_SECRET, now - 400, &payload),
            stripe_signature(WEBHOOK_SECRET, now + 400, &payload),
            stripe_signature(WEBHOOK_SECRET, now, &payload).replace("v1=", "v0="),
            "t=1,v1=".to_owned(),
        ];
        for signature in forged {
            send(till, &signature, &payload).await.expect_problem(400, "bad-request");
        }
        let bare = till.world.client.request(Method::POST, "", PATH).body(payload.clone());
        let bare = till.world.client.send(bare).await.expect("a response");
        bare.expect_problem(400, "bad-request");
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(till.state(&payment).await, "unknown");
        assert_eq!(till.provider().proxy.requests_to(LOOK_UP).len(), 0);

        let signature = till.provider().sign(&payload);
        send(till, &signature, &payload).await.expect(204);
        till.wait_for_state(&payment, "posted").await;
        // Sent again, and about a payment of another system.
        send(till, &signature, &payload).await.expect(204);
        for object in [json!({"id": "pi_of_nobody"}), json!({"id": "../x"}), json!({})] {
            let payload = event("payment_intent.succeeded", &object).to_string();
            send(till, &till.provider().sign(&payload), &payload).await.expect(204);
        }
        till.expect_end(&payment, End::Posted).await;

        // The provider is asked for the outcome, whatever the event says; the event itself ends
        // nothing.
        let payment = till.payment();
        till.provider().proxy.refuse(CONFIRM, 1);
        till.pay(&payment).await.expect_problem(503, "gateway-outcome-unknown");
        let intent = till.provider().stripe.intents().await.pop().expect("an intent");
        let object = json!({ "id": intent.id, "object": "payment_intent", "status": "succeeded" });
        let payload = event("payment_intent.succeeded", &object).to_string();
        let asked = till.provider().proxy.requests_to(LOOK_UP).len();
        send(till, &till.provider().sign(&payload), &payload).await.expect(204);
        till.provider().proxy.wait_for(LOOK_UP, asked + 1).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(till.state(&payment).await, "unknown");
        till.expect_end(&payment, End::Failed).await;
    })
    .await;
}

#[tokio::test]
async fn localstripes_own_event_settles_a_payment() {
    at_the_till(&[], 1, async |till| {
        let url = format!("{}{PATH}", till.world.client.api_url);
        till.provider().stripe.send_events_to(&url, WEBHOOK_SECRET).await;
        let payment = till.payment();
        till.provider().proxy.lose_reply(CONFIRM, 1);
        till.pay(&payment).await.expect_problem(503, "gateway-outcome-unknown");
        till.wait_for_state(&payment, "posted").await;
        till.expect_end(&payment, End::Posted).await;
    })
    .await;
}

#[tokio::test]
async fn without_a_secret_there_are_no_webhooks() {
    at_the_till(&[("API_STRIPE_WEBHOOK_SECRET", "")], 1, async |till| {
        let payload = event("payment_intent.succeeded", &json!({ "id": "pi_1" })).to_string();
        let response = send(till, &till.provider().sign(&payload), &payload).await;
        response.expect_problem(404, "not-found");
    })
    .await;
}

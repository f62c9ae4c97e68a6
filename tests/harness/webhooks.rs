//! Stripe's events: their JSON, and the signature in the header `Stripe-Signature`.

use aws_lc_rs::hmac;
use serde_json::{Value, json};

/// An event of this type (`checkout.session.completed`, …) about this object.
pub fn event(kind: &str, object: &Value) -> Value {
    let id: String = std::iter::repeat_with(fastrand::alphanumeric).take(24).collect();
    json!({
        "id": format!("evt_{id}"),
        "object": "event",
        "api_version": "2024-06-20",
        "created": chrono::Utc::now().timestamp(),
        "data": {"object": object},
        "livemode": false,
        "pending_webhooks": 1,
        "request": {"id": null, "idempotency_key": null},
        "type": kind,
    })
}

/// The value of the header for this payload, sent at this time (seconds since 1970).
pub fn stripe_signature(secret: &str, timestamp: i64, payload: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signature = hmac::sign(&key, format!("{timestamp}.{payload}").as_bytes());
    format!("t={timestamp},v1={}", hex::encode(signature))
}

//! Stripe webhooks: verification of the signature, and the subject.
//!
//! The content of a webhook is not trusted: it only names what to look up.

use super::{id_of, text};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use serde_json::Value;
use shared::time::Timestamp;

/// Maximum difference between the time of a signature and the database's time.
const TOLERANCE_SECONDS: i64 = 300;
/// Signatures that are compared: while a secret is being replaced, Stripe sends one for each.
const SIGNATURES_MAX: usize = 5;
/// Maximum bytes of the header with the signatures.
pub const HEADER_BYTES_MAX: usize = 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebhookSubject {
    /// The payment with this reference.
    Payment(String),
    /// The page with this reference.
    Checkout(String),
    /// Nothing that matters here.
    Nothing,
}

/// Returns the time at which a body was signed, in seconds since 1970, if the signature
/// (`t=…,v1=…`) is valid for this body under this secret.
///
/// See Stripe, "Verify webhook signatures manually": HMAC-SHA256 over time, dot and body.
pub fn signed_at(secret: &str, signature: &str, body: &[u8]) -> Option<i64> {
    let parts = || signature.split(',').filter_map(|part| part.trim().split_once('='));
    let time = parts().find(|(name, _)| *name == "t").map(|(_, time)| time)?;
    let seconds: i64 = time.parse().ok()?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    // Computed once, however many signatures were sent.
    let expected = hmac::sign(&key, &[time.as_bytes(), b".", body].concat());
    let matches = |hex: &str| {
        hex::decode(hex).is_ok_and(|tag| verify_slices_are_equal(&tag, expected.as_ref()).is_ok())
    };
    let mut signatures = parts().filter(|(name, _)| *name == "v1").take(SIGNATURES_MAX);
    signatures.any(|(_, hex)| matches(hex)).then_some(seconds)
}

/// True if the time is within some minutes of the database's: anyone could send an older webhook
/// again.
pub fn is_recent(signed: i64, now: Timestamp) -> bool {
    now.0.timestamp().saturating_sub(signed).saturating_abs() <= TOLERANCE_SECONDS
}

pub fn subject(body: &[u8]) -> WebhookSubject {
    let Ok(event) = serde_json::from_slice::<Value>(body) else { return WebhookSubject::Nothing };
    let id = text(&event["data"]["object"]["id"]);
    let kind = text(&event["type"]);
    let payment = kind.starts_with("payment_intent.").then(|| id_of(id, "pi_")).flatten();
    let checkout = kind.starts_with("checkout.session.").then(|| id_of(id, "cs_")).flatten();
    match (payment, checkout) {
        (Some(id), _) => WebhookSubject::Payment(id.to_owned()),
        (None, Some(id)) => WebhookSubject::Checkout(id.to_owned()),
        (None, None) => WebhookSubject::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;

    const SECRET: &str = "whsec_test";
    const BODY: &[u8] = br#"{"type":"payment_intent.succeeded","data":{"object":{"id":"pi_1"}}}"#;

    fn at(seconds: i64) -> Timestamp {
        Timestamp(DateTime::from_timestamp(seconds, 0).unwrap())
    }

    fn signed(secret: &str, time: i64) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let tag = hmac::sign(&key, &[time.to_string().as_bytes(), b".", BODY].concat());
        hex::encode(tag)
    }

    #[test]
    fn a_signature_is_valid_for_its_secret_and_body_and_a_few_minutes() {
        let genuine = |signature: &str, now| {
            signed_at(SECRET, signature, BODY).is_some_and(|signed| is_recent(signed, at(now)))
        };
        let (good, other) = (signed(SECRET, 1000), signed("whsec_other", 1000));
        assert!(genuine(&format!("t=1000,v1={good}"), 1000));
        assert!(genuine(&format!("t=1000, v1={other}, v1={good}, v0=aa"), 1300));
        assert!(genuine(&format!("t=1000,v1={good}"), 700));
        let many = format!("v1={other},").repeat(5);
        assert!(!genuine(&format!("t=1000,{many}v1={good}"), 1000), "too many to be Stripe's");
        for wrong in [
            format!("t=1000,v1={other}"),
            format!("t=1001,v1={good}"),
            format!("v1={good}"),
            format!("t=1000,v0={good}"),
            format!("t=1000,v1={}", &good[..62]),
            "t=1000,v1=zz".to_owned(),
            "t=1000,v1=".to_owned(),
            String::new(),
        ] {
            assert!(!genuine(&wrong, 1000), "{wrong}");
        }
        assert!(!genuine(&format!("t=1000,v1={good}"), 1301));
        assert!(!genuine(&format!("t=1000,v1={good}"), 699));
        assert_eq!(signed_at(SECRET, &format!("t=1000,v1={good}"), b"{}"), None);
    }

    #[test]
    fn a_webhook_concerns_a_payment_a_checkout_session_or_nothing() {
        assert_eq!(subject(BODY), WebhookSubject::Payment("pi_1".to_owned()));
        let page = br#"{"type":"checkout.session.completed","data":{"object":{"id":"cs_test_1"}}}"#;
        assert_eq!(subject(page), WebhookSubject::Checkout("cs_test_1".to_owned()));
        for unrelated in [
            &b"{}"[..],
            b"no json",
            br#"{"type":"payment_intent.succeeded","data":{"object":{"id":"../pi_1"}}}"#,
            br#"{"type":"customer.created","data":{"object":{"id":"cus_1"}}}"#,
        ] {
            assert_eq!(subject(unrelated), WebhookSubject::Nothing);
        }
    }
}

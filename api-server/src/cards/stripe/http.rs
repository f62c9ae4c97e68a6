//! HTTP client for Stripe: requests, responses, and what a missing response means.

use super::super::{GatewayError, GatewayRefusal};
use super::Account;
use reqwest::{Certificate, Client, RequestBuilder, Response};
use serde_json::Value;
use std::time::Duration;

/// API version for which this adapter was written.
const VERSION: &str = "2024-06-20";
const CONNECT_TIME_MAX: Duration = Duration::from_secs(4);
const RESPONSE_TIME_MAX: Duration = Duration::from_secs(12);
/// Maximum size of a response, in bytes.
const RESPONSE_BYTES_MAX: usize = 1 << 20;
/// Maximum lengths of the code and the message of a refusal, in characters.
const CODE_LENGTH_MAX: usize = 50;
const MESSAGE_LENGTH_MAX: usize = 255;
/// Prefixes of words that must not be disclosed: cards, customers and keys.
const SECRET_WORDS: [&str; 4] = ["pm_", "cus_", "sk_", "rk_"];

/// HTTP client of one account.
pub(super) struct Http {
    client: Client,
    url: String,
    key: String,
}

pub(super) struct StripeResponse {
    pub status: u16,
    pub body: Value,
}

impl Http {
    pub(super) fn new(account: &Account) -> Result<Self, String> {
        let mut client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_TIME_MAX)
            .timeout(RESPONSE_TIME_MAX)
            .tcp_nodelay(true);
        if let Some(path) = &account.authority {
            let with_path = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
            let pem = std::fs::read(path).map_err(|error| with_path(&error))?;
            let authorities =
                Certificate::from_pem_bundle(&pem).map_err(|error| with_path(&error))?;
            client = client.tls_certs_only(authorities);
        }
        let client = client.build().map_err(|error| error.to_string())?;
        Ok(Self { client, url: account.url.clone(), key: account.key.clone() })
    }

    pub(super) async fn get(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<StripeResponse, GatewayError> {
        let request = self.client.get(format!("{}{path}", self.url)).query(query);
        self.send("GET", request).await
    }

    /// Sends a form. If it is sent again with the same key, Stripe repeats its first response.
    pub(super) async fn post(
        &self,
        path: &str,
        form: &[(&str, &str)],
        idempotency_key: &str,
    ) -> Result<StripeResponse, GatewayError> {
        let mut request = self.client.post(format!("{}{path}", self.url)).form(form);
        if !idempotency_key.is_empty() {
            request = request.header("idempotency-key", idempotency_key);
        }
        self.send("POST", request).await
    }

    async fn send(
        &self,
        method: &str,
        request: RequestBuilder,
    ) -> Result<StripeResponse, GatewayError> {
        let request = request.bearer_auth(&self.key).header("stripe-version", VERSION);
        let response = match request.send().await {
            Ok(response) => read(response).await,
            Err(error) if error.is_connect() || error.is_builder() => {
                // Without the URL, which may contain a token.
                tracing::warn!(method, error = %error.without_url(), "stripe was not reached");
                return Err(GatewayError::Unavailable);
            }
            Err(error) => Err(error.without_url().to_string()),
        };
        let response = response.map_err(|error| {
            tracing::warn!(method, %error, "stripe did not respond");
            GatewayError::Unknown
        })?;
        if response.status >= 400 {
            let (status, code) = (response.status, response.refusal().code);
            tracing::info!(method, status, code, "stripe refused a request");
        }
        Ok(response)
    }
}

async fn read(mut response: Response) -> Result<StripeResponse, String> {
    let status = response.status().as_u16();
    let mut bytes = Vec::new();
    while let Some(chunk) =
        response.chunk().await.map_err(|error| error.without_url().to_string())?
    {
        if bytes.len() + chunk.len() > RESPONSE_BYTES_MAX {
            return Err("the response is too long".to_owned());
        }
        bytes.extend_from_slice(&chunk);
    }
    match serde_json::from_slice(&bytes) {
        Ok(body) => Ok(StripeResponse { status, body }),
        // If an intermediary refuses, the status says enough.
        Err(_) if status >= 400 => Ok(StripeResponse { status, body: Value::Null }),
        Err(error) => Err(format!("not JSON: {error}")),
    }
}

impl StripeResponse {
    /// Returns the body of a successful response.
    pub(super) fn success(self) -> Result<Value, GatewayError> {
        match self.status {
            200..=299 => Ok(self.body),
            _ => Err(self.error()),
        }
    }

    /// Returns what an unsuccessful response means.
    pub(super) fn error(&self) -> GatewayError {
        match self.status {
            // The key or a limit of our account is at fault, and nothing was done.
            401 | 403 | 429 => GatewayError::Unavailable,
            // The same request is still running, or Stripe itself does not know the outcome.
            409 | 500.. => GatewayError::Unknown,
            400..=499 => GatewayError::Refused(self.refusal()),
            _ => GatewayError::Unknown,
        }
    }

    /// Returns the reason in an unsuccessful response.
    pub(super) fn refusal(&self) -> GatewayRefusal {
        refusal(&self.body["error"])
    }
}

/// Converts an error from Stripe. A bank's own reason takes precedence over Stripe's.
pub(super) fn refusal(error: &Value) -> GatewayRefusal {
    let word = |name: &str| error[name].as_str().filter(|text| !text.is_empty());
    let code = word("decline_code").or(word("code")).or(word("type")).unwrap_or("refused");
    let message = word("message").unwrap_or("The gateway refused the card.");
    let truncated = |text: &str, characters_max| text.chars().take(characters_max).collect();
    let message = without_secrets(message);
    GatewayRefusal {
        code: truncated(code, CODE_LENGTH_MAX),
        message: truncated(&message, MESSAGE_LENGTH_MAX),
    }
}

/// Removes ids and keys from a message. Stripe names the object of a message: "No such
/// PaymentMethod: 'pm_…'". Messages are stored and shown; a card's id at Stripe must be neither.
fn without_secrets(message: &str) -> String {
    let ends_word = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let mut redacted = String::with_capacity(message.len());
    for piece in message.split_inclusive(ends_word) {
        let word = piece.trim_end_matches(ends_word);
        let secret = SECRET_WORDS.iter().any(|prefix| word.starts_with(prefix));
        redacted.push_str(if secret { "…" } else { word });
        redacted.push_str(&piece[word.len()..]);
    }
    redacted
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_stripe_error_shows_its_reason_but_no_card_customer_or_key() {
        for (message, redacted) in [
            ("No such PaymentMethod: 'pm_1Ab_x'; see pm_2.", "No such PaymentMethod: '…'; see …."),
            ("(cus_1,sk_test_2) rk_live_3", "(…,…) …"),
            ("The payment_method épm_1 ü", "The payment_method é… ü"),
            ("pm_", "…"),
            ("Your card was declined.", "Your card was declined."),
            ("No such payment_intent: 'pi_1'", "No such payment_intent: 'pi_1'"),
        ] {
            let refusal = refusal(&json!({"message": message, "code": "c", "decline_code": "d"}));
            assert_eq!((refusal.message.as_str(), refusal.code.as_str()), (redacted, "d"));
        }
        let long = "é".repeat(300);
        let refusal = refusal(&json!({"message": long, "type": "t"}));
        assert_eq!((refusal.message.chars().count(), refusal.code.as_str()), (255, "t"));
    }
}

//! `/gateway/stripe/…`: return address for browsers coming from Stripe's page, and receiver of its
//! webhooks.

use super::{CLOSE, message, page_of, session_over};
use crate::cards::checkout_sessions::{self, SessionOutcome};
use crate::cards::recovery;
use crate::cards::stripe::webhooks::{self, WebhookSubject};
use crate::state::State;
use poem::http::StatusCode;
use poem::web::Data;
use poem::{Request, Response, Result, handler};
use serde::Deserialize;
use shared::database;
use shared::problem::Problem;
use std::sync::Arc;
use std::time::Duration;

const WEBHOOK_BYTES_MAX: usize = 256 * 1024;
const WEBHOOK_TIME_MAX: Duration = Duration::from_secs(10);
const SIGNATURE: &str = "stripe-signature";

#[derive(Deserialize)]
struct ReturnQuery {
    session: String,
    #[serde(default)]
    cancelled: String,
}

/// `GET /gateway/stripe/return?session=…`: the browser returns from Stripe's page.
#[handler]
pub(crate) async fn come_back(state: Data<&Arc<State>>, request: &Request) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let Ok(ReturnQuery { session: secret, cancelled }) = serde_urlencoded::from_str(query) else {
        return session_over();
    };
    match checkout_sessions::handle_return(&state.cards, &secret).await {
        Ok(SessionOutcome::Added) => {
            message(StatusCode::OK, "Card added", "You can use it from now on.", CLOSE)
        }
        Ok(SessionOutcome::Pending) if !cancelled.is_empty() => {
            message(StatusCode::OK, "No card added", "Nothing was changed.", CLOSE)
        }
        Ok(SessionOutcome::Pending) => {
            let text = "We don't have your card yet. If you entered one, it will be added \
                        within a few minutes.";
            message(StatusCode::OK, "One moment", text, CLOSE)
        }
        Ok(SessionOutcome::Ended) => session_over(),
        Err(error) => page_of(&error.into()),
    }
}

/// `POST /gateway/stripe/webhook`
///
/// Responds once the signature is verified as Stripe's. The payment or checkout session it is about
/// is looked up after the response; if that fails, recovery does it.
#[handler]
pub(crate) async fn receive(
    state: Data<&Arc<State>>,
    request: &Request,
    body: poem::Body,
) -> Result<StatusCode> {
    let secret = state.cards.gateway.stripe().and_then(|stripe| stripe.webhook_secret());
    let Some(secret) = secret else { return Err(Problem::not_found().into()) };
    let refused = || Problem::bad_request("the signature is missing or is not Stripe's");
    let signature = request.headers().get(SIGNATURE).and_then(|value| value.to_str().ok());
    let signature = signature.filter(|it| it.len() <= webhooks::HEADER_BYTES_MAX);
    let signature = signature.ok_or_else(refused)?.to_owned();
    let body = tokio::time::timeout(WEBHOOK_TIME_MAX, body.into_bytes_limit(WEBHOOK_BYTES_MAX));
    let body = body.await.map_err(|_| Problem::bad_request("the body did not arrive"))?;
    let body = body.map_err(|_| Problem::bad_request("the body cannot be read"))?;
    let signed = webhooks::signed_at(secret, &signature, &body).ok_or_else(refused)?;
    let now = database::time(&state.reads).await.map_err(Problem::from)?;
    if !webhooks::is_recent(signed, now) {
        return Err(refused().into());
    }
    match webhooks::subject(&body) {
        WebhookSubject::Nothing => {}
        WebhookSubject::Payment(reference) => recovery::payment_notified(&state.cards, reference),
        WebhookSubject::Checkout(reference) => recovery::session_notified(&state.cards, reference),
    }
    Ok(StatusCode::NO_CONTENT)
}

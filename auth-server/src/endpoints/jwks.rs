//! `GET /oauth2/jwks`: the public keys that verify ID tokens (RFC 7517).

use crate::http::oauth_error::OAuthError;
use crate::state::State;
use poem::http::header::CACHE_CONTROL;
use poem::{Request, Response};
use shared::server::SharedBody;
use std::sync::Arc;

/// Returns the key set. It may be cached for a while, because keys are published long before they
/// sign.
pub async fn show(state: Arc<State>, _request: Request) -> Result<Response, OAuthError> {
    let key_set = state.key_sets.ask(()).await;
    let key_set =
        key_set.map_err(|unanswered| OAuthError::unavailable(unanswered.to_string()))??;
    let mut response = Response::builder()
        .content_type("application/json")
        .header(CACHE_CONTROL, "public, max-age=300")
        .body(key_set);
    response.set_data(SharedBody);
    Ok(response)
}

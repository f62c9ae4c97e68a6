//! `GET /oauth2/jwks`: the public keys that verify ID tokens (RFC 7517).

use super::public_document;
use crate::http::oauth_error::OAuthError;
use crate::state::State;
use poem::{Request, Response};
use std::sync::Arc;

/// Returns the key set. It may be cached for a while, because keys are published long before they
/// sign.
pub async fn show(state: Arc<State>, _request: Request) -> Result<Response, OAuthError> {
    let key_set = state.key_sets.ask(()).await;
    key_set
        .unwrap_or_else(|unanswered| Err(OAuthError::unavailable(unanswered.to_string())))
        .map(public_document)
}

//! `GET /oauth2/jwks`: the keys that ID tokens are checked with (RFC 7517).

use crate::http::oauth_error::OAuthError;
use crate::state::State;
use crate::store::keys;
use poem::http::header::CACHE_CONTROL;
use poem::{Request, Response};
use shared::server::SharedBody;
use std::sync::Arc;

/// Shows the key set. Keys are announced long before they sign, so it may be kept for a while.
pub async fn show(state: Arc<State>, _request: Request) -> Result<Response, OAuthError> {
    let key_set = state.key_sets.ask((), keys::key_set(state.store.db.clone())).await;
    let key_set = key_set.map_err(OAuthError::server_error)??;
    let mut response = Response::builder()
        .content_type("application/json")
        .header(CACHE_CONTROL, "public, max-age=300")
        .body(key_set);
    response.set_data(SharedBody);
    Ok(response)
}

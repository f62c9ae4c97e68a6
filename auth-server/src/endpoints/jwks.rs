//! `GET /oauth2/jwks`: the keys that ID tokens are checked with (RFC 7517).

use super::json;
use crate::app::App;
use crate::keys;
use crate::oauth_error::OAuthError;
use poem::http::HeaderValue;
use poem::http::header::CACHE_CONTROL;
use poem::{Request, Response};
use std::sync::Arc;

/// Shows the key set. Keys are announced long before they sign, so it may be kept for a while.
pub async fn show(app: Arc<App>, _request: Request) -> Result<Response, OAuthError> {
    let mut response = json(&keys::key_set(&app.db).await?);
    let kept = HeaderValue::from_static("public, max-age=300");
    response.headers_mut().insert(CACHE_CONTROL, kept);
    response.headers_mut().remove("pragma");
    Ok(response)
}

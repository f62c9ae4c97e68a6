//! `GET /`: redirects to the documentation.

use super::metadata;
use super::redirect;
use crate::http::oauth_error::OAuthError;
use crate::state::State;
use crate::web::pages;
use poem::{Request, Response};
use std::sync::Arc;

/// Redirects to the documentation; if its URL is not configured, describes this server.
pub async fn show(state: Arc<State>, _request: Request) -> Result<Response, OAuthError> {
    Ok(match &state.config.documentation_url {
        Some(url) => redirect(url),
        None => pages::about(&state.config.display_name, metadata::PATHS[1]),
    })
}

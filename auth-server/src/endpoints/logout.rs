//! `POST /logout` with a bearer token: logs out and clears the active user.
//!
//! After the answer the next call of the resource API is 401, on every replica. A dead token is
//! answered alike (204), and an expired one still ends its session.

use crate::app::App;
use crate::oauth_error::OAuthError;
use crate::request::bearer_token;
use crate::token_table;
use crate::tokens::AccessToken;
use poem::http::StatusCode;
use poem::{Request, Response};
use std::sync::Arc;

/// Ends the session of the token that came with the request.
pub async fn log_out(app: Arc<App>, request: Request) -> Result<Response, OAuthError> {
    let token = bearer_token(&request).ok_or_else(OAuthError::token_missing)?;
    if let Some(token) = AccessToken::parse(token)
        && let Some((session, _)) = token_table::session_of(&app, &token).await?
    {
        token_table::end_session(&app, token.kind(), &session).await?;
        tracing::info!("logged out");
    }
    Ok(StatusCode::NO_CONTENT.into())
}

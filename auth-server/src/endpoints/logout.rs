//! `POST /logout` with a bearer token: logs out and clears the active user.
//!
//! After the answer the next call of the resource API is 401, on every replica. A dead token is
//! answered alike (204), and an expired one still ends its session: it proves itself, also where its
//! row was swept. One of an earlier release counts while its row is there.

use crate::app::App;
use crate::oauth_error::OAuthError;
use crate::request::bearer_token;
use crate::sessions;
use crate::source::Source;
use crate::token_table;
use crate::tokens::AccessToken;
use poem::http::StatusCode;
use poem::{Request, Response};
use shared::entity::auth_sessions;
use std::sync::Arc;

/// Ends the session of the token that came with the request, and the browser log-in it came from.
pub async fn log_out(app: Arc<App>, request: Request) -> Result<Response, OAuthError> {
    let token = bearer_token(&request).ok_or_else(OAuthError::token_missing)?;
    if let Some(token) = AccessToken::parse(&app.token_keys, token)
        && (token.is_proven() || token_table::knows(&app, &token).await?)
    {
        let (column, session) = (auth_sessions::Column::SessionId, token.session().text());
        if let Some(owner) = sessions::owner(&app.db, column, &session).await? {
            let source = Source::of(&request, &app.proxies);
            sessions::log_out(&app, &owner, &source, "bearer").await?;
        }
    }
    Ok(StatusCode::NO_CONTENT.into())
}

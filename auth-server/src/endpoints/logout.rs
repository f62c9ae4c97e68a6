//! `POST /logout` with a bearer token: ends the session and deletes its row in `active_users` or
//! `cif_web_active_users`.
//!
//! After the response, the token's next call to the resource API gets 401, on every replica. A token
//! that is no longer live gets the same response (204). An expired one still ends its session, because
//! its proof is in the token: its row may have been swept. A token whose key this server does not have
//! gets 503: another server must end it.

use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::http::request::bearer_token;
use crate::state::State;
use crate::store::sessions;
use crate::store::tokens::AccessToken;
use poem::http::StatusCode;
use poem::{Request, Response};
use shared::entity::auth_sessions;
use std::sync::Arc;

/// Ends the session of the request's token, and the browser log-in the session came from.
pub async fn log_out(state: Arc<State>, request: Request) -> Result<Response, OAuthError> {
    let token = bearer_token(&request).ok_or_else(OAuthError::token_missing)?;
    if state.store.token_keys.lack_key_of(token) {
        return Err(OAuthError::unknown_key());
    }
    if let Some(token) = AccessToken::parse(&state.store.token_keys, token) {
        let (column, session) = (auth_sessions::Column::SessionId, token.session().text());
        if let Some(owner) = sessions::owner(&state.store.db, column, &session).await? {
            let source = ClientAddress::of(&request, &state.config.proxies);
            sessions::log_out(&state.store, &owner, &source, "bearer").await?;
        }
    }
    Ok(StatusCode::NO_CONTENT.into())
}

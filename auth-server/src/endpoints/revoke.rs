//! `POST /oauth2/revoke`: token revocation (RFC 7009). Revoking one token ends its whole session;
//! unknown tokens also get 200, but 503 if the server does not have their key; only the client a token
//! was issued to may revoke it.

use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::http::request::Form;
use crate::state::State;

use crate::store::clients::{self, Credentials};
use crate::store::sessions;
use crate::store::tokens::{AccessToken, RefreshToken, TokenKeys};
use poem::{Request, Response};
use shared::audit::EventKind;
use shared::database;
use shared::entity::auth_sessions;
use std::sync::Arc;

/// Ends the session of an access or refresh token, whatever `token_type_hint` says.
pub async fn revoke(state: Arc<State>, mut request: Request) -> Result<Response, OAuthError> {
    let form = Form::read(&mut request).await?;
    let credentials = Credentials::read(&request, &form)?;
    let source = ClientAddress::of(&request, &state.config.proxies);
    let client = clients::authenticate(&state.store, &credentials, &source).await?;
    let token = form.required("token")?;
    if state.store.token_keys.lack_key_of(token) {
        return Err(OAuthError::unknown_key());
    }
    let Some(session) = session_of(&state.store.token_keys, token) else {
        return Ok(Response::default());
    };
    let session_id = auth_sessions::Column::SessionId;
    let Some(owner) = sessions::owner(&state.store.db, session_id, &session).await? else {
        return Ok(Response::default());
    };
    if owner.client_id != client.client_id {
        return Err(OAuthError::unauthorized_client("the token was issued to another client"));
    }
    database::write(&state.store.db, async |tx| {
        shared::sessions::end_session(tx, owner.user_kind, &session).await?;
        let event = source.event(EventKind::Revoked).client(&owner.client_id);
        let event = event.user(owner.user_kind, owner.user_id);
        event.token(&state.store.token_keys.hash(token)).record(tx).await
    })
    .await?;
    tracing::info!(client.client_id, "session revoked");
    Ok(Response::default())
}

/// Returns the session of an access or refresh token that this server issued.
fn session_of(keys: &TokenKeys, token: &str) -> Option<String> {
    let session = AccessToken::parse(keys, token).map(|token| token.session().text());
    session.or_else(|| Some(RefreshToken::parse(keys, token)?.session().text()))
}

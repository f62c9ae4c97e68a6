//! `POST /oauth2/revoke`: a client gives a token back (RFC 7009). Revoking one token ends its
//! whole session; unknown tokens are 200 too; only the client it was issued to may revoke it.

use crate::app::App;
use crate::clients::{self, Credentials};
use crate::oauth_error::OAuthError;
use crate::request::Form;
use crate::sessions;
use crate::source::Source;
use crate::token_table;
use crate::tokens::{AccessToken, RefreshToken};
use poem::{Request, Response};
use sea_orm::DbErr;
use shared::audit::Kind;
use shared::db;
use shared::entity::auth_sessions;
use std::sync::Arc;

/// Ends the session of a token, access or refresh, whatever the hint says it is.
pub async fn revoke(app: Arc<App>, mut request: Request) -> Result<Response, OAuthError> {
    let form = Form::read(&mut request).await?;
    let credentials = Credentials::read(&request, &form)?;
    let source = Source::of(&request, &app.proxies);
    let client = clients::authenticate(&app, &credentials, &source).await?;
    let token = form.required("token")?;
    let Some(session) = session_of(&app, token).await? else { return Ok(Response::default()) };
    let session_id = auth_sessions::Column::SessionId;
    let Some(owner) = sessions::owner(&app.db, session_id, &session).await? else {
        return Ok(Response::default());
    };
    if owner.client_id != client.client_id {
        return Err(OAuthError::unauthorized_client("the token belongs to another client"));
    }
    db::again(async || {
        let tx = db::begin_write(&app.db).await?;
        shared::sessions::end_session(&tx, owner.user_kind, &session).await?;
        let event = source.event(Kind::Revoked).client(&owner.client_id);
        let event = event.user(owner.user_kind, owner.user_id);
        event.token(&app.token_keys.hash(token)).record(&tx).await?;
        tx.commit().await
    })
    .await?;
    tracing::info!(client.client_id, "session revoked");
    Ok(Response::default())
}

/// The session of a token, access or refresh, that proves itself or that a row knows.
async fn session_of(app: &App, token: &str) -> Result<Option<String>, DbErr> {
    if let Some(token) = AccessToken::parse(&app.token_keys, token) {
        let counts = token.is_proven() || token_table::knows(app, &token).await?;
        return Ok(counts.then(|| token.session().text()));
    }
    let Some(token) = RefreshToken::parse(&app.token_keys, token) else { return Ok(None) };
    let counts = token.is_proven() || sessions::knows(app, &token).await?;
    Ok(counts.then(|| token.session().text()))
}

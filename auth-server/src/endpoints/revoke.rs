//! `POST /oauth2/revoke`: a client gives a token back (RFC 7009). Revoking one token ends its
//! whole session; unknown tokens are 200 too; only the client it was issued to may revoke it.

use crate::app::App;
use crate::clients::{self, Credentials};
use crate::oauth_error::OAuthError;
use crate::request::Form;
use crate::token_table;
use crate::tokens::AccessToken;
use poem::{Request, Response};
use std::sync::Arc;

/// Ends the session of a token, whatever the hint says it is.
pub async fn revoke(app: Arc<App>, mut request: Request) -> Result<Response, OAuthError> {
    let form = Form::read(&mut request).await?;
    let credentials = Credentials::read(&request, &form)?;
    let client = clients::authenticate(&app.db, &credentials).await?;
    let token = AccessToken::parse(form.required("token")?);
    if let Some(token) = token
        && let Some((session, owner)) = token_table::session_of(&app, &token).await?
    {
        if owner != client.client_id {
            return Err(OAuthError::unauthorized_client("the token belongs to another client"));
        }
        token_table::end_session(&app, token.kind(), &session).await?;
        tracing::info!(client.client_id, "session revoked");
    }
    Ok(Response::default())
}

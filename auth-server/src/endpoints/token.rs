//! `POST /oauth2/token`: issues a token.
//!
//! The password grant is for confidential clients that were given it: a documented deviation from
//! RFC 9700, because existing callers log in with a name and a password. The scope, `core` or
//! `web`, says which kind of user logs in.

use super::json;
use crate::app::App;
use crate::clients::{self, Credentials};
use crate::core_users::Login;
use crate::oauth_error::OAuthError;
use crate::request::Form;
use crate::tokens::AccessToken;
use crate::{core_users, token_table, web_users};
use poem::{Request, Response};
use serde_json::json;
use shared::introspection::UserKind;
use shared::passwords::{PASSWORD_BYTES_MAX, Verdict};
use std::sync::Arc;

/// Issues a token to an authenticated client.
pub async fn issue(app: Arc<App>, mut request: Request) -> Result<Response, OAuthError> {
    let form = Form::read(&mut request).await?;
    let credentials = Credentials::read(&request, &form)?;
    let client = clients::authenticate(&app.db, &credentials).await?;
    let grant_type = form.required("grant_type")?;
    if grant_type != "password" {
        return Err(OAuthError::unsupported_grant_type(grant_type));
    }
    if !clients::lists(&client.grants, grant_type) {
        return Err(OAuthError::unauthorized_client("this client may not use the password grant"));
    }
    let kind = clients::user_kind(&client, form.get("scope"))?;
    let (user_name, password) = (form.required("username")?, form.required("password")?);
    let user = log_in(&app, kind, user_name, password).await?;
    let expires_in = token_table::lifetime_seconds(&app, kind).await?.ok_or_else(|| {
        tracing::error!("the setting web_inactivity_timeout is missing or no number of minutes");
        OAuthError::unavailable("web log-in is not set up")
    })?;
    let token = AccessToken::random(kind);
    token_table::insert(&app, &token, user.user_id, &client.client_id).await?;
    tracing::info!(kind = kind.as_str(), user_id = user.user_id, client.client_id, "logged in");
    Ok(json(&json!({
        "access_token": token.text(),
        "token_type": "Bearer",
        "expires_in": expires_in,
        "scope": kind.as_str(),
    })))
}

/// The user, if he may log in with this password. Every refusal looks and takes the same.
async fn log_in(
    app: &App,
    kind: UserKind,
    user_name: &str,
    password: &str,
) -> Result<Login, OAuthError> {
    if user_name.len() > PASSWORD_BYTES_MAX || password.len() > PASSWORD_BYTES_MAX {
        return Err(OAuthError::invalid_request("username and password have at most 1024 bytes"));
    }
    // PostgreSQL refuses U+0000 in text; no stored name holds one.
    let user = match kind {
        _ if user_name.contains('\0') => None,
        UserKind::Core => core_users::find(&app.db, user_name).await?,
        UserKind::Web => web_users::find(&app.db, user_name).await?,
    };
    let hash = user.as_ref().map(|user| &user.password_hash);
    let verdict = app.passwords.verify(password, hash).await.map_err(OAuthError::server_error)?;
    let user = user.filter(|user| user.enabled && verdict != Verdict::Wrong);
    let Some(user) = user else {
        tracing::info!(kind = kind.as_str(), "log-in refused");
        return Err(OAuthError::invalid_grant());
    };
    if let Verdict::RightButWeak(hash) = verdict {
        match kind {
            UserKind::Core => core_users::store_hash(&app.db, &user, hash).await?,
            UserKind::Web => web_users::store_hash(&app.db, &user, hash).await?,
        }
    }
    Ok(user)
}

//! `POST /oauth2/token`: issues tokens for an authorization code, a refresh token, or a user name
//! and password.
//!
//! The password grant is only for confidential clients that have it enabled: a documented deviation
//! from RFC 9700, because existing callers log in with a user name and password. The scope, `core`
//! or `web`, selects the kind of user.

use super::json;
use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::http::request::Form;
use crate::login::password_login::{self, LoggedIn, LoginAttempt};
use crate::state::State;
use crate::store::authorization_requests::{self, Exchange};
use crate::store::clients::{self, Credentials, Scope};
use crate::store::refresh;
use crate::store::sessions::{self, NewSession};
use crate::store::tokens::{Code, RefreshToken, SessionId};
use poem::{Request, Response};
use serde_json::Value;
use shared::database;
use shared::entity::oauth_clients::{ClientKind, Model};
use std::sync::Arc;

pub const GRANT_TYPES: [&str; 3] = ["authorization_code", "refresh_token", "password"];

/// Issues tokens to an authenticated client.
pub async fn issue(state: Arc<State>, mut request: Request) -> Result<Response, OAuthError> {
    let form = Form::read(&mut request).await?;
    let credentials = Credentials::read(&request, &form)?;
    let source = ClientAddress::of(&request, &state.config.proxies);
    let client = clients::authenticate(&state.store, &credentials, &source).await?;
    let grant_type = form.required("grant_type")?;
    if !GRANT_TYPES.contains(&grant_type) {
        return Err(OAuthError::unsupported_grant_type(grant_type));
    }
    if !clients::contains_word(&client.grants, grant_type) {
        let text = format!("this client may not use the {grant_type} grant");
        return Err(OAuthError::unauthorized_client(text));
    }
    Ok(json(&grant(&state, &client, &form, grant_type, &source).await?))
}

async fn grant(
    state: &State,
    client: &Model,
    form: &Form,
    grant_type: &str,
    source: &ClientAddress,
) -> Result<Value, OAuthError> {
    match grant_type {
        "authorization_code" => exchange_code(state, client, form, source).await,
        "refresh_token" => {
            let token =
                RefreshToken::parse(&state.store.token_keys, form.required("refresh_token")?)
                    .ok_or_else(|| OAuthError::invalid_grant("the refresh token is not valid"))?;
            let scope = form.get("scope");
            refresh::refresh(&state.store, client, &token, scope, source).await
        }
        _ => log_in_with_password(state, client, form, source).await,
    }
}

async fn exchange_code(
    state: &State,
    client: &Model,
    form: &Form,
    source: &ClientAddress,
) -> Result<Value, OAuthError> {
    let code = Code::parse(&state.store.token_keys, form.required("code")?)
        .ok_or_else(|| OAuthError::invalid_grant("the code is not valid"))?;
    let exchange = Exchange {
        code,
        redirect_uri: form.required("redirect_uri")?,
        code_verifier: form.required("code_verifier")?,
    };
    authorization_requests::exchange(&state.store, client, &exchange, source).await
}

async fn log_in_with_password(
    state: &State,
    client: &Model,
    form: &Form,
    source: &ClientAddress,
) -> Result<Value, OAuthError> {
    if client.kind != ClientKind::Confidential {
        return Err(OAuthError::unauthorized_client(
            "the password grant requires a confidential client",
        ));
    }
    let scope = Scope::read(client, form.get("scope"))?;
    let person = client.forwards_addresses_flag.then(|| source.named_by_client()).flatten();
    let source = person.as_ref().unwrap_or(source);
    let attempt = LoginAttempt {
        source,
        client_id: &client.client_id,
        is_shared_source: person.is_none(),
        kind: scope.kind,
        user_name: form.required("username")?,
        password: form.required("password")?,
    };
    database::retry(async || {
        let LoggedIn { tx, user_id } = password_login::log_in(&state.store.login, attempt).await?;
        let new_session = NewSession {
            session: SessionId::random(),
            kind: scope.kind,
            user_id,
            client,
            scope: &scope.text,
            log_in_date: None,
            browser_id: None,
            nonce: None,
        };
        let response = sessions::begin(&state.store, &tx, new_session, source).await;
        database::finish(tx, response).await
    })
    .await
}

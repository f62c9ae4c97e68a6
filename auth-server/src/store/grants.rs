//! Grants: the tokens that a client gets for a session, and the response with them.

use crate::http::oauth_error::OAuthError;
use crate::store::Store;
use crate::store::active_tokens::{self, Issued};
use crate::store::clients;
use crate::store::keys;
use crate::store::tokens::{AccessToken, RefreshToken};
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sea_orm::DatabaseTransaction;
use serde::Serialize;
use serde_json::{Value, json};
use shared::time::Timestamp;

/// Tokens to be issued to a client, and their subject.
#[derive(Debug)]
pub struct Grant<'a> {
    /// A new access token; it contains its session and its kind of user.
    pub access_token: AccessToken,
    /// The session's refresh token, already stored.
    pub refresh_token: Option<RefreshToken>,
    /// The user, or the web user's contact.
    pub user_id: i64,
    /// Client that the tokens are for.
    pub client_id: &'a str,
    /// Public session id (`sid`).
    pub public_id: &'a str,
    pub scope: &'a str,
    /// When the user authenticated; `None` for now.
    pub log_in_date: Option<Timestamp>,
    /// `nonce` of the authorization request.
    pub nonce: Option<&'a str>,
}

/// Stores the access token, and returns the token response (RFC 6749, 5.1).
pub async fn issue_tokens(
    store: &Store,
    tx: &DatabaseTransaction,
    grant: &Grant<'_>,
) -> Result<Value, OAuthError> {
    let Grant { access_token, user_id, client_id, scope, .. } = grant;
    let issued = active_tokens::issue(store, tx, access_token, *user_id, client_id).await?;
    let mut response = json!({
        "access_token": access_token.text(),
        "token_type": "Bearer",
        "expires_in": issued.lifetime_seconds,
        "scope": scope,
    });
    if let Some(refresh_token) = &grant.refresh_token {
        response["refresh_token"] = json!(refresh_token.text());
    }
    if clients::contains_word(scope, "openid") {
        response["id_token"] = json!(id_token(store, tx, grant, &issued).await?);
    }
    Ok(response)
}

#[derive(Serialize)]
struct IdTokenClaims<'a> {
    iss: &'a str,
    sub: String,
    aud: &'a str,
    exp: i64,
    iat: i64,
    auth_time: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<&'a str>,
    at_hash: String,
    sid: &'a str,
}

/// Returns the ID token that accompanies an access token (OpenID Connect Core, 2); both expire
/// together.
async fn id_token(
    store: &Store,
    tx: &DatabaseTransaction,
    grant: &Grant<'_>,
    issued: &Issued,
) -> Result<String, OAuthError> {
    let iat = issued.created.0.timestamp();
    let token_digest = digest(&SHA256, grant.access_token.text().as_bytes());
    let claims = IdTokenClaims {
        iss: &store.issuer,
        sub: keys::sub(grant.access_token.kind(), grant.user_id),
        aud: grant.client_id,
        exp: iat + issued.lifetime_seconds,
        iat,
        auth_time: grant.log_in_date.unwrap_or(issued.created).0.timestamp(),
        nonce: grant.nonce,
        at_hash: URL_SAFE_NO_PAD.encode(&token_digest.as_ref()[..16]),
        sid: grant.public_id,
    };
    keys::sign(store, tx, &claims).await
}

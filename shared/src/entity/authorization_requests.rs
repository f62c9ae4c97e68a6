//! Authorization requests, from the application through the log-in page to an authorization code,
//! and the codes themselves (RFC 6749, 4.1).

use crate::introspection::UserKind;
use crate::time::Timestamp;

#[shared_macros::table("authorization_requests")]
pub struct Model {
    /// SHA-256 of the id in the log-in page.
    #[sea_orm(primary_key, auto_increment = false)]
    pub request_id: String,
    /// SHA-256 of the cookie of the browser that sent the request.
    pub browser_secret_hash: String,
    pub client_id: String,
    pub redirect_uri: String,
    pub scope: String,
    pub state: Option<String>,
    pub nonce: Option<String>,
    /// PKCE challenge, S256 (RFC 7636).
    pub code_challenge: String,
    pub login_hint: Option<String>,
    /// Source network, whose pending requests are limited.
    pub source_network: String,
    pub created_date: Timestamp,
    /// Key id, colon, HMAC-SHA-256 of the code, once the user has logged in.
    pub code_hash: Option<String>,
    pub code_date: Option<Timestamp>,
    pub user_kind: UserKind,
    pub user_id: Option<i64>,
    pub log_in_date: Option<Timestamp>,
    pub browser_id: Option<String>,
    /// Session that the code is exchanged for.
    pub session_id: Option<String>,
    pub used_date: Option<Timestamp>,
}

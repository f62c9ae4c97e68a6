//! Sessions: each is one log-in with one client. All tokens of a session end together.
//!
//! The refresh token family of a session is this one row: the token that may be used next, and the
//! one before it. Any other refresh token of the session has already been used.

use crate::introspection::UserKind;
use crate::time::Timestamp;

#[shared_macros::table("auth_sessions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: String,
    /// The `sid` claim of its ID tokens.
    pub public_id: String,
    pub user_kind: UserKind,
    /// Id of the user, or of the web user's contact.
    pub user_id: i64,
    pub client_id: String,
    /// Granted scope, space-separated.
    pub scope: String,
    /// Time at which the user authenticated.
    pub log_in_date: Timestamp,
    /// Browser log-in it came from.
    pub browser_id: Option<String>,
    /// Key id, colon, HMAC-SHA-256 of the refresh token that may be used next.
    pub refresh_hash: Option<String>,
    /// Key id, colon, HMAC-SHA-256 of the previous refresh token.
    pub previous_refresh_hash: Option<String>,
    /// Changes with each refresh that is answered a second time; never read.
    pub contested_flag: bool,
    /// Time of the last refresh token rotation.
    pub refreshed_date: Timestamp,
}

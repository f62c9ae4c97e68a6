//! Sessions: what one log-in gave to one client. All tokens of a session end together.
//!
//! The family of its refresh tokens is this one row: the token that may be used next, and the one
//! before it. Any other token of the session is a used one that somebody kept.

use crate::introspection::UserKind;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A row of `auth_sessions`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "auth_sessions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: String,
    /// The claim `sid` of its ID tokens.
    pub public_id: String,
    pub user_kind: UserKind,
    /// The user, or the web user's contact.
    pub user_id: i64,
    pub client_id: String,
    /// Space separated, as it was granted.
    pub scope: String,
    /// When the user proved who he is.
    pub log_in_date: Timestamp,
    /// The browser log-in it came from.
    pub browser_id: Option<String>,
    /// Key id, colon, HMAC-SHA-256 of the refresh token that may be used next.
    pub refresh_hash: Option<String>,
    /// The same of the one before it.
    pub previous_refresh_hash: Option<String>,
    /// Changes with each refresh that is answered again; nothing reads it.
    pub contested_flag: bool,
    /// When its refresh token last changed.
    pub refreshed_date: Timestamp,
}

no_relations!();

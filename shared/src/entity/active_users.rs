//! Live access tokens of core-system users: each row is a logged-in user.

use crate::time::Timestamp;

#[shared_macros::table("active_users")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub user_id: i64,
    /// Creation time of the token, by the database's clock.
    pub active_date: Timestamp,
    /// Session that log-out and revocation end as a whole.
    pub session_id: String,
    pub client_id: String,
    /// Key id, colon, HMAC-SHA-256 of the token.
    pub token_hash: String,
}

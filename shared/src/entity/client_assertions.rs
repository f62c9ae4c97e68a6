//! Client assertions that have been used: each works once (RFC 7523, 3).

use crate::time::Timestamp;

#[shared_macros::table("client_assertions")]
pub struct Model {
    /// SHA-256 of the client id and the assertion's `jti`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub assertion_hash: String,
    pub client_id: String,
    pub expires_date: Timestamp,
}

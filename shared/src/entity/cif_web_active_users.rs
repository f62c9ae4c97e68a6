//! Live access tokens of web users: each row is a logged-in borrower.

use crate::time::Timestamp;

#[shared_macros::table("cif_web_active_users")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub contact_id: i64,
    /// Creation time of the token, by the database's clock.
    pub token_datestamp: Timestamp,
    pub session_id: String,
    pub client_id: String,
    pub token_hash: String,
}

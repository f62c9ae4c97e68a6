//! Browsers with a logged-in user, so that the next application need not ask for a password again.

use crate::introspection::UserKind;
use crate::time::Timestamp;

#[shared_macros::table("browser_log_ins")]
pub struct Model {
    /// SHA-256 of the log-in cookie.
    #[sea_orm(primary_key, auto_increment = false)]
    pub browser_id: String,
    pub user_kind: UserKind,
    /// Id of the user, or of the web user's contact.
    pub user_id: i64,
    pub log_in_date: Timestamp,
    pub used_date: Timestamp,
}

//! Credentials with which contacts log in as web users.

use crate::secrets::Secret;
use crate::time::Timestamp;

#[shared_macros::table("web_credentials", stored)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub contact_id: i64,
    pub web_user_name: String,
    pub web_access_flag: bool,
    pub password_hash: Secret,
    pub created_date: Timestamp,
}

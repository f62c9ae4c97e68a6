//! Passwords of core-system users, separate from `users` so that no response can contain one.

use crate::secrets::Secret;

#[shared_macros::table("user_credentials")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    pub password_hash: Secret,
}

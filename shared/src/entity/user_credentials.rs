//! Passwords of core-system users, separate from `users` so that no response can contain one.

use crate::secrets::Secret;
use sea_orm::entity::prelude::*;

/// A row of `user_credentials`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_credentials")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: i64,
    pub password_hash: Secret,
}

no_relations!();

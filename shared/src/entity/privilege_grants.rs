//! Privileges granted to a user or to a group.

use sea_orm::entity::prelude::*;

/// A row of `privilege_grants`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "privilege_grants")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub grant_id: i64,
    pub privilege_id: i64,
    pub user_id: Option<i64>,
    pub group_id: Option<i64>,
}

no_relations!();

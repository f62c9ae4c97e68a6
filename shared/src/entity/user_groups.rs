//! Groups of core-system users.

use sea_orm::entity::prelude::*;

/// A row of `user_groups`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "user_groups")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub group_id: i64,
    pub name: String,
    pub description: Option<String>,
}

no_relations!();

//! Members of user groups.

use sea_orm::entity::prelude::*;

/// A row of `group_members`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "group_members")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub group_id: i64,
    pub user_id: i64,
}

no_relations!();

//! Setup: contact types.

use sea_orm::entity::prelude::*;

/// A row of `contact_types`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "contact_types")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub contact_type_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

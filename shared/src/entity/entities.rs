//! Setup: legal forms of contacts and loans.

use sea_orm::entity::prelude::*;

/// A row of `entities`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "entities")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub entity_code: String,
    pub description: String,
    pub active_flag: bool,
    pub person_flag: bool,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

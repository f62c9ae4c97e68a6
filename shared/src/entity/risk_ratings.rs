//! Setup: risk ratings.

use sea_orm::entity::prelude::*;

/// A row of `risk_ratings`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "risk_ratings")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub risk_rating_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
    pub rank: i32,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

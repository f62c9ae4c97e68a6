//! Setup: portfolios.

use sea_orm::entity::prelude::*;

/// A row of `portfolios`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "portfolios")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub portfolio_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
    pub number_mask: Option<String>,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

//! Setup: loan groups.

use sea_orm::entity::prelude::*;

/// A row of `loan_groups`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "loan_groups")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub loan_group_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
    pub payment_gateway_flag: bool,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

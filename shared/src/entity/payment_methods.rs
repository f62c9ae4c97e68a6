//! Setup: payment methods.

use sea_orm::entity::prelude::*;

/// A row of `payment_methods`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "payment_methods")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub payment_method_id: i64,
    pub payment_method_code: String,
    pub description: String,
    pub active_flag: bool,
    pub cash_flag: bool,
    pub check_flag: bool,
    /// Exactly one has it.
    pub default_flag: bool,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

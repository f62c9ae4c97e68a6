//! Setup: statuses of a loan and what each forbids.

use sea_orm::entity::prelude::*;

/// A row of `loan_status_codes`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "loan_status_codes")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub status_code_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
    pub closed_flag: bool,
    pub stop_accrual_flag: bool,
    pub stop_late_charge_flag: bool,
    pub refuse_payments_flag: bool,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

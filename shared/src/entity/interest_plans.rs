//! Setup: interest plans.

use super::loans::{InterestMethod, YearLength};
use crate::amounts::Rate;
use poem_openapi::Enum;
use sea_orm::entity::prelude::*;

/// A row of `interest_plans`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "interest_plans")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub interest_plan_id: i64,
    pub name: String,
    pub active_flag: bool,
    pub interest_method: InterestMethod,
    pub interest_year_numerator: YearLength,
    pub interest_year_denominator: YearLength,
    pub rate_type: RateType,
    pub starting_rate: Rate,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Whether a plan's rate moves.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    EnumIter,
    DeriveActiveEnum,
    Enum,
    serde::Serialize,
    serde::Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum RateType {
    /// It stays.
    Fixed,
    /// It follows an index.
    Variable,
}

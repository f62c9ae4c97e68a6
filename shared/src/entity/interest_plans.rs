//! Setup: interest plans.

use super::loans::{InterestMethod, YearLength};
use crate::amounts::Rate;
use poem_openapi::{Enum, Object};
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// An interest plan: the terms that loans of it begin with.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "interest_plans")]
#[oai(rename = "InterestPlan", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Interest_Plan_ID")]
    pub interest_plan_id: i64,
    #[oai(rename = "Name")]
    pub name: String,
    #[oai(rename = "Active_Flag")]
    pub active_flag: bool,
    #[oai(rename = "Interest_Method")]
    pub interest_method: InterestMethod,
    /// Year basis: numerator over denominator.
    #[oai(rename = "Interest_Year_Numerator")]
    pub interest_year_numerator: YearLength,
    #[oai(rename = "Interest_Year_Denominator")]
    pub interest_year_denominator: YearLength,
    #[oai(rename = "Rate_Type")]
    pub rate_type: RateType,
    /// Percent a year.
    #[oai(rename = "Starting_Rate")]
    pub starting_rate: Rate,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Whether a plan's rate moves.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, Enum, Serialize, Deserialize,
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

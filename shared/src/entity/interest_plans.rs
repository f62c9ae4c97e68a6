//! Setup: interest plans.

use super::loans::{InterestMethod, YearLength};
use crate::amounts::Rate;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

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

no_relations!();

text_enum! {
    /// Whether a plan's rate moves.
    pub enum RateType {
        /// It stays.
        Fixed,
        /// It follows an index.
        Variable,
    }
}

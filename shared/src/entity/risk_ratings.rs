//! Setup: risk ratings.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A risk rating.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "risk_ratings")]
#[oai(rename = "RiskRating", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Risk_Rating_ID")]
    pub risk_rating_id: i64,
    #[oai(rename = "Code")]
    pub code: String,
    #[oai(rename = "Description")]
    pub description: String,
    #[oai(rename = "Active_Flag")]
    pub active_flag: bool,
    /// 1 is the best.
    #[oai(rename = "Rank")]
    pub rank: i32,
}

no_relations!();

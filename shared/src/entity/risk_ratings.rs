//! Setup: risk ratings.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use shared_macros::interface_names;

/// A risk rating.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "risk_ratings")]
#[oai(rename = "RiskRating", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub risk_rating_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
    /// Rank of the rating; 1 is the best.
    pub rank: i32,
}

no_relations!();

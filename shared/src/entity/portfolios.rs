//! Setup: portfolios.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A portfolio of loans.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "portfolios")]
#[oai(rename = "Portfolio", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Portfolio_ID")]
    pub portfolio_id: i64,
    #[oai(rename = "Code")]
    pub code: String,
    #[oai(rename = "Description")]
    pub description: String,
    #[oai(rename = "Active_Flag")]
    pub active_flag: bool,
    /// The form of its loan numbers.
    #[oai(rename = "Number_Mask")]
    pub number_mask: Option<String>,
}

no_relations!();

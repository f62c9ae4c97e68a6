//! Setup: portfolios.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use shared_macros::interface_names;

/// A portfolio of loans.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "portfolios")]
#[oai(rename = "Portfolio", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub portfolio_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
    /// Mask for the portfolio's loan numbers.
    pub number_mask: Option<String>,
}

no_relations!();

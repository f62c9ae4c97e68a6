//! Setup: loan groups.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use shared_macros::interface_names;

/// A loan group.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "loan_groups")]
#[oai(rename = "LoanGroup", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub loan_group_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
    /// True if loans of the group accept cards.
    pub payment_gateway_flag: bool,
}

no_relations!();

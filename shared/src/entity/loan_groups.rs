//! Setup: loan groups.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A loan group.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "loan_groups")]
#[oai(rename = "LoanGroup", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Loan_Group_ID")]
    pub loan_group_id: i64,
    #[oai(rename = "Code")]
    pub code: String,
    #[oai(rename = "Description")]
    pub description: String,
    #[oai(rename = "Active_Flag")]
    pub active_flag: bool,
    /// Loans of the group take cards.
    #[oai(rename = "Payment_Gateway_Flag")]
    pub payment_gateway_flag: bool,
}

no_relations!();

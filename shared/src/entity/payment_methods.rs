//! Setup: payment methods.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use shared_macros::interface_names;

/// A payment method.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "payment_methods")]
#[oai(rename = "PaymentMethod", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub payment_method_id: i64,
    pub payment_method_code: String,
    pub description: String,
    pub active_flag: bool,
    /// True for cash, which requires a cash drawer.
    pub cash_flag: bool,
    /// True for checks, which may go into a cash drawer.
    pub check_flag: bool,
    /// True for the method used if a payment specifies none.
    pub default_flag: bool,
}

no_relations!();

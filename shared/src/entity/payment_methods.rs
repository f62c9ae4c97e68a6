//! Setup: payment methods.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A payment method.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "payment_methods")]
#[oai(rename = "PaymentMethod", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Payment_Method_ID")]
    pub payment_method_id: i64,
    #[oai(rename = "Payment_Method_Code")]
    pub payment_method_code: String,
    #[oai(rename = "Description")]
    pub description: String,
    #[oai(rename = "Active_Flag")]
    pub active_flag: bool,
    /// Cash: needs a cash drawer.
    #[oai(rename = "Cash_Flag")]
    pub cash_flag: bool,
    /// Checks: may go into a cash drawer.
    #[oai(rename = "Check_Flag")]
    pub check_flag: bool,
    /// Used where a payment names none.
    #[oai(rename = "Default_Flag")]
    pub default_flag: bool,
}

no_relations!();

//! Setup: loan status codes, and the processing each one stops.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use shared_macros::interface_names;

/// A loan status code, and the processing it stops.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "loan_status_codes")]
#[oai(rename = "LoanStatusCode", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub status_code_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
    /// True if the loan is closed: no interest, no payments.
    pub closed_flag: bool,
    /// True if no interest accrues.
    pub stop_accrual_flag: bool,
    /// True if no late charges are assessed.
    pub stop_late_charge_flag: bool,
    /// True if no payments are accepted.
    pub refuse_payments_flag: bool,
}

no_relations!();

//! Setup: loan status codes, and what each stops.

use crate::interface_names;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A status of loans, and what it stops.
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
    /// The loan is closed: no interest, no payments.
    pub closed_flag: bool,
    /// No interest accrues.
    pub stop_accrual_flag: bool,
    /// No late charges are assessed.
    pub stop_late_charge_flag: bool,
    /// No payments are taken.
    pub refuse_payments_flag: bool,
}

no_relations!();

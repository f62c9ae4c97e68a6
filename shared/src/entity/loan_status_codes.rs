//! Setup: loan status codes, and what each stops.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A status of loans, and what it stops.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "loan_status_codes")]
#[oai(rename = "LoanStatusCode", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Status_Code_ID")]
    pub status_code_id: i64,
    #[oai(rename = "Code")]
    pub code: String,
    #[oai(rename = "Description")]
    pub description: String,
    #[oai(rename = "Active_Flag")]
    pub active_flag: bool,
    /// The loan is closed: no interest, no payments.
    #[oai(rename = "Closed_Flag")]
    pub closed_flag: bool,
    /// No interest accrues.
    #[oai(rename = "Stop_Accrual_Flag")]
    pub stop_accrual_flag: bool,
    /// No late charges are assessed.
    #[oai(rename = "Stop_Late_Charge_Flag")]
    pub stop_late_charge_flag: bool,
    /// No payments are taken.
    #[oai(rename = "Refuse_Payments_Flag")]
    pub refuse_payments_flag: bool,
}

no_relations!();

//! Setup: loan status codes, and the processing each one stops.

/// A loan status code, and the processing it stops.
#[shared_macros::table("loan_status_codes", object = "LoanStatusCode")]
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

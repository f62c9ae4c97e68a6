//! Transaction codes. Even codes are postings; the odd code after each is its reversal.

use super::loan_transactions::BalanceName;

/// A transaction code.
#[shared_macros::table("transaction_codes", object = "TransactionCode")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub transaction_code: i32,
    pub description: String,
    /// The balance it moves; absent for total and memo rows.
    pub balance_name: Option<BalanceName>,
    /// +1, -1, or 0 for total and memo rows.
    pub sign: i32,
    /// Code of its reversal; absent for reversals.
    pub reversal_code: Option<i32>,
    pub active_flag: bool,
}

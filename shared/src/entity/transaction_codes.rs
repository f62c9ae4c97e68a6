//! Transaction codes. Even codes are postings; the odd code after each is its reversal.

use super::loan_transactions::BalanceName;

#[shared_macros::table("transaction_codes")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub transaction_code: i32,
    pub description: String,
    pub balance_name: Option<BalanceName>,
    /// +1, -1, or 0 for total and memo rows.
    pub sign: i32,
    pub reversal_code: Option<i32>,
    pub active_flag: bool,
}

//! Transaction codes. Even codes are postings; the odd code after each is its reversal.

use super::loan_transactions::BalanceName;
use sea_orm::entity::prelude::*;

/// A row of `transaction_codes`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "transaction_codes")]
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

no_relations!();

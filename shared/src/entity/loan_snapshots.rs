//! Snapshots of loans before the entries that moved their accrual base.

use sea_orm::entity::prelude::*;

#[shared_macros::table("loan_snapshots")]
pub struct Model {
    /// Transaction id of the entry's total row, or of its only row.
    #[sea_orm(primary_key, auto_increment = false)]
    pub transaction_id: i64,
    /// Columns of the loan before the entry.
    pub prior_state: Json,
}

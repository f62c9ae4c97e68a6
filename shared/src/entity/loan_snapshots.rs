//! Snapshots of loans before the entries that moved their accrual base.

use sea_orm::entity::prelude::*;

/// A row of `loan_snapshots`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "loan_snapshots")]
pub struct Model {
    /// Transaction id of the entry's total row, or of its only row.
    #[sea_orm(primary_key, auto_increment = false)]
    pub transaction_id: i64,
    /// Columns of the loan before the entry.
    pub prior_state: Json,
}

no_relations!();

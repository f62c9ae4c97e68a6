//! Reconciliations: counts of cash drawers.

use crate::amounts::Money;
use crate::json_columns::Denominations;
use crate::time::Timestamp;

/// A reconciliation: a count of a cash drawer compared with its balances.
#[shared_macros::table("cash_drawer_reconciliations", object = "Reconciliation")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub reconciliation_id: i64,
    pub drawer_id: i64,
    pub user_id: i64,
    pub reconciled_date: Timestamp,
    /// Cash balance before the count.
    pub expected_cash: Money,
    /// Cash counted.
    pub counted_cash: Money,
    /// Check balance before the count.
    pub expected_check: Money,
    /// Checks counted.
    pub counted_check: Money,
    /// Cash counted less cash expected.
    pub over_short_cash: Money,
    /// Checks counted less checks expected.
    pub over_short_check: Money,
    /// Notes and coins counted, by denomination.
    pub denominations: Denominations,
    pub status: ReconciliationStatus,
    pub comment: Option<String>,
}

text_enum! {
    /// Result of a count.
    pub enum ReconciliationStatus {
        /// As expected.
        Balanced,
        /// More than expected.
        Over,
        /// Less than expected.
        Short,
        /// More of one tender and less of the other.
        Mixed,
    }
}

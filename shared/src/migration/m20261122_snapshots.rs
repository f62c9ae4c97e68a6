//! Loan snapshots before each entry that moved the accrual base: a reversal restores them.

use super::steps::Steps;
use super::table::{Table, id, json};

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    let snapshots = Table::new("loan_snapshots").columns([
        id("transaction_id").primary().references("loan_transactions", "transaction_id"),
        json("prior_state"),
    ]);
    steps.create(&snapshots);
}

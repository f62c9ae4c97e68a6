//! What loans were before each entry that moved their accrual base: a reversal goes back to it.

use super::steps::Steps;
use super::table::{Table, id, json};

/// What it does, step by step.
pub fn steps(steps: &mut Steps) {
    let snapshots = Table::new("loan_snapshots").columns([
        id("transaction_id").primary().references("loan_transactions", "transaction_id"),
        json("prior_state"),
    ]);
    steps.create(&snapshots);
}

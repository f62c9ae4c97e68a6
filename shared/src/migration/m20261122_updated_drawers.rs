//! Indexes for entering rows into cash drawers, which looks for unreconciled rows and open
//! sessions.

use super::steps::Steps;

/// The migration's steps.
pub(super) fn steps(steps: &mut Steps) {
    let rows = "cash_drawer_transactions";
    steps.add_index(rows, &["drawer_id", "reconciliation_id"], false);
    let sessions = "cash_drawer_sessions";
    steps.add_index(sessions, &["drawer_id", "ended_date"], false);
    steps.add_index(sessions, &["user_id", "ended_date"], false);
}

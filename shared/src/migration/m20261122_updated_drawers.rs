//! What entering rows into cash drawers looks for: rows that no count froze, and open sessions.

use super::steps::Steps;

/// What it does, step by step.
pub fn steps(steps: &mut Steps) {
    let rows = "cash_drawer_transactions";
    steps.add_index(rows, &["drawer_id", "reconciliation_id"], false);
    let sessions = "cash_drawer_sessions";
    steps.add_index(sessions, &["drawer_id", "ended_date"], false);
    steps.add_index(sessions, &["user_id", "ended_date"], false);
}

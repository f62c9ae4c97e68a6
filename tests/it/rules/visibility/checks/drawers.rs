//! Section 3.8: cash drawers.

use crate::rules::visibility::caller::{Caller, Operation};

const DRAWERS: Operation = Operation::core("list_drawers", "Cash Drawer > Drawers > View");
const DRAWER: Operation = Operation::core("get_drawer", "Cash Drawer > Drawers > View");
const ACTIVE: Operation =
    Operation::core("list_drawer_active_users", "Cash Drawer > Drawers > View");
const ASSIGNED: Operation =
    Operation::core("list_drawer_assigned_users", "Cash Drawer > Drawers > View");
const COUNTS: Operation =
    Operation::core("list_reconciliations", "Cash Drawer > Reconciliations > View");
const ENTRIES: Operation =
    Operation::core("list_drawer_transactions", "Cash Drawer > Transactions > View");

pub async fn check(caller: &mut Caller<'_>) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    let drawers = || rows.cash_drawers.iter().map(|row| row.drawer_id);
    let keys = drawers().filter(|id| rules.drawer(*id));
    caller.list(&DRAWERS, "/cash-drawers", true, "Drawer_ID", keys).await;
    for id in caller.ids(&DRAWER, drawers()) {
        caller.read(&DRAWER, &format!("/cash-drawers/{id}"), rules.drawer(id)).await;
        // "The list shows open ones."
        let sessions = rows.cash_drawer_sessions.iter();
        let open = sessions.filter(|row| row.drawer_id == id && row.ended_date.is_none());
        let keys = open.map(|row| row.row_id);
        let path = format!("/cash-drawers/{id}/active-users");
        caller.list(&ACTIVE, &path, rules.drawer(id), "Row_ID", keys).await;
        let assignments = rows.cash_drawer_assignments.iter();
        let keys = assignments.filter(|row| row.drawer_id == id).map(|row| row.row_id);
        let path = format!("/cash-drawers/{id}/assigned-users");
        caller.list(&ASSIGNED, &path, rules.drawer(id), "Row_ID", keys).await;
    }
    for id in caller.ids(&COUNTS, drawers()) {
        let counts = rows.cash_drawer_reconciliations.iter();
        let keys = counts.filter(|row| row.drawer_id == id).map(|row| row.reconciliation_id);
        let path = format!("/cash-drawers/{id}/reconciliations");
        caller.list(&COUNTS, &path, rules.drawer(id), "Reconciliation_ID", keys).await;
    }
    for id in caller.ids(&ENTRIES, drawers()) {
        let entries = rows.cash_drawer_transactions.iter();
        let keys = entries.filter(|row| row.drawer_id == id).map(|row| row.drawer_transaction_id);
        let path = format!("/cash-drawers/{id}/transactions");
        caller.list(&ENTRIES, &path, rules.drawer(id), "Drawer_Transaction_ID", keys).await;
    }
}

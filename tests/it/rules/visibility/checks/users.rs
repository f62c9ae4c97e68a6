//! Section 3.9: users, their privileges, officers, and the status of batch runs.

use crate::rules::visibility::caller::{Caller, Operation};
use crate::rules::visibility::model::{Principal, Rules, covers};
use serde_json::{Value, json};
use shared::entity::batch_runs::{self, BatchKind};
use shared::entity::users;
use std::collections::BTreeSet;

const USERS: Operation = Operation::core("list_users", "Security > Users > View");
const OWN_PRIVILEGES: Operation = Operation::core("list_user_privileges", "");
const PRIVILEGES: Operation =
    Operation::core("list_user_privileges", "Security > Privileges > View");
const ACH: Operation = Operation::core("get_ach_batch_status", "Processing > ACH Batch > View");
const ACCRUAL: Operation =
    Operation::core("get_batch_accrual_status", "Processing > Accrual > View");

pub async fn check(caller: &mut Caller<'_>) {
    users(caller).await;
    officers(caller).await;
    let rows = caller.rules.rows;
    for id in caller.ids(&PRIVILEGES, rows.users.iter().map(|user| user.user_id)) {
        privileges(caller, id).await;
    }
    if let Principal::User(own) = caller.rules.principal {
        privileges(caller, own).await;
    }
    for (operation, path, kind) in [
        (ACH, "/status/ach-batch", BatchKind::Ach),
        (ACCRUAL, "/status/batch-accrual", BatchKind::Accrual),
    ] {
        batch(caller, &operation, path, |run| run.kind == kind).await;
        let day = caller.random.day();
        let path = format!("{path}?businessDate={day}");
        let is_it = |run: &batch_runs::Model| run.kind == kind && run.business_date == day;
        batch(caller, &operation, &path, is_it).await;
    }
}

async fn users(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    let keys = rows.users.iter().map(|user| user.user_id);
    let found = caller.list(&USERS, "/users", true, "User_ID", keys).await;
    for (user, found) in rows.users.iter().zip(&found) {
        let is_member = |group_id: i64| {
            let mut members = rows.group_members.iter();
            members.any(|row| row.group_id == group_id && row.user_id == user.user_id)
        };
        let groups = rows.user_groups.iter().filter(|group| is_member(group.group_id));
        let names: Vec<_> = groups.map(|group| group.name.clone()).collect();
        let subject = format!("Groups of {}", user.user_name);
        caller.compare(&USERS, "/users", &subject, names, &found["Groups"]);
    }
}

async fn officers(caller: &mut Caller<'_>) {
    type Flag = fn(&users::Model) -> bool;
    let (contacts, loans) = ("Contact > Records > View", "Loan > Records > View");
    let lists: [(&str, &str, &str, Flag); 3] = [
        ("list_contact_officers", contacts, "contact", |user| user.contact_officer_flag),
        ("list_loan_officers", loans, "loan", |user| user.loan_officer_flag),
        ("list_collection_officers", loans, "collection", |user| user.collection_officer_flag),
    ];
    let rows = caller.rules.rows;
    for (id, records, kind, has_flag) in lists {
        // Either privilege is enough.
        let users = "Security > Users > View";
        let operation =
            Operation::core(id, if caller.rules.holds(users) { users } else { records });
        let path = &format!("/users/{kind}-officers");
        let keys = rows.users.iter().filter(|user| has_flag(user)).map(|user| user.user_id);
        caller.list(&operation, path, true, "User_ID", keys).await;
    }
}

/// Checks every privilege that a user effectively has, each with a source that really grants it. A
/// privilege with several sources may be listed several times, never twice with the same source.
async fn privileges(caller: &mut Caller<'_>, user_id: i64) {
    let rows = caller.rules.rows;
    let path = format!("/users/{user_id}/privileges");
    let is_own = caller.rules.principal == Principal::User(user_id);
    let operation = if is_own { OWN_PRIVILEGES } else { PRIVILEGES };
    let exists = rows.users.iter().any(|user| user.user_id == user_id);
    let unpaged = caller.read(&operation, &format!("{path}?limit=1000"), exists).await;
    let Some(Value::Array(found)) = unpaged else { return };
    let ids: Vec<i64> = found.iter().filter_map(|row| row["Privilege_ID"].as_i64()).collect();
    if !ids.is_sorted() {
        caller.differ(&operation, &path, "in order", &format!("{ids:?}"));
    }
    let of_user = Rules { rows, principal: Principal::User(user_id) };
    let held_privileges = rows.privileges.iter();
    let held_privileges =
        held_privileges.filter(|row| of_user.holds(&format!("{} > {}", row.path, row.verb)));
    let held_privileges: Value = held_privileges.map(|row| row.privilege_id).collect();
    let distinct: Value = ids.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    caller.compare(&operation, &path, "Privilege_IDs", held_privileges, &distinct);
    for (index, row) in found.iter().enumerate() {
        if !is_true(&of_user, row) || found[..index].contains(row) {
            caller.differ(&operation, &path, "a source that gives it, once", &row.to_string());
        }
    }
    if is_own {
        caller.list(&operation, &path, exists, "Privilege_ID", ids).await;
    }
}

/// True if the source in a UserPrivilege grants the privilege in it.
fn is_true(rules: &Rules<'_>, row: &Value) -> bool {
    let rows = rules.rows;
    let Principal::User(user_id) = rules.principal else { return false };
    let user = rows.users.iter().find(|user| user.user_id == user_id).expect("a user");
    let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let right = format!("{} > {}", text("Path"), text("Verb"));
    let granted = format!("{} > {}", text("Granted_Path"), text("Verb"));
    let mut grants = rows.privilege_grants.iter().filter(|grant| rules.granted(grant) == granted);
    let is_real = match row["Source"].as_str() {
        Some("admin") => return user.admin_flag,
        Some("dba") => user.dba_flag && ["Setup > View", "Processing > View"].contains(&&*granted),
        Some("user") => grants.any(|grant| grant.user_id == Some(user_id)),
        Some("group") => {
            let mut groups = rows.user_groups.iter();
            let group = groups.find(|group| group.name == text("Source_Name"));
            let group_id = group.map(|group| group.group_id);
            let is_member = rows
                .group_members
                .iter()
                .any(|row| Some(row.group_id) == group_id && row.user_id == user_id);
            is_member && grants.any(|grant| grant.group_id == group_id)
        }
        _ => false,
    };
    is_real && covers(&granted, &right)
}

/// "Latest `batch_runs` row of the kind (or of businessDate)"; "Failures: first 100 visible". "No
/// run: State idle, counts 0, the rest absent."
async fn batch(
    caller: &mut Caller<'_>,
    operation: &Operation,
    path: &str,
    is_it: impl Fn(&batch_runs::Model) -> bool,
) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    let Some(found) = caller.read(operation, path, true).await else { return };
    let run = rows.batch_runs.iter().rfind(|run| is_it(run));
    let batch_id = run.map(|run| run.batch_id);
    caller.compare(operation, path, "Batch_ID", batch_id, &found["Batch_ID"]);
    let state = if run.is_some() { "partial" } else { "idle" };
    caller.compare(operation, path, "State", state, &found["State"]);
    let of_run = rows.batch_failures.iter().filter(|row| Some(row.batch_id) == batch_id);
    let visible = of_run.filter(|row| rules.on_loan(row.loan_id)).map(|row| json!(row.loan_id));
    let expected: Value = visible.collect();
    let failures = found["Failures"].as_array().into_iter().flatten();
    let failures: Value = failures.map(|failure| failure["Loan_ID"].clone()).collect();
    caller.compare(operation, path, "Failures", expected, &failures);
}

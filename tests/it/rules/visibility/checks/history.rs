//! Section 12: field history of loans and contacts.

use crate::rules::visibility::caller::{Caller, Operation};
use serde_json::Value;
use shared::entity::field_changes;

const OF_LOAN: Operation =
    Operation::core("list_loan_field_history", "Loan > Field History > View");
const OF_CONTACT: Operation =
    Operation::core("list_contact_field_history", "Contact > Field History > View");

pub async fn check(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for id in caller.ids(&OF_LOAN, rows.loans.iter().map(|loan| loan.loan_id)) {
        let path = format!("/loans/{id}/field-history");
        let is_seen = caller.rules.loan(id);
        changes(caller, &OF_LOAN, &path, is_seen, |row| row.loan_id == Some(id)).await;
    }
    for id in caller.ids(&OF_CONTACT, rows.contacts.iter().map(|row| row.contact_id)) {
        let path = format!("/contacts/{id}/field-history");
        let is_seen = caller.rules.contact(id);
        changes(caller, &OF_CONTACT, &path, is_seen, |row| row.contact_id == Some(id)).await;
    }
}

async fn changes(
    caller: &mut Caller<'_>,
    operation: &Operation,
    path: &str,
    is_seen: bool,
    is_own: impl Fn(&field_changes::Model) -> bool,
) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    let sample = caller.random.one_of(&rows.field_changes);
    let user_id = sample.modified_by_user_id.unwrap_or_default();
    // A filter removes rows and adds none.
    type Filter<'a> = &'a dyn Fn(&field_changes::Model) -> bool;
    let filters: [(String, Filter<'_>); 4] = [
        (String::new(), &|_| true),
        (format!("?tableName={}", sample.table_name), &|row| row.table_name == sample.table_name),
        (format!("?fieldName={}", sample.field_name), &|row| row.field_name == sample.field_name),
        (format!("?userId={user_id}"), &|row| row.modified_by_user_id == Some(user_id)),
    ];
    for (query, filter) in filters {
        let path = format!("{path}{query}");
        let expected_rows =
            |row: &&field_changes::Model| is_own(row) && rules.change(row) && filter(row);
        let expected_rows: Vec<_> = rows.field_changes.iter().filter(expected_rows).collect();
        let keys = expected_rows.iter().map(|row| row.row_id);
        let found = caller.list(operation, &path, is_seen, "Row_ID", keys).await;
        for (row, found) in expected_rows.iter().zip(&found) {
            for (name, value) in [("Old_Value", &row.old_value), ("New_Value", &row.new_value)] {
                let value = value.as_ref().map(|value| shown(caller, &row.field_name, value));
                let subject = format!("{name} of {}", row.field_name);
                caller.compare(operation, &path, &subject, value, &found[name]);
            }
            let hidden = "Comment_Category_ID";
            caller.compare(operation, &path, hidden, Value::Null, &found[hidden]);
        }
    }
}

/// "Masking as in 2.4."
fn shown(caller: &Caller<'_>, field_name: &str, value: &str) -> String {
    match field_name {
        "Tax_ID1" | "Tax_ID2" | "ID_Number1" | "ID_Number2" => caller.rules.identity(value),
        "Bank_Account_Number" => caller.rules.account(value),
        _ => value.to_owned(),
    }
}

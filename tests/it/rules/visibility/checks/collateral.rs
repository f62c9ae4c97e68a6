//! Section 3.2: collateral.

use crate::rules::visibility::caller::{Caller, Operation};
use serde_json::Value;

const fn operation(id: &'static str) -> Operation {
    Operation::core(id, "Collateral > Records > View")
}

const OF_LOAN: Operation = operation("list_loan_collateral");
const COLLATERAL: Operation = operation("get_collateral");
const VEHICLE: Operation = operation("get_collateral_vehicle");
const LOCATION: Operation = operation("get_collateral_location");
const INSURANCE: Operation = operation("list_collateral_insurance");
const TAXES: Operation = operation("list_collateral_taxes");
const DESCRIPTION: Operation = operation("get_collateral_description");

pub async fn check(caller: &mut Caller<'_>) {
    of_loans(caller).await;
    let rows = caller.rules.rows;
    for id in caller.ids(&COLLATERAL, rows.collaterals.iter().map(|row| row.collateral_id)) {
        let path = format!("/loans/collateral/{id}");
        let found = caller.read(&COLLATERAL, &path, caller.rules.collateral(id)).await;
        if let Some(found) = found {
            compare_links(caller, &COLLATERAL, &path, &found);
        }
        parts(caller, id).await;
        location(caller, id).await;
    }
}

async fn of_loans(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for id in caller.ids(&OF_LOAN, rows.loans.iter().map(|loan| loan.loan_id)) {
        let path = format!("/loans/{id}/collateral");
        let rules = caller.rules;
        let all = rows.collaterals.iter().map(|row| row.collateral_id);
        let keys = all.filter(|collateral| rules.loans_of_collateral(*collateral).contains(&id));
        let is_seen = rules.loan(id);
        for found in caller.list(&OF_LOAN, &path, is_seen, "Collateral_ID", keys).await {
            compare_links(caller, &OF_LOAN, &path, &found);
        }
    }
}

/// "Linked_Loan_IDs: visible loans".
fn compare_links(caller: &mut Caller<'_>, operation: &Operation, path: &str, found: &Value) {
    let id = found["Collateral_ID"].as_i64().unwrap_or_default();
    let mut loans = caller.rules.loans_of_collateral(id);
    loans.retain(|loan_id| caller.rules.loan(*loan_id));
    caller.compare(operation, path, "Linked_Loan_IDs", loans, &found["Linked_Loan_IDs"]);
}

/// "A vehicle, location or description never stored is 404; insurance and taxes are then `[]`."
async fn parts(caller: &mut Caller<'_>, id: i64) {
    let rows = caller.rules.rows;
    let is_seen = caller.rules.collateral(id);
    let path = |part: &str| format!("/loans/collateral/{id}/{part}");
    let has_vehicle = rows.collateral_vehicles.iter().any(|row| row.collateral_id == id);
    caller.read(&VEHICLE, &path("vehicle"), is_seen && has_vehicle).await;
    let has_description = rows.collateral_descriptions.iter().any(|row| row.collateral_id == id);
    caller.read(&DESCRIPTION, &path("description"), is_seen && has_description).await;
    let policies = rows.collateral_insurance_policies.iter();
    let keys = policies.filter(|row| row.collateral_id == id).map(|row| row.row_id);
    caller.list(&INSURANCE, &path("insurance"), is_seen, "Row_ID", keys).await;
    let taxes = rows.collateral_taxes.iter();
    let keys = taxes.filter(|row| row.collateral_id == id).map(|row| row.row_id);
    caller.list(&TAXES, &path("taxes"), is_seen, "Row_ID", keys).await;
}

/// "Contact_ID? (its address counts, shown while the caller may see that contact)".
async fn location(caller: &mut Caller<'_>, id: i64) {
    let rows = caller.rules.rows;
    let path = format!("/loans/collateral/{id}/location");
    let row = rows.collateral_locations.iter().find(|row| row.collateral_id == id);
    let is_seen = row.is_some() && caller.rules.collateral(id);
    let found = caller.read(&LOCATION, &path, is_seen).await;
    let (Some(row), Some(found)) = (row, found) else { return };
    let street = match row.contact_id {
        None => row.street_address1.clone(),
        Some(contact_id) if caller.rules.contact(contact_id) => {
            let mut contacts = rows.contacts.iter();
            let contact = contacts.find(|contact| contact.contact_id == contact_id);
            contact.and_then(|contact| contact.street_address1.clone())
        }
        Some(_) => None,
    };
    caller.compare(&LOCATION, &path, "Street_Address1", street, &found["Street_Address1"]);
}

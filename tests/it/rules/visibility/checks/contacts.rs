//! Section 3.4: contacts, their detail form, credit profiles.

use crate::rules::visibility::caller::{Caller, Operation};
use shared::entity::contacts;
use shared::entity::documents::DocumentOwner;
use shared::entity::user_defined_fields::{self, Form};
use shared::secrets::Masked;

const CONTACT: Operation = Operation::core("get_contact", "Contact > Records > View");
const LIST: Operation = Operation::core("list_contacts", "Contact > Records > View");
const DETAIL: Operation = Operation::any("list_contact_detail", "Contact > Detail > View");
const PROFILE: Operation =
    Operation::core("get_credit_profile", "Contact > Credit Profiles > View");

const PROFILES: Operation =
    Operation::core("list_credit_profiles", "Contact > Credit Profiles > View");
const LOANS: Operation =
    Operation::core("list_contact_loans", "Loan > Records > View").and("Contact > Records > View");

pub async fn check(caller: &mut Caller<'_>) {
    let rows = caller.rules.rows;
    for id in caller.ids(&CONTACT, rows.contacts.iter().map(|row| row.contact_id)) {
        let path = format!("/contacts/{id}");
        let found = caller.read(&CONTACT, &path, caller.rules.on_contact(id)).await;
        let row = rows.contacts.iter().find(|row| row.contact_id == id);
        let (Some(found), Some(row)) = (found, row) else { continue };
        for (name, value) in identities(row) {
            let value = value.as_ref().map(|value| caller.rules.identity(value.clear()));
            caller.compare(&CONTACT, &path, name, value, &found[name]);
        }
    }
    contact_list(caller).await;
    for id in caller.ids(&DETAIL, rows.contacts.iter().map(|row| row.contact_id)) {
        detail(caller, id).await;
    }
    for id in caller.ids(&PROFILE, rows.credit_profiles.iter().map(|row| row.report_id)) {
        let path = format!("/contacts/credit-profiles/{id}");
        let row = rows.credit_profiles.iter().find(|row| row.report_id == id);
        let is_seen = row.is_some_and(|row| caller.rules.on_contact(row.contact_id));
        caller.read(&PROFILE, &path, is_seen).await;
    }
    for id in caller.ids(&PROFILES, rows.contacts.iter().map(|row| row.contact_id)) {
        let path = format!("/contacts/{id}/credit-profiles");
        let keys = rows.credit_profiles.iter().filter(|row| row.contact_id == id);
        let (keys, is_seen) = (keys.map(|row| row.report_id), caller.rules.on_contact(id));
        caller.list(&PROFILES, &path, is_seen, "Report_ID", keys).await;
    }
    for id in caller.ids(&LOANS, rows.contacts.iter().map(|row| row.contact_id)) {
        loans(caller, id).await;
    }
}

/// The loans of a contact, as the borrower and as a linked contact; those that the caller may not
/// see are not listed.
async fn loans(caller: &mut Caller<'_>, contact_id: i64) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    let borrowed = rows.loans.iter().filter(|loan| loan.contact_id == contact_id);
    let borrowed: Vec<_> = borrowed.map(|loan| (loan.loan_id, 0, None)).collect();
    let linked = rows.loan_contacts.iter().filter(|link| link.contact_id == contact_id);
    let linked = linked.map(|link| (link.loan_id, link.row_id, Some(&*link.relationship_code)));
    let linked: Vec<_> = linked.collect();
    let all = [borrowed.clone(), linked.clone()].concat();
    for (query, mut listed) in [("", all), ("?role=borrower", borrowed), ("?role=linked", linked)] {
        let path = format!("/contacts/{contact_id}/loans{query}");
        listed.retain(|(loan_id, ..)| rules.loan(*loan_id));
        listed.sort_unstable();
        let keys = listed.iter().map(|(loan_id, ..)| *loan_id);
        let is_seen = rules.on_contact(contact_id);
        let found = caller.list(&LOANS, &path, is_seen, "Loan_ID", keys).await;
        for ((.., code), found) in listed.iter().zip(&found) {
            let found = &found["Relationship_Code"];
            caller.compare(&LOANS, &path, "Relationship_Code", *code, found);
        }
    }
}

/// The search, by the criteria whose rows the model knows.
async fn contact_list(caller: &mut Caller<'_>) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    let type_id = rows.contact_types[0].contact_type_id;
    for (query, of_type) in [(String::new(), None), (format!("?typeId={type_id}"), Some(type_id))] {
        let path = format!("/contacts{query}");
        let seen = rows.contacts.iter().filter(|row| {
            rules.contact(row.contact_id) && of_type.is_none_or(|it| it == row.contact_type_id)
        });
        let ids: Vec<i64> = seen.map(|row| row.contact_id).collect();
        for found in caller.list(&LIST, &path, true, "Contact_ID", ids).await {
            let id = found["Contact_ID"].as_i64();
            let row = rows.contacts.iter().find(|row| Some(row.contact_id) == id);
            let tax_id = row.and_then(|row| row.tax_id1.as_ref());
            let tax_id = tax_id.map(|tax_id| rules.identity(tax_id.clear()));
            caller.compare(&LIST, &path, "Tax_ID1", tax_id, &found["Tax_ID1"]);
        }
    }
    let Some(email) = rows.contacts.iter().find_map(|row| row.email.as_ref()) else { return };
    let with_email = rows.contacts.iter().filter(|row| {
        let mut emails = [&row.email, &row.email2].into_iter().flatten();
        rules.contact(row.contact_id) && emails.any(|it| it.eq_ignore_ascii_case(email))
    });
    let ids: Vec<i64> = with_email.map(|row| row.contact_id).collect();
    caller.list(&LIST, &format!("/contacts?email={email}"), true, "Contact_ID", ids).await;
}

/// "Tax_ID1, Tax_ID2, ID_Number1, ID_Number2: unmasked for `Contact > Tax ID > View`."
fn identities(row: &contacts::Model) -> [(&'static str, &Option<Masked>); 4] {
    [
        ("Tax_ID1", &row.tax_id1),
        ("Tax_ID2", &row.tax_id2),
        ("ID_Number1", &row.id_number1),
        ("ID_Number2", &row.id_number2),
    ]
}

/// "One per visible definition of the form that is not hidden", each with its value and
/// "Document_Count (visible ones)".
async fn detail(caller: &mut Caller<'_>, contact_id: i64) {
    let (rows, rules) = (caller.rules.rows, caller.rules);
    let path = format!("/contacts/{contact_id}/detail");
    let is_listed = |field: &&user_defined_fields::Model| {
        field.form == Form::ContactDetail && rules.field(field)
    };
    let fields: Vec<_> = rows.user_defined_fields.iter().filter(is_listed).collect();
    let keys = fields.iter().map(|field| field.field_id);
    let found = caller.list(&DETAIL, &path, rules.contact(contact_id), "Field_ID", keys).await;
    for (field, found) in fields.iter().zip(&found) {
        let mut values = rows.user_defined_values.iter();
        let value = values.find(|value| {
            value.record_id == contact_id && rules.contact_detail_value(field, value)
        });
        let value = value.map(|value| value.value.clone());
        caller.compare(&DETAIL, &path, &field.field_name, value, &found["Value"]);
        let documents = rows.documents.iter().filter(|row| {
            row.owner_type == DocumentOwner::ContactDetail
                && row.owner_id == contact_id
                && row.field_name.as_ref() == Some(&field.field_name)
                && rules.document(row)
        });
        let subject = format!("Document_Count of {}", field.field_name);
        let found = &found["Document_Count"];
        caller.compare(&DETAIL, &path, &subject, documents.count(), found);
    }
}

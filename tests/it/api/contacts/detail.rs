//! `/contacts/{contact_id}/detail`

use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file, web_access};
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

/// Imports two borrowers with web access, and returns their contacts' ids.
async fn borrowers(world: &World, admin: &str) -> [i64; 2] {
    let records =
        [1, 2].map(|number| borrower_with_loan(number, OPEN_TERMS) + web_access(number).as_str());
    let result = world.import(admin, &file(&records.concat())).await;
    [&result["Records"][0], &result["Records"][3]].map(|row| row["New_ID"].as_i64().expect("an id"))
}

/// Fields: form, name, type, hidden, visible on the web.
async fn define(world: &World, fields: &[(&str, &str, &str, bool, bool)]) -> Vec<i64> {
    let columns = "form, field_name, label, data_type, pick_list, required_flag, hidden_flag, \
                   read_only_flag, web_visible_flag, sequence";
    let row = |(form, name, kind, hidden, web): &(&str, &str, &str, bool, bool)| {
        format!(
            "'{form}', '{name}', 'Label {name}', '{kind}', '[]', false, {hidden}, false, {web}, 1"
        )
    };
    world.insert("user_defined_fields", "field_id", columns, fields.iter().map(row)).await
}

async fn add_value(world: &World, field_id: i64, record_id: i64, value: &str) {
    let values = format!("{field_id}, {record_id}, '{value}'");
    let sql = "INSERT INTO user_defined_values (field_id, record_id, value)";
    world.sql(&format!("{sql} VALUES ({values})")).await;
}

/// Attaches this many documents to a contact's field.
async fn attach(world: &World, contact_id: i64, field: &str, count: usize) {
    let columns = "owner_type, owner_id, field_name, name, created_by_user_id, created_date";
    let rows =
        (0..count).map(|_| format!("'contact_detail', {contact_id}, '{field}', 'D', 1, NOW"));
    world.insert("documents", "document_id", columns, rows).await;
}

const FIELDS: &[(&str, &str, &str, bool, bool)] = &[
    ("contact_detail", "userdef02", "money", false, true),
    ("contact_detail", "userdef01", "text", false, false),
    ("contact_detail", "userdef03", "text", true, true),
    ("contact_detail", "userdef04", "document", false, true),
    ("contact_detail", "userdef05", "flag", false, true),
    ("contact_financials", "userdef02", "text", false, true),
    ("loan_detail1", "userdef02", "text", false, true),
];

/// Defines those fields and gives each of them, except the flag, a value for both contacts.
async fn fill(world: &World, contacts: [i64; 2]) -> Vec<i64> {
    let fields = define(world, FIELDS).await;
    for (n, contact) in contacts.into_iter().enumerate() {
        for (field, (form, name, ..)) in fields.iter().zip(FIELDS) {
            if !["userdef04", "userdef05"].contains(name) {
                add_value(world, *field, contact, &format!("{form} {name} of {n}")).await;
            }
        }
        attach(world, contact, "userdef04", n + 2).await;
        attach(world, contact, "userdef03", 1).await;
    }
    fields
}

fn row(field_id: i64, name: &str, kind: &str, value: Option<&str>, documents: i64) -> Value {
    let mut row = json!({
        "Field_ID": field_id, "Field_Name": name, "Label": format!("Label {name}"),
        "Data_Type": kind, "Document_Count": documents,
    });
    if let Some(value) = value {
        row["Value"] = json!(value);
    }
    row
}

#[tokio::test]
async fn a_user_sees_every_visible_field_of_the_form_with_its_value() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let contacts = borrowers(&world, &admin).await;
        let fields = fill(&world, contacts).await;
        for token in [&admin, &world.token("officer").await] {
            for (n, contact) in contacts.iter().enumerate() {
                let path = format!("/contacts/{contact}/detail");
                let rows = world.client.get(token, &path).await.expect(200).json();
                let value = |name: &str| format!("contact_detail {name} of {n}");
                let (money, text) = (value("userdef02"), value("userdef01"));
                let documents = n as i64 + 2;
                let expected = json!([
                    row(fields[0], "userdef02", "money", Some(&money), 0),
                    row(fields[1], "userdef01", "text", Some(&text), 0),
                    row(fields[3], "userdef04", "document", None, documents),
                    row(fields[4], "userdef05", "flag", None, 0),
                ]);
                assert_eq!(rows, expected);
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_borrower_sees_only_web_visible_fields_and_no_documents() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let contacts = borrowers(&world, &admin).await;
        let fields = fill(&world, contacts).await;
        let web = world.web_token(2).await;
        let path = format!("/contacts/{}/detail", contacts[1]);
        let rows = world.client.get(&web, &path).await.expect(200).json();
        let expected = json!([
            row(fields[0], "userdef02", "money", Some("contact_detail userdef02 of 1"), 0),
            row(fields[3], "userdef04", "document", None, 0),
            row(fields[4], "userdef05", "flag", None, 0),
        ]);
        assert_eq!(rows, expected);
        for other in [contacts[0], 999_999] {
            let path = format!("/contacts/{other}/detail");
            world.client.get(&web, &path).await.expect_problem(404, "not-found");
        }
        // Still so when the web user is linked to the other contact's loan.
        world
            .sql(&format!(
                "INSERT INTO loan_contacts (loan_id, contact_id, relationship_code, \
                 web_access_flag) SELECT loan_id, {}, 'COBORROWER', true FROM loans",
                contacts[1]
            ))
            .await;
        let path = format!("/contacts/{}/detail", contacts[0]);
        world.client.get(&web, &path).await.expect_problem(404, "not-found");
        world
    })
    .await;
}

#[tokio::test]
async fn paging_keeps_each_fields_value() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let contacts = borrowers(&world, &admin).await;
        fill(&world, contacts).await;
        let all = format!("/contacts/{}/detail", contacts[0]);
        let all = world.client.get(&admin, &all).await.expect(200).json();
        let mut path = format!("/contacts/{}/detail?limit=1", contacts[0]);
        let mut seen = Vec::new();
        loop {
            let page = world.client.get(&admin, &path).await.expect(200);
            seen.extend(page.json().as_array().expect("rows").clone());
            let Some((next, _)) = page.header("link").split_once('>') else { break };
            path = next.trim_start_matches('<').to_owned();
        }
        assert_eq!(json!(seen), all);
        world
    })
    .await;
}

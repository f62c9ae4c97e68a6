//! `/loans/{loan_id}/contacts` and `/contacts/{contact_id}/loans`: the same links from both sides.

use crate::PROGRAM;
use acceptance::filled_tables::FilledRows;
use acceptance::seeds::web_access;
use acceptance::{World, on_each_database};
use serde_json::Value;

/// Three loans, the borrower of the first of which guarantees the others, and the reverse.
async fn linked(world: &World, admin: &str) -> FilledRows {
    world.rows(admin, 1, 3).await
}

async fn list(world: &World, token: &str, path: &str) -> Vec<Value> {
    let response = world.client.get(token, path).await.expect(200).json();
    response.as_array().expect("a list").clone()
}

fn column(rows: &[Value], name: &str) -> Vec<Value> {
    rows.iter().map(|row| row[name].clone()).collect()
}

#[tokio::test]
async fn a_loan_lists_its_borrower_and_then_the_linked_contacts() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = linked(&world, &admin).await;
        let path = format!("/loans/{}/contacts", rows.loan_id);
        let found = list(&world, &admin, &path).await;
        assert_eq!(column(&found, "Role"), ["borrower", "linked", "linked"]);
        let codes = column(&found, "Relationship_Code");
        assert_eq!(codes, [Value::Null, "GUARANTOR".into(), "GUARANTOR".into()]);
        assert_eq!(column(&found, "Web_Access_Flag"), [Value::Null, false.into(), false.into()]);
        for contact in &found {
            let path = format!("/contacts/{}", contact["Contact_ID"]);
            let whole = world.client.get(&admin, &path).await.expect(200).json();
            for name in ["Contact_Number", "Last_Name1", "Email", "Tax_ID1"] {
                assert_eq!(contact[name], whole[name], "{name}");
            }
            assert!(contact["Contact_Name"].is_string(), "{contact}");
        }
        // A contact with two relationships is listed with each.
        let again = "INSERT INTO loan_contacts (loan_id, contact_id, relationship_code, \
                     web_access_flag) SELECT loan_id, contact_id, 'COBORROWER', true \
                     FROM loan_contacts";
        world.sql(&format!("{again} WHERE loan_id = {}", rows.loan_id)).await;
        let found = list(&world, &admin, &path).await;
        let codes = column(&found[3..], "Relationship_Code");
        assert_eq!(codes, ["COBORROWER", "COBORROWER"]);
        let page = list(&world, &admin, &format!("{path}?limit=1")).await;
        assert_eq!(page, found[..1]);
        world
    })
    .await;
}

#[tokio::test]
async fn a_contact_lists_its_own_loans_and_those_it_is_linked_to() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = linked(&world, &admin).await;
        let path = format!("/contacts/{}/loans", rows.contact_id);
        let all = list(&world, &admin, &path).await;
        assert_eq!(column(&all, "Role"), ["borrower", "linked", "linked"]);
        assert!(column(&all, "Loan_ID").is_sorted_by_key(|id| id.as_i64()), "{all:?}");
        for loan in &all {
            let path = format!("/loans/{}", loan["Loan_ID"]);
            let whole = world.client.get(&admin, &path).await.expect(200).json();
            for name in ["Loan_Number", "Contact_ID", "Days_Past_Due", "Total_Past_Due_Balance"] {
                assert_eq!(loan[name], whole[name], "{name}");
            }
        }
        let with = async |role: &str| list(&world, &admin, &format!("{path}?role={role}")).await;
        assert_eq!(with("borrower").await, all[..1]);
        assert_eq!(with("linked").await, all[1..]);
        for wrong in ["role=guarantor", "role=", "after=junk"] {
            let refused = world.client.get(&admin, &format!("{path}?{wrong}")).await;
            let refused = refused.expect_problem(400, "bad-request").json();
            let field = wrong.split('=').next().expect("a name");
            assert_eq!(refused["errors"][0]["field"], field, "{refused}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn what_the_caller_may_not_see_is_not_listed_on_either_side() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = linked(&world, &admin).await;
        world.sql("DELETE FROM privilege_grants").await;
        let grants = "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                      user_id FROM privileges, users WHERE user_name = 'viewer' \
                      AND verb <> 'Allow' AND path NOT IN ('Contact', 'Contact > Tax ID')";
        world.sql(grants).await;
        let viewer = world.token("viewer").await;
        let of_loan = format!("/loans/{}/contacts", rows.loan_id);
        let of_contact = format!("/contacts/{}/loans", rows.contact_id);
        let contacts = list(&world, &viewer, &of_loan).await;
        let loans = list(&world, &viewer, &of_contact).await;
        assert_eq!((contacts.len(), loans.len()), (3, 3));
        assert!(contacts[0]["Tax_ID1"].as_str().is_some_and(|id| id.starts_with('*')));
        // The last of each gets an officer.
        let (contact, loan) = (&contacts[2]["Contact_ID"], &loans[2]["Loan_ID"]);
        for (table, key, id, officer) in [
            ("contacts", "contact_id", contact, "contact_officer_user_id"),
            ("loans", "loan_id", loan, "loan_officer_user_id"),
        ] {
            world.sql(&format!("UPDATE {table} SET {officer} = 1 WHERE {key} = {id}")).await;
        }
        assert_eq!(list(&world, &viewer, &of_loan).await, contacts[..2]);
        assert_eq!(list(&world, &viewer, &of_contact).await, loans[..2]);
        assert_eq!(list(&world, &admin, &of_loan).await.len(), 3);
        world
    })
    .await;
}

#[tokio::test]
async fn both_sides_require_both_privileges_and_a_core_user() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = linked(&world, &admin).await;
        world.import(&admin, &acceptance::seeds::file(&web_access(1001))).await;
        let web = world.web_token(1001).await;
        let paths = [
            format!("/loans/{}/contacts", rows.loan_id),
            format!("/contacts/{}/loans", rows.contact_id),
        ];
        for (granted, missing) in
            [("Loan > Records", "Contact > Records"), ("Contact > Records", "Loan > Records")]
        {
            world.sql("DELETE FROM privilege_grants").await;
            let grant = "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                         user_id FROM privileges, users WHERE user_name = 'viewer' AND verb = 'View'";
            world.sql(&format!("{grant} AND path = '{granted}'")).await;
            let viewer = world.token("viewer").await;
            for path in &paths {
                let refused = world.client.get(&viewer, path).await;
                let refused = refused.expect_problem(403, "privilege-missing");
                assert!(refused.text.contains(&format!("{missing} > View")), "{}", refused.text);
                world.client.get(&web, path).await.expect_problem(403, "core-user-only");
            }
        }
        world
    })
    .await;
}

//! `/contacts`

mod credit_profiles;
mod detail;
mod field_history;
mod search;

use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::seeds::{OPEN_TERMS, WEB_PASSWORD, borrower_with_loan, file, web_access};
use serde_json::json;

#[tokio::test]
async fn identity_numbers_are_masked_unless_the_caller_may_see_them() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let result = world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
        let id = &result["Records"][0]["New_ID"];
        let read = async |user: &str| {
            let path = format!("/contacts/{id}");
            world.client.get(&world.token(user).await, &path).await.expect(200).json()
        };
        let unmasked = read("admin").await;
        assert_eq!(
            (&unmasked["Tax_ID1"], &unmasked["ID_Number1"]),
            (&"123-45-6789".into(), &"P1234567".into())
        );
        let masked = read("teller").await;
        assert_eq!(
            (&masked["Tax_ID1"], &masked["ID_Number1"]),
            (&"*******6789".into(), &"****4567".into())
        );
        assert_eq!(unmasked["IDExpiryDate1"], "2031-05-31");
        assert_eq!(unmasked["IDExpiryDate2"], "2032-06-30");
        assert_eq!(unmasked.get("Web_User_Name"), None);
        world
    })
    .await;
}

#[tokio::test]
async fn a_contact_of_another_officer_or_hidden_type_is_not_found() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let contact = |number: u32, officer: &str| {
            format!(
                "<Contact ContactNumber=\"C-{number}\" ContactTypeCode=\"BORROWER\" \
                 EntityCode=\"COMPANY\" Company=\"Company {number}\" {officer}/>"
            )
        };
        let records = [
            contact(1, ""),
            contact(2, "ContactOfficerUserName=\"officer\""),
            contact(3, "ContactOfficerUserName=\"teller\""),
        ];
        let result = world.import(&admin, &file(&records.concat())).await;
        let officer = world.token("officer").await;
        let teller = world.token("teller").await;
        for (n, seen) in [true, true, false].into_iter().enumerate() {
            let path = format!("/contacts/{}", result["Records"][n]["New_ID"]);
            let response = world.client.get(&officer, &path).await;
            assert_eq!(response.status == 200, seen, "{}", response.text);
            world.client.get(&teller, &path).await.expect(200);
        }
        world
            .sql(
                "INSERT INTO trustees (object_type, object_id, user_id) \
                 SELECT 'contact_type', t.contact_type_id, u.user_id FROM contact_types t, users u \
                 WHERE t.code = 'BORROWER' AND u.user_name = 'officer'",
            )
            .await;
        let path = format!("/contacts/{}", result["Records"][0]["New_ID"]);
        world.client.get(&officer, &path).await.expect(200);
        world.client.get(&teller, &path).await.expect_problem(404, "not-found");
        world
    })
    .await;
}

#[tokio::test]
async fn a_contact_shows_its_user_name_and_never_a_password() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let records = borrower_with_loan(1, OPEN_TERMS) + web_access(1).as_str();
        let result = world.import(&admin, &file(&records)).await;
        let path = format!("/contacts/{}", result["Records"][0]["New_ID"]);
        let contact = world.client.get(&admin, &path).await.expect(200);
        assert_eq!(contact.json()["Web_User_Name"], "web1");
        let history = world.client.get(&admin, &format!("{path}/field-history")).await.expect(200);
        let rows = history.json().as_array().expect("rows").clone();
        let secrets = rows.iter().filter(|row| row["Field_Name"] == "Password_Hash");
        let masked: Vec<_> = secrets.map(|row| (&row["Old_Value"], &row["New_Value"])).collect();
        assert_eq!(masked, [(&json!(null), &json!("(changed)"))]);
        for text in [contact.text, history.text] {
            assert!(!text.contains("argon2") && !text.contains(WEB_PASSWORD));
        }
        world
    })
    .await;
}

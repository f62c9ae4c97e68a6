//! `/core/xml-import`, and what its tests share.

mod concurrency;
mod credentials;
mod elements;
mod fuzz;
mod hostile_input;
mod interrupted;
mod large_files;
mod record_errors;
mod schema;

use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, WORKED_EXAMPLE, borrower_with_loan, file};
use serde_json::{Value, json};

/// The answer to the example of the format, byte for byte.
const WORKED_ANSWER: &str = r#"{"Test": false, "Committed": true, "Read": 7, "Inserted": 7, "Updated": 0, "Deleted": 0, "Failed": 0, "Records": [
  {"Line": 2, "Element": "Contact", "Action": "inserted", "Key": "C-2001", "New_ID": 151, "Messages": []},
  {"Line": 5, "Element": "Comment", "Action": "inserted", "New_ID": 88, "Messages": []},
  {"Line": 8, "Element": "Loan", "Action": "inserted", "Key": "L-2001", "New_ID": 61, "Messages": []},
  {"Line": 12, "Element": "Collateral", "Action": "inserted", "New_ID": 40, "Messages": []},
  {"Line": 17, "Element": "Payment", "Action": "inserted", "Key": "L-2001", "New_ID": 902, "Messages": []},
  {"Line": 18, "Element": "Payment", "Action": "inserted", "Key": "L-2001", "New_ID": 905, "Messages": []},
  {"Line": 19, "Element": "Payment", "Action": "inserted", "Key": "L-2001", "New_ID": 908, "Messages": []}]}"#;

#[tokio::test]
async fn the_worked_example_gets_the_documented_response() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        let test_run =
            world.client.import(&admin, true, WORKED_EXAMPLE, None).await.expect(200).text;
        let imported = world.client.import(&admin, false, WORKED_EXAMPLE, None).await.expect(200);
        let result = imported.json();
        let mut expected = WORKED_ANSWER.to_owned();
        let documented: Value = serde_json::from_str(WORKED_ANSWER).expect("JSON");
        for (documented, actual) in documented["Records"]
            .as_array()
            .unwrap()
            .iter()
            .zip(result["Records"].as_array().unwrap())
        {
            let id = |record: &Value| format!("\"New_ID\": {},", record["New_ID"]);
            expected = expected.replace(&id(documented), &id(actual));
        }
        assert_eq!(imported.text, expected);
        assert_eq!(test_run.lines().count(), imported.text.lines().count());
        assert!(
            test_run.starts_with(r#"{"Test": true, "Committed": false, "Read": 7, "Inserted": 7"#)
        );
        let loan = format!("/loans/{}", result["Records"][2]["New_ID"]);
        let loan = world.client.get(&admin, &loan).await.expect(200).json();
        assert_eq!(loan["Current_Principal_Balance"], "27015.86");
        assert_eq!(loan["Next_Due_Date"], "2024-05-15");
        assert_eq!(loan["ContractualJurisdiction"], "NJ");
        let contact = format!("/contacts/{}", result["Records"][0]["New_ID"]);
        let contact = world.client.get(&admin, &contact).await.expect(200).json();
        assert_eq!(contact["Web_User_Name"], "ana.rivera");
        assert_eq!(contact["IDExpiryDate1"], "2031-05-31");
        world.client.log_in("web", "ana.rivera", "a long pass phrase").await.expect("a token");
        let secrets = "SELECT COUNT(*) FROM field_changes WHERE field_name = 'Password_Hash' \
                       AND new_value = '(changed)'";
        assert_eq!(world.count(secrets).await, 1);
        world
    })
    .await;
}

fn without_ids(mut result: Value) -> Value {
    for record in result["Records"].as_array_mut().expect("records") {
        record.as_object_mut().expect("a record").remove("New_ID");
    }
    result
}

#[tokio::test]
async fn a_test_import_responds_the_same_and_changes_no_table() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        let before = world.snapshot().await;
        let test_run =
            world.client.import(&admin, true, WORKED_EXAMPLE, Some("k")).await.expect(200).json();
        assert_eq!(world.snapshot().await, before);
        let result =
            world.client.import(&admin, false, WORKED_EXAMPLE, Some("k")).await.expect(200).json();
        let mut test_run = without_ids(test_run);
        assert_eq!((&test_run["Test"], &test_run["Committed"]), (&json!(true), &json!(false)));
        (test_run["Test"], test_run["Committed"]) = (json!(false), json!(true));
        assert_eq!(test_run, without_ids(result));
        world
    })
    .await;
}

#[tokio::test]
async fn a_file_sent_twice_with_one_key_is_imported_once() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        let first = world.client.import(&admin, false, WORKED_EXAMPLE, Some("k")).await.expect(200);
        let after = world.snapshot().await;
        let second =
            world.client.import(&admin, false, WORKED_EXAMPLE, Some("k")).await.expect(200);
        assert_eq!(second.text, first.text);
        assert_eq!(second.header("idempotency-replayed"), "true");
        assert_eq!(world.snapshot().await, after);
        let other = WORKED_EXAMPLE.replace("Ana", "Eva");
        let other = world.client.import(&admin, false, &other, Some("k")).await;
        other.expect_problem(422, "idempotency-mismatch");
        world
    })
    .await;
}

#[tokio::test]
async fn one_invalid_record_rolls_back_a_block_or_only_itself() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let records = [
            borrower_with_loan(1, OPEN_TERMS),
            borrower_with_loan(2, "LoanAmount=\"x\" OriginationDate=\"2024-01-01\" PaymentPeriod=\"none\""),
            "<Transactions><Payment LoanNumber=\"L-1\" Amount=\"5.00\" EffectiveDate=\"2024-01-01\"/>\
             <Payment LoanNumber=\"L-1\" Amount=\"5.00\" EffectiveDate=\"2020-01-01\"/>\
             <Payment LoanNumber=\"L-1\" Amount=\"5.00\" EffectiveDate=\"2024-01-01\"/></Transactions>"
                .to_owned(),
        ]
        .concat();
        let before = world.snapshot().await;
        let block = world.client.import(&admin, false, &file(&records), None).await.expect(200);
        let block = block.json();
        assert_eq!((&block["Committed"], &block["Inserted"]), (&json!(false), &json!(0)));
        assert_eq!(world.snapshot().await, before);
        let actions = |result: &Value| -> Vec<String> {
            let records = result["Records"].as_array().expect("records").iter();
            records.map(|r| r["Action"].as_str().expect("an action").to_owned()).collect()
        };
        let rolled = "rolled_back";
        assert_eq!(actions(&block), [rolled, rolled, rolled, "failed", rolled, "failed", rolled]);
        let messages = &block["Records"][3]["Messages"];
        assert_eq!(messages[0]["Attribute"], "LoanAmount", "{messages}");
        assert_eq!(messages[1]["Attribute"], "InterestRate", "{messages}");

        let apart = file(&records).replace("CommitBlock=\"1\"", "CommitBlock=\"0\"");
        let apart = world.client.import(&admin, false, &apart, None).await.expect(200).json();
        assert_eq!(apart["Committed"], true);
        assert_eq!(
            actions(&apart),
            ["inserted", "inserted", "inserted", "failed", rolled, "failed", rolled]
        );
        assert_eq!(world.count("SELECT COUNT(*) FROM loans").await, 1);
        let payments = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(payments).await, 0, "a Transactions record is all or nothing");
        world
    })
    .await;
}

#[tokio::test]
async fn a_malformed_file_is_refused_with_the_position() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let broken = "<Core>\n  <Contact ContactNumber=\"1\">\n  </Loan>\n</Core>";
        let refused = world.client.import(&admin, false, broken, None).await;
        let refused = refused.expect_problem(400, "bad-request");
        assert_eq!(refused.json()["line"], 3, "{}", refused.text);
        let doctype = "<!DOCTYPE x [<!ENTITY a \"b\">]><Core/>";
        let refused = world.client.import(&admin, false, doctype, None).await;
        refused.expect_problem(400, "bad-request");
        let flag = world.client.import(&admin, false, "<Core CommitBlock=\"yes\"/>", None).await;
        flag.expect_problem(400, "bad-request");
        let path = format!("{}/core/xml-import?test=true", world.client.api_url);
        let json = world.client.http.post(path).bearer_auth(&admin).json(&json!({}));
        let json = world.client.send(json).await.expect("a response");
        json.expect_problem(415, "unsupported-media-type");
        let untold = world.client.request(reqwest::Method::POST, &admin, "/core/xml-import");
        let untold = untold.header("content-type", "application/xml").body("<Core/>");
        let untold = world.client.send(untold).await.expect("a response");
        assert_eq!(untold.expect_problem(400, "bad-request").json()["errors"][0]["field"], "test");
        for name in ["text/xml", "Text/XML; charset=utf-8"] {
            let test_run =
                world.client.request(reqwest::Method::POST, &admin, "/core/xml-import?test=true");
            let test_run = test_run.header("content-type", name).body("<Core/>");
            world.client.send(test_run).await.expect("a response").expect(200);
        }
        let empty = world.client.import(&admin, false, "<Core/>", None).await.expect(200).json();
        assert_eq!((&empty["Committed"], &empty["Read"]), (&json!(true), &json!(0)));
        world
    })
    .await;
}

#[tokio::test]
async fn only_the_admin_account_can_import() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        world.import(&world.token("admin").await, WORKED_EXAMPLE).await;
        for user in ["officer", "teller", "viewer"] {
            let refused =
                world.client.import(&world.token(user).await, true, WORKED_EXAMPLE, None).await;
            refused.expect_problem(403, "admin-only");
        }
        let web = world.client.log_in("web", "ana.rivera", "a long pass phrase").await;
        let refused = world.client.import(&web.expect("a token"), true, WORKED_EXAMPLE, None).await;
        refused.expect_problem(403, "admin-only");
        world
    })
    .await;
}

#[tokio::test]
async fn rows_are_updated_and_deleted_by_their_numbers() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let booked = world.import(&admin, &file(&borrower_with_loan(1, PUBLISHED_TERMS))).await;
        let contact = format!("/contacts/{}", booked["Records"][0]["New_ID"]);
        let loan = format!("/loans/{}", booked["Records"][1]["New_ID"]);
        let change = "<Contact UpdateFlag=\"1\" ContactNumber=\"C-1\" City=\"Newark\" \
             TaxID1=\"##NULL##\"><WebCredentials WebUserName=\"one\" Password=\"first words\"/></Contact>\
             <Contact ContactNumber=\"C-9\" ContactTypeCode=\"BORROWER\" EntityCode=\"COMPANY\" Company=\"Nine\"/>\
             <Loan UpdateFlag=\"1\" LoanNumber=\"L-1\" LoanNickname=\"car\" RiskRatingCode=\"B\">\
             <InterestRate EffectiveDate=\"2025-01-15\" InterestRate=\"12.5\"/>\
             <Relationship ContactNumber=\"C-9\" RelationshipCode=\"COBORROWER\" WebAccessFlag=\"true\"/></Loan>";
        let result = world.import(&admin, &file(change)).await;
        assert_eq!((&result["Updated"], &result["Inserted"]), (&json!(2), &json!(3)));
        let read = world.client.get(&admin, &contact).await.expect(200).json();
        assert_eq!((&read["City"], read.get("Tax_ID1")), (&json!("Newark"), None));
        assert_eq!(read["Last_Name1"], "Borrower 1", "absent attributes stay");
        let read = world.client.get(&admin, &loan).await.expect(200).json();
        assert_eq!((&read["Loan_Nickname"], &read["Current_Interest_Rate"]), (&json!("car"), &json!("12.50")));
        let delete = "<Contact UpdateFlag=\"2\" ContactNumber=\"C-1\"/>";
        let failed = world.client.import(&admin, false, &file(delete), None).await;
        let failed = failed.expect(200).json();
        assert_eq!(failed["Failed"], 1, "a contact with loans stays");
        let delete = "<Loan UpdateFlag=\"2\" LoanNumber=\"L-1\"/><Contact UpdateFlag=\"2\" ContactNumber=\"C-1\"/>";
        let deleted = world.import(&admin, &file(delete)).await;
        assert_eq!(deleted["Deleted"], 2);
        world.client.get(&admin, &loan).await.expect_problem(404, "not-found");
        world.client.get(&admin, &contact).await.expect_problem(404, "not-found");
        assert!(world.client.log_in("web", "one", "first words").await.is_err());
        world
    })
    .await;
}

#[tokio::test]
async fn a_conflict_with_other_rows_fails_only_its_record() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let two = [1, 2].map(|number| borrower_with_loan(number, OPEN_TERMS)).concat();
        let booked = world.import(&admin, &file(&two)).await;
        let id = &booked["Records"][1]["New_ID"];
        let clash = format!(
            "<Core><Loan UpdateFlag=\"1\" LoanID=\"{id}\" LoanNumber=\"L-2\"/>\
             <Loan UpdateFlag=\"1\" LoanID=\"{id}\" LoanNickname=\"car\"/></Core>"
        );
        let result = world.client.import(&admin, false, &clash, None).await.expect(200).json();
        assert_eq!((&result["Failed"], &result["Updated"]), (&json!(1), &json!(1)), "{result}");
        world
    })
    .await;
}

#[tokio::test]
async fn an_unknown_record_is_reported() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let mistyped = "<Core CommitBlock=\"1\"><Lone LoanNumber=\"x\"/>\
             <Contact ContactNumber=\"C-1\" ContactTypeCode=\"BORROWER\" EntityCode=\"COMPANY\" \
             Company=\"One\"/><Transactions><Paymint/></Transactions></Core>";
        let result = world.client.import(&admin, false, mistyped, None).await.expect(200).json();
        assert_eq!((&result["Failed"], &result["Inserted"]), (&json!(2), &json!(1)), "{result}");
        assert_eq!(result["Committed"], true);
        assert_eq!(result["Records"][0]["Messages"][0]["Level"], "warning");
        world
    })
    .await;
}

#[tokio::test]
async fn withdrawing_web_access_ends_the_users_sessions() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        world.import(&admin, WORKED_EXAMPLE).await;
        let token = world.client.log_in("web", "ana.rivera", "a long pass phrase").await.unwrap();
        let access = |flag: bool| {
            file(&format!(
                "<Contact UpdateFlag=\"1\" ContactNumber=\"C-2001\">\
                 <WebCredentials WebAccessFlag=\"{flag}\"/></Contact>"
            ))
        };
        world.client.get(&token, "/loans/1").await.expect_problem(403, "core-user-only");
        world.import(&admin, &access(false)).await;
        world.client.get(&token, "/loans/1").await.expect_problem(401, "token-invalid");
        world.import(&admin, &access(true)).await;
        world.client.get(&token, "/loans/1").await.expect_problem(401, "token-invalid");
        world
    })
    .await;
}

#[tokio::test]
async fn a_new_password_ends_the_users_sessions() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        world.import(&admin, WORKED_EXAMPLE).await;
        let token = world.client.log_in("web", "ana.rivera", "a long pass phrase").await.unwrap();
        let credentials = async |attribute: &str| {
            world
                .import(
                    &admin,
                    &file(&format!(
                        "<Contact UpdateFlag=\"1\" ContactNumber=\"C-2001\">\
                         <WebCredentials {attribute}/></Contact>"
                    )),
                )
                .await
        };
        credentials("WebAccessFlag=\"true\"").await;
        world.client.get(&token, "/loans/1").await.expect_problem(403, "core-user-only");
        credentials("Password=\"another long pass phrase\"").await;
        world.client.get(&token, "/loans/1").await.expect_problem(401, "token-invalid");
        let log_in = async |password| world.client.log_in("web", "ana.rivera", password).await;
        assert!(log_in("a long pass phrase").await.is_err());
        assert!(log_in("another long pass phrase").await.is_ok());
        world
    })
    .await;
}

#[tokio::test]
async fn a_changed_schedule_keeps_existing_due_rows() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let booked = world.import(&admin, &file(&borrower_with_loan(1, PUBLISHED_TERMS))).await;
        let loan = format!("/loans/{}", booked["Records"][1]["New_ID"]);
        let before = world.client.get(&admin, &loan).await.expect(200).json();
        let longer = "<Loan UpdateFlag=\"1\" LoanNumber=\"L-1\" NumberOfPayments=\"72\"/>";
        world.import(&admin, &file(longer)).await;
        let after = world.client.get(&admin, &loan).await.expect(200).json();
        assert_eq!(after["Maturity_Date"], "2030-01-15");
        assert_eq!(after["Total_Past_Due_Balance"], before["Total_Past_Due_Balance"]);
        assert_eq!(after["Current_Payoff_Balance"], before["Current_Payoff_Balance"]);
        assert!(after["Next_Due_Date"].as_str().unwrap() > after["As_Of_Date"].as_str().unwrap());
        // A closed loan has no next due date, whether it accrued interest before or not.
        for status in ["ACTIVE", "CHARGED_OFF"] {
            let set_status = async |code: &str| {
                let change = format!(
                    "<Loan UpdateFlag=\"1\" LoanNumber=\"L-1\" StatusCode=\"{code}\" \
                     RiskRatingCode=\"##NULL##\"/>"
                );
                world.import(&admin, &file(&change)).await;
                world.client.get(&admin, &loan).await.expect(200).json()
            };
            set_status(status).await;
            assert_eq!(set_status("CLOSED").await.get("Next_Due_Date"), None);
            let opened = set_status(status).await;
            assert_eq!(opened["Next_Due_Date"], after["Next_Due_Date"]);
            assert_eq!(opened["Total_Past_Due_Balance"], after["Total_Past_Due_Balance"]);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn unknown_tags_are_warnings_unless_the_file_enforces_them() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let contact = "<Contact ContactNumber=\"C-1\" ContactTypeCode=\"BORROWER\" \
             EntityCode=\"COMPANY\" Company=\"One\" ShoeSize=\"44\"><Pet/></Contact>";
        let enforced = world.client.import(&admin, false, &file(contact), None).await.expect(200);
        assert_eq!(enforced.json()["Failed"], 1);
        let relaxed = file(contact).replace("EnforceTagExistence=\"1\"", "");
        let relaxed = world.client.import(&admin, false, &relaxed, None).await.expect(200).json();
        assert_eq!((&relaxed["Failed"], &relaxed["Inserted"]), (&json!(0), &json!(1)));
        let messages = relaxed["Records"][0]["Messages"].as_array().expect("messages").clone();
        assert_eq!(messages.len(), 2, "{messages:?}");
        assert!(messages.iter().all(|message| message["Level"] == "warning"));
        world
    })
    .await;
}

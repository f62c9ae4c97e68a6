//! Files the import refuses: each rule fails its record, names the attribute, and nothing of the
//! record stays.

use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, borrower_with_loan, file};
use serde_json::{Value, json};

fn in_contact(elements: &str) -> String {
    format!(
        "<Contact ContactNumber=\"N-1\" ContactTypeCode=\"BORROWER\" EntityCode=\"COMPANY\" \
         Company=\"One\">{elements}</Contact>"
    )
}

fn in_loan(elements: &str) -> String {
    format!(
        "<Loan LoanNumber=\"N-1\" ContactNumber=\"C-1\" LoanGroupCode=\"CONSUMER\" \
         PortfolioCode=\"MAIN\" {OPEN_TERMS}>{elements}</Loan>"
    )
}

fn collateral(elements: &str) -> String {
    in_loan(&format!("<Collateral CollateralCode=\"AUTO\">{elements}</Collateral>"))
}

const ACH: &str = "Description=\"d\" PaymentType=\"ach\" AmountType=\"fixed\" Amount=\"1.00\" \
     BillingType=\"billing\" StartDate=\"2024-01-01\"";

/// A record, the attribute at fault, and a part of the message.
#[expect(clippy::too_many_lines, reason = "a list, not logic")]
fn refusals() -> Vec<(String, Option<&'static str>, &'static str)> {
    vec![
        (in_contact("<Detail/>"), None, "at least one field"),
        (in_contact("<Detail Userdef02=\"Klingon\"/>"), Some("Userdef02"), "one of"),
        (in_contact("<Detail Userdef03=\"2024-01-01\"/>"), Some("Userdef03"), "read-only"),
        (in_contact("<Detail Userdef04=\"x\"/>"), Some("Userdef04"), "not defined"),
        (in_contact("<Detail Userdef05=\"x\"/>"), Some("Userdef05"), "document"),
        (in_contact("<Detail Userdef06=\"many\"/>"), Some("Userdef06"), "whole number"),
        (in_contact("<Detail Userdef81=\"x\"/>"), Some("Userdef81"), "unknown attribute"),
        (in_contact("<Financials Userdef01=\"1.005\"/>"), Some("Userdef01"), "two decimals"),
        (in_contact("<Address StreetAddress1=\"x\"/>"), Some("RelationshipCode"), "required"),
        (
            in_contact("<Address RelationshipCode=\"COBORROWER\" StreetAddress1=\"x\"/>"),
            Some("RelationshipCode"),
            "not for addresses",
        ),
        (
            in_contact("<Address UpdateFlag=\"1\" RowID=\"1\" City=\"x\"/>"),
            Some("RowID"),
            "does not exist in the enclosing element",
        ),
        (in_contact("<Comment CommentCategoryCode=\"GENERAL\"/>"), None, "has no text"),
        (
            in_contact("<Comment CommentCategoryCode=\"NONE\">x</Comment>"),
            Some("CommentCategoryCode"),
            "unknown",
        ),
        (in_contact("<WebCredentials WebUserName=\"x\"/>"), Some("Password"), "required"),
        (
            in_contact("<WebCredentials WebUserName=\"x\" Password=\"\"/>"),
            Some("Password"),
            "empty",
        ),
        (in_contact("loose text"), None, "text is not allowed in Contact"),
        (in_contact("<Vehicle/>"), None, "unknown element Vehicle in Contact"),
        (in_contact("").replace("Company=\"One\"", ""), Some("LastName1"), "required"),
        (in_contact("").replace("N-1", "C-1"), Some("ContactNumber"), "taken"),
        (
            in_contact("").replace("Company=\"One\"", "Company=\"One\" Suffix1=\"Junior\""),
            Some("Suffix1"),
            "5 characters",
        ),
        (
            in_contact("").replace("Company=\"One\"", "Company=\"One\" BirthDate1=\"1.2.1990\""),
            Some("BirthDate1"),
            "must be a date",
        ),
        (
            in_contact("").replace("ContactNumber=\"N-1\"", "ContactNumber=\"##NULL##\""),
            Some("ContactNumber"),
            "cleared",
        ),
        (
            in_contact("")
                .replace("ContactNumber=\"N-1\"", "ContactNumber=\"N-1\" ContactID=\"-3\""),
            Some("ContactID"),
            "an id",
        ),
        (
            in_contact("")
                .replace("ContactNumber=\"N-1\"", "ContactNumber=\"N-1\" ContactID=\"900\""),
            Some("ContactID"),
            "assigned by the service",
        ),
        (
            in_loan("<InterestRate EffectiveDate=\"2020-01-01\" InterestRate=\"1\"/>"),
            Some("EffectiveDate"),
            "before 2021-10-25",
        ),
        (
            in_loan("<InterestRate EffectiveDate=\"2021-10-25\" InterestRate=\"1\"/>"),
            Some("EffectiveDate"),
            "already",
        ),
        (
            in_loan("<InterestRate EffectiveDate=\"2022-10-25\" InterestRate=\"-1\"/>"),
            Some("InterestRate"),
            "negative",
        ),
        (
            in_loan("<Relationship ContactNumber=\"C-1\" RelationshipCode=\"PREVIOUS\"/>"),
            Some("RelationshipCode"),
            "not for loans",
        ),
        (
            in_loan("<Relationship GetRecordID=\"nobody\" RelationshipCode=\"COBORROWER\"/>"),
            Some("GetRecordID"),
            "no earlier contact",
        ),
        (in_loan("<CreditLine Name=\"x\"/>"), Some("CreditLineLimit"), "required"),
        (
            in_loan("<CreditLine Name=\"x\" CreditLineLimit=\"1\" TransactionCode=\"7\"/>"),
            Some("TransactionCode"),
            "unknown",
        ),
        (
            in_loan("<CreditLine Name=\"x\" CreditLineLimit=\"1\" DrawUntilType=\"fixed_date\"/>"),
            Some("DrawUntilDate"),
            "required",
        ),
        (
            in_loan(
                "<RecurringTransaction Description=\"d\" EventType=\"billing\" EventStartDate=\"2024-01-01\" \
                 EventPeriod=\"monthly\" TransactionCode=\"142\"/>",
            ),
            Some("TransactionAmount"),
            "required",
        ),
        (in_loan(&format!("<AutomatedPayment {ACH}/>")), Some("BankRoutingNumber"), "required"),
        (
            in_loan(&format!(
                "<AutomatedPayment {ACH} BankRoutingNumber=\"12\" BankAccountNumber=\"1\" BankAccountType=\"savings\"/>"
            )),
            Some("BankRoutingNumber"),
            "nine digits",
        ),
        (
            in_loan(&format!(
                "<AutomatedPayment {} PaymentGatewayTokenID=\"1\"/>",
                ACH.replace("ach", "card")
            )),
            Some("PaymentGatewayTokenID"),
            "no card",
        ),
        (
            in_loan(&format!("<AutomatedPayment {ACH} BankRoutingNumber=\"021000021\" BankAccountNumber=\"\" BankAccountType=\"savings\"/>")),
            Some("BankAccountNumber"),
            "required",
        ),
        (
            "<Loan UpdateFlag=\"1\" LoanNumber=\"L-1\"><InterestRate UpdateFlag=\"2\" EffectiveDate=\"2021-10-25\"/></Loan>".to_owned(),
            Some("EffectiveDate"),
            "first rate",
        ),
        (in_loan("").replace("ContactNumber=\"C-1\"", "ContactID=\"1\" ContactNumber=\"C-77\""), Some("ContactNumber"), "no contact"),
        ("<Loan UpdateFlag=\"2\" LoanID=\"1\" LoanNumber=\"other\"/>".to_owned(), Some("LoanNumber"), "names a different"),
        ("<Contact UpdateFlag=\"2\" ContactID=\"1\" ContactNumber=\"other\"/>".to_owned(), Some("ContactNumber"), "names a different"),
        ("<Contact UpdateFlag=\"1\" ContactID=\"0\" City=\"x\"/>".to_owned(), Some("ContactID"), "must be an id"),
        (
            "<Loan UpdateFlag=\"2\" LoanNumber=\"L-1\"><Comment CommentCategoryCode=\"GENERAL\">x</Comment></Loan>".to_owned(),
            None,
            "being deleted",
        ),
        (in_loan("<Collateral/>"), Some("CollateralCode"), "required"),
        (in_loan("<Collateral CollateralID=\"77\"/>"), None, "no collateral"),
        (collateral("<Vehicle Year=\"12\"/>"), Some("Year"), "from 1800 to 2200"),
        (
            collateral("<Vehicle TitleType=\"paper napkin\"/>"),
            Some("TitleType"),
            "one of none, paper",
        ),
        (collateral("<Location ContactID=\"99\"/>"), Some("ContactID"), "no contact"),
        (collateral("<Insurance Company=\"c\"/>"), Some("PolicyNumber"), "required"),
        (
            collateral("<Tax Authority=\"a\" TaxYear=\"2024\" TaxAmount=\"1\"/>"),
            Some("DueDate"),
            "required",
        ),
        (collateral("<Boat/>"), None, "unknown element Boat in Collateral"),
        (in_loan("").replace("N-1", "L-1"), Some("LoanNumber"), "taken"),
        (
            in_loan("").replace("ContactNumber=\"C-1\"", "ContactNumber=\"none\""),
            Some("ContactNumber"),
            "no contact",
        ),
        (in_loan("").replace("ContactNumber=\"C-1\"", ""), Some("ContactNumber"), "required"),
        (
            in_loan("").replace("LoanAmount=\"10000.00\"", "LoanAmount=\"10000.005\""),
            Some("LoanAmount"),
            "whole cents",
        ),
        (
            in_loan("").replace("LoanAmount=\"10000.00\"", "LoanAmount=\"900000000000001\""),
            Some("LoanAmount"),
            "exceeds",
        ),
        (in_loan("").replace("CONSUMER", "NONE"), Some("LoanGroupCode"), "unknown"),
        (
            in_contact(
                "<Address RelationshipCode=\"PREVIOUS\" StreetAddress1=\"x\">\
                 <Comment CommentCategoryCode=\"GENERAL\">x</Comment></Address>",
            ),
            None,
            "unknown element Comment in Address",
        ),
        (
            String::from(
                "<Transactions><Payment LoanNumber=\"L-1\" Amount=\"1.00\" \
                 EffectiveDate=\"2024-02-15\"><Payment LoanNumber=\"L-1\" Amount=\"2.00\" \
                 EffectiveDate=\"2024-02-15\"/></Payment></Transactions>",
            ),
            None,
            "unknown element Payment in Payment",
        ),
        (
            in_contact("").replace("Company=\"One\"", "Company=\"\" LastName1=\" \""),
            Some("LastName1"),
            "required",
        ),
        (
            "<Loan LoanNumber=\"N-1\" ContactNumber=\"C-1\" LoanGroupCode=\"CONSUMER\" \
             PortfolioCode=\"MAIN\" OriginationDate=\"2024-01-15\" LoanAmount=\"1000.00\" \
             InterestRate=\"10\" PaymentPeriod=\"annual\" PaymentAmount=\"200.00\" \
             NumberOfPayments=\"12000\" FirstPaymentDate=\"2025-01-15\"/>"
                .to_owned(),
            Some("NumberOfPayments"),
            "9999",
        ),
    ]
}

#[tokio::test]
async fn each_violated_rule_fails_and_rolls_back_its_record() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
        let before = world.snapshot().await;
        for (record, attribute, part) in refusals() {
            let result = world.client.import(&admin, false, &file(&record), None).await;
            let result = result.expect(200).json();
            assert_eq!(result["Committed"], false, "{record}: {result}");
            assert!(result["Failed"].as_i64() >= Some(1), "{record}: {result}");
            let records = result["Records"].as_array().expect("records").iter();
            let failed = records.filter(|record| record["Action"] == "failed");
            let mut messages = failed.flat_map(|record| record["Messages"].as_array().unwrap());
            let reported = messages.any(|message| {
                message.get("Attribute").and_then(Value::as_str) == attribute
                    && message["Message"].as_str().is_some_and(|text| text.contains(part))
            });
            assert!(reported, "{record}: {attribute:?} {part}: {result}");
        }
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn a_failed_collateral_reports_its_child_elements() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
        let comment = "<Comment CommentCategoryCode=\"GENERAL\">x</Comment>";
        let failing = in_loan(&format!("<Collateral>{comment}{comment}</Collateral>"));
        let result = world.client.import(&admin, false, &file(&failing), None).await;
        let result = result.expect(200).json();
        let reported = result["Records"].as_array().expect("records").iter();
        let reported: Vec<_> = reported.map(|one| (&one["Element"], &one["Action"])).collect();
        let rolled_back = &json!("rolled_back");
        assert_eq!(
            reported,
            [
                (&json!("Loan"), rolled_back),
                (&json!("Collateral"), &json!("failed")),
                (&json!("Comment"), rolled_back),
                (&json!("Comment"), rolled_back)
            ]
        );
        assert_eq!(result["Read"], 4);
        world
    })
    .await;
}

#[tokio::test]
async fn a_payment_with_contradictory_loan_references_is_refused() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
        let result = world.import(&admin, &file(&borrower_with_loan(2, OPEN_TERMS))).await;
        let records = result["Records"].as_array().expect("records").iter();
        let loan = records.rev().find(|record| record["Element"] == "Loan").expect("a loan");
        let payment = format!(
            "<Transactions><Payment LoanID=\"{}\" LoanNumber=\"L-1\" Amount=\"1.00\" \
             EffectiveDate=\"2024-02-15\"/></Transactions>",
            loan["New_ID"]
        );
        let before = world.snapshot().await;
        let result = world.client.import(&admin, false, &file(&payment), None).await;
        let result = result.expect(200).json();
        assert_eq!(result["Records"][0]["Messages"][0]["Attribute"], "LoanNumber", "{result}");
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn an_invalid_vin_is_handled_as_configured() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
        let file = file(&collateral("<Vehicle VIN=\"1HGCM82643A004352\"/>"));
        let test_run = async || {
            world.client.import(&admin, true, &file, None).await.expect(200).json()
        };
        let warned = test_run().await;
        assert_eq!((&warned["Failed"], &warned["Records"][1]["Messages"][0]["Level"]), (&json!(0), &json!("warning")));
        world.sql("UPDATE settings SET value = 'refuse' WHERE name = 'vin_check'").await;
        world.sql("INSERT INTO settings (name, value) SELECT 'vin_check', 'refuse' FROM settings \
             WHERE name = 'business_time_zone' AND NOT EXISTS (SELECT 1 FROM settings WHERE name = 'vin_check')").await;
        let refused = test_run().await;
        assert_eq!(refused["Failed"], 1, "{refused}");
        assert_eq!(refused["Records"][1]["Messages"][0]["Attribute"], "VIN");
        world.sql("UPDATE settings SET value = 'off' WHERE name = 'vin_check'").await;
        assert_eq!(test_run().await["Records"][1]["Messages"], json!([]));
        world
    })
    .await;
}

#[tokio::test]
async fn a_required_field_needs_a_value_when_its_form_is_imported() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        world.sql("UPDATE user_defined_fields SET required_flag = (1 = 1) WHERE form = 'contact_detail' AND field_name = 'userdef01'").await;
        let without_required = in_contact("<Detail Userdef02=\"French\"/>");
        let result = world.client.import(&admin, false, &file(&without_required), None).await;
        let result = result.expect(200).json();
        let message = &result["Records"][0]["Messages"][0];
        assert_eq!((&result["Failed"], &message["Attribute"]), (&json!(1), &json!("Userdef01")), "{result}");
        world.import(&admin, &file(&in_contact("<Detail Userdef01=\"x\" Userdef02=\"French\"/>"))).await;
        let change = |detail: &str| file(&format!("<Contact UpdateFlag=\"1\" ContactNumber=\"N-1\">{detail}</Contact>"));
        world.import(&admin, &change("<Detail UpdateFlag=\"1\" Userdef02=\"##NULL##\"/>")).await;
        let cleared = change("<Detail UpdateFlag=\"1\" Userdef01=\"##NULL##\"/>");
        let cleared = world.client.import(&admin, false, &cleared, None).await.expect(200).json();
        assert_eq!(cleared["Failed"], 1, "{cleared}");
        world
    })
    .await;
}

#[tokio::test]
async fn conflicting_records_of_one_batch_fail_individually() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        let contact = |number: &str, elements: &str| in_contact(elements).replace("N-1", number);
        let web = "<WebCredentials WebUserName=\"same\" Password=\"first words\"/>";
        let records = [
            contact("A", web),
            contact("A", ""),
            contact("B", &web.replace("first words", "other words")),
            contact("C", "<Detail/>"),
            contact("C", ""),
        ];
        let apart = format!("<Core EnforceTagExistence=\"1\">{}</Core>", records.concat());
        let result = world.client.import(&admin, false, &apart, None).await.expect(200).json();
        let actions: Vec<&Value> =
            result["Records"].as_array().unwrap().iter().map(|record| &record["Action"]).collect();
        assert_eq!(actions, ["inserted", "failed", "failed", "failed", "inserted"], "{result}");
        assert_eq!(world.texts("SELECT contact_number FROM contacts ORDER BY 1").await, ["A", "C"]);
        let reported =
            "SELECT COUNT(DISTINCT record_id) FROM field_changes WHERE table_name = 'contacts'";
        assert_eq!(world.count(reported).await, 2);
        world.client.log_in("web", "same", "first words").await.expect("a token");
        world
            .client
            .log_in("web", "same", "other words")
            .await
            .expect_err("another contact's password");
        world
    })
    .await;
}

#[tokio::test]
async fn a_misspelt_root_attribute_does_not_disable_block_commit() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        let mistyped = "<Core CommitBlok=\"1\"/>";
        let refused = world.client.import(&admin, false, mistyped, None).await;
        assert!(refused.expect_problem(400, "bad-request").text.contains("CommitBlok"));
        let schema = "<Core xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
             xsi:noNamespaceSchemaLocation=\"xml-import.xsd\" CommitBlock=\"1\"/>";
        world.client.import(&admin, false, schema, None).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn duplicate_elements_are_handled_the_same_for_new_and_existing_records() {
    on_each_database(PROGRAM, |world| async move {
        world.define_fields().await;
        let admin = world.token("admin").await;
        let contradictory = "<Detail Userdef01=\"x\" Userdef02=\"French\"/>\
                             <Detail Userdef01=\"##NULL##\"/>\
             <WebCredentials WebUserName=\"first\" Password=\"long words\"/><WebCredentials WebUserName=\"second\"/>";
        let other = in_contact("<WebCredentials WebUserName=\"first\" Password=\"long words\"/>").replace("N-1", "N-2");
        world.import(&admin, &file(&[in_contact(contradictory), other].concat())).await;
        assert_eq!(world.texts("SELECT value FROM user_defined_values").await, ["French"]);
        let names = world.texts("SELECT web_user_name FROM web_credentials ORDER BY contact_id").await;
        assert_eq!(names, ["second", "first"]);
        world
    })
    .await;
}

#[tokio::test]
async fn a_loan_imported_as_closed_has_no_due_date_and_its_first_rate_can_change() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan = borrower_with_loan(1, &format!("{PUBLISHED_TERMS} StatusCode=\"CLOSED\""));
        let booked = world.import(&admin, &file(&loan)).await;
        let path = format!("/loans/{}", booked["Records"][1]["New_ID"]);
        let read = world.client.get(&admin, &path).await.expect(200).json();
        assert_eq!(read.get("Next_Due_Date"), None);
        let change = "<Loan UpdateFlag=\"1\" LoanNumber=\"L-1\"><InterestRate UpdateFlag=\"1\" \
             EffectiveDate=\"2024-01-15\" InterestRate=\"9.5\"/></Loan>";
        world.import(&admin, &file(change)).await;
        let read = world.client.get(&admin, &path).await.expect(200).json();
        assert_eq!(
            (&read["Starting_Interest_Rate"], &read["Current_Interest_Rate"]),
            (&json!("9.50"), &json!("9.50"))
        );
        world
    })
    .await;
}

//! Records that are too long to hold in memory, and answers that are.

use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use serde_json::json;

const POSTED: &str = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";

/// One record of this many payments of one cent, padded with comments to more than 1 MiB. The last
/// payment has this amount.
fn many_payments(count: usize, last: &str) -> String {
    let comment = format!("<!-- {} -->", "so many words ".repeat(1 + (1 << 20) / 14 / count));
    let payment = |amount: &str| {
        format!(
            "{comment}<Payment LoanNumber=\"L-1\" Amount=\"{amount}\" EffectiveDate=\"2024-01-01\"/>\n"
        )
    };
    let payments = [payment("0.01").repeat(count - 1), payment(last)].concat();
    format!("<Core>\n<Transactions>\n{payments}</Transactions></Core>")
}

#[tokio::test]
async fn a_record_with_many_payments_is_posted_atomically() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
        let before = world.snapshot().await;
        let invalid = many_payments(120, "0.001");
        let refused = world.client.import(&admin, false, &invalid, None).await.expect(200).json();
        assert_eq!((&refused["Read"], &refused["Failed"]), (&json!(120), &json!(1)));
        assert_eq!((&refused["Inserted"], &refused["Committed"]), (&json!(0), &json!(false)));
        let records = refused["Records"].as_array().unwrap();
        let rolled_back = records[..119].iter().all(|record| record["Action"] == "rolled_back");
        assert!(rolled_back && records.iter().all(|record| record.get("New_ID").is_none()));
        assert_eq!(records[119]["Line"], 122);
        assert_eq!(world.snapshot().await, before);

        let valid = many_payments(120, "0.02");
        let test_run = world.client.import(&admin, true, &valid, None).await.expect(200).json();
        assert_eq!((&test_run["Inserted"], &test_run["Failed"]), (&json!(120), &json!(0)));
        assert_eq!(world.snapshot().await, before);
        let imported = world.client.import(&admin, false, &valid, Some("k")).await.expect(200);
        assert_eq!(imported.json()["Inserted"], 120);
        assert_eq!(world.count(POSTED).await, 120);
        let repeated = world.client.import(&admin, false, &valid, Some("k")).await.expect(200);
        assert_eq!(repeated.header("idempotency-replayed"), "true");
        assert_eq!(repeated.text, imported.text);
        assert_eq!(world.count(POSTED).await, 120);
        world
    })
    .await;
}

#[tokio::test]
async fn a_response_about_thousands_of_records_is_replayed_unchanged() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let contact = |number: usize, elements: &str| {
            format!(
                "<Contact ContactNumber=\"C-{number}\" ContactTypeCode=\"BORROWER\" \
                 EntityCode=\"COMPANY\" Company=\"One\" StoreRecordID=\"c{number}\" {elements}/>\n"
            )
        };
        let mut records: String = (0..2_300).map(|number| contact(number, "")).collect();
        records.push_str(&contact(9_999, "BirthDate1=\"never\""));
        let loans = [3, 1_700].map(|number| {
            borrower_with_loan(number, OPEN_TERMS)
                .split_once("<Loan")
                .map(|(_, loan)| format!("<Loan{loan}"))
                .expect("a loan")
                .replace(
                    &format!("ContactNumber=\"C-{number}\""),
                    &format!("GetRecordID=\"c{number}\""),
                )
        });
        records.push_str(&loans.concat());
        for block in ["0", "1"] {
            let xml = format!("<Core CommitBlock=\"{block}\">\n{records}</Core>");
            let key = format!("k{block}");
            let before = world.snapshot().await;
            let first = world.client.import(&admin, false, &xml, Some(&key)).await.expect(200);
            let result = first.json();
            let expected = if block == "0" { (2_302, true) } else { (0, false) };
            assert_eq!(
                (&result["Inserted"], &result["Committed"]),
                (&json!(expected.0), &json!(expected.1))
            );
            assert_eq!(
                (&result["Read"], result["Failed"].as_i64() >= Some(1)),
                (&json!(2_303), true)
            );
            assert_eq!(result["Records"].as_array().map(Vec::len), Some(2_303));
            if block == "1" {
                let mut after = world.snapshot().await;
                for table in ["idempotency_records", "import_runs", "import_records"] {
                    after.insert(table, before[table].clone());
                }
                assert!(after == before, "a block with a failing record leaves nothing");
            } else {
                let borrowers = "SELECT contact_number FROM contacts c JOIN loans l ON \
                     l.contact_id = c.contact_id ORDER BY c.contact_id";
                assert_eq!(world.texts(borrowers).await, ["C-3", "C-1700"]);
            }
            let repeated = world.client.import(&admin, false, &xml, Some(&key)).await.expect(200);
            assert_eq!(repeated.header("idempotency-replayed"), "true");
            assert!(repeated.text == first.text, "byte for byte");
        }
        world
    })
    .await;
}

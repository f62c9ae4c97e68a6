//! `GET /loans`

use super::loan_ids;
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, borrower_with_loan, file};
use acceptance::{TestResponse, World, on_each_database};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};

/// Reads all pages of a list, of this many rows each.
pub async fn pages(world: &World, token: &str, path: &str, limit: u32) -> Vec<Value> {
    let mark = if path.contains('?') { '&' } else { '?' };
    let mut next = format!("{path}{mark}limit={limit}");
    let mut rows = Vec::new();
    while !next.is_empty() {
        let response = world.client.get(token, &next).await.expect(200);
        rows.extend(response.json().as_array().expect("rows").clone());
        next = next_page(&response);
    }
    rows
}

/// The path of the next page; empty after the last one.
pub fn next_page(response: &TestResponse) -> String {
    let link = response.header("link").strip_prefix('<').and_then(|link| link.split_once('>'));
    link.map(|(path, _)| path.to_owned()).unwrap_or_default()
}

/// The numbers of the loans found with these criteria.
async fn found(world: &World, token: &str, query: &str) -> Vec<String> {
    let rows = pages(world, token, &format!("/loans{query}"), 2).await;
    rows.iter().map(|row| row["Loan_Number"].as_str().expect("a number").to_owned()).collect()
}

/// Half an hour ago, as a parameter.
pub fn half_an_hour_ago() -> String {
    (Utc::now() - TimeDelta::minutes(30)).format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Books a loan for each of these terms, `L-1` and so on.
async fn book(world: &World, admin: &str, terms: &[String]) -> (Vec<i64>, Vec<i64>) {
    let records = (1..).zip(terms).map(|(number, terms)| borrower_with_loan(number, terms));
    let result = world.import(admin, &file(&records.collect::<String>())).await;
    let records = result["Records"].as_array().expect("records");
    let contacts = records.iter().filter(|record| record["Element"] == "Contact");
    let contact_ids = contacts.map(|record| record["New_ID"].as_i64().expect("an id")).collect();
    (loan_ids(&result), contact_ids)
}

#[tokio::test]
async fn loans_are_found_by_each_criterion_and_by_several() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let terms = [
            format!("{PUBLISHED_TERMS} LoanOfficerUserName=\"officer\""),
            format!("{OPEN_TERMS} CollectionOfficerUserName=\"officer\""),
            OPEN_TERMS.to_owned(),
        ];
        let (loans, contacts) = book(&world, &admin, &terms).await;
        let columns = "loan_id, contact_id, relationship_code, web_access_flag";
        let link = format!("{}, {}, 'COBORROWER', false", loans[2], contacts[0]);
        world.insert("loan_contacts", "row_id", columns, [link]).await;
        let add = async |table: &str, key: &str, flags: &str, values: &str| {
            let columns = format!("code, description, active_flag{flags}");
            let row = [format!("'OTHER', 'Other', true{values}")];
            world.insert(table, key, &columns, row).await[0]
        };
        let flag = ", payment_gateway_flag";
        let group = add("loan_groups", "loan_group_id", flag, ", false").await;
        let portfolio = add("portfolios", "portfolio_id", "", "").await;
        let flags = ", closed_flag, stop_accrual_flag, stop_late_charge_flag, refuse_payments_flag";
        let values = ", true, true, true, true";
        let status = add("loan_status_codes", "status_code_id", flags, values).await;
        let sql = format!(
            "UPDATE loans SET loan_group_id = {group}, portfolio_id = {portfolio}, \
             status_code_id = {status} WHERE loan_id = {}",
            loans[1]
        );
        world.sql(&sql).await;
        let officer = world.count("SELECT user_id FROM users WHERE user_name = 'officer'").await;
        for (query, numbers) in [
            (String::new(), vec!["L-1", "L-2", "L-3"]),
            ("?loanNumber=L-2".to_owned(), vec!["L-2"]),
            ("?loanNumber=l-2".to_owned(), vec![]),
            (format!("?contactId={}", contacts[0]), vec!["L-1", "L-3"]),
            (format!("?contactId={}", contacts[1]), vec!["L-2"]),
            ("?statusCode=OTHER".to_owned(), vec!["L-2"]),
            ("?statusCode=NONE".to_owned(), vec![]),
            ("?closed=true".to_owned(), vec!["L-2"]),
            ("?holdsMoney=true".to_owned(), vec![]),
            ("?holdsMoney=true&closed=false".to_owned(), vec![]),
            ("?holdsMoney=false".to_owned(), vec!["L-1", "L-2", "L-3"]),
            ("?closed=false".to_owned(), vec!["L-1", "L-3"]),
            ("?closed=false&statusCode=OTHER".to_owned(), vec![]),
            (format!("?groupId={group}"), vec!["L-2"]),
            (format!("?portfolioId={portfolio}"), vec!["L-2"]),
            (format!("?officerId={officer}"), vec!["L-1", "L-2"]),
            (format!("?officerId={officer}&closed=false"), vec!["L-1"]),
            ("?maturesFrom=2029-01-15&maturesTo=2029-01-15".to_owned(), vec!["L-1"]),
            ("?maturesFrom=2029-01-16".to_owned(), vec![]),
            ("?maturesTo=2029-01-14".to_owned(), vec![]),
            ("?minPastDueDays=30".to_owned(), vec!["L-1"]),
            ("?minPastDueDays=36500".to_owned(), vec![]),
            ("?modifiedSince=1900-01-01T00:00:00Z".to_owned(), vec!["L-1", "L-3", "L-2"]),
            ("?modifiedSince=2100-01-01T00:00:00Z".to_owned(), vec![]),
        ] {
            assert_eq!(found(&world, &admin, &query).await, numbers, "{query}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_summary_shows_what_the_loan_shows() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let terms = [PUBLISHED_TERMS.to_owned(), OPEN_TERMS.to_owned()];
        let (loans, contacts) = book(&world, &admin, &terms).await;
        let rows = pages(&world, &admin, "/loans", 100).await;
        for (loan_id, row) in loans.iter().zip(&rows) {
            let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200);
            let loan = loan.json();
            for (name, value) in row.as_object().expect("a summary") {
                match name.as_str() {
                    "Contact_Name" | "Status_Code" | "Closed_Flag" => {}
                    _ => assert_eq!(*value, loan[name], "{name}"),
                }
            }
        }
        let first = (&rows[0]["Contact_Name"], &rows[0]["Status_Code"], &rows[0]["Closed_Flag"]);
        assert_eq!(first, (&json!("Borrower 1"), &json!("ACTIVE"), &json!(false)));
        // Sees contacts, and borrowers' names, only of the officer or of none.
        let teller = "(SELECT user_id FROM users WHERE user_name = 'teller')";
        let sql = format!(
            "UPDATE contacts SET contact_officer_user_id = {teller} WHERE contact_id = {}",
            contacts[0]
        );
        world.sql(&sql).await;
        for (user, names) in [
            ("officer", [None, Some("Borrower 2")]),
            ("teller", [Some("Borrower 1"), Some("Borrower 2")]),
            ("viewer", [None, None]),
        ] {
            let rows = pages(&world, &world.token(user).await, "/loans", 100).await;
            let shown: Vec<_> = rows.iter().map(|row| row["Contact_Name"].as_str()).collect();
            assert_eq!(shown, names, "{user}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_search_finds_only_what_the_caller_may_see() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let officers = [
            "LoanOfficerUserName=\"officer\"",
            "LoanOfficerUserName=\"teller\"",
            "",
            "LoanOfficerUserName=\"teller\" CollectionOfficerUserName=\"officer\"",
            "LoanOfficerUserName=\"officer\" CollectionOfficerUserName=\"officer\"",
            "CollectionOfficerUserName=\"teller\"",
        ];
        let terms = officers.map(|officers| format!("{PUBLISHED_TERMS} {officers}"));
        book(&world, &admin, &terms).await;
        let (officer, viewer) = (world.token("officer").await, world.token("viewer").await);
        for query in ["", "?closed=false", "?maturesFrom=2029-01-15", "?minPastDueDays=1"] {
            let numbers = ["L-1", "L-3", "L-4", "L-5"];
            assert_eq!(found(&world, &officer, query).await, numbers, "{query}");
            assert_eq!(found(&world, &viewer, query).await.len(), 6, "{query}");
        }
        let hidden = world.client.get(&officer, "/loans?loanNumber=L-2").await.expect(200);
        let missing = world.client.get(&officer, "/loans?loanNumber=L-99").await.expect(200);
        assert_eq!((hidden.text.as_str(), missing.text.as_str()), ("[]", "[]"));
        assert_eq!(hidden.header("link"), "");
        let teller = world.count("SELECT user_id FROM users WHERE user_name = 'teller'").await;
        assert_eq!(found(&world, &officer, &format!("?officerId={teller}")).await, ["L-4"]);
        world
    })
    .await;
}

#[tokio::test]
async fn each_change_of_a_loan_is_found_by_its_time() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let terms = [OPEN_TERMS, OPEN_TERMS, OPEN_TERMS, OPEN_TERMS].map(str::to_owned);
        let (loans, _) = book(&world, &admin, &terms).await;
        world.age("loans", &["modified_date"], 3600).await;
        let query = format!("?modifiedSince={}", half_an_hour_ago());
        assert_eq!(found(&world, &admin, &query).await, Vec::<String>::new());
        world.pay(&admin, loans[2], json!({"Amount": "1.00"})).await.expect(201);
        assert_eq!(found(&world, &admin, &query).await, ["L-3"]);
        // Another program.
        let sql = format!("UPDATE loans SET loan_nickname = 'x' WHERE loan_id = {}", loans[0]);
        world.sql(&sql).await;
        assert_eq!(found(&world, &admin, &query).await, ["L-3", "L-1"]);
        let descending = format!("{query}&order=-modifiedDate");
        assert_eq!(found(&world, &admin, &descending).await, ["L-1", "L-3"]);
        let imported = "<Loan UpdateFlag=\"1\" LoanNumber=\"L-2\" LoanNickname=\"y\"/>";
        world.import(&admin, &file(imported)).await;
        assert_eq!(found(&world, &admin, &query).await, ["L-3", "L-1", "L-2"]);
        // Changed by one statement, so that a page ends between rows of the same time.
        let form = match world.database.name() {
            "sqlite" => "'%Y-%m-%dT%H:%M:%S+00:00'",
            _ => "'%Y-%m-%d %H:%M:%S'",
        };
        world.sql(&format!("UPDATE loans SET modified_date = {}", Utc::now().format(form))).await;
        let ascending = format!("{query}&order=modifiedDate");
        assert_eq!(found(&world, &admin, &ascending).await, ["L-1", "L-2", "L-3", "L-4"]);
        assert_eq!(found(&world, &admin, &descending).await, ["L-4", "L-3", "L-2", "L-1"]);
        world
    })
    .await;
}

/// The search decides by the same arithmetic as the loan itself.
#[tokio::test]
async fn past_due_loans_are_those_that_are_past_due_today() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let today = Utc::now().date_naive();
        let mut terms = Vec::new();
        for (days, number_of_payments) in [(400, 60), (200, 3), (100, 60), (40, 1), (3, 60)] {
            let first = today - TimeDelta::days(days);
            let origination = first - TimeDelta::days(31);
            terms.push(format!(
                "OriginationDate=\"{origination}\" LoanAmount=\"1000.00\" InterestRate=\"12\" \
                 PaymentPeriod=\"monthly\" NumberOfPayments=\"{number_of_payments}\" \
                 PaymentAmount=\"100.00\" FirstPaymentDate=\"{first}\""
            ));
        }
        terms.push(OPEN_TERMS.to_owned());
        let (loans, _) = book(&world, &admin, &terms).await;
        let mut compared = 0;
        // Each round pays some, so that due rows are written, paid in part and paid ahead.
        for amount in ["0.00", "150.00", "90.00", "700.00"] {
            for loan_id in loans.iter().step_by(2).filter(|_| amount != "0.00") {
                world.pay(&admin, *loan_id, json!({"Amount": amount})).await;
            }
            let mut ages = Vec::new();
            for loan_id in &loans {
                let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await;
                ages.push((
                    *loan_id,
                    loan.expect(200).json()["Days_Past_Due"].as_i64().expect("days"),
                ));
            }
            for days in [1, 3, 4, 41, 150, 300, 401] {
                let path = format!("/loans?minPastDueDays={days}");
                let rows = pages(&world, &admin, &path, 1).await;
                let mut shown: Vec<_> = rows
                    .iter()
                    .map(|row| (row["Loan_ID"].as_i64(), row["Days_Past_Due"].as_i64()))
                    .collect();
                shown.sort_unstable();
                let expected = ages.iter().filter(|(_, age)| *age >= days);
                let expected: Vec<_> = expected.map(|(id, age)| (Some(*id), Some(*age))).collect();
                assert_eq!(shown, expected, "{days} days, after payments of {amount}");
                compared += expected.len();
            }
        }
        assert!(compared > 30, "{compared}");
        world
    })
    .await;
}

#[tokio::test]
async fn a_page_is_in_order_and_continues_while_loans_change() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let terms = (0..9).map(|number| {
            format!("{PUBLISHED_TERMS} MaturityDate=\"2029-0{}-15\"", 1 + number % 3)
        });
        let (loans, _) = book(&world, &admin, &terms.collect::<Vec<_>>()).await;
        let descending: Vec<String> = (1..10).rev().map(|number| format!("L-{number}")).collect();
        assert_eq!(found(&world, &admin, "?order=-id").await, descending);
        let by_maturity = ["L-1", "L-4", "L-7", "L-2", "L-5", "L-8", "L-3", "L-6", "L-9"];
        let path = "?maturesFrom=2029-01-01&order=maturityDate";
        assert_eq!(found(&world, &admin, path).await, by_maturity);
        let reverse: Vec<_> = by_maturity.iter().rev().copied().collect();
        let path = "?maturesFrom=2029-01-01&order=-maturityDate";
        assert_eq!(found(&world, &admin, path).await, reverse);
        // The loan at the end of the page goes elsewhere, and so does one further on.
        let first = world.client.get(&admin, "/loans?maturesFrom=2029-01-01&limit=2").await;
        for loan in [loans[3], loans[1]] {
            let sql =
                format!("UPDATE loans SET maturity_date = '2020-01-01' WHERE loan_id = {loan}");
            world.sql(&sql).await;
        }
        let second = world.client.get(&admin, &next_page(&first)).await.expect(200);
        assert_eq!(second.column("Loan_Number"), ["L-7", "L-5"]);
        world
    })
    .await;
}

#[tokio::test]
async fn another_order_or_cursor_and_days_out_of_range_are_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        book(&world, &admin, &[PUBLISHED_TERMS.to_owned(), PUBLISHED_TERMS.to_owned()]).await;
        let by_id = world.client.get(&admin, "/loans?limit=1").await.expect(200);
        let by_id = next_page(&by_id).replace("limit=1", "maturesFrom=2029-01-01");
        for path in [
            "/loans?order=loanNumber",
            "/loans?order=",
            "/loans?order=maturityDate",
            "/loans?maturesFrom=2029-01-01&order=id",
            "/loans?minPastDueDays=1&maturesFrom=2029-01-01&order=maturityDate",
            "/loans?minPastDueDays=0",
            "/loans?minPastDueDays=36501",
            "/loans?modifiedSince=yesterday",
            "/loans?modifiedSince=-4800-01-01T00:00:00Z",
            "/loans?modifiedSince=%2B12026-01-01T00:00:00Z",
            "/loans?closed=perhaps",
            by_id.as_str(),
        ] {
            world.client.get(&admin, path).await.expect_problem(400, "bad-request");
        }
        world
    })
    .await;
}

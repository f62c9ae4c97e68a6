//! `/loans/{loan_id}/payments-due`

use super::import_loan;
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS};
use acceptance::{World, on_each_database};
use chrono::NaiveDate;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// Reads the rows of a query.
async fn due(world: &World, token: &str, loan_id: i64, query: &str) -> Vec<Value> {
    let path = format!("/loans/{loan_id}/payments-due{query}");
    let rows = world.client.get(token, &path).await.expect(200).json();
    rows.as_array().expect("rows").clone()
}

fn texts<'a>(rows: &'a [Value], member: &str) -> Vec<&'a str> {
    rows.iter().map(|row| row[member].as_str().expect("a text")).collect()
}

fn day(value: &Value) -> NaiveDate {
    value.as_str().expect("a date").parse().expect("a date")
}

/// Pays the first three installments of the published loan on their days.
pub async fn pay_three_installments(world: &World, token: &str, loan_id: i64) {
    for day in ["2024-02-15", "2024-03-15", "2024-04-15"] {
        let body = json!({"Amount": "652.53", "Effective_Date": day});
        world.pay(token, loan_id, body).await.expect(201);
    }
}

#[tokio::test]
async fn what_each_date_asked_for_is_listed_whether_stored_or_not() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let rows = due(&world, &admin, loan_id, "?to=2024-03-15").await;
        assert_eq!(texts(&rows, "Due_Date"), ["2024-02-15", "2024-03-15"]);
        assert_eq!(texts(&rows, "Interest_Due"), ["328.30", "328.30"], "on the whole principal");
        assert_eq!(texts(&rows, "Unpaid_Amount"), ["652.53", "652.53"]);
        assert_eq!(world.count("SELECT COUNT(*) FROM payments_due").await, 0);

        pay_three_installments(&world, &admin, loan_id).await;
        let rows = due(&world, &admin, loan_id, "?from=2024-03-15&to=2024-05-15").await;
        assert_eq!(texts(&rows, "Due_Date"), ["2024-03-15", "2024-04-15", "2024-05-15"]);
        assert_eq!(texts(&rows, "Interest_Due"), ["324.50", "320.65", "316.76"]);
        assert_eq!(texts(&rows, "Principal_Due"), ["328.03", "331.88", "335.77"]);
        assert_eq!(texts(&rows, "Interest_Paid"), ["324.50", "320.65", "0.00"]);
        assert_eq!(texts(&rows, "Principal_Paid"), ["328.03", "331.88", "0.00"]);
        assert_eq!(texts(&rows, "Unpaid_Amount"), ["0.00", "0.00", "652.53"]);
        let numbers: Vec<_> = rows.iter().map(|row| row["Payment_Number"].clone()).collect();
        assert_eq!(numbers, [2, 3, 4]);

        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        let overdue = (day(&loan["As_Of_Date"]) - day(&rows[2]["Due_Date"])).num_days();
        let ages: Vec<_> = rows.iter().map(|row| row["Days_Past_Due"].clone()).collect();
        assert_eq!(ages, [0, 0, overdue]);
        assert_eq!(loan["Days_Past_Due"], overdue);
        let all = due(&world, &admin, loan_id, "").await;
        let last = day(&all.last().expect("a row")["Due_Date"]);
        assert!(last <= day(&loan["As_Of_Date"]), "later dates are the schedule's");
        world
    })
    .await;
}

#[tokio::test]
async fn rows_are_those_before_an_entry_or_after_it_and_never_a_mixture() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let body = json!({"Amount": "652.53", "Effective_Date": "2024-02-15"});
        let before = due(&world, &admin, loan_id, "").await;
        let payment = world.pay(&admin, loan_id, body.clone()).await.expect(201).json();
        let after = due(&world, &admin, loan_id, "").await;
        assert_ne!(before, after);
        let path = format!("/loans/{loan_id}/payments-due");
        let is_done = AtomicBool::new(false);
        let write = async {
            let mut reference = payment[0]["Transaction_ID"].clone();
            for _ in 0..30 {
                let path = format!("/loans/{loan_id}/transactions/{reference}/reversal");
                let error = json!({"Reason": "error"});
                world.client.post(&admin, &path, &error, None).await.expect(201);
                let again = world.pay(&admin, loan_id, body.clone()).await.expect(201).json();
                reference = again[0]["Transaction_ID"].clone();
            }
            is_done.store(true, Ordering::Relaxed);
        };
        let read = async {
            while !is_done.load(Ordering::Relaxed) {
                let response = world.client.get(&admin, &path).await;
                if response.status != 423 {
                    let rows = response.expect(200).json();
                    let rows = rows.as_array().expect("rows");
                    assert!(*rows == before || *rows == after, "{rows:#?}");
                }
            }
        };
        tokio::join!(write, read);
        world
    })
    .await;
}

#[tokio::test]
async fn pages_lead_from_stored_rows_to_computed_ones() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        pay_three_installments(&world, &admin, loan_id).await;
        let all = due(&world, &admin, loan_id, "").await;
        for limit in [1, 2, 3, 5] {
            let mut next = format!("/loans/{loan_id}/payments-due?limit={limit}");
            let mut seen = Vec::new();
            while !next.is_empty() {
                let response = world.client.get(&admin, &next).await.expect(200);
                let page = response.json().as_array().expect("rows").clone();
                assert!((1..=limit).contains(&page.len()), "{page:?}");
                seen.extend(page);
                let link = response.header("link").strip_prefix('<');
                let link = link.and_then(|link| link.split_once('>'));
                next = link.map_or_else(String::new, |(path, _)| path.to_owned());
            }
            assert_eq!(seen, all, "limit {limit}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_loan_that_is_paid_off_or_has_no_schedule_owes_nothing_on_any_date() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let open = import_loan(&world, &admin, OPEN_TERMS).await;
        assert_eq!(due(&world, &admin, open, "").await, [Value::Null; 0]);
        world.sql("UPDATE loans SET loan_number = 'OPEN'").await;
        world.sql("UPDATE contacts SET contact_number = 'OPEN'").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let payoff = json!({"Amount": "28656.60", "Effective_Date": "2024-03-15", "Payoff": true});
        world.pay(&admin, loan_id, payoff).await.expect(201);
        let rows = due(&world, &admin, loan_id, "").await;
        assert_eq!(texts(&rows, "Due_Date"), ["2024-02-15", "2024-03-15"]);
        assert_eq!(texts(&rows, "Unpaid_Amount"), ["0.00", "0.00"]);
        world
    })
    .await;
}

#[tokio::test]
async fn dates_that_make_no_sense_are_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        for (query, field) in [
            ("from=2024-02-30", "from"),
            ("to=tomorrow", "to"),
            ("from=2024-03-15&to=2024-03-14", "to"),
            ("limit=0", "limit"),
            ("after=MjAyNC0wMi0xNQ", "after"),
        ] {
            let path = format!("/loans/{loan_id}/payments-due?{query}");
            let refused = world.client.get(&admin, &path).await.expect_problem(400, "bad-request");
            assert_eq!(refused.json()["errors"][0]["field"], field, "{query}");
        }
        world
    })
    .await;
}

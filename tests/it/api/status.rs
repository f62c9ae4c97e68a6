//! `/status`

use super::loans::loan_ids;
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

const PATHS: [(&str, &str); 2] =
    [("ach", "/status/ach-batch"), ("accrual", "/status/batch-accrual")];

/// Inserts a run: kind, business day, state, total and processed.
async fn run(world: &World, [kind, day, state, total, processed]: [&str; 5]) -> i64 {
    let columns = "kind, business_date, state, trigger_type, started_date, total, processed, \
                   succeeded, failed, skipped";
    let row =
        format!("'{kind}', '{day}', '{state}', 'schedule', NOW, {total}, {processed}, 0, 0, 0");
    world.insert("batch_runs", "batch_id", columns, [row]).await[0]
}

async fn status(world: &World, token: &str, path: &str) -> Value {
    world.client.get(token, path).await.expect(200).json()
}

#[tokio::test]
async fn a_program_without_runs_is_idle() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let idle = json!({
            "State": "idle", "Total": 0, "Processed": 0, "Succeeded": 0, "Failed": 0, "Skipped": 0,
            "Percent_Done": 0, "Failures": [],
        });
        for (kind, path) in PATHS {
            assert_eq!(status(&world, &admin, path).await, idle);
            run(&world, [kind, "2024-02-29", "succeeded", "1", "1"]).await;
            let other_day = format!("{path}?businessDate=2024-02-28");
            assert_eq!(status(&world, &admin, &other_day).await, idle);
            assert_ne!(status(&world, &admin, path).await, idle);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn the_latest_run_or_the_latest_of_a_business_day_is_shown() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        for (kind, path) in PATHS {
            run(&world, [kind, "2024-02-28", "failed", "9", "9"]).await;
            let second = run(&world, [kind, "2024-02-28", "partial", "9", "9"]).await;
            let third = run(&world, [kind, "2024-02-29", "succeeded", "9", "9"]).await;
            // A run for an earlier day is the latest one if it was started later.
            let last = run(&world, [kind, "2024-02-27", "running", "9", "3"]).await;
            for (query, expected, day) in [
                ("", last, "2024-02-27"),
                ("?businessDate=2024-02-28", second, "2024-02-28"),
                ("?businessDate=2024-02-29", third, "2024-02-29"),
            ] {
                let response = status(&world, &admin, &format!("{path}{query}")).await;
                assert_eq!(response["Batch_ID"], expected);
                assert_eq!(response["Business_Date"], day);
            }
        }
        world
    })
    .await;
}

#[tokio::test]
async fn an_ach_run_shows_money_and_an_accrual_run_interest() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let ach = run(&world, ["ach", "2024-02-29", "partial", "3", "2"]).await;
        let accrual = run(&world, ["accrual", "2024-02-29", "succeeded", "3", "3"]).await;
        let ended = world.long_ago();
        world
            .sql(&format!(
                "UPDATE batch_runs SET ended_date = {ended}, started_by_user_id = 1, \
                 last_error = 'No account', amount_total = 6525300, debit_count = 2, \
                 credit_count = 0, returned_count = 1, file_name = 'a.ach' WHERE batch_id = {ach}"
            ))
            .await;
        world
            .sql(&format!(
                "UPDATE batch_runs SET interest_accrued_total = 12345, \
                 oldest_unaccrued_date = '2024-02-01' WHERE batch_id = {accrual}"
            ))
            .await;
        let expected = json!({
            "Batch_ID": ach, "Business_Date": "2024-02-29", "State": "partial",
            "Trigger_Type": "schedule", "Started_Date": "2020-01-01T00:00:00Z",
            "Ended_Date": "2020-01-01T00:00:00Z", "Started_By_User_ID": 1, "Total": 3,
            "Processed": 2, "Succeeded": 0, "Failed": 0, "Skipped": 0, "Percent_Done": 66,
            "Last_Error": "No account", "Failures": [], "Amount_Total": "652.53",
            "Debit_Count": 2, "Credit_Count": 0, "Returned_Count": 1, "File_Name": "a.ach",
        });
        assert_eq!(status(&world, &admin, "/status/ach-batch").await, expected);
        let expected = json!({
            "Batch_ID": accrual, "Business_Date": "2024-02-29", "State": "succeeded",
            "Trigger_Type": "schedule", "Started_Date": "2020-01-01T00:00:00Z", "Total": 3,
            "Processed": 3, "Succeeded": 0, "Failed": 0, "Skipped": 0, "Percent_Done": 100,
            "Failures": [], "Interest_Accrued_Total": "1.2345",
            "Oldest_Unaccrued_Date": "2024-02-01",
        });
        assert_eq!(status(&world, &admin, "/status/batch-accrual").await, expected);
        world
    })
    .await;
}

#[tokio::test]
async fn percent_done_is_an_integer_below_100_until_the_end() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        for (total, processed, percent) in [
            ("0", "0", 0),
            ("3", "0", 0),
            ("3", "1", 33),
            ("1000", "999", 99),
            ("1000", "1000", 100),
            ("2000000000", "1999999999", 99),
        ] {
            run(&world, ["ach", "2024-02-29", "running", total, processed]).await;
            let response = status(&world, &admin, "/status/ach-batch").await;
            assert_eq!(response["Percent_Done"], percent, "{processed} of {total}");
        }
        world
            .sql(&format!(
                "UPDATE batch_runs SET total = 0, processed = 0, ended_date = {}",
                world.long_ago()
            ))
            .await;
        assert_eq!(status(&world, &admin, "/status/ach-batch").await["Percent_Done"], 100);
        world
    })
    .await;
}

#[tokio::test]
async fn failures_are_limited_to_visible_loans_and_a_hundred() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let officer_of = |name: &str| format!("{OPEN_TERMS} LoanOfficerUserName=\"{name}\"");
        let records = [(1, "officer"), (2, "teller")]
            .map(|(number, officer)| borrower_with_loan(number, &officer_of(officer)));
        let loans = loan_ids(&world.import(&admin, &file(&records.concat())).await);
        let officer = world.token("officer").await;
        world
            .sql(
                "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                 user_id FROM privileges, users WHERE user_name = 'officer' AND \
                 path = 'Processing' AND verb = 'View'",
            )
            .await;
        for (kind, path) in PATHS {
            let earlier_run = run(&world, [kind, "2024-02-28", "partial", "9", "9"]).await;
            let batch = run(&world, [kind, "2024-02-29", "partial", "9", "9"]).await;
            let failure = |batch: i64, loan: i64, n: usize| format!("{batch}, {loan}, 'c', 'm{n}'");
            // Hidden rows come first: the limit of a hundred counts only what the caller may see.
            let rows = std::iter::once(failure(earlier_run, loans[0], 0))
                .chain((1..=3).map(|n| failure(batch, loans[1], n)))
                .chain((4..=106).map(|n| failure(batch, loans[0], n)));
            let columns = "batch_id, loan_id, code, message";
            world.insert("batch_failures", "row_id", columns, rows).await;
            let failures = async |token: &str| {
                let response = status(&world, token, path).await;
                response["Failures"].as_array().expect("failures").clone()
            };
            let seen = failures(&officer).await;
            let message =
                |n: usize| json!({"Loan_ID": loans[0], "Code": "c", "Message": format!("m{n}")});
            let expected: Vec<Value> = (4..=103).map(message).collect();
            assert_eq!(seen, expected);
            let all = failures(&admin).await;
            assert_eq!((all.len(), &all[0]["Message"]), (100, &json!("m1")));
        }
        world
    })
    .await;
}

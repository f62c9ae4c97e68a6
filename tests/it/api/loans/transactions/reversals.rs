//! `/loans/{loan_id}/transactions/{transaction_id}/reversal`

use super::super::import_loan;
use super::adjustments::adjust;
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, file};
use acceptance::{TestResponse, World, on_each_database};
use api_server::audit::Actor;
use api_server::auth::caller::Caller;
use api_server::loans::reversals::{self, ValidatedReversal};
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use shared::database;
use shared::entity::field_changes::ChangeSource;
use shared::telemetry::RequestId;
use std::time::Duration;
use tokio::time::sleep;

/// The path at which an entry is reversed.
pub async fn path(world: &World, reference: i64) -> String {
    let loan = "SELECT loan_id FROM loan_transactions WHERE transaction_id =";
    let loan_id = world.count(&format!("{loan} {reference}")).await;
    format!("/loans/{loan_id}/transactions/{reference}/reversal")
}

/// Reverses an entry as the admin account, as a payment returned by the bank if a date is given.
pub async fn reverse(world: &World, reference: i64, returned: Option<&str>) -> TestResponse {
    let body = match returned {
        Some(day) => json!({"Reason": "nsf", "Returned_Date": day}),
        None => json!({"Reason": "error"}),
    };
    let admin = world.token("admin").await;
    world.client.post(&admin, &path(world, reference).await, &body, None).await
}

/// Checks that a reversal is refused, with this in the detail and because of this entry.
fn refused(response: TestResponse, detail: &str, blocked_by: Option<i64>) {
    let problem = response.expect_problem(422, "not-reversible");
    assert!(problem.text.contains(detail), "{}", problem.text);
    assert_eq!(problem.json()["blockedBy"], json!(blocked_by), "{}", problem.text);
}

async fn pay(world: &World, loan_id: i64, body: Value) -> i64 {
    let admin = world.token("admin").await;
    let rows = world.pay(&admin, loan_id, body).await.expect(201).json();
    rows[0]["Transaction_ID"].as_i64().expect("an id")
}

/// What a reversal restores: the loan, its due rows and their allocations.
async fn books(world: &World) -> Value {
    let mut all = world.snapshot().await;
    let tables = ["loans", "payments_due", "payment_allocations"];
    json!(tables.map(|table| all.remove(table)))
}

#[tokio::test]
async fn a_reversed_posting_restores_the_loan() {
    on_each_database(PROGRAM, |world| async move {
        let loan_id = import_loan(&world, &world.token("admin").await, PUBLISHED_TERMS).await;
        pay(&world, loan_id, json!({"Amount": "700.00", "Effective_Date": "2024-02-15"})).await;
        pay(&world, loan_id, json!({"Amount": "100.00", "Effective_Date": "2024-03-20"})).await;
        adjust(&world, loan_id, "late_charge", "25.00", "2024-03-25").await;
        let before = books(&world).await;
        let day = "2024-05-20";
        for body in [
            json!({"Amount": "652.53", "Effective_Date": day}),
            json!({"Amount": "5000.00", "Effective_Date": day, "Excess_Handling": "suspense"}),
            json!({"Amount": "652.53", "Effective_Date": "2024-04-10"}),
            json!({"Amount": "90.00", "Effective_Date": day, "Interest_Amount": "50.00",
                "Late_Charge_Amount": "5.00", "Impound_Amount": "35.00"}),
            json!({"Amount": "40000.00", "Effective_Date": day, "Payoff": true,
                "Excess_Handling": "suspense"}),
        ] {
            let reference = pay(&world, loan_id, body).await;
            assert_ne!(books(&world).await, before);
            reverse(&world, reference, None).await.expect(201);
            assert_eq!(books(&world).await, before);
        }
        for (kind, amount) in [
            ("advance", "1000.00"),
            ("interest_reduction", "700.00"),
            ("principal_write_off", "500.00"),
            ("late_charge", "10.00"),
            ("fee", "35.00"),
            ("late_charge_waived", "5.00"),
        ] {
            let reference = adjust(&world, loan_id, kind, amount, day).await;
            assert_ne!(books(&world).await, before);
            reverse(&world, reference, None).await.expect(201);
            assert_eq!(books(&world).await, before);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_returned_payment_and_its_reversal_refer_to_each_other() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let body = json!({"Amount": "652.53", "Effective_Date": "2024-02-15",
            "Payment_Method_Reference": "trace 1", "External_ID": "E1"});
        let reference = pay(&world, loan_id, body.clone()).await;
        let fee = adjust(&world, loan_id, "fee", "35.00", "2024-02-16").await;
        let rows = reverse(&world, reference, Some("2024-02-18")).await.expect(201).json();
        let path = format!("/loans/{loan_id}/transactions");
        let listed = world.client.get(&admin, &path).await.expect(200).json();
        let listed = listed.as_array().expect("rows");
        let figures: Vec<Value> = listed
            .iter()
            .map(|row| {
                json!([
                    row["Transaction_Code"],
                    row["Transaction_Amount"],
                    row["Resulting_Balance"],
                    row["Reversed_Flag"],
                    row["NSF_Flag"],
                    row["Effective_Date"],
                ])
            })
            .collect();
        let day = "2024-02-15";
        let expected = [
            json!([100, "28000.00", "28000.00", false, false, "2024-01-15"]),
            json!([120, "652.53", "27675.77", true, true, day]),
            json!([122, "324.23", "27675.77", true, false, day]),
            json!([124, "328.30", "0.00", true, false, day]),
            // The sum of 28,000.00, a month's interest and the fee.
            json!([121, "652.53", "28363.30", true, true, day]),
            json!([123, "324.23", "28000.00", true, false, day]),
            json!([125, "328.30", "328.30", true, false, day]),
            json!([142, "35.00", "35.00", false, false, "2024-02-16"]),
        ];
        assert_eq!(figures, expected);
        let partner = |n: usize| listed[n]["Reversal_Transaction_ID"].clone();
        for (original, reversal) in [(1, 4), (2, 5), (3, 6)] {
            assert_eq!(partner(original), listed[reversal]["Transaction_ID"]);
            assert_eq!(partner(reversal), listed[original]["Transaction_ID"]);
        }
        assert_eq!(listed[1]["NSF_Date"], "2024-02-18");
        assert_eq!(listed[4]["Payment_Method_Reference"], "trace 1");
        assert_eq!(rows.as_array().map(Vec::len), Some(3));
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        assert_eq!(loan["Current_Fees_Balance"], "35.00");
        assert_eq!(loan["Next_Due_Date"], day);
        assert_eq!(loan.get("Last_Payment_Date"), None);
        // The external id stays with the returned payment.
        let repeated = world.pay(&admin, loan_id, body).await;
        assert!(
            repeated
                .expect_problem(422, "duplicate-external-id")
                .text
                .contains(&reference.to_string())
        );
        reverse(&world, fee, None).await.expect(201);
        world
    })
    .await;
}

#[tokio::test]
async fn entries_that_moved_the_accrual_base_are_reversed_latest_first_and_once() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let first =
            pay(&world, loan_id, json!({"Amount": "100.00", "Effective_Date": "2022-01-01"})).await;
        let second =
            pay(&world, loan_id, json!({"Amount": "100.00", "Effective_Date": "2022-01-01"})).await;
        let before = world.snapshot().await;
        refused(reverse(&world, first, None).await, "a later entry", Some(second));
        refused(reverse(&world, first + 1, None).await, &format!("entry {first}"), None);
        let advance = world.count("SELECT MIN(transaction_id) FROM loan_transactions").await;
        refused(reverse(&world, advance, None).await, "not stored", None);
        for day in ["2021-12-31", "2031-01-01"] {
            let wrong_day = reverse(&world, second, Some(day)).await;
            let wrong_day = wrong_day.expect_problem(422, "invalid-value");
            assert_eq!(wrong_day.json()["errors"][0]["field"], "Returned_Date");
        }
        assert_eq!(world.snapshot().await, before);
        let reversal = reverse(&world, second, None).await.expect(201).json();
        let reversal = reversal[0]["Transaction_ID"].as_i64().expect("an id");
        refused(reverse(&world, second, None).await, "already reversed", Some(reversal));
        refused(reverse(&world, reversal, None).await, "itself a reversal", None);
        reverse(&world, first, None).await.expect(201);
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        assert_eq!(loan["Current_Principal_Balance"], "10000.00");
        world
    })
    .await;
}

#[tokio::test]
async fn later_spending_or_changed_terms_prevent_a_reversal() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let body =
            json!({"Amount": "50.00", "Effective_Date": "2022-01-01", "Impound_Amount": "50.00"});
        let held_payment = pay(&world, loan_id, body).await;
        let spent = adjust(&world, loan_id, "impound_disbursement", "30.00", "2022-01-02").await;
        refused(reverse(&world, held_payment, None).await, "impound balance", Some(spent));
        reverse(&world, spent, None).await.expect(201);
        let file = "<Core><Loan UpdateFlag=\"1\" LoanNumber=\"L-1\" \
                    InterestYearDenominator=\"360\"/></Core>";
        world.import(&admin, file).await;
        refused(reverse(&world, held_payment, None).await, "accrual base", None);
        world
    })
    .await;
}

#[tokio::test]
async fn a_reversed_draw_is_removed_from_its_credit_line() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let columns = "loan_id, name, transaction_code, credit_line_limit, draw_until_type, \
                       draw_count, draw_total";
        let row = format!("{loan_id}, 'Line', 0, 50000000, 'none', 0, 0");
        let line = world.insert("credit_lines", "creditline_id", columns, [row]).await[0];
        let draw = json!({"Kind": "draw", "Amount": "700.00", "Effective_Date": "2022-01-01",
            "Creditline_ID": line});
        let adjustments = format!("/loans/{loan_id}/transactions/adjustments");
        let drawn = world.client.post(&admin, &adjustments, &draw, None).await.expect(201).json();
        let drawn = drawn[0]["Transaction_ID"].as_i64().expect("an id");
        let used = async || {
            let path = format!("/loans/credit-lines/{line}/credit-used");
            let used = world.client.get(&admin, &path).await.expect(200).json();
            json!([used["Draw_Count"], used["Draw_Total"]])
        };
        assert_eq!(used().await, json!([1, "700.00"]));
        reverse(&world, drawn, None).await.expect(201);
        assert_eq!(used().await, json!([0, "0.00"]));
        let path = format!("/loans/credit-lines/{line}/draws");
        let draws = world.client.get(&admin, &path).await.expect(200).json();
        assert_eq!(draws[0]["Reversed_Flag"], true);
        let changes_sql = "SELECT COUNT(*) FROM field_changes WHERE table_name = 'credit_lines'";
        assert_eq!(world.count(changes_sql).await, 4);
        world
    })
    .await;
}

#[tokio::test]
async fn a_loan_with_only_advances_can_be_deleted() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        adjust(&world, loan_id, "advance", "100.00", "2021-11-25").await;
        world.import(&admin, &file("<Loan UpdateFlag=\"2\" LoanNumber=\"L-1\"/>")).await;
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await;
        loan.expect_problem(404, "not-found");
        assert_eq!(world.count("SELECT COUNT(*) FROM loan_snapshots").await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn a_loan_read_during_postings_is_a_consistent_snapshot() {
    on_each_database(PROGRAM, |world| async move {
        // Only PostgreSQL lets a transaction lock one table and then write others.
        if world.database.name() != "postgres" {
            return world;
        }
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let path = format!("/loans/{loan_id}");
        let before = world.client.get(&admin, &path).await.expect(200).json();
        let payment = json!({"Amount": "300.00", "Effective_Date": "2024-02-20"});
        let reference = pay(&world, loan_id, payment).await;
        let after = world.client.get(&admin, &path).await.expect(200).json();
        let tx = database::begin_write(&world.db).await.expect("a transaction");
        let clock = database::clock(&tx).await.expect("the clock");
        let lock = "LOCK TABLE payments_due IN ACCESS EXCLUSIVE MODE";
        tx.execute_unprepared(lock).await.expect("locked");
        let (client, token, loan_path) = (world.client.clone(), admin.clone(), path.clone());
        let reading = tokio::spawn(async move { client.get(&token, &loan_path).await });
        let waiting = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND relation = \
                       'payments_due'::regclass";
        while world.count(waiting).await == 0 {
            sleep(Duration::from_millis(10)).await;
        }
        // The api-server would wait for the table: the transaction that holds it reverses.
        let user_id = world.count("SELECT user_id FROM users WHERE user_name = 'admin'").await;
        let admin = Caller::admin(&tx, user_id, "admin").await.expect("the admin").caller;
        let author = Actor::new(&admin, ChangeSource::Batch, &RequestId::random());
        let reversal = ValidatedReversal::default();
        reversals::reverse(&tx, &author, clock, loan_id, reference, &reversal)
            .await
            .expect("reversed");
        tx.commit().await.expect("committed");
        let read = reading.await.expect("it ran").expect(200).json();
        for figure in ["Total_Past_Due_Balance", "Next_Due_Date", "Current_Payoff_Balance"] {
            assert_eq!(read[figure], before[figure], "{figure}");
        }
        assert_ne!(before["Total_Past_Due_Balance"], after["Total_Past_Due_Balance"]);
        world
    })
    .await;
}

#[tokio::test]
async fn a_status_change_with_the_same_accrual_does_not_prevent_a_reversal() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let columns = "code, description, closed_flag, stop_accrual_flag, stop_late_charge_flag, \
                       refuse_payments_flag, active_flag";
        let watch = "'WATCH', 'Looked at closely', FALSE, FALSE, FALSE, FALSE, TRUE".to_owned();
        world.insert("loan_status_codes", "status_code_id", columns, [watch]).await;
        let set_status = async |code: &str| {
            let change =
                format!("<Loan UpdateFlag=\"1\" LoanID=\"{loan_id}\" StatusCode=\"{code}\"/>");
            world.import(&admin, &file(&change)).await;
        };
        let status = "SELECT code FROM loan_status_codes AS s, loans AS l WHERE \
                      s.status_code_id = l.status_code_id";
        let day = |day: &str| json!({"Amount": "652.53", "Effective_Date": day});
        let first = pay(&world, loan_id, day("2024-02-15")).await;
        set_status("WATCH").await;
        // This payment is dated before the day of the status change.
        let second = pay(&world, loan_id, day("2024-03-15")).await;
        for reference in [second, first] {
            reverse(&world, reference, None).await.expect(201);
        }
        assert_eq!(world.text(status).await, "WATCH");
        // A user who closes a paid-off loan wants it closed, whatever happens to the payoff.
        let payoff = json!({"Amount": "40000.00", "Effective_Date": "2024-05-20", "Payoff": true,
            "Excess_Handling": "suspense"});
        let payoff = pay(&world, loan_id, payoff).await;
        set_status("CLOSED").await;
        refused(reverse(&world, payoff, None).await, "accrual base", None);
        assert_eq!(world.text(status).await, "CLOSED");
        set_status("PAID_OFF").await;
        reverse(&world, payoff, None).await.expect(201);
        assert_eq!(world.text(status).await, "WATCH");
        world
    })
    .await;
}

//! Reversals, posted by the function that the core system's programs and the demo portfolio use,
//! and checked through the API.

use super::super::import_loan;
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, file};
use acceptance::{World, on_each_database};
use api_server::audit::Actor;
use api_server::auth::caller::{Caller, CoreCaller};
use api_server::auth::privileges::Rights;
use api_server::loans::adjustments::{self, ValidatedAdjustment};
use api_server::loans::reversals;
use api_server::loans::servicing::adjustment::AdjustmentKind;
use chrono::NaiveDate;
use sea_orm::{ConnectionTrait, DatabaseTransaction};
use serde_json::{Value, json};
use shared::amounts::Money;
use shared::db;
use shared::entity::field_changes::ChangeSource;
use shared::entity::loan_transactions;
use shared::problem::Problem;
use shared::telemetry::RequestId;
use std::time::Duration;
use tokio::time::sleep;

type ReversalResult = Result<Vec<loan_transactions::Model>, Problem>;

async fn author(world: &World) -> Actor {
    let user_id = world.count("SELECT user_id FROM users WHERE user_name = 'admin'").await;
    let user = CoreCaller { user_id, user_name: "admin".to_owned(), rights: Rights::All };
    Actor::new(&Caller::Core(user), ChangeSource::Batch, &RequestId::random())
}

/// Reverses an entry, as a payment returned by the bank if a date is given.
pub async fn reverse(world: &World, reference: i64, returned: Option<&str>) -> ReversalResult {
    let tx = db::begin_write(&world.db).await.expect("a transaction");
    reverse_in(world, tx, reference, returned).await
}

/// Reverses an entry in a transaction that has already begun.
async fn reverse_in(
    world: &World,
    tx: DatabaseTransaction,
    reference: i64,
    returned: Option<&str>,
) -> ReversalResult {
    let returned: Option<NaiveDate> = returned.map(|day| day.parse().expect("a date"));
    let author = author(world).await;
    let clock = db::clock(&tx).await.expect("the clock");
    let rows = reversals::reverse(&tx, &author, clock, reference, returned).await?;
    tx.commit().await.expect("committed");
    Ok(rows)
}

async fn adjust(world: &World, loan_id: i64, kind: AdjustmentKind, amount: &str, day: &str) -> i64 {
    let amount: Money = amount.parse().expect("an amount");
    let effective_date = day.parse().expect("a date");
    let (creditline_id, user_reference) = (None, None);
    let new = ValidatedAdjustment { kind, amount, effective_date, creditline_id, user_reference };
    let author = author(world).await;
    let tx = db::begin_write(&world.db).await.expect("a transaction");
    let clock = db::clock(&tx).await.expect("the clock");
    let row = adjustments::post(&tx, &author, clock, loan_id, &new).await.expect("posted");
    tx.commit().await.expect("committed");
    row.transaction_id
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
        adjust(&world, loan_id, AdjustmentKind::LateCharge, "25.00", "2024-03-25").await;
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
            reverse(&world, reference, None).await.expect("reversed");
            assert_eq!(books(&world).await, before);
        }
        for (kind, amount) in [
            (AdjustmentKind::Advance, "1000.00"),
            (AdjustmentKind::InterestReduction, "700.00"),
            (AdjustmentKind::PrincipalWriteOff, "500.00"),
        ] {
            let reference = adjust(&world, loan_id, kind, amount, day).await;
            assert_ne!(books(&world).await, before);
            reverse(&world, reference, None).await.expect("reversed");
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
        let fee = adjust(&world, loan_id, AdjustmentKind::Fee, "35.00", "2024-02-16").await;
        let rows = reverse(&world, reference, Some("2024-02-18")).await.expect("reversed");
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
        assert_eq!(rows.len(), 3);
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
        reverse(&world, fee, None).await.expect("a fee too");
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
        let refused = |rows: ReversalResult| rows.expect_err("refused").message();
        assert!(refused(reverse(&world, first, None).await).contains(&second.to_string()));
        assert!(refused(reverse(&world, first + 1, None).await).contains("is not an entry"));
        assert!(refused(reverse(&world, second, Some("2021-12-31")).await).contains("NSF_Date"));
        let advance = world.count("SELECT MIN(transaction_id) FROM loan_transactions").await;
        assert!(refused(reverse(&world, advance, None).await).contains("before it"));
        assert_eq!(world.snapshot().await, before);
        let reversal = reverse(&world, second, None).await.expect("reversed");
        assert!(refused(reverse(&world, second, None).await).contains("already reversed"));
        let transaction_id = reversal[0].transaction_id;
        assert!(refused(reverse(&world, transaction_id, None).await).contains("itself a reversal"));
        reverse(&world, first, None).await.expect("reversed");
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
        let spent =
            adjust(&world, loan_id, AdjustmentKind::ImpoundDisbursement, "30.00", "2022-01-02")
                .await;
        let refused = |rows: ReversalResult| rows.expect_err("refused").message();
        assert!(refused(reverse(&world, held_payment, None).await).contains("below zero"));
        reverse(&world, spent, None).await.expect("reversed");
        let file = "<Core><Loan UpdateFlag=\"1\" LoanNumber=\"L-1\" \
                    InterestYearDenominator=\"360\"/></Core>";
        world.import(&admin, file).await;
        assert!(refused(reverse(&world, held_payment, None).await).contains("accrual base"));
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
        let author = author(&world).await;
        let tx = db::begin_write(&world.db).await.expect("a transaction");
        let clock = db::clock(&tx).await.expect("the clock");
        let draw = ValidatedAdjustment {
            kind: AdjustmentKind::Draw,
            amount: "700.00".parse().expect("an amount"),
            effective_date: "2022-01-01".parse().expect("a date"),
            creditline_id: Some(line),
            user_reference: None,
        };
        let drawn = adjustments::post(&tx, &author, clock, loan_id, &draw).await.expect("posted");
        tx.commit().await.expect("committed");
        let used = async || {
            let path = format!("/loans/credit-lines/{line}/credit-used");
            let used = world.client.get(&admin, &path).await.expect(200).json();
            json!([used["Draw_Count"], used["Draw_Total"]])
        };
        assert_eq!(used().await, json!([1, "700.00"]));
        reverse(&world, drawn.transaction_id, None).await.expect("reversed");
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
        adjust(&world, loan_id, AdjustmentKind::Advance, "100.00", "2021-11-25").await;
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
        let tx = db::begin_write(&world.db).await.expect("a transaction");
        let lock = "LOCK TABLE payments_due IN ACCESS EXCLUSIVE MODE";
        tx.execute_unprepared(lock).await.expect("locked");
        let (client, token, loan_path) = (world.client.clone(), admin.clone(), path.clone());
        let reading = tokio::spawn(async move { client.get(&token, &loan_path).await });
        let waiting = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND relation = \
                       'payments_due'::regclass";
        while world.count(waiting).await == 0 {
            sleep(Duration::from_millis(10)).await;
        }
        reverse_in(&world, tx, reference, None).await.expect("reversed");
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
            reverse(&world, reference, None).await.expect("reversed");
        }
        assert_eq!(world.text(status).await, "WATCH");
        // A user who closes a paid-off loan wants it closed, whatever happens to the payoff.
        let payoff = json!({"Amount": "40000.00", "Effective_Date": "2024-05-20", "Payoff": true,
            "Excess_Handling": "suspense"});
        let payoff = pay(&world, loan_id, payoff).await;
        set_status("CLOSED").await;
        let refused = reverse(&world, payoff, None).await.expect_err("refused");
        assert!(refused.message().contains("accrual base"), "{}", refused.message());
        assert_eq!(world.text(status).await, "CLOSED");
        set_status("PAID_OFF").await;
        reverse(&world, payoff, None).await.expect("reversed");
        assert_eq!(world.text(status).await, "WATCH");
        world
    })
    .await;
}

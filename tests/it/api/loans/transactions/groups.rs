//! Payments that arrive together share transactions: each has the result that it would have alone.

use super::super::loan_ids;
use crate::PROGRAM;
use acceptance::response::TestResponse;
use acceptance::seeds::{PUBLISHED_TERMS, borrower_with_loan, file};
use acceptance::test_seed::test_seed;
use acceptance::{World, on_each_database};
use fastrand::Rng;
use futures_util::future::join_all;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use shared::db;
use std::time::Duration;
use tokio::time::timeout;

/// Books loans with these terms, and returns their ids.
async fn import_loans(world: &World, admin: &str, count: u32) -> Vec<i64> {
    let loans: String = (1..=count).map(|n| borrower_with_loan(n, PUBLISHED_TERMS)).collect();
    loan_ids(&world.import(admin, &file(&loans)).await)
}

async fn pay(world: &World, admin: &str, loan_id: i64, body: &Value, key: &str) -> TestResponse {
    let path = format!("/loans/{loan_id}/transactions/payments");
    world.client.post(admin, &path, body, Some(key)).await
}

/// A response without what differs from loan to loan.
fn comparable(response: &TestResponse) -> Value {
    let mut body = response.json();
    for row in body.as_array_mut().into_iter().flatten() {
        for member in [
            "Transaction_ID",
            "Loan_ID",
            "Transaction_Reference_No",
            "Transaction_Date",
            "Paid_By_Contact_ID",
        ] {
            row.as_object_mut().expect("a row").remove(member);
        }
    }
    if let Some(problem) = body.as_object_mut() {
        problem.remove("instance");
        problem.remove("requestId");
    }
    json!({"status": response.status.as_u16(), "body": body})
}

/// A payment that may be posted or refused for any reason.
fn random_payment(random: &mut Rng, round: i32) -> Value {
    let amount = format!("{}.{:02}", random.u32(1..1400), random.u32(0..100));
    let month = 2 + round;
    let mut payment = json!({
        "Amount": amount,
        "Effective_Date": format!("2024-{month:02}-{:02}", random.u32(1..29)),
    });
    let (member, value) = match random.u32(0..12) {
        0 => ("Effective_Date", json!("2031-01-01")),
        1 => ("Effective_Date", json!("2023-12-31")),
        2 => ("Payment_Method_Code", json!("NONE")),
        3 => ("Payment_Method_Code", json!("CASH")),
        4 => ("External_ID", json!(format!("x{}", random.u32(0..3)))),
        5 => ("Paid_By_Contact_ID", json!(999_999)),
        6 => ("Payoff", json!(true)),
        7 => ("Userdef05", json!("not defined")),
        8 => ("Principal_Amount", json!("1.00")),
        9 => ("Excess_Handling", json!("suspense")),
        10 => ("Amount", json!("99999.00")),
        _ => ("User_Reference", json!("plain")),
    };
    payment[member] = value;
    payment
}

#[tokio::test]
async fn payments_posted_together_equal_those_posted_one_by_one() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_ids = import_loans(&world, &admin, 40).await;
        let (alone, together) = loan_ids.split_at(20);
        let mut random = Rng::with_seed(test_seed());
        for round in 0..6 {
            let payments: Vec<Value> =
                (0..alone.len()).map(|_| random_payment(&mut random, round)).collect();
            let key = format!("round {round}");
            let mut one_by_one = Vec::new();
            for (n, (loan_id, payment)) in alone.iter().zip(&payments).enumerate() {
                let response = pay(&world, &admin, *loan_id, payment, &format!("{key} {n}")).await;
                one_by_one.push(comparable(&response));
            }
            let sent = together.iter().zip(&payments).enumerate();
            let sent = sent.map(|(n, (loan_id, payment))| {
                let key = format!("{key} {n} together");
                let (world, admin) = (&world, &admin);
                async move { pay(world, admin, *loan_id, payment, &key).await }
            });
            let at_once: Vec<Value> = join_all(sent).await.iter().map(comparable).collect();
            for ((alone, together), payment) in one_by_one.iter().zip(&at_once).zip(&payments) {
                assert_eq!(alone, together, "round {round}: {payment}");
            }
        }
        for (alone, together) in alone.iter().zip(together) {
            let figures = async |loan_id| {
                let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await;
                let mut loan = loan.expect(200).json();
                for member in ["Loan_ID", "Loan_Number", "Contact_ID"] {
                    loan.as_object_mut().expect("a loan").remove(member);
                }
                loan
            };
            assert_eq!(figures(alone).await, figures(together).await);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn many_payments_at_once_take_fewer_statements_than_alone() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_ids = import_loans(&world, &admin, 60).await;
        let body = json!({"Amount": "652.53", "Effective_Date": "2024-02-15"});
        let before = world.statements().await;
        pay(&world, &admin, loan_ids[0], &body, "alone").await.expect(201);
        let alone = world.statements().await - before;
        let before = world.statements().await;
        let keys = (0..).map(|n| format!("key {n}"));
        let sent = loan_ids.iter().skip(1).zip(keys).map(|(loan_id, key)| {
            let (world, admin, body) = (&world, &admin, &body);
            async move { pay(world, admin, *loan_id, body, &key).await.expect(201) }
        });
        join_all(sent).await;
        let each = (world.statements().await - before) as f64 / 59.0;
        println!("{}: {alone} statements alone, {each:.1} together", world.database.name());
        assert!(each < alone as f64 * 0.7, "{each} statements each, {alone} alone");
        world
    })
    .await;
}

#[tokio::test]
async fn a_loan_held_by_another_program_holds_up_only_its_own_payment() {
    on_each_database(PROGRAM, |world| async move {
        if world.database.name() == "sqlite" {
            // A writer holds the whole database there.
            return world;
        }
        let admin = world.token("admin").await;
        let loan_ids = import_loans(&world, &admin, 12).await;
        let tx = db::begin_write(&world.db).await.expect("a transaction");
        let hold = format!("SELECT 1 FROM loans WHERE loan_id = {} FOR UPDATE", loan_ids[0]);
        tx.execute_unprepared(&hold).await.expect("held");
        let body = json!({"Amount": "10.00"});
        let held = pay(&world, &admin, loan_ids[0], &body, "held");
        let others = async {
            for round in 0..3 {
                let sent = loan_ids.iter().skip(1).map(|loan_id| {
                    let (world, admin, body) = (&world, &admin, &body);
                    let key = format!("{loan_id} {round}");
                    async move { pay(world, admin, *loan_id, body, &key).await.expect(201) }
                });
                join_all(sent).await;
            }
        };
        let (held, others) = tokio::join!(held, timeout(Duration::from_secs(20), others));
        held.expect_problem(423, "loan-locked");
        others.expect("the other payments do not wait");
        tx.rollback().await.expect("released");
        pay(&world, &admin, loan_ids[0], &body, "held").await.expect(201);
        world
    })
    .await;
}

#[tokio::test]
async fn equal_keys_at_once_post_one_payment() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_ids = import_loans(&world, &admin, 8).await;
        let body = json!({"Amount": "10.00"});
        for round in 0..5 {
            let key = format!("round {round}");
            let sent = loan_ids.iter().map(|loan_id| pay(&world, &admin, *loan_id, &body, &key));
            let responses = join_all(sent).await;
            let (posted, refused): (Vec<_>, Vec<_>) =
                responses.into_iter().partition(|response| response.status == 201);
            assert_eq!(posted.len(), 1);
            for response in refused {
                response.expect_problem(422, "idempotency-mismatch");
            }
        }
        let totals = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(totals).await, 5);
        world
    })
    .await;
}

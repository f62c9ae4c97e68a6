//! Payments that arrive together share transactions: each has the result that it would have alone.

use super::equal_loans::{books_by_loan, comparable, figures, import_loans, pay};
use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::test_seed::test_seed;
use acceptance::world::in_processes_on_each_database;
use fastrand::Rng;
use futures_util::future::join_all;
use sea_orm::ConnectionTrait;
use serde_json::{Value, json};
use shared::database;
use std::time::Duration;
use tokio::time::timeout;

/// A payment that may be posted or refused for any reason.
pub fn random_payment(random: &mut Rng, round: i32) -> Value {
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
        let loan_ids = import_loans(&world, &admin, 1..41).await;
        let (alone, together) = loan_ids.split_at(20);
        let mut random = Rng::with_seed(test_seed());
        for round in 0..6 {
            // Equal payments on one loan have the same results in any order.
            let payments: Vec<(Value, usize)> = (0..alone.len())
                .map(|_| (random_payment(&mut random, round), random.usize(1..4)))
                .collect();
            let post = async |loan_id: i64, payment: &Value, time: usize| {
                let key = format!("{loan_id} {round} {time}");
                comparable(&pay(&world, &admin, loan_id, payment, &key).await)
            };
            let mut one_by_one = Vec::new();
            for (loan_id, (payment, times)) in alone.iter().zip(&payments) {
                let mut results = Vec::new();
                for time in 0..*times {
                    results.push(post(*loan_id, payment, time).await);
                }
                one_by_one.push(results);
            }
            let sent = together.iter().zip(&payments).map(|(loan_id, (payment, times))| {
                join_all((0..*times).map(|time| post(*loan_id, payment, time)))
            });
            let at_once = join_all(sent).await;
            for ((mut alone, mut together), (payment, _)) in
                one_by_one.into_iter().zip(at_once).zip(&payments)
            {
                alone.sort_by_key(Value::to_string);
                together.sort_by_key(Value::to_string);
                assert_eq!(alone, together, "round {round}: {payment}");
            }
        }
        for (alone, together) in alone.iter().zip(together) {
            let alone = figures(&world, &admin, *alone).await;
            assert_eq!(alone, figures(&world, &admin, *together).await);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn many_payments_at_once_take_fewer_statements_than_alone() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_ids = import_loans(&world, &admin, 1..61).await;
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
async fn payments_at_once_on_one_loan_equal_those_posted_one_by_one() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_ids = import_loans(&world, &admin, 1..3).await;
        let (busy, twin) = (loan_ids[0], loan_ids[1]);
        let mut random = Rng::with_seed(test_seed());
        for round in 0..3 {
            let payments: Vec<Value> = (0..64)
                .map(|n| {
                    let amount = format!("{}.{:02}", random.u32(1..90), random.u32(0..100));
                    let day = format!("2024-{:02}-15", 2 + 3 * round);
                    let external_id = format!("{round} {}", n / 2);
                    match n % 8 {
                        6 | 7 => json!({"Amount": amount, "Effective_Date": day, "External_ID": external_id}),
                        _ => json!({"Amount": amount, "Effective_Date": day}),
                    }
                })
                .collect();
            let before = world.statements().await;
            let sent = payments.iter().enumerate().map(|(n, payment)| {
                let (world, admin) = (&world, &admin);
                async move {
                    let key = format!("{round} {n}");
                    let mut response = pay(world, admin, busy, payment, &key).await;
                    // On a slow machine, the last of them wait too long for their turn.
                    for _ in 0..10 {
                        if response.status != 423 {
                            break;
                        }
                        response = pay(world, admin, busy, payment, &key).await;
                    }
                    response
                }
            });
            let responses = join_all(sent).await;
            println!("{} statements", world.statements().await - before);
            let mut posted: Vec<_> = responses.iter().zip(&payments).collect();
            // A refused one came after those that were posted under its External_ID.
            posted.sort_by_key(|(response, _)| {
                let first_row = response.json()[0]["Transaction_ID"].as_i64();
                first_row.unwrap_or(i64::MAX)
            });
            for (n, (response, payment)) in posted.into_iter().enumerate() {
                let alone = pay(&world, &admin, twin, payment, &format!("twin {round} {n}")).await;
                assert!([201, 422].contains(&response.status.as_u16()), "{}", response.text);
                assert_eq!(comparable(response), comparable(&alone), "{payment}");
            }
        }
        let books = books_by_loan(&world).await;
        assert_eq!(books[&busy], books[&twin]);
        let figures_of_busy = figures(&world, &admin, busy).await;
        assert_eq!(figures_of_busy, figures(&world, &admin, twin).await);
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
        let loan_ids = import_loans(&world, &admin, 1..13).await;
        let tx = database::begin_write(&world.db).await.expect("a transaction");
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
        let loan_ids = import_loans(&world, &admin, 1..9).await;
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

/// Every key is sent to both replicas, in the middle of payments that each replica posts together.
#[tokio::test]
async fn equal_keys_at_once_on_two_replicas_post_one_payment_each() {
    in_processes_on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let replica = world.api_replica().await;
        let loan_ids = import_loans(&world, &admin, 1..5).await;
        let body = json!({"Amount": "10.00"});
        let (rounds, keys) = (3, 16);
        for round in 0..rounds {
            let send = async |number: usize| {
                let path = format!("/loans/{}/transactions/payments", loan_ids[number / 2 % 4]);
                let client = [&world.client, &replica.client][number % 2];
                let key = format!("{round} {}", number / 2);
                client.post(&admin, &path, &body, Some(&key)).await
            };
            let responses = join_all((0..2 * keys).map(send)).await;
            for pair in responses.chunks(2) {
                let texts = pair.iter().map(|response| {
                    assert!(matches!(response.status.as_u16(), 201 | 409), "{}", response.text);
                    (response.status == 201).then_some(&response.text)
                });
                let texts: Vec<_> = texts.flatten().collect();
                assert!(
                    !texts.is_empty() && texts.iter().all(|text| *text == texts[0]),
                    "{texts:?}"
                );
            }
            for (first, number) in (0..2 * keys).step_by(2).enumerate() {
                let (one, other) = (send(number).await.expect(201), send(number + 1).await);
                assert_eq!(one.text, other.expect(201).text, "{first}");
            }
        }
        let totals = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(totals).await, (rounds * keys) as i64);
        replica.close().await;
        world
    })
    .await;
}

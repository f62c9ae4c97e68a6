//! Concurrent requests to one drawer, repeated requests, and a server that dies meanwhile.

use super::{assign, balances, check_books, drawer_with_balances, grant, make_teller, post};
use crate::PROGRAM;
use acceptance::world::in_processes_on_each_database;
use acceptance::{TestResponse, World, on_each_database};
use futures_util::future::join_all;
use sea_orm::{EntityTrait, QuerySelect};
use serde_json::{Value, json};
use shared::database;
use shared::entity::cash_drawers;
use std::time::Duration;

fn fund(amount: &str) -> Value {
    json!({"Transaction_Type": "bank_in", "Amount": amount})
}

async fn rows(world: &World) -> i64 {
    world.count("SELECT COUNT(*) FROM cash_drawer_transactions").await
}

#[tokio::test]
async fn concurrent_transactions_in_one_drawer_sum_exactly() {
    on_each_database(PROGRAM, |world| async move {
        let this = drawer_with_balances(&world, "One", "individual", 0, 0).await;
        let mut tokens = vec![world.token("admin").await];
        for name in ["teller", "officer"] {
            assign(&world, this, name).await;
            tokens.push(make_teller(&world, name).await);
            for privilege in ["Cash Drawer > Funding", "Cash Drawer > Supervise"] {
                grant(&world, name, privilege, "Allow").await;
            }
        }
        let enter = |n: usize| post(&world, &tokens[n % 3], this, fund(&format!("{n}.01")));
        let responses: Vec<TestResponse> = join_all((1..=64).map(enter)).await;
        let mut sum = 0;
        for (response, n) in responses.iter().zip(1..) {
            match response.status.as_u16() {
                201 => sum += n * 10_000 + 100,
                _ => drop(response.clone().expect_problem(423, "drawer-locked")),
            }
        }
        let posted = responses.iter().filter(|response| response.status == 201).count() as i64;
        assert!(posted > 0);
        assert_eq!((rows(&world).await, balances(&world, this).await), (posted, (sum, 0)));
        check_books(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn of_two_concurrent_users_one_opens_the_drawer() {
    on_each_database(PROGRAM, |world| async move {
        let mut tokens = Vec::new();
        for name in ["teller", "officer", "viewer"] {
            tokens.push(make_teller(&world, name).await);
            grant(&world, name, "Cash Drawer > Funding", "Allow").await;
        }
        for round in 0..5 {
            let this =
                drawer_with_balances(&world, &format!("Drawer {round}"), "individual", 0, 0).await;
            for name in ["teller", "officer", "viewer"] {
                assign(&world, this, name).await;
            }
            let responses =
                join_all(tokens.iter().map(|token| post(&world, token, this, fund("1.00")))).await;
            let statuses: Vec<u16> = responses.iter().map(|a| a.status.as_u16()).collect();
            let posted = statuses.iter().filter(|status| **status == 201).count();
            let locked = statuses.iter().filter(|status| **status == 423).count();
            assert_eq!(posted, 1, "{statuses:?}");
            for refused in responses.into_iter().filter(|response| response.status == 422) {
                refused.expect_problem(422, "drawer-in-use");
            }
            assert!(posted + locked < 3, "{statuses:?}");
        }
        check_books(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn fifty_posts_with_one_key_are_one_row_and_one_response() {
    on_each_database(PROGRAM, |world| async move {
        let this = drawer_with_balances(&world, "One", "individual", 0, 0).await;
        let admin = world.token("admin").await;
        let path = format!("/cash-drawers/{this}/transactions");
        world.client.post_fifty_times(&admin, &path, &fund("10.00")).await;
        assert_eq!(rows(&world).await, 1);
        check_books(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_key_belongs_to_one_caller_and_request_and_a_refusal_releases_it() {
    on_each_database(PROGRAM, |world| async move {
        let this = drawer_with_balances(&world, "One", "individual", 0, 0).await;
        let admin = world.token("admin").await;
        let teller = make_teller(&world, "teller").await;
        assign(&world, this, "teller").await;
        grant(&world, "teller", "Cash Drawer > Funding", "Allow").await;
        let transactions = format!("/cash-drawers/{this}/transactions");
        let send = async |token: &str, path: &str, body: Value, key: &str| {
            world.client.post(token, path, &body, Some(key)).await
        };
        send(&admin, &transactions, fund("10.00"), "k").await.expect(201);
        let other = send(&admin, &transactions, fund("11.00"), "k").await;
        other.expect_problem(422, "idempotency-mismatch");
        send(&teller, &transactions, fund("10.00"), "k").await.expect(201);
        let out = json!({"Transaction_Type": "bank_out", "Amount": "20.01"});
        let refused = send(&admin, &transactions, out, "refused").await;
        refused.expect_problem(422, "drawer-negative");
        send(&admin, &transactions, fund("0.01"), "refused").await.expect(201);
        let counts = format!("/cash-drawers/{this}/reconciliations");
        let counted = |cash: &str| json!({"Counted_Cash": cash, "Counted_Check": "0.00"});
        let other_operation = send(&admin, &counts, counted("20.00"), "k").await;
        other_operation.expect_problem(422, "idempotency-mismatch");
        let first = send(&admin, &counts, counted("20.00"), "count").await.expect(201);
        let repeated = send(&admin, &counts, counted("20.00"), "count").await.expect(201);
        assert_eq!(
            (first.text, repeated.header("idempotency-replayed")),
            (repeated.text.clone(), "true")
        );
        let other = send(&admin, &counts, counted("20.01"), "count").await;
        other.expect_problem(422, "idempotency-mismatch");
        assert_eq!(world.count("SELECT COUNT(*) FROM cash_drawer_reconciliations").await, 1);
        assert_eq!(balances(&world, this).await, (200_000, 0));
        check_books(&world).await;
        world
    })
    .await;
}

#[tokio::test]
async fn waiting_too_long_for_a_drawer_is_a_retryable_error() {
    on_each_database(PROGRAM, |world| async move {
        let this = drawer_with_balances(&world, "One", "individual", 10_000, 0).await;
        let other = drawer_with_balances(&world, "Two", "individual", 10_000, 0).await;
        let admin = world.token("admin").await;
        let before = world.snapshot().await;
        let tx = database::begin_write(&world.db).await.expect("a transaction");
        let locked_row = cash_drawers::Entity::find_by_id(this).lock_exclusive().one(&tx).await;
        assert!(locked_row.expect("a row").is_some());
        let transfer =
            json!({"Transaction_Type": "transfer", "Counter_Drawer_ID": this, "Amount": "1.00"});
        let count = json!({"Counted_Cash": "1.00", "Counted_Check": "0.00"});
        let counts = format!("/cash-drawers/{this}/reconciliations");
        let (posted, counted, moved) = tokio::join!(
            post(&world, &admin, this, fund("1.00")),
            world.client.post(&admin, &counts, &count, None),
            post(&world, &admin, other, transfer),
        );
        for response in [posted, counted, moved] {
            let locked = response.expect_problem(423, "drawer-locked");
            assert_eq!(locked.header("retry-after"), "1");
        }
        tx.rollback().await.expect("rolled back");
        assert_eq!(world.snapshot().await, before);
        post(&world, &admin, this, fund("1.00")).await.expect(201);
        world
    })
    .await;
}

#[tokio::test]
async fn a_server_killed_during_transactions_loses_and_duplicates_nothing() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let drawers = [
            drawer_with_balances(&world, "One", "individual", 1_000_000, 0).await,
            drawer_with_balances(&world, "Two", "individual", 1_000_000, 0).await,
        ];
        let admin = world.token("admin").await;
        let client = world.client.clone();
        let request = |n: usize| {
            let (from, to) = (drawers[n % 2], drawers[(n + 1) % 2]);
            let transfer = json!({
                "Transaction_Type": "transfer", "Counter_Drawer_ID": to, "Amount": "1.00",
            });
            let body = if n.is_multiple_of(3) { transfer } else { fund("0.10") };
            (format!("/cash-drawers/{from}/transactions"), body, format!("key {n}"))
        };
        // A few concurrent clients, each of which sends its requests one by one and retries until
        // answered.
        let working = join_all((0..6).map(|worker| {
            let (client, admin) = (client.clone(), admin.clone());
            async move {
                let mut responses = Vec::new();
                for n in (worker..90).step_by(6) {
                    let (path, body, key) = request(n);
                    let mut attempts = 0;
                    responses.push(loop {
                        match client.try_post(&admin, &path, &body, Some(&key)).await {
                            Ok(response) if response.status == 201 => break response.text,
                            Ok(response) if [409, 423, 503].contains(&response.status.as_u16()) => {
                            }
                            Ok(response) => panic!("{} {}", response.status, response.text),
                            Err(_) => {}
                        }
                        attempts += 1;
                        assert!(attempts < 600, "never answered");
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    });
                }
                responses
            }
        }));
        let http = client.http.clone();
        let killing = async {
            for _ in 0..2 {
                tokio::time::sleep(Duration::from_millis(400)).await;
                world.api.kill().await;
                world.api.restart(&http).await;
                // The claims of the dead process are released, as they would be after their lease.
                let given_up = format!(
                    "UPDATE idempotency_records SET lease_until = {} WHERE status IS NULL",
                    world.long_ago()
                );
                world.sql(&given_up).await;
            }
        };
        let (responses, ()) = tokio::join!(working, killing);
        // All requests again under the same keys: the same answers, and no more rows.
        for (worker, responses) in responses.iter().enumerate() {
            for (n, first) in (worker..90).step_by(6).zip(responses) {
                let (path, body, key) = request(n);
                let repeated = client.post(&admin, &path, &body, Some(&key)).await.expect(201);
                assert_eq!(
                    (repeated.header("idempotency-replayed"), &repeated.text),
                    ("true", first)
                );
            }
        }
        assert_eq!(rows(&world).await, 2 + 60 + 2 * 30);
        let (one, two) = (balances(&world, drawers[0]).await, balances(&world, drawers[1]).await);
        assert_eq!(one.0 + two.0, 2_000_000 + 60 * 1000);
        check_books(&world).await;
        world
    })
    .await;
}

//! Payments that are sent again: one effect, and the same answer each time.

use super::super::import_loan;
use crate::PROGRAM;
use acceptance::published_loans::{self, AdminSession, PublishedLoan};
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::world::in_processes_on_each_database;
use acceptance::{World, on_each_database};
use futures_util::future::join_all;
use sea_orm::ConnectionTrait;
use serde_json::json;
use shared::database;
use std::time::Duration;

async fn two_loans(world: &World, admin: &str) -> [i64; 2] {
    let both = [1, 2].map(|number| borrower_with_loan(number, OPEN_TERMS)).concat();
    world.import(admin, &file(&both)).await;
    let first = world.count("SELECT MIN(loan_id) FROM loans").await;
    [first, world.count("SELECT MAX(loan_id) FROM loans").await]
}

#[tokio::test]
async fn fifty_posts_with_one_key_are_one_payment_and_one_response() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        world.client.post_fifty_times(&admin, &path, &json!({"Amount": "10.00"})).await;
        let posted = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(posted).await, 1);
        world
    })
    .await;
}

#[tokio::test]
async fn a_key_belongs_to_one_caller_and_one_request() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let post = async |token: &str, amount: &str, key: &str| {
            world.client.post(token, &path, &json!({"Amount": amount}), Some(key)).await
        };
        post(&admin, "10.00", "k").await.expect(201);
        post(&admin, "11.00", "k").await.expect_problem(422, "idempotency-mismatch");
        post(&admin, "0.00", "k").await.expect_problem(422, "idempotency-mismatch");
        post(&world.token("teller").await, "11.00", "k").await.expect(201);
        post(&admin, "0.00", "refused").await.expect_problem(422, "amount-not-positive");
        post(&admin, "12.00", "refused").await.expect(201);
        post(&admin, "1.00", &"x".repeat(256)).await.expect_problem(400, "bad-request");
        let posted = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(posted).await, 3);
        world
    })
    .await;
}

#[tokio::test]
async fn a_key_used_on_one_loan_cannot_pay_another() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loans = two_loans(&world, &admin).await;
        let body = json!({"Amount": "10.00"});
        let post = async |loan_id: i64, key: &str| {
            let path = format!("/loans/{loan_id}/transactions/payments");
            world.client.post(&admin, &path, &body, Some(key)).await
        };
        let first = post(loans[0], "k").await.expect(201);
        for _ in 0..2 {
            let other = post(loans[1], "k").await.expect_problem(422, "idempotency-mismatch");
            assert!(
                other.json()["detail"].as_str().is_some_and(|it| it.contains("a different path"))
            );
        }
        let repeated = post(loans[0], "k").await.expect(201);
        assert_eq!(
            (repeated.header("idempotency-replayed"), &repeated.text),
            ("true", &first.text)
        );

        // Concurrent requests: one loan is paid once, and the key serves no other request.
        let responses = join_all((0..20).map(|number| post(loans[number % 2], "at once"))).await;
        assert!(
            responses.iter().all(|response| [201, 409, 422].contains(&response.status.as_u16()))
        );
        let entries = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(entries).await, 2);

        // A refused request releases its key, and after a day every key is free again.
        let path = format!("/loans/{}/transactions/payments", loans[0]);
        let nothing = json!({"Amount": "0.00"});
        let refused = world.client.post(&admin, &path, &nothing, Some("free")).await;
        refused.expect_problem(422, "amount-not-positive");
        post(loans[1], "free").await.expect(201);
        world.age("idempotency_records", &["created_date", "lease_until"], 2 * 86_400).await;
        post(loans[1], "k").await.expect(201);
        post(loans[0], "k").await.expect_problem(422, "idempotency-mismatch");
        world
    })
    .await;
}

#[tokio::test]
async fn a_malformed_key_is_refused_and_never_ignored() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let post = async |keys: &[&[u8]]| {
            let mut request = world.client.request(reqwest::Method::POST, &admin, &path);
            for key in keys {
                let value = reqwest::header::HeaderValue::from_bytes(key).unwrap();
                request = request.header("Idempotency-Key", value);
            }
            let request = request.json(&json!({"Amount": "1.00"}));
            world.client.send(request).await.unwrap()
        };
        for keys in [&["zahlung-ä".as_bytes()][..], &[b"a", b"b"], &[b""], &[b"tab\tin it"]] {
            let refused = post(keys).await.expect_problem(400, "bad-request");
            assert_eq!(refused.json()["errors"][0]["field"], "Idempotency-Key");
        }
        // The same loan, even if its id is spelt differently.
        post(&[b"one"]).await.expect(201);
        let respelt_path = path.replace("/loans/", "/loans/%2B");
        let body = json!({"Amount": "1.00"});
        let repeated = world.client.post(&admin, &respelt_path, &body, Some("one")).await;
        assert!(repeated.status == 400 || repeated.header("idempotency-replayed") == "true");
        let posted = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(posted).await, 1);
        world
    })
    .await;
}

#[tokio::test]
async fn an_abandoned_claim_and_an_expired_response_are_taken_over() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let body = json!({"Amount": "10.00"});
        world.client.post(&admin, &path, &body, Some("k")).await.expect(201);
        // As a dead process leaves it: in progress, with a lease.
        world.sql("UPDATE idempotency_records SET status = NULL, body = NULL").await;
        let running = world.client.post(&admin, &path, &body, Some("k")).await;
        running.expect_problem(409, "idempotency-in-progress");
        let long_ago = world.long_ago();
        world.sql(&format!("UPDATE idempotency_records SET lease_until = {long_ago}")).await;
        world.client.post(&admin, &path, &body, Some("k")).await.expect(201);
        let old = format!("created_date = {long_ago}, lease_until = {long_ago}");
        world.sql(&format!("UPDATE idempotency_records SET {old}")).await;
        let other = json!({"Amount": "11.00"});
        world.client.post(&admin, &path, &other, Some("k")).await.expect(201);
        world
    })
    .await;
}

#[tokio::test]
async fn a_response_stored_after_the_lease_expired_is_replayed() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let body = json!({"Amount": "10.00"});
        world.client.post(&admin, &path, &body, Some("k")).await.expect(201);
        // As a suspended process leaves it: in progress, lease expired, about to commit.
        world.sql("UPDATE idempotency_records SET status = NULL, body = NULL").await;
        world.age("idempotency_records", &["lease_until"], 60 * 60).await;
        let tx = database::begin_write(&world.db).await.expect("a transaction");
        let store_response = "UPDATE idempotency_records SET status = 201, body = '[]'";
        tx.execute_unprepared(store_response).await.expect("kept");
        let repeated = async { world.client.post(&admin, &path, &body, Some("k")).await };
        let commit = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            tx.commit().await.expect("committed");
        };
        let (repeated, ()) = tokio::join!(repeated, commit);
        match repeated.status.as_u16() {
            409 => drop(repeated.expect_problem(409, "idempotency-in-progress")),
            _ => assert_eq!(repeated.header("idempotency-replayed"), "true", "{}", repeated.text),
        }
        let stored = world.client.post(&admin, &path, &body, Some("k")).await.expect(201);
        assert_eq!(stored.text, "[]");
        let posted = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(posted).await, 1);
        world
    })
    .await;
}

#[tokio::test]
async fn a_server_killed_during_payments_loses_and_duplicates_nothing() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let loans: Vec<PublishedLoan> = (1..=24)
            .map(|row| PublishedLoan {
                row,
                loan_amount: "28000".to_owned(),
                term: 60,
                interest_rate: "14.07".to_owned(),
                installment: "652.53".to_owned(),
                issue_month: "2018-03".to_owned(),
                balance: "27015.86".to_owned(),
                paid_principal: "984.14".to_owned(),
                payments_made: Some(3),
            })
            .collect();
        let (client, password) = (world.client.clone(), world.credentials.admin.clone());
        let admin = AdminSession::new(&client, &password);
        let ids = published_loans::book(&admin, &loans, "book").await.expect("booked");
        let paying = published_loans::pay(&admin, &loans, &ids, 8, || ());
        let http = client.http.clone();
        let killing = async {
            for _ in 0..2 {
                tokio::time::sleep(Duration::from_millis(700)).await;
                world.api.kill().await;
                world.api.restart(&http).await;
            }
        };
        let (first, ()) = tokio::join!(paying, killing);
        assert_eq!(first.expect("all posted in the end"), 72);
        // The whole run again under the same keys.
        let repeated = published_loans::pay(&admin, &loans, &ids, 8, || ()).await;
        assert_eq!(repeated.expect("all answered"), 72);
        let totals = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(totals).await, 72);
        let compared = published_loans::compare(&admin, &loans, &ids, 8).await.expect("compared");
        assert_eq!(compared.exact, 24, "{compared:?}");
        world
    })
    .await;
}

#[tokio::test]
async fn a_payment_repeated_after_midnight_gets_its_response_without_the_privilege_to_backdate() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let move_to = async |zone: &str| {
            let name = "name = 'business_time_zone'";
            world.sql(&format!("UPDATE settings SET value = '{zone}' WHERE {name}")).await;
        };
        // Its day is always before that of the second zone.
        move_to("Etc/GMT+12").await;
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        let payment = json!({"Amount": "10.00", "Effective_Date": loan["As_Of_Date"]});
        let teller = world.token("teller").await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let post = async |key: &str| world.client.post(&teller, &path, &payment, Some(key)).await;
        let first = post("k").await.expect(201);
        move_to("Pacific/Kiritimati").await;
        assert_eq!(post("k").await.expect(201).text, first.text);
        post("other").await.expect_problem(403, "privilege-missing");
        world
    })
    .await;
}

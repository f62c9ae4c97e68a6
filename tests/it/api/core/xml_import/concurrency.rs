//! Imports that run concurrently with other requests.

use super::elements::EVERYTHING;
use crate::PROGRAM;
use crate::api::loans::import_loan;
use acceptance::on_each_database;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::world::{World, on_embedded_database};
use futures_util::future::join_all;
use sea_orm::ConnectionTrait;
use serde_json::json;
use shared::database;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A file that changes the contact's credentials.
fn credentials(attributes: &str) -> String {
    file(&format!(
        "<Contact UpdateFlag=\"1\" ContactNumber=\"C-1\">\
         <WebCredentials UpdateFlag=\"1\" {attributes}/></Contact>"
    ))
}

#[tokio::test]
async fn only_credential_changes_that_end_sessions_wait_for_log_ins() {
    on_each_database(PROGRAM, |world| async move {
        // SQLite has a single write lock.
        if world.database.name() == "sqlite" {
            return world;
        }
        world.define_fields().await;
        let admin = world.token("admin").await;
        world.import(&admin, EVERYTHING).await;
        // A log-in is in progress and holds its row lock.
        let log_in = database::begin_write(&world.db).await.expect("a transaction");
        let lock_sql = "SELECT * FROM web_credentials FOR SHARE";
        let lock_sql = if world.database.name() == "mysql" {
            "SELECT * FROM web_credentials LOCK IN SHARE MODE"
        } else {
            lock_sql
        };
        log_in.execute_unprepared(lock_sql).await.expect("held");
        let unchanged = credentials("WebAccessFlag=\"true\" WebUserName=\"ana.rivera\"");
        let result = world.import(&admin, &unchanged).await;
        assert_eq!(result["Failed"], 0, "{result}");
        let other = credentials("Password=\"another long phrase\"");
        let refused = world.client.import(&admin, false, &other, None).await;
        refused.expect_problem(503, "database-unavailable");
        log_in.rollback().await.expect("ended");
        let result = world.import(&admin, &other).await;
        assert_eq!(result["Failed"], 0, "{result}");
        let token = world.client.log_in("web", "ana.rivera", "another long phrase").await;
        token.expect("a token");
        world
    })
    .await;
}

#[tokio::test]
async fn on_sqlite_writers_wait_for_a_long_import_and_readers_do_not() {
    on_embedded_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        // How many loans take longer than writers wait depends on the machine.
        let mut first = 100;
        for loans in [4_000, 8_000, 16_000, 32_000] {
            if writers_refused(&world, &admin, loan_id, first..first + loans).await > 0 {
                return world;
            }
            first += loans;
        }
        panic!("no import took longer than writers wait");
    })
    .await;
}

/// Imports loans while the loan takes payments and is read. Returns how many payments were refused.
async fn writers_refused(world: &World, admin: &str, loan_id: i64, loans: Range<u32>) -> usize {
    let file =
        file(&loans.map(|number| borrower_with_loan(number, OPEN_TERMS)).collect::<String>());
    let ended = AtomicBool::new(false);
    let import = async {
        let result = world.client.import(admin, false, &file, None).await.expect(200).json();
        ended.store(true, Ordering::Relaxed);
        result
    };
    let body = json!({"Amount": "10.00"});
    let pay = format!("/loans/{loan_id}/transactions/payments");
    let payments = join_all((0..24).map(|_| async {
        let mut refusals = 0;
        while !ended.load(Ordering::Relaxed) {
            let paid = world.client.post(admin, &pay, &body, None).await;
            if paid.status == 503 {
                let refused = paid.expect_problem(503, "database-unavailable");
                assert_eq!(refused.json()["detail"], "the database is busy with an import");
                assert_eq!(refused.header("retry-after"), "10");
                refusals += 1;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        refusals
    }));
    let reads = async {
        let read = format!("/loans/{loan_id}");
        while !ended.load(Ordering::Relaxed) {
            world.client.get(admin, &read).await.expect(200);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let (result, refusals, ()) = tokio::join!(import, payments, reads);
    assert_eq!(result["Failed"], 0, "{}", result["Committed"]);
    world.client.post(admin, &pay, &body, None).await.expect(201);
    refusals.iter().sum()
}

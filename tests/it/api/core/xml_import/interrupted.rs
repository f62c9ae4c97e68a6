//! Imports under an idempotency key that are cut short before their file ends.

use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, borrower_with_loan, file};
use acceptance::world::in_processes_on_each_database;
use acceptance::{Database, World, on_each_database};
use serde_json::json;
use std::time::Duration;
use tokio::time::sleep;

/// A file of this many payments of one cent, each a record of its own, on a loan that the first
/// record names.
fn single_payments(count: usize) -> String {
    let loan = "<Loan UpdateFlag=\"1\" LoanNumber=\"L-1\" StoreRecordID=\"one\"/>";
    let payment = "<Transactions><Payment GetRecordID=\"one\" Amount=\"0.01\" \
         EffectiveDate=\"2024-01-01\"/></Transactions>";
    format!("<Core>{loan}{}</Core>", payment.repeat(count))
}

const POSTED: &str = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";

/// Lets the import's lease run out, as if its process had died long ago.
async fn expire_lease(world: &World) {
    let long_ago = world.long_ago();
    world.sql(&format!("UPDATE idempotency_records SET lease_until = {long_ago}")).await;
}

/// Sends payments under the key `k`, and kills the api-server when some of them are posted.
async fn kill_during_import(world: &mut World, token: &str, payments: &str) {
    let client = world.client.clone();
    let (token, sent) = (token.to_owned(), payments.to_owned());
    let first = tokio::spawn(async move {
        let path = "/core/xml-import?test=false";
        let request = client.request(reqwest::Method::POST, &token, path);
        let request = request.header("content-type", "application/xml");
        client.send(request.header("Idempotency-Key", "k").body(sent)).await
    });
    while world.count(POSTED).await < 20 {
        sleep(Duration::from_millis(10)).await;
    }
    world.api.kill().await;
    assert!(first.await.unwrap().is_err(), "no answer came");
    let posted_so_far = world.count(POSTED).await;
    assert!((20..300).contains(&posted_so_far), "{posted_so_far}");
}

/// Sends the payments again and checks that each is posted once. Returns the answer.
async fn resend(world: &World, token: &str, payments: &str) -> String {
    let resumed = world.client.import(token, false, payments, Some("k")).await.expect(200);
    assert_eq!((&resumed.json()["Inserted"], &resumed.json()["Failed"]), (&json!(300), &json!(0)));
    assert_eq!(world.count(POSTED).await, 300, "each record once");
    resumed.text
}

#[tokio::test]
async fn a_killed_import_resumes_after_its_last_record() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let admin = world.token("admin").await;
        world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
        let payments = single_payments(300);
        kill_during_import(&mut world, &admin, &payments).await;
        let http = world.client.http.clone();
        world.api.restart(&http).await;
        let too_early = world.client.import(&admin, false, &payments, Some("k")).await;
        too_early.expect_problem(409, "idempotency-in-progress");
        expire_lease(&world).await;
        let other = world.client.import(&admin, false, &single_payments(2), Some("k")).await;
        other.expect_problem(422, "idempotency-mismatch");
        let resumed = resend(&world, &admin, &payments).await;
        assert_eq!(resend(&world, &admin, &payments).await, resumed);
        world
    })
    .await;
}

#[tokio::test]
async fn a_killed_import_resumes_after_stored_responses_have_expired() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let admin = world.token("admin").await;
        let booked = file(&borrower_with_loan(1, OPEN_TERMS));
        world.client.import(&admin, false, &booked, Some("before")).await.expect(200);
        let payments = single_payments(300);
        kill_during_import(&mut world, &admin, &payments).await;
        let three_days = 3 * 24 * 60 * 60;
        world.age("idempotency_records", &["created_date", "lease_until"], three_days).await;
        // It sweeps when it starts.
        let http = world.client.http.clone();
        world.api.restart(&http).await;
        let claims = "SELECT COUNT(*) FROM idempotency_records";
        while world.count(claims).await > 1 {
            sleep(Duration::from_millis(10)).await;
        }
        let resumed = resend(&world, &admin, &payments).await;
        // A stored response is kept for a day after it was given, however long the import took.
        world.age("idempotency_records", &["created_date"], three_days).await;
        assert_eq!(resend(&world, &admin, &payments).await, resumed);
        world
    })
    .await;
}

#[tokio::test]
async fn an_import_that_lost_its_claim_stops() {
    on_each_database(PROGRAM, |world| async move {
        if world.database == Database::Sqlite {
            // One write lock for the whole file: no request can run between the records of an
            // import.
            return world;
        }
        let admin = world.token("admin").await;
        world.import(&admin, &file(&borrower_with_loan(1, OPEN_TERMS))).await;
        let payments = single_payments(300);
        let import = world.client.import(&admin, false, &payments, Some("k"));
        let lose = async {
            while world.count(POSTED).await < 10 {
                sleep(Duration::from_millis(10)).await;
            }
            world.sql("UPDATE idempotency_records SET claim_token = 'another'").await;
        };
        let (response, ()) = tokio::join!(import, lose);
        response.expect_problem(409, "idempotency-in-progress");
        let posted = world.count(POSTED).await;
        assert!(posted < 300, "{posted}");
        let with_the_loan = posted + 1;
        assert_eq!(world.count("SELECT COUNT(*) FROM import_records").await, with_the_loan);
        expire_lease(&world).await;
        resend(&world, &admin, &payments).await;
        world
    })
    .await;
}

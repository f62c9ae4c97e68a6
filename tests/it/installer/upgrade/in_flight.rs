//! Work that an earlier version's programs had in progress is continued by the current ones, and
//! nothing happens twice: stored responses, card payments in every state, half an import, live
//! sessions.

use super::{UpgradedDatabase, put_letter};
use crate::PROGRAM;
use crate::api::loans::transactions::reversals::reverse;
use acceptance::TestResponse;
use acceptance::upgrade_dumps::{self, InFlight, SentRequest};
use acceptance::world::{Environment, World};
use acceptance::{Database, databases};
use reqwest::Method;
use sea_orm::ConnectionTrait;
use serde_json::json;
use std::collections::BTreeMap;

/// Columns of the instants that decide what is still in progress. A stored response's lease says
/// how long it is kept.
const INSTANTS: [(&str, &[&str]); 7] = [
    ("idempotency_records", &["created_date", "lease_until"]),
    ("import_runs", &["started_date"]),
    ("gateway_payments", &["created_date", "charged_date", "posted_date", "ended_date"]),
    ("sandbox_payments", &["created_date", "charged_date"]),
    ("active_users", &["active_date"]),
    ("cif_web_active_users", &["token_datestamp"]),
    ("auth_sessions", &["log_in_date", "refreshed_date"]),
];

/// Lets the claims expire, as those of a killed program do.
const LAPSED: &str =
    "UPDATE idempotency_records SET lease_until = created_date WHERE status IS NULL";

/// The upgraded database with servers on it, its instants shifted as if it had been left a moment
/// ago.
async fn upgraded(database: Database) -> (World, InFlight) {
    let old_database = UpgradedDatabase::load(database.clone(), "third").await;
    let in_flight = InFlight::read(&database, "third");
    old_database
        .with(async |db| {
            // `taken` is cut to whole seconds: one less, or what was begun just before it would be in
            // the future, and not lapsed yet.
            let elapsed = shared::db::time(db).await.expect("the time").0 - in_flight.taken;
            for (table, columns) in INSTANTS {
                databases::shift_instants(db, table, columns, elapsed.num_seconds() - 1).await;
            }
            db.execute_unprepared(LAPSED).await.expect("lapsed");
        })
        .await;
    old_database.upgrade(&["--yes"]).await.expect_success();
    let UpgradedDatabase { database, url, folder } = old_database;
    put_letter(&url, folder.path()).await;
    let credentials = upgrade_dumps::credentials();
    let environment = Environment::default();
    (World::on(PROGRAM, database, url, folder, credentials, environment).await, in_flight)
}

async fn resend(world: &World, token: &str, request: &SentRequest) -> TestResponse {
    let repeated = world.client.request(Method::POST, token, &request.path);
    let repeated = repeated.header("Content-Type", &request.content_type);
    let repeated = repeated.header("Idempotency-Key", &request.key).body(request.body.clone());
    world.client.send(repeated).await.expect("a response")
}

#[tokio::test]
async fn stored_responses_are_replayed_after_the_upgrade() {
    for database in Database::all() {
        let (world, in_flight) = upgraded(database).await;
        let admin = world.token("admin").await;
        let before = world.snapshot().await;
        for name in ["payment", "drawer", "cash payment", "document", "posted", "voided", "failed"]
        {
            let sent = &in_flight.requests[name];
            let repeated = resend(&world, &admin, sent).await.expect(sent.status);
            assert_eq!(repeated.header("idempotency-replayed"), "true", "{name}");
            match sent.status {
                201 => assert_eq!(repeated.text, sent.answer, "{name}"),
                _ => assert_eq!(repeated.json()["type"], sent.response_json()["type"], "{name}"),
            }
        }
        for (table, rows) in world.snapshot().await {
            if ["loan_transactions", "cash_drawer_transactions", "documents", "gateway_payments"]
                .contains(&table)
            {
                assert_eq!(Some(&rows), before.get(&table), "{table}");
            }
        }
        world.close().await;
    }
}

#[tokio::test]
async fn card_payments_in_every_state_resume_after_the_upgrade_and_are_charged_once() {
    for database in Database::all() {
        let (world, in_flight) = upgraded(database).await;
        let admin = world.token("admin").await;
        let expected_states = BTreeMap::from([
            ("created", 201),
            ("created and charged", 201),
            ("charged", 201),
            ("unknown and charged", 201),
            ("unknown", 422),
        ]);
        for (name, status) in expected_states {
            let sent = &in_flight.requests[name];
            let ended = resend(&world, &admin, sent).await.expect(status);
            let repeated = resend(&world, &admin, sent).await.expect(status);
            assert_eq!(repeated.header("idempotency-replayed"), "true", "{name}");
            if status == 201 {
                assert_eq!(repeated.text, ended.text, "{name}");
            } else {
                assert_eq!(repeated.json()["declineCode"], "not_charged", "{name}");
            }
        }
        let charged = world
            .count("SELECT COUNT(*) FROM sandbox_payments WHERE state = 'charged' AND charge_count = 1")
            .await;
        let posted = world
            .count(
                "SELECT COUNT(*) FROM loan_transactions \
                 WHERE transaction_code = 120 AND loan_id = 3",
            )
            .await;
        assert_eq!((charged, posted), (5, 5), "what was charged is posted, once");
        let extra =
            "SELECT COUNT(*) FROM sandbox_payments WHERE charge_count > 1 OR refund_count > 1";
        assert_eq!(world.count(extra).await, 0);
        world.close().await;
    }
}

#[tokio::test]
async fn half_an_import_resumes_after_the_upgrade_without_duplicates() {
    for database in Database::all() {
        let (world, in_flight) = upgraded(database).await;
        let admin = world.token("admin").await;
        let posted = "SELECT COUNT(*) FROM loan_transactions \
             WHERE transaction_code = 120 AND loan_id = 6";
        let before = world.count(posted).await;
        assert!((1..120).contains(&before), "{before} were posted");
        for replayed in ["", "true"] {
            let sent = &in_flight.requests["half an import"];
            let done = resend(&world, &admin, sent).await.expect(200);
            assert_eq!(done.header("idempotency-replayed"), replayed);
            let done = done.json();
            assert_eq!((&done["Inserted"], &done["Failed"]), (&json!(120), &json!(0)), "{done}");
            assert_eq!(world.count(posted).await, 120);
        }
        world.close().await;
    }
}

#[tokio::test]
async fn sessions_survive_the_upgrade_and_can_refresh() {
    for database in Database::all() {
        let (world, in_flight) = upgraded(database).await;
        let client = ("integration", world.credentials.integration.as_str());
        let refresh = async |token: &str| {
            let form = [("grant_type", "refresh_token"), ("refresh_token", token)];
            world.client.form(client, "/oauth2/token", &form).await
        };
        let read = async |token: &str| world.client.get(token, "/loans/1/credit-lines").await;
        for (user, session) in &in_flight.sessions {
            println!("{user}");
            read(&session.first_access_token).await.expect(200);
            read(&session.access_token).await.expect(200);
            // Its successor was generated at random, so it cannot be derived, and reuse proves
            // nothing.
            let spent = refresh(&session.spent_refresh_token).await.expect(400).json();
            assert_eq!(spent["error"], "invalid_grant");
            let refreshed = refresh(&session.refresh_token).await.expect(200).json();
            let repeated = refresh(&session.refresh_token).await.expect(200).json();
            assert_eq!(repeated["refresh_token"], refreshed["refresh_token"]);
            let access_token = refreshed["access_token"].as_str().expect("a token");
            read(access_token).await.expect(200);
            world.client.log_out(&session.access_token).await.expect(204);
            read(access_token).await.expect(401);
            read(&session.first_access_token).await.expect(401);
        }
        world.close().await;
    }
}

#[tokio::test]
async fn an_entry_posted_before_the_upgrade_is_reversed_by_its_snapshot() {
    for database in Database::all() {
        let (world, in_flight) = upgraded(database).await;
        let last = "SELECT MAX(transaction_id) FROM loan_transactions \
             WHERE loan_id = 5 AND transaction_code = 120 AND NOT reversed_flag";
        for _ in 0..2 {
            let entry = world.count(last).await;
            reverse(&world, entry, None).await.expect(201);
        }
        let admin = world.token("admin").await;
        let loan = world.client.get(&admin, "/loans/5").await.expect(200).json();
        let rows = in_flight.requests["payment"].response_json();
        let principal = rows.as_array().into_iter().flatten();
        let mut principal = principal.filter(|row| row["Balance_Name"] == "principal");
        let principal = principal.next().expect("a principal row");
        assert_eq!(loan["Current_Principal_Balance"], principal["Resulting_Balance"]);
        assert_eq!(loan["Last_Payment_Date"], "2021-12-01");
        world.close().await;
    }
}

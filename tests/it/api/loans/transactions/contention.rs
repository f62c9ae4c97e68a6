//! Payments that the database rolls back because another transaction came first.

use super::super::import_loan;
use crate::PROGRAM;
use acceptance::seeds::OPEN_TERMS;
use acceptance::{World, on_each_database};
use serde_json::json;

/// Makes the database roll back the next `count` entries as it does the victim of a deadlock. False
/// where that is impossible: the embedded database has one writer at a time.
async fn abort_entries(world: &World, count: u32) -> bool {
    let statements = match world.database.name() {
        "sqlite" => return false,
        // A sequence keeps its count when a transaction is rolled back.
        "mysql" => vec![
            "CREATE OR REPLACE SEQUENCE tries".to_owned(),
            format!(
                "CREATE OR REPLACE TRIGGER undo_entries BEFORE INSERT ON loan_transactions FOR EACH ROW \
                 IF NEXT VALUE FOR tries <= {count} THEN SIGNAL SQLSTATE '40001' \
                 SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found'; END IF"
            ),
        ],
        _ => vec![
            "DROP SEQUENCE IF EXISTS tries".to_owned(),
            "CREATE SEQUENCE tries".to_owned(),
            format!(
                "CREATE OR REPLACE FUNCTION undo_entries() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
                 IF nextval('tries') <= {count} THEN RAISE EXCEPTION 'deadlock detected' \
                 USING ERRCODE = '40P01'; END IF; RETURN NEW; END $$"
            ),
            "CREATE OR REPLACE TRIGGER undo_entries BEFORE INSERT ON loan_transactions FOR EACH ROW \
             EXECUTE FUNCTION undo_entries()"
                .to_owned(),
        ],
    };
    for statement in statements {
        world.sql(&statement).await;
    }
    true
}

#[tokio::test]
async fn a_conflicting_payment_is_retried_for_three_seconds_and_then_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let body = json!({"Amount": "10.00"});
        // Three rollbacks are retried, however long that takes.
        if !abort_entries(&world, 3).await {
            return world;
        }
        world.client.post(&admin, &path, &body, Some("one")).await.expect(201);
        abort_entries(&world, 1_000_000).await;
        let before = world.snapshot().await;
        let refused = world.client.post(&admin, &path, &body, Some("two")).await;
        refused.expect_problem(423, "loan-locked");
        assert_eq!(world.snapshot().await, before, "the key is free again, too");
        abort_entries(&world, 0).await;
        world.client.post(&admin, &path, &body, Some("two")).await.expect(201);
        let posted = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(posted).await, 2);
        world
    })
    .await;
}

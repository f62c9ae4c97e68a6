//! Transaction codes with trustees: who may post payments, and which of their rows they see.

use super::super::import_loan;
use crate::PROGRAM;
use acceptance::seeds::PUBLISHED_TERMS;
use acceptance::{World, on_each_database};
use serde_json::json;

/// Restricts a code to the admin account and the viewer.
async fn close(world: &World, code: i32) {
    let viewer = world.count("SELECT user_id FROM users WHERE user_name = 'viewer'").await;
    let row = format!("'transaction_code', {code}, {viewer}");
    world.insert("trustees", "trustee_id", "object_type, object_id, user_id", [row]).await;
}

#[tokio::test]
async fn rows_of_a_restricted_code_are_posted_and_omitted_from_the_response() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        close(&world, 124).await;
        let teller = world.token("teller").await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let body = json!({"Amount": "700.00"});
        let rows = world.client.post(&teller, &path, &body, Some("k")).await.expect(201);
        let repeated = world.client.post(&teller, &path, &body, Some("k")).await.expect(201);
        assert_eq!(rows.text, repeated.text);
        let rows = rows.json();
        let codes = |rows: &serde_json::Value| -> Vec<i64> {
            let rows = rows.as_array().expect("rows").iter();
            rows.filter_map(|row| row["Transaction_Code"].as_i64()).collect()
        };
        assert_eq!(codes(&rows), [120, 122]);
        let reference = &rows[0]["Transaction_ID"];
        let listed = format!("/loans/{loan_id}/transactions?referenceNo={reference}");
        let seen = world.client.get(&teller, &listed).await.expect(200).json();
        assert_eq!(seen, rows);
        let all = world.client.get(&admin, &listed).await.expect(200).json();
        assert_eq!(codes(&all), [120, 122, 124]);
        // Interest was settled all the same.
        let settled = "SELECT COUNT(*) FROM payment_allocations a JOIN loan_transactions t \
                       ON t.transaction_id = a.transaction_id WHERE t.transaction_code = 124";
        assert!(world.count(settled).await > 0);
        world
    })
    .await;
}

#[tokio::test]
async fn a_caller_who_is_not_a_payment_trustee_cannot_post_payments() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        close(&world, 120).await;
        let before = world.snapshot().await;
        let body = json!({"Amount": "700.00"});
        let refused = world.pay(&world.token("teller").await, loan_id, body.clone()).await;
        assert!(refused.expect_problem(403, "privilege-missing").text.contains("120"));
        assert_eq!(world.snapshot().await, before);
        world.pay(&admin, loan_id, body).await.expect(201);
        world
    })
    .await;
}

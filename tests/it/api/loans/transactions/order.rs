//! The order of a loan's transactions: the earliest or the latest first.

use super::super::import_loan;
use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::seeds::OPEN_TERMS;
use serde_json::json;

#[tokio::test]
async fn the_last_transactions_are_one_request() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        for date in ["2021-11-25", "2021-12-28", "2021-12-28"] {
            let body = json!({"Amount": "879.16", "Effective_Date": date});
            world.pay(&admin, loan_id, body).await.expect(201);
        }
        let path = format!("/loans/{loan_id}/transactions");
        let list = async |query: &str| {
            let response = world.client.get(&admin, &format!("{path}?{query}")).await.expect(200);
            response.json().as_array().expect("rows").clone()
        };
        let forwards = list("").await;
        assert_eq!(list("order=effectiveDate").await, forwards);
        let mut backwards = forwards.clone();
        backwards.reverse();
        assert_eq!(list("order=-effectiveDate").await, backwards);
        assert_eq!(list("order=-effectiveDate&limit=3").await, backwards[..3]);
        let filtered = list("order=-effectiveDate&to=2021-11-30").await;
        let earlier =
            |row: &&serde_json::Value| row["Effective_Date"].as_str() < Some("2021-12-01");
        assert_eq!(filtered, backwards.iter().filter(earlier).cloned().collect::<Vec<_>>());
        for wrong in ["", "-", "id", "effectivedate", "+effectiveDate", "effectiveDate,id"] {
            let path = format!("{path}?order={}", wrong.replace('+', "%2B"));
            let refused = world.client.get(&admin, &path).await.expect_problem(400, "bad-request");
            let error = refused.json()["errors"][0].clone();
            assert_eq!(error["field"], "order", "{error}");
            let message = "must be effectiveDate or -effectiveDate with these parameters";
            assert_eq!(error["message"], message, "{error}");
        }
        world
    })
    .await;
}

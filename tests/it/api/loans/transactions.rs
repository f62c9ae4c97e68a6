//! `/loans/{loan_id}/transactions`

pub mod adjustments;
mod batches;
mod contention;
mod drawers;
mod equal_loans;
mod faults;
pub mod groups;
mod idempotency;
mod order;
mod payments;
mod reversal_rights;
pub mod reversals;
mod trustees;
mod user_fields;

use super::import_loan;
use crate::PROGRAM;
use acceptance::on_each_database;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS};
use serde_json::json;

#[tokio::test]
async fn paging_yields_each_row_once_while_rows_are_added() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        for month in 2..8 {
            let body = json!({"Amount": "652.53", "Effective_Date": format!("2024-{month:02}-15")});
            world.pay(&admin, loan_id, body).await.expect(201);
        }
        let mut path = format!("/loans/{loan_id}/transactions?limit=2&from=2024-01-01");
        let mut seen = Vec::new();
        let mut pages = 0;
        loop {
            let page = world.client.get(&admin, &path).await.expect(200);
            let rows = page.json().as_array().expect("rows").clone();
            assert!(rows.len() <= 2);
            seen.extend(rows.iter().map(|row| {
                let id = row["Transaction_ID"].as_i64().expect("an id");
                (row["Effective_Date"].as_str().expect("a date").to_owned(), id)
            }));
            pages += 1;
            if pages == 3 {
                let body = json!({"Amount": "652.53", "Effective_Date": "2024-08-15"});
                world.pay(&admin, loan_id, body).await.expect(201);
            }
            let Some(link) = page.header("link").strip_prefix('<') else { break };
            let (next, rel) = link.split_once('>').expect("a link");
            assert_eq!(rel, "; rel=\"next\"");
            path = next.to_owned();
        }
        let mut sorted = seen.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(seen, sorted);
        assert_eq!(seen.len(), 1 + 7 * 3, "an advance, and three rows for each of seven payments");
        world
    })
    .await;
}

#[tokio::test]
async fn transactions_are_filtered_by_date_code_and_entry() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        for date in ["2021-11-25", "2021-12-28"] {
            let body = json!({"Amount": "879.16", "Effective_Date": date});
            world.pay(&admin, loan_id, body).await.expect(201);
        }
        let list = async |query: &str| {
            let path = format!("/loans/{loan_id}/transactions?{query}");
            world.client.get(&admin, &path).await.expect(200).json()
        };
        assert_eq!(list("").await.as_array().expect("rows").len(), 7);
        assert_eq!(list("from=2021-12-01").await.as_array().expect("rows").len(), 3);
        assert_eq!(list("to=2021-11-25").await.as_array().expect("rows").len(), 4);
        assert_eq!(list("transactionCode=124").await.as_array().expect("rows").len(), 2);
        let reference = list("transactionCode=120").await[1]["Transaction_Reference_No"].clone();
        let entry = list(&format!("referenceNo={reference}")).await;
        assert_eq!(entry.as_array().expect("rows").len(), 3);
        for wrong in ["limit=0", "limit=1001", "limit=x", "from=yesterday", "after=junk"] {
            let path = format!("/loans/{loan_id}/transactions?{wrong}");
            let problem = world.client.get(&admin, &path).await.expect_problem(400, "bad-request");
            let field = wrong.split('=').next().expect("a name");
            assert_eq!(problem.json()["errors"][0]["field"], field, "{}", problem.text);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn rows_of_a_code_without_the_caller_as_trustee_are_omitted() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let body = json!({"Amount": "879.16", "Effective_Date": "2021-11-25"});
        world.pay(&admin, loan_id, body).await.expect(201);
        world
            .sql(
                "INSERT INTO trustees (object_type, object_id, user_id) \
                 SELECT 'transaction_code', 124, user_id FROM users WHERE user_name = 'teller'",
            )
            .await;
        let codes = async |user: &str| {
            let path = format!("/loans/{loan_id}/transactions");
            let rows = world.client.get(&world.token(user).await, &path).await.expect(200).json();
            let rows = rows.as_array().expect("rows").clone();
            rows.iter()
                .map(|row| row["Transaction_Code"].as_i64().expect("a code"))
                .collect::<Vec<_>>()
        };
        assert_eq!(codes("viewer").await, [100, 120, 122]);
        assert_eq!(codes("teller").await, [100, 120, 122, 124]);
        world
    })
    .await;
}

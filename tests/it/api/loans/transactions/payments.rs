//! `/loans/{loan_id}/transactions/payments`

use super::super::{import_loan, loan_ids};
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, borrower_with_loan, file};
use acceptance::{TestResponse, World, on_each_database};
use futures_util::future::join_all;
use serde_json::{Value, json};
use shared::amounts::Money;

async fn balance(world: &World, token: &str, loan_id: i64) -> Value {
    let loan = world.client.get(token, &format!("/loans/{loan_id}")).await.expect(200).json();
    loan["Current_Principal_Balance"].clone()
}

#[tokio::test]
async fn three_published_payments_reproduce_the_published_balance() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let published = [
            ("2024-02-15", "324.23", "328.30", "27675.77"),
            ("2024-03-15", "328.03", "324.50", "27347.74"),
            ("2024-04-15", "331.88", "320.65", "27015.86"),
        ];
        for (date, principal, interest, after) in published {
            let body = json!({"Amount": "652.53", "Effective_Date": date});
            let rows = world.pay(&admin, loan_id, body).await.expect(201).json();
            let row = |n: usize, member: &str| rows[n][member].clone();
            assert_eq!(rows.as_array().expect("rows").len(), 3);
            assert_eq!(
                (row(0, "Transaction_Code"), row(0, "Transaction_Amount")),
                (json!(120), json!("652.53"))
            );
            assert_eq!(
                (row(1, "Transaction_Code"), row(1, "Transaction_Amount")),
                (json!(122), json!(principal))
            );
            assert_eq!(
                (row(2, "Transaction_Code"), row(2, "Transaction_Amount")),
                (json!(124), json!(interest))
            );
            assert_eq!(row(1, "Resulting_Balance"), after);
            assert_eq!(row(2, "Resulting_Balance"), "0.00");
            assert_eq!(row(0, "Resulting_Balance"), after, "the payoff after the entry");
            assert_eq!(row(0, "Payment_Method_Code"), "ACH", "the default method");
            let reference = row(0, "Transaction_ID");
            for n in 0..3 {
                assert_eq!(row(n, "Transaction_Reference_No"), reference);
            }
            let path = format!("/loans/{loan_id}/transactions?referenceNo={reference}");
            let listed = world.client.get(&admin, &path).await.expect(200).json();
            assert_eq!(listed, rows, "the answer is what the list shows");
        }
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        assert_eq!(loan["Current_Principal_Balance"], "27015.86");
        assert_eq!(loan["Next_Due_Date"], "2024-05-15");
        assert_eq!(loan["Last_Payment_Date"], "2024-04-15");
        let unpaid = "SELECT COUNT(*) FROM payments_due WHERE interest_paid <> interest_due \
                      OR principal_paid <> principal_due";
        assert_eq!(world.count(unpaid).await, 0);
        assert_eq!(world.count("SELECT COUNT(*) FROM payments_due").await, 3);
        assert_eq!(world.count("SELECT COUNT(*) FROM payment_allocations").await, 6);
        world
    })
    .await;
}

#[tokio::test]
async fn the_unrounded_remainder_is_carried_to_the_payoff() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        for (date, after) in [("2021-11-25", "9205.77"), ("2021-12-28", "8409.84")] {
            let body = json!({"Amount": "879.16", "Effective_Date": date});
            world.pay(&admin, loan_id, body).await.expect(201);
            assert_eq!(balance(&world, &admin, loan_id).await, after);
        }
        let payoff = |amount: &str| json!({"Amount": amount, "Effective_Date": "2022-01-07", "Payoff": true});
        let short = world.pay(&admin, loan_id, payoff("8432.87")).await;
        let short = short.expect_problem(422, "payoff-short");
        assert!(short.text.contains("8432.88"), "{}", short.text);
        let rows = world.pay(&admin, loan_id, payoff("8432.88")).await.expect(201).json();
        assert_eq!(rows[2]["Transaction_Amount"], "23.04");
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        assert_eq!(loan["Current_Principal_Balance"], "0.00");
        assert_eq!(loan["Current_Payoff_Balance"], "0.00");
        assert_eq!(loan["Payoff_Date"], "2022-01-07");
        assert_eq!(loan["Closed_Date"], "2022-01-07");
        let backdated = json!({"Amount": "1.00"});
        world.pay(&admin, loan_id, backdated).await.expect_problem(422, "loan-closed");
        world
    })
    .await;
}

#[tokio::test]
async fn numbers_and_booleans_are_refused_for_text_members() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        for value in ["123456789012345678901234567890", "1", "true"] {
            let body = format!("{{\"Amount\": \"1.00\", \"External_ID\": {value}}}");
            let body = serde_json::from_str(&body).expect("JSON");
            let refused = world.pay(&admin, loan_id, body).await;
            let refused = refused.expect_problem(400, "bad-request");
            assert_eq!(refused.json()["errors"][0]["field"], "External_ID", "{}", refused.text);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn concurrent_payments_on_one_loan_sum_exactly() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id =
            import_loan(&world, &admin, OPEN_TERMS.replace("\"10\"", "\"0\"").as_str()).await;
        let pay = |n: u32| world.pay(&admin, loan_id, json!({"Amount": format!("{n}.01")}));
        let responses: Vec<TestResponse> = join_all((1..=64).map(pay)).await;
        let mut paid = Money::ZERO;
        for (response, n) in responses.iter().zip(1..) {
            match response.status.as_u16() {
                201 => {
                    let amount: Money = format!("{n}.01").parse().expect("an amount");
                    paid = paid.plus(amount).expect("in range");
                }
                _ => drop(response.clone().expect_problem(423, "loan-locked")),
            }
        }
        let start: Money = "10000.00".parse().expect("an amount");
        let remaining = start.minus(paid).expect("in range").to_string();
        assert_eq!(balance(&world, &admin, loan_id).await, remaining);
        let posted = responses.iter().filter(|response| response.status == 201).count() as i64;
        assert!(posted > 0);
        let totals = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120";
        assert_eq!(world.count(totals).await, posted);
        world
    })
    .await;
}

#[tokio::test]
async fn a_test_payment_responds_the_same_and_changes_no_table() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let before = world.snapshot().await;
        let path = format!("/loans/{loan_id}/transactions/payments");
        let body = json!({"Amount": "652.53", "Effective_Date": "2024-02-15"});
        let test_run =
            world.client.post(&admin, &format!("{path}?test=true"), &body, Some("k")).await;
        let test_run = test_run.expect(200).json();
        assert_eq!(world.snapshot().await, before);
        let posted = world.client.post(&admin, &path, &body, Some("k")).await.expect(201).json();
        let figures = |rows: &Value| -> Vec<Value> {
            let rows = rows.as_array().expect("rows").iter();
            rows.map(|row| {
                json!([
                    row["Transaction_Code"],
                    row["Transaction_Amount"],
                    row["Resulting_Balance"]
                ])
            })
            .collect()
        };
        assert_eq!(figures(&test_run), figures(&posted));
        assert_ne!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn payment_rule_violations_are_refused_and_change_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let first =
            json!({"Amount": "100.00", "Effective_Date": "2022-01-01", "External_ID": "E1"});
        world.pay(&admin, loan_id, first).await.expect(201);
        let before = world.snapshot().await;
        for (body, kind) in [
            (json!({"Amount": "0.00"}), "amount-not-positive"),
            (json!({"Amount": "-5.00"}), "amount-not-positive"),
            (json!({"Amount": "1.001"}), "invalid-value"),
            (json!({"Amount": "900000000000001"}), "invalid-value"),
            (json!({"Amount": "1", "Effective_Date": "2099-01-01"}), "effective-date-in-future"),
            (json!({"Amount": "1", "Effective_Date": "2021-12-31"}), "effective-date-too-early"),
            (json!({"Amount": "1", "Payment_Method_Code": "BARTER"}), "unknown-code"),
            (json!({"Amount": "1", "Payment_Method_Code": "CASH"}), "cash-drawer-required"),
            (json!({"Amount": "1", "Paid_By_Contact_ID": 999}), "invalid-value"),
            (json!({"Amount": "1", "External_ID": "E1"}), "duplicate-external-id"),
            (json!({"Amount": "1", "User_Reference": "x".repeat(101)}), "invalid-value"),
            (json!({"Amount": "1", "User_Reference": "a\u{0}b"}), "invalid-value"),
            (json!({"Amount": "2", "Principal_Amount": "1"}), "split-mismatch"),
            (json!({"Amount": "2", "Fee_Amount": "2"}), "split-exceeds-balance"),
            (json!({"Amount": "2", "Fee_Amount": "2", "Payoff": true}), "invalid-value"),
            (json!({"Amount": "99999999.00"}), "overpayment"),
        ] {
            world.pay(&admin, loan_id, body).await.expect_problem(422, kind);
        }
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn malformed_payments_name_the_member_at_fault() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        for (body, field) in [
            (json!({}), "Amount"),
            (json!({"Amount": null}), "Amount"),
            (json!({"Amount": 12.5}), "Amount"),
            (json!({"Amount": "twelve"}), "Amount"),
            (json!({"Amount": "1", "Effective_Date": "2024-02-30"}), "Effective_Date"),
            (json!({"Amount": "1", "Effective_Date": "2024-2-3"}), "Effective_Date"),
            (json!({"Amount": "1", "Payoff": "yes"}), "Payoff"),
            (json!({"Amount": "1", "Excess_Handling": "keep"}), "Excess_Handling"),
            (json!({"Amount": "1", "Surprise": 1}), "Surprise"),
        ] {
            let problem = world.pay(&admin, loan_id, body).await;
            let problem = problem.expect_problem(400, "bad-request");
            assert_eq!(problem.json()["errors"][0]["field"], field, "{}", problem.text);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn backdating_splitting_and_paying_off_each_need_their_privilege() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let teller = world.token("teller").await;
        for (body, privilege) in [
            (json!({"Amount": "1", "Effective_Date": "2022-01-01"}), "Backdate"),
            (json!({"Amount": "1", "Suspense_Amount": "1"}), "Split"),
            (json!({"Amount": "1", "Payoff": true}), "Payoff"),
        ] {
            let refused = world.pay(&teller, loan_id, body).await;
            let refused = refused.expect_problem(403, "privilege-missing");
            assert!(refused.text.contains(privilege), "{}", refused.text);
        }
        world.pay(&teller, loan_id, json!({"Amount": "1"})).await.expect(201);
        let split = json!({"Amount": "30.00", "Principal_Amount": "10.00", "Impound_Amount": "5.00",
            "Suspense_Amount": "15.00"});
        let rows = world.pay(&admin, loan_id, split).await.expect(201).json();
        let codes: Vec<_> = (0..4).map(|n| rows[n]["Transaction_Code"].clone()).collect();
        assert_eq!(codes, [120, 122, 130, 132]);
        world
    })
    .await;
}

#[tokio::test]
async fn excess_is_handled_as_the_loan_or_the_payment_says() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let records: String = ["principal", "suspense", "reject"]
            .iter()
            .zip(1..)
            .map(|(way, n)| {
                borrower_with_loan(n, &format!("{PUBLISHED_TERMS} ExcessHandling=\"{way}\""))
            })
            .collect();
        let ids = loan_ids(&world.import(&admin, &file(&records)).await);
        let body = json!({"Amount": "700.00", "Effective_Date": "2024-02-15"});
        let codes = |response: &TestResponse| -> Vec<i64> {
            let rows = response.json();
            let rows = rows.as_array().expect("rows").clone();
            rows.iter().filter_map(|row| row["Transaction_Code"].as_i64()).collect()
        };
        let to_principal = world.pay(&admin, ids[0], body.clone()).await.expect(201);
        assert_eq!(codes(&to_principal), [120, 122, 124]);
        let to_suspense = world.pay(&admin, ids[1], body.clone()).await.expect(201);
        assert_eq!(codes(&to_suspense), [120, 122, 124, 132]);
        assert_eq!(to_suspense.json()[3]["Transaction_Amount"], "47.47");
        let refused = world.pay(&admin, ids[2], body.clone()).await;
        assert!(refused.expect_problem(422, "overpayment").text.contains("652.53"));
        let mut body_sent = body;
        body_sent["Excess_Handling"] = json!("suspense");
        assert_eq!(
            codes(&world.pay(&admin, ids[2], body_sent).await.expect(201)),
            [120, 122, 124, 132]
        );
        world
    })
    .await;
}

#[tokio::test]
async fn each_changed_column_of_the_loan_is_in_the_history_once() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let before = world.count("SELECT COUNT(*) FROM field_changes").await;
        let body = json!({"Amount": "652.53", "Effective_Date": "2024-02-15"});
        world.pay(&admin, loan_id, body).await.expect(201);
        let changes = world.count("SELECT COUNT(*) FROM field_changes").await - before;
        // Principal, settled interest, next due date, last payment's date and amount, last
        // activity. Values that only the accrual moves are not in the history.
        assert_eq!(changes, 6);
        let principal = "SELECT COUNT(*) FROM field_changes \
             WHERE field_name = 'Current_Principal_Balance' AND old_value = '28000.00' \
             AND new_value = '27675.77' AND modified_by_name = 'admin' AND source = 'api'";
        assert_eq!(world.count(principal).await, 1);
        world
    })
    .await;
}

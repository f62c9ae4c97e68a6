//! `POST /loans/{loan_id}/payment-gateway/payments`, with the sandbox.

use super::convenience_fee::rule;
use super::{add_card, book, card, link};
use crate::PROGRAM;
use acceptance::world::in_processes_on_each_database;
use acceptance::world::{Environment, on_each_database_with};
use acceptance::{TestResponse, World, on_each_database};
use serde_json::{Value, json};
use std::time::Duration;

async fn pay(
    world: &World,
    token: &str,
    loan: i64,
    body: &Value,
    key: Option<&str>,
) -> TestResponse {
    let path = format!("/loans/{loan}/payment-gateway/payments");
    world.client.post(token, &path, body, key).await
}

/// What the sandbox has charged and refunded: how often each, and the net amount.
async fn at_gateway(world: &World) -> [i64; 3] {
    let sum = "SELECT CAST(COALESCE(SUM(charge_count), 0) AS bigint) FROM sandbox_payments";
    let refunds_sql = "SELECT CAST(COALESCE(SUM(refund_count), 0) AS bigint) FROM sandbox_payments";
    let net_sql = "SELECT CAST(COALESCE(SUM(amount), 0) AS bigint) FROM sandbox_payments \
                WHERE state = 'charged'";
    let figure = async |sql: &str| match world.database.name() {
        "mysql" => world.count(&sql.replace("bigint", "signed")).await,
        _ => world.count(sql).await,
    };
    [figure(sum).await, figure(refunds_sql).await, figure(net_sql).await]
}

async fn states(world: &World) -> Vec<String> {
    world.texts("SELECT state FROM gateway_payments ORDER BY card_payment_id").await
}

/// The number of payments posted to a loan, whatever their components.
async fn payments_on(world: &World, loan: i64) -> i64 {
    let sql = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 120 AND loan_id";
    world.count(&format!("{sql} = {loan}")).await
}

#[tokio::test]
async fn a_card_payment_charges_the_fee_and_posts_to_the_loan() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 1).await;
        rule(&world, ["NULL", "NULL", "10000", "250000000", "NULL", "NULL"]).await;
        let card = add_card(&world, &admin, loans[0], "tok_visa").await;
        let body = json!({
            "PaymentGatewayTokenID": card, "Amount": "100.00", "Convenience_Fee": "3.50",
            "User_Reference": "desk 3", "External_ID": "card-1",
        });
        let paid = pay(&world, &admin, loans[0], &body, None).await.expect(201).json();
        for (member, value) in [
            ("Loan_ID", json!(loans[0])),
            ("PaymentGatewayTokenID", json!(card)),
            ("State", json!("posted")),
            ("Amount", json!("100.00")),
            ("Convenience_Fee", json!("3.50")),
            ("Total_Charged", json!("103.50")),
        ] {
            assert_eq!(paid[member], value, "{member}");
        }
        for absent in ["Failure_Code", "Failure_Message", "Waive_Reason"] {
            assert_eq!(paid.get(absent), None);
        }
        assert_eq!(at_gateway(&world).await, [1, 0, 1_035_000]);
        // The answer shows the same rows as the loan's list.
        let rows = paid["Transactions"].as_array().expect("rows");
        let reference = &paid["Transaction_Reference_No"];
        let list = format!("/loans/{}/transactions?referenceNo={reference}", loans[0]);
        assert_eq!(
            &world.client.get(&admin, &list).await.expect(200).json(),
            &paid["Transactions"]
        );
        let codes: Vec<_> = rows.iter().map(|row| row["Transaction_Code"].clone()).collect();
        assert_eq!(codes, [120, 124, 144]);
        for row in rows {
            assert_eq!(row["PaymentGatewayTokenID"], card);
            assert_eq!(row["Payment_Method_Code"], "CARD");
            assert_eq!(row["Payment_Method_Reference"], paid["Gateway_Reference"]);
            assert_eq!(row["Paid_By_Contact_ID"], contacts[0]);
            assert_eq!(row["User_Reference"], "desk 3");
        }
        assert_eq!(
            (&rows[0]["External_ID"], &rows[0]["Transaction_Amount"]),
            (&json!("card-1"), &json!("100.00"))
        );
        assert_eq!(rows[2]["Transaction_Amount"], "3.50");
        assert_eq!((rows[2].get("Balance_Name"), rows[2].get("Resulting_Balance")), (None, None));
        // Once used, the card is in the wallet.
        let wallet = format!("/loans/{}/payment-gateway/credit-cards", loans[0]);
        let wallet = world.client.get(&admin, &wallet).await.expect(200).json();
        assert_eq!(
            (&wallet[0]["Used_Count"], &wallet[0]["PaymentGatewayTokenID"]),
            (&json!(1), &json!(card))
        );
        assert!(wallet[0]["Last_Used_Date"].is_string());
        let history = format!("/loans/{}/field-history?limit=1000", loans[0]);
        let history = world.client.get(&admin, &history).await.expect(200).json();
        let paid_by_card = |change: &&Value| change["Source"] == "gateway";
        let fields = history.as_array().expect("changes").iter().filter(paid_by_card);
        let fields: Vec<_> = fields.map(|change| change["Field_Name"].as_str()).collect();
        assert!(fields.contains(&Some("Last_Payment_Amount")), "{fields:?}");
        world
    })
    .await;
}

#[tokio::test]
async fn a_loan_can_be_paid_off_by_card() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        let card = add_card(&world, &admin, loans[0], "tok_amex").await;
        let loan = format!("/loans/{}", loans[0]);
        let owed = world.client.get(&admin, &loan).await.json()["Current_Payoff_Balance"].clone();
        let mut body = json!({"PaymentGatewayTokenID": card, "Amount": "10.00", "Payoff": true});
        let short = pay(&world, &admin, loans[0], &body, None).await;
        short.expect_problem(422, "payoff-short");
        body["Amount"] = owed;
        pay(&world, &admin, loans[0], &body, None).await.expect(201);
        let closed = world.client.get(&admin, &loan).await.expect(200).json();
        assert_eq!(closed["Current_Payoff_Balance"], "0.00");
        assert!(closed["Payoff_Date"].is_string());
        let repeated = pay(&world, &admin, loans[0], &body, None).await;
        repeated.expect_problem(422, "loan-closed");
        assert_eq!(at_gateway(&world).await[..2], [1, 0]);
        world
    })
    .await;
}

#[tokio::test]
async fn a_declined_card_reports_its_reason_and_posts_nothing() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        for (token, code) in
            [("tok_declined", "card_declined"), ("tok_insufficient", "insufficient_funds")]
        {
            let card = add_card(&world, &admin, loans[0], token).await;
            let mut body = json!({"PaymentGatewayTokenID": card, "Amount": "100.00"});
            for replay in [false, true] {
                let declined = pay(&world, &admin, loans[0], &body, Some(token)).await;
                let declined = declined.expect_problem(422, "card-declined");
                assert_eq!(declined.json()["declineCode"], code);
                assert_eq!(declined.headers.contains_key("idempotency-replayed"), replay);
            }
            body["Amount"] = json!("1.00");
            let other = pay(&world, &admin, loans[0], &body, Some(token)).await;
            other.expect_problem(422, "idempotency-mismatch");
        }
        assert_eq!(states(&world).await, ["failed", "failed"]);
        assert_eq!(at_gateway(&world).await, [0, 0, 0]);
        assert_eq!(payments_on(&world, loans[0]).await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn a_request_repeated_after_a_lost_response_charges_once() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        let charged = add_card(&world, &admin, loans[0], "tok_lost_charged").await;
        let failed = add_card(&world, &admin, loans[0], "tok_lost_failed").await;
        let body = |card: i64| json!({"PaymentGatewayTokenID": card, "Amount": "100.00"});
        let unknown_outcome = pay(&world, &admin, loans[0], &body(charged), Some("a")).await;
        let unknown_outcome = unknown_outcome.expect_problem(503, "gateway-outcome-unknown");
        assert_eq!(unknown_outcome.header("retry-after"), "5");
        assert_eq!(states(&world).await, ["unknown"]);
        let first = pay(&world, &admin, loans[0], &body(charged), Some("a")).await.expect(201);
        let repeated = pay(&world, &admin, loans[0], &body(charged), Some("a")).await.expect(201);
        assert_eq!(
            (repeated.header("idempotency-replayed"), &repeated.text),
            ("true", &first.text)
        );
        let unknown_outcome = pay(&world, &admin, loans[0], &body(failed), Some("b")).await;
        unknown_outcome.expect_problem(503, "gateway-outcome-unknown");
        for _ in 0..2 {
            let declined = pay(&world, &admin, loans[0], &body(failed), Some("b")).await;
            let declined = declined.expect_problem(422, "card-declined").json();
            assert_eq!(declined["declineCode"], "not_charged");
        }
        assert_eq!(states(&world).await, ["posted", "failed"]);
        assert_eq!(at_gateway(&world).await, [1, 0, 1_000_000]);
        assert_eq!(payments_on(&world, loans[0]).await, 1);
        world
    })
    .await;
}

#[tokio::test]
async fn the_recovery_settles_payments_that_are_not_retried() {
    let api = [("API_GATEWAY_RECOVERY_SECONDS".to_owned(), "1".to_owned())].into();
    let environment = Environment { api, ..Environment::default() };
    on_each_database_with(PROGRAM, environment.in_processes(), |world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        for (token, status, kind) in [
            ("tok_lost_charged", 503, "gateway-outcome-unknown"),
            ("tok_lost_failed", 503, "gateway-outcome-unknown"),
            ("tok_down", 503, "gateway-unavailable"),
        ] {
            let card = add_card(&world, &admin, loans[0], token).await;
            let body = json!({"PaymentGatewayTokenID": card, "Amount": "100.00"});
            pay(&world, &admin, loans[0], &body, None).await.expect_problem(status, kind);
        }
        let mut attempts_left = 60;
        while states(&world).await != ["posted", "failed", "failed"] {
            attempts_left -= 1;
            assert!(attempts_left > 0, "{:?} {}", states(&world).await, world.api.log());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        assert_eq!(at_gateway(&world).await, [1, 0, 1_000_000]);
        assert_eq!(payments_on(&world, loans[0]).await, 1);
        world
    })
    .await;
}

#[tokio::test]
async fn a_recovered_payment_is_posted_for_its_day_or_the_earliest_allowed() {
    in_processes_on_each_database(PROGRAM, |mut world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 2).await;
        for loan in &loans {
            let card = add_card(&world, &admin, *loan, "tok_lost_charged").await;
            let body = json!({"PaymentGatewayTokenID": card, "Amount": "100.00"});
            let unknown_outcome = pay(&world, &admin, *loan, &body, None).await;
            unknown_outcome.expect_problem(503, "gateway-outcome-unknown");
        }
        // The second loan gets a payment two days after the charge; now is three days later.
        let days = 5 * 24 * 60 * 60;
        world.api.kill().await;
        world.age("gateway_payments", &["created_date"], days).await;
        world.age("sandbox_payments", &["charged_date"], days).await;
        world.api.restart(&world.client.http).await;
        let today = world.client.get(&admin, &format!("/loans/{}", loans[0])).await.json();
        let today: chrono::NaiveDate =
            today["As_Of_Date"].as_str().expect("a date").parse().expect("a date");
        let later = today - chrono::Days::new(3);
        let body = json!({"Amount": "1.00", "Effective_Date": later.to_string()});
        // The recovery starts with the server. Whichever comes first, the dates are in order.
        let first = world.pay(&admin, loans[1], body).await;
        let mut attempts_left = 60;
        while states(&world).await != ["posted", "posted"] {
            attempts_left -= 1;
            assert!(attempts_left > 0, "{}", world.api.log());
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        let dates = async |loan: i64| {
            let list = format!("/loans/{loan}/transactions?transactionCode=120");
            world.client.get(&admin, &list).await.expect(200).column("Effective_Date")
        };
        let charged = (today - chrono::Days::new(5)).to_string();
        assert_eq!(dates(loans[0]).await, [charged.as_str()]);
        let expected = match first.status.as_u16() {
            201 => {
                dates(loans[1]).await[1] == later.to_string() || dates(loans[1]).await[0] == charged
            }
            _ => dates(loans[1]).await == [charged.as_str()],
        };
        assert!(expected, "{:?}", dates(loans[1]).await);
        world
    })
    .await;
}

#[tokio::test]
async fn rule_violations_are_refused_before_any_charge() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 2).await;
        rule(&world, ["NULL", "'mastercard'", "10000", "0", "NULL", "NULL"]).await;
        let visa = add_card(&world, &admin, loans[0], "tok_visa").await;
        let fee = add_card(&world, &admin, loans[0], "tok_mastercard").await;
        let expired = add_card(&world, &admin, loans[0], "tok_expired").await;
        let others = add_card(&world, &admin, loans[1], "tok_visa").await;
        let forgotten = add_card(&world, &admin, loans[0], "tok_discover").await;
        let path = format!("/loans/payment-gateway/credit-cards/{forgotten}/forget");
        world.client.post(&admin, &path, &json!({}), None).await.expect(200);
        let kind = ["visa", "wallet", "false", "1"];
        let other_card = card(&world, contacts[0], loans[0], kind).await;
        world.sql(&format!("UPDATE payment_gateway_tokens SET gateway = 'stripe' WHERE payment_gateway_token_id = {other_card}")).await;
        // The card was on file before there was a gateway.
        let unnamed = card(&world, contacts[0], loans[0], ["visa", "wallet", "false", "1"]).await;
        let before = world.snapshot().await;
        for (card, members, status, kind) in [
            (visa, json!({"Amount": "0.00"}), 422, "amount-not-positive"),
            (visa, json!({"Amount": "-1.00"}), 422, "amount-not-positive"),
            (visa, json!({"Amount": "0.00", "Payoff": true}), 422, "amount-not-positive"),
            (visa, json!({"Amount": "1.005"}), 422, "invalid-value"),
            (visa, json!({"Amount": 1}), 400, "bad-request"),
            (visa, json!({}), 400, "bad-request"),
            (visa, json!({"Amount": "1.00", "Effective_Date": "2024-01-01"}), 400, "bad-request"),
            (visa, json!({"Amount": "99999999.00"}), 422, "overpayment"),
            (visa, json!({"Amount": "99999999.00", "Payoff": true}), 422, "overpayment"),
            (visa, json!({"Amount": "1.00", "Convenience_Fee": "0.01"}), 422, "fee-mismatch"),
            (fee, json!({"Amount": "1.00", "Convenience_Fee": "0.00"}), 422, "fee-mismatch"),
            (fee, json!({"Amount": "1.00", "Convenience_Fee": "1.001"}), 422, "invalid-value"),
            (fee, json!({"Amount": "1.00", "Waive_Convenience_Fee": true}), 422, "required-field"),
            (
                fee,
                json!({"Amount": "1.00", "Waive_Convenience_Fee": true, "Waive_Reason": " "}),
                422,
                "required-field",
            ),
            (fee, json!({"Amount": "1.00", "Waive_Reason": "none"}), 422, "invalid-value"),
            (visa, json!({"Amount": "1.00", "User_Reference": "x".repeat(101)}), 422, "invalid-value"),
            (expired, json!({"Amount": "1.00"}), 422, "card-expired"),
            (forgotten, json!({"Amount": "1.00"}), 422, "card-forgotten"),
            (other_card, json!({"Amount": "1.00"}), 422, "gateway-disabled"),
            (unnamed, json!({"Amount": "1.00"}), 422, "gateway-disabled"),
            (others, json!({"Amount": "1.00"}), 404, "not-found"),
            (0, json!({"Amount": "1.00"}), 404, "not-found"),
        ] {
            let mut body = members;
            body["PaymentGatewayTokenID"] = json!(card);
            pay(&world, &admin, loans[0], &body, None).await.expect_problem(status, kind);
        }
        let body = json!({"PaymentGatewayTokenID": visa, "Amount": "1.00"});
        pay(&world, &admin, 0, &body, None).await.expect_problem(404, "not-found");
        assert_eq!(world.snapshot().await, before);
        world.sql("UPDATE loan_groups SET payment_gateway_flag = false").await;
        pay(&world, &admin, loans[0], &body, None).await.expect_problem(422, "gateway-disabled");
        world.sql("UPDATE loan_groups SET payment_gateway_flag = true").await;
        // A refused request releases its key.
        let mut body = json!({"PaymentGatewayTokenID": fee, "Amount": "1.00", "Convenience_Fee": "0.00"});
        pay(&world, &admin, loans[0], &body, Some("k")).await.expect_problem(422, "fee-mismatch");
        body["Convenience_Fee"] = json!("1.00");
        pay(&world, &admin, loans[0], &body, Some("k")).await.expect(201);
        world
    })
    .await;
}

#[tokio::test]
async fn privileges_that_depend_on_the_body_are_checked() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (loans, contacts) = book(&world, &admin, 2).await;
        rule(&world, ["NULL", "NULL", "10000", "0", "NULL", "NULL"]).await;
        let own = add_card(&world, &admin, loans[0], "tok_visa").await;
        // A linked contact may pay, too.
        let linked = add_card(&world, &admin, loans[1], "tok_visa").await;
        link(&world, loans[0], contacts[1], false).await;
        let grant = |path: &str, verb: &str| {
            format!(
                "INSERT INTO privilege_grants (privilege_id, user_id) SELECT privilege_id, \
                 (SELECT user_id FROM users WHERE user_name = 'viewer') FROM privileges \
                 WHERE path = '{path}' AND verb = '{verb}'"
            )
        };
        world.sql(&grant("Payment Gateway > Payments", "Add")).await;
        let viewer = world.token("viewer").await;
        let mut body = json!({"PaymentGatewayTokenID": own, "Amount": "1.00"});
        let paid = pay(&world, &viewer, loans[0], &body, None).await.expect(201).json();
        assert_eq!(paid["Convenience_Fee"], "1.00");
        body["Waive_Convenience_Fee"] = json!(true);
        body["Waive_Reason"] = json!("our mistake");
        pay(&world, &viewer, loans[0], &body, None).await.expect_problem(403, "privilege-missing");
        world.sql(&grant("Payment Gateway > Convenience Fee", "Waive")).await;
        let paid = pay(&world, &viewer, loans[0], &body, None).await.expect(201).json();
        assert_eq!(
            (&paid["Convenience_Fee"], &paid["Waive_Reason"]),
            (&json!("0.00"), &json!("our mistake"))
        );
        let body = json!({"PaymentGatewayTokenID": own, "Amount": "1.00", "Payoff": true});
        pay(&world, &viewer, loans[0], &body, None).await.expect_problem(403, "privilege-missing");
        let web = world.web_token(1).await;
        pay(&world, &web, loans[0], &body, None).await.expect_problem(403, "core-user-only");
        let body =
            json!({"PaymentGatewayTokenID": linked, "Amount": "1.00", "Borrower_Present": true});
        let paid = pay(&world, &admin, loans[0], &body, None).await.expect(201).json();
        assert_eq!(paid["Transactions"][0]["Paid_By_Contact_ID"], contacts[1]);
        assert_eq!(paid["Convenience_Fee"], "0.00");
        world
    })
    .await;
}

#[tokio::test]
async fn concurrent_requests_with_one_key_charge_once() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let teller = world.token("teller").await;
        let (loans, _) = book(&world, &admin, 1).await;
        let card = add_card(&world, &admin, loans[0], "tok_visa").await;
        let body = json!({"PaymentGatewayTokenID": card, "Amount": "10.00"});
        let sent = (0..12).map(|_| pay(&world, &admin, loans[0], &body, Some("same")));
        let responses = futures_util::future::join_all(sent).await;
        for response in &responses {
            assert!([201, 409].contains(&response.status.as_u16()), "{}", response.text);
        }
        let posted = responses.iter().filter(|response| response.status.as_u16() == 201);
        let mut texts: Vec<_> = posted.map(|response| &response.text).collect();
        texts.dedup();
        assert_eq!(texts.len(), 1);
        assert_eq!(at_gateway(&world).await, [1, 0, 100_000]);
        // The same key from another caller is another payment.
        let other = pay(&world, &teller, loans[0], &body, Some("same")).await;
        assert!([201, 403].contains(&other.status.as_u16()), "{}", other.text);
        // Concurrent payments under different keys are all charged, one after the other. On a busy
        // machine one may wait too long for the loan.
        let keys: Vec<String> = (0..8).map(|number| format!("k{number}")).collect();
        let sent = keys.iter().map(|key| pay(&world, &admin, loans[0], &body, Some(key)));
        for response in futures_util::future::join_all(sent).await {
            assert!([201, 423, 503].contains(&response.status.as_u16()), "{}", response.text);
        }
        for key in &keys {
            pay(&world, &admin, loans[0], &body, Some(key)).await.expect(201);
        }
        let posted = states(&world).await.len() as i64;
        assert_eq!(at_gateway(&world).await, [posted, 0, posted * 100_000]);
        assert_eq!(payments_on(&world, loans[0]).await, posted);
        world
    })
    .await;
}

#[tokio::test]
async fn a_key_is_kept_for_a_day_after_its_payment_is_settled() {
    let api = [("API_GATEWAY_RECOVERY_SECONDS".to_owned(), "1".to_owned())].into();
    let environment = Environment { api, ..Environment::default() };
    on_each_database_with(PROGRAM, environment.in_processes(), |mut world| async move {
        let admin = world.token("admin").await;
        let (loans, _) = book(&world, &admin, 1).await;
        let card = add_card(&world, &admin, loans[0], "tok_lost_charged").await;
        let body = json!({"PaymentGatewayTokenID": card, "Amount": "100.00"});
        let unknown_outcome = pay(&world, &admin, loans[0], &body, Some("k")).await;
        unknown_outcome.expect_problem(503, "gateway-outcome-unknown");
        let client = world.client.clone();
        let path = format!("/loans/{}/transactions/payments", loans[0]);
        let in_cash = async || {
            let body = json!({"Amount": "100.00"});
            let paid = client.post(&admin, &path, &body, Some("k")).await;
            paid.expect_problem(422, "idempotency-mismatch");
        };
        in_cash().await;
        // No recovery runs for two days.
        let days = 2 * 24 * 60 * 60;
        world.api.kill().await;
        world.age("gateway_payments", &["created_date"], days).await;
        world.age("idempotency_records", &["created_date", "lease_until"], days).await;
        world.api.restart(&world.client.http).await;
        wait_for(&world, "SELECT COUNT(*) FROM gateway_payments WHERE state = 'posted'", 1).await;
        in_cash().await;
        let repeated = pay(&world, &admin, loans[0], &body, Some("k")).await.expect(201);
        assert_eq!(repeated.header("idempotency-replayed"), "true");
        assert_eq!(at_gateway(&world).await, [1, 0, 1_000_000]);
        // A day after the payment ended, the key may be used for another one.
        world.age("gateway_payments", &["ended_date"], days).await;
        world.age("idempotency_records", &["created_date", "lease_until"], days).await;
        let net_sql = "SELECT COUNT(*) FROM gateway_payments WHERE key_hash IS NOT NULL";
        wait_for(&world, net_sql, 0).await;
        pay(&world, &admin, loans[0], &body, Some("k"))
            .await
            .expect_problem(503, "gateway-outcome-unknown");
        wait_for(&world, "SELECT COUNT(*) FROM gateway_payments WHERE state = 'posted'", 2).await;
        world
    })
    .await;
}

/// Waits until a query returns this figure.
async fn wait_for(world: &World, sql: &str, figure: i64) {
    let mut attempts_left = 100;
    while world.count(sql).await != figure {
        attempts_left -= 1;
        assert!(attempts_left > 0, "{sql}: {} {}", world.count(sql).await, world.api.log());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

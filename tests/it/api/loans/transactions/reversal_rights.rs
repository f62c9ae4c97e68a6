//! Who may reverse entries, with which fee, and what a reversal says of cards.

use super::super::import_loan;
use super::super::payment_gateway::add_card;
use super::adjustments::{adjust, grant};
use super::reversals::{path, reverse};
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS};
use acceptance::{World, on_each_database};
use serde_json::{Value, json};

async fn pay(world: &World, loan_id: i64, body: Value) -> i64 {
    let admin = world.token("admin").await;
    let rows = world.pay(&admin, loan_id, body).await.expect(201).json();
    rows[0]["Transaction_ID"].as_i64().expect("an id")
}

/// Lets only the admin account see rows of this code.
async fn restrict(world: &World, code: i32) {
    let officer = world.count("SELECT user_id FROM users WHERE user_name = 'officer'").await;
    let row = format!("'transaction_code', {code}, {officer}");
    world.insert("trustees", "trustee_id", "object_type, object_id, user_id", [row]).await;
}

#[tokio::test]
async fn reversals_need_their_privilege_and_the_trustees_of_their_codes() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let payment = json!({"Amount": "700.00", "Effective_Date": "2024-02-15"});
        let first = pay(&world, loan_id, payment.clone()).await;
        let path_of_first = path(&world, first).await;
        let error = json!({"Reason": "error"});
        let teller = world.token("teller").await;
        let send =
            async |path: &str, body: &Value| world.client.post(&teller, path, body, None).await;
        let refused = send(&path_of_first, &error).await.expect_problem(403, "privilege-missing");
        assert!(refused.text.contains("Loan > Payments > Reverse"), "{}", refused.text);
        grant(&world, "teller", "Loan > Payments", "Reverse").await;
        let elsewhere = path_of_first.replace(&format!("/loans/{loan_id}/"), "/loans/999999/");
        send(&elsewhere, &error).await.expect_problem(404, "not-found");
        let other = import_second_loan(&world, &admin).await;
        let elsewhere =
            path_of_first.replace(&format!("/loans/{loan_id}/"), &format!("/loans/{other}/"));
        send(&elsewhere, &error).await.expect_problem(404, "not-found");
        // A later entry that the caller may not see is not named.
        let later = adjust(&world, loan_id, "advance", "10.00", "2024-02-15").await;
        let blocked = send(&path_of_first, &error).await.expect_problem(422, "not-reversible");
        assert_eq!(blocked.json()["blockedBy"], later);
        restrict(&world, 100).await;
        let blocked = send(&path_of_first, &error).await.expect_problem(422, "not-reversible");
        assert_eq!(blocked.json().get("blockedBy"), None, "{}", blocked.text);
        assert_eq!(blocked.json()["detail"], "a later entry moved the loan's accrual base");
        let hidden = path(&world, later).await;
        send(&hidden, &error).await.expect_problem(404, "not-found");
        world.client.post(&admin, &hidden, &error, None).await.expect(201);
        restrict(&world, 121).await;
        let refused = send(&path_of_first, &error).await.expect_problem(403, "privilege-missing");
        assert!(refused.text.contains("transaction code 121"), "{}", refused.text);
        world.sql("DELETE FROM trustees").await;
        restrict(&world, 142).await;
        let with_fee = json!({"Reason": "nsf", "Returned_Date": "2024-02-16", "NSF_Fee": "35.00"});
        let refused = send(&path_of_first, &with_fee).await;
        let refused = refused.expect_problem(403, "privilege-missing");
        assert!(refused.text.contains("transaction code 142"), "{}", refused.text);
        // Rows that the caller may not see are reversed, too, and left out of the response.
        restrict(&world, 125).await;
        let rows = send(&path_of_first, &error).await.expect(201);
        assert_eq!(rows.column("Transaction_Code"), [121, 123]);
        let sql = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 125";
        assert_eq!(world.count(sql).await, 1);
        world
    })
    .await;
}

async fn import_second_loan(world: &World, admin: &str) -> i64 {
    let file = acceptance::seeds::file(&acceptance::seeds::borrower_with_loan(2, OPEN_TERMS));
    world.import(admin, &file).await;
    world.count("SELECT loan_id FROM loans WHERE loan_number = 'L-2'").await
}

#[tokio::test]
async fn a_fee_for_a_returned_payment_is_charged_on_the_day_of_the_return() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let payment = json!({"Amount": "652.53", "Effective_Date": "2024-02-15",
            "User_Reference": "window 2"});
        let reference = pay(&world, loan_id, payment).await;
        let path = path(&world, reference).await;
        let body = json!({"Reason": "nsf", "Returned_Date": "2024-02-18", "NSF_Fee": "35.00",
            "User_Reference": "R01"});
        let before = world.snapshot().await;
        let dry_run = format!("{path}?test=true");
        let tried = world.client.post(&admin, &dry_run, &body, Some("k")).await.expect(200);
        assert_eq!(world.snapshot().await, before);
        let posted = world.client.post(&admin, &path, &body, Some("k")).await.expect(201);
        let again = world.client.post(&admin, &path, &body, Some("k")).await.expect(201);
        assert_eq!(again.text, posted.text);
        assert_eq!(again.header("idempotency-replayed"), "true");
        let error = json!({"Reason": "error"});
        let other = world.client.post(&admin, &path, &error, Some("k")).await;
        other.expect_problem(422, "idempotency-mismatch");
        for column in [
            "Transaction_Code",
            "Transaction_Amount",
            "Resulting_Balance",
            "Effective_Date",
            "NSF_Flag",
            "NSF_Date",
            "User_Reference",
        ] {
            assert_eq!(tried.column(column), posted.column(column), "{column}");
        }
        assert_eq!(posted.column("Transaction_Code"), [121, 123, 125, 142]);
        assert_eq!(posted.column("User_Reference"), ["R01"; 4]);
        let rows = posted.json();
        let fee = &rows[3];
        assert_eq!(fee["Transaction_Amount"], "35.00");
        assert_eq!(fee["Effective_Date"], "2024-02-18");
        assert_eq!(fee["Resulting_Balance"], "35.00");
        assert_eq!(fee["Transaction_Reference_No"], fee["Transaction_ID"]);
        assert_eq!(fee["Reversed_Flag"], false);
        assert_eq!(rows[0]["NSF_Date"], "2024-02-18");
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        assert_eq!(loan["Current_Fees_Balance"], "35.00");
        assert_eq!(loan["Current_Principal_Balance"], "28000.00");
        let fee = fee["Transaction_ID"].as_i64().expect("an id");
        reverse(&world, fee, None).await.expect(201);
        world
    })
    .await;
}

#[tokio::test]
async fn what_contradicts_the_reason_of_a_reversal_is_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let payment = json!({"Amount": "652.53", "Effective_Date": "2024-02-15"});
        let reference = pay(&world, loan_id, payment).await;
        let charge = adjust(&world, loan_id, "late_charge", "5.00", "2024-02-15").await;
        let (payment, charge) = (path(&world, reference).await, path(&world, charge).await);
        let before = world.snapshot().await;
        let day = "2024-02-16";
        for (path, body, kind, field) in [
            (&payment, json!({"Reason": "nsf"}), "required-field", "Returned_Date"),
            (
                &payment,
                json!({"Reason": "error", "Returned_Date": day}),
                "invalid-value",
                "Returned_Date",
            ),
            (&payment, json!({"Reason": "error", "NSF_Fee": "1.00"}), "invalid-value", "NSF_Fee"),
            (
                &payment,
                json!({"Reason": "nsf", "Returned_Date": day, "NSF_Fee": "0.00"}),
                "invalid-value",
                "NSF_Fee",
            ),
            (
                &payment,
                json!({"Reason": "nsf", "Returned_Date": day, "NSF_Fee": "1.001"}),
                "invalid-value",
                "NSF_Fee",
            ),
            (&charge, json!({"Reason": "nsf", "Returned_Date": day}), "invalid-value", "Reason"),
        ] {
            let refused = world.client.post(&admin, path, &body, None).await;
            let refused = refused.expect_problem(422, kind);
            assert_eq!(refused.json()["errors"][0]["field"], field, "{}", refused.text);
        }
        let refused = world.client.post(&admin, &payment, &json!({"Reason": "regret"}), None).await;
        assert!(refused.expect_problem(400, "bad-request").text.contains("error, nsf"));
        assert_eq!(world.snapshot().await, before);
        world
    })
    .await;
}

#[tokio::test]
async fn a_paid_off_loan_is_reopened_only_by_reversing_its_payoff() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let charge = adjust(&world, loan_id, "late_charge", "25.00", "2024-02-15").await;
        let payoff = json!({"Amount": "40000.00", "Effective_Date": "2024-02-15", "Payoff": true,
            "Excess_Handling": "suspense"});
        let payoff = pay(&world, loan_id, payoff).await;
        let blocked = reverse(&world, charge, None).await.expect_problem(422, "not-reversible");
        assert_eq!(blocked.json()["blockedBy"], payoff, "{}", blocked.text);
        reverse(&world, payoff, None).await.expect(201);
        reverse(&world, charge, None).await.expect(201);
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        assert_eq!(loan["Current_Late_Charge_Balance"], "0.00");
        assert_eq!(loan.get("Payoff_Date"), None);
        world
    })
    .await;
}

#[tokio::test]
async fn equal_reversals_at_once_reverse_once() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let payment = json!({"Amount": "652.53", "Effective_Date": "2024-02-15"});
        let reference = pay(&world, loan_id, payment).await;
        let path = path(&world, reference).await;
        world.client.post_fifty_times(&admin, &path, &json!({"Reason": "error"})).await;
        let sql = "SELECT COUNT(*) FROM loan_transactions WHERE transaction_code = 121";
        assert_eq!(world.count(sql).await, 1);
        world
    })
    .await;
}

#[tokio::test]
async fn a_reversed_card_payment_says_that_the_card_was_not_refunded() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let card = add_card(&world, &admin, loan_id, "tok_visa").await;
        let body = json!({"PaymentGatewayTokenID": card, "Amount": "100.00"});
        let payments = format!("/loans/{loan_id}/payment-gateway/payments");
        world.client.post(&admin, &payments, &body, None).await.expect(201);
        let reference = "SELECT transaction_id FROM loan_transactions WHERE transaction_code = 120";
        let reference = world.count(reference).await;
        let rows = reverse(&world, reference, None).await.expect(201).json();
        let description = rows[0]["Transaction_Description"].as_str().expect("a text");
        assert_eq!(description, "Payment total reversed, card not refunded");
        assert!(!rows[1]["Transaction_Description"].as_str().expect("a text").contains("card"));
        let sandbox = "SELECT COUNT(*) FROM sandbox_payments WHERE refund_count > 0";
        assert_eq!(world.count(sandbox).await, 0);
        world
    })
    .await;
}

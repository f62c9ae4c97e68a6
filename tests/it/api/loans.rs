//! `/loans/{loan_id}`, and what the tests of loans share.

mod balances;
mod collateral;
mod comments;
mod contacts;
mod credit_lines;
mod payment_gateway;
mod payments_due;
mod payoff_quote;
mod schedule;
pub mod search;
pub mod transactions;

use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, borrower_with_loan, file};
use acceptance::{World, on_each_database};
use futures_util::future::join_all;
use serde_json::{Value, json};

/// Ids of the loans in an import's answer.
pub fn loan_ids(result: &Value) -> Vec<i64> {
    let records = result["Records"].as_array().expect("records");
    let loans = records.iter().filter(|record| record["Element"] == "Loan");
    loans.map(|loan| loan["New_ID"].as_i64().expect("an id")).collect()
}

/// Books one loan with these terms, and returns its id.
pub async fn import_loan(world: &World, token: &str, terms: &str) -> i64 {
    let result = world.import(token, &file(&borrower_with_loan(1, terms))).await;
    loan_ids(&result)[0]
}

#[tokio::test]
async fn a_loan_shows_its_row_and_todays_figures() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        assert_eq!(loan["Loan_Number"], "L-1");
        assert_eq!(loan["ContractualJurisdiction"], "NJ");
        assert_eq!(loan["Current_Principal_Balance"], "28000.00");
        assert_eq!(loan["Current_Interest_Rate"], "14.07");
        assert_eq!(loan["Current_Per_Diem"], "10.94333333");
        assert_eq!(loan["Next_Due_Date"], "2024-02-15");
        assert_eq!(loan["Maturity_Date"], "2029-01-15");
        let today: chrono::NaiveDate =
            loan["As_Of_Date"].as_str().expect("a date").parse().expect("a date");
        let first: chrono::NaiveDate = "2024-02-15".parse().expect("a date");
        assert_eq!(loan["Days_Past_Due"], (today - first).num_days());
        assert_eq!(loan.get("Payoff_Date"), None, "members without a value are left out");
        world
    })
    .await;
}

/// Loans that arrive together are read together, but only for one caller at a time.
#[tokio::test]
async fn callers_who_read_and_pay_the_same_loans_at_once_see_only_their_own() {
    on_each_database(PROGRAM, |world| async move {
        let (admin, officer) = (world.token("admin").await, world.token("officer").await);
        let own = |number: u32| if number.is_multiple_of(2) { "officer" } else { "teller" };
        let records: String = (1..9)
            .map(|n| {
                borrower_with_loan(n, &format!("{OPEN_TERMS} LoanOfficerUserName=\"{}\"", own(n)))
            })
            .collect();
        let loans = loan_ids(&world.import(&admin, &file(&records)).await);
        let requests = (0..6).flat_map(|_| (1..).zip(&loans)).map(async |(number, loan_id)| {
            let path = format!("/loans/{loan_id}");
            let pay = format!("{path}/transactions/payments");
            let payment = json!({"Amount": "0.01"});
            let (all, seen, paid) = tokio::join!(
                world.client.get(&admin, &path),
                world.client.get(&officer, &path),
                world.client.post(&officer, &pay, &payment, None),
            );
            assert_eq!(all.expect(200).json()["Loan_ID"], *loan_id);
            if own(number) == "officer" {
                assert_eq!(seen.expect(200).json()["Loan_ID"], *loan_id);
                assert_eq!(paid.expect(201).json()[0]["Loan_ID"], *loan_id);
            } else {
                seen.expect_problem(404, "not-found");
                paid.expect_problem(404, "not-found");
            }
        });
        join_all(requests).await;
        world
    })
    .await;
}

#[tokio::test]
async fn todays_figures_are_computed_without_writing() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200);
        assert_eq!(world.count("SELECT COUNT(*) FROM payments_due").await, 0);
        world
    })
    .await;
}

#[tokio::test]
async fn a_loan_of_another_officer_is_not_found() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loans = [
            borrower_with_loan(1, &format!("{OPEN_TERMS} LoanOfficerUserName=\"officer\"")),
            borrower_with_loan(2, &format!("{OPEN_TERMS} LoanOfficerUserName=\"teller\"")),
            borrower_with_loan(3, OPEN_TERMS),
            borrower_with_loan(
                4,
                &format!("{OPEN_TERMS} LoanOfficerUserName=\"teller\" CollectionOfficerUserName=\"officer\""),
            ),
        ];
        let ids = loan_ids(&world.import(&admin, &file(&loans.concat())).await);
        let officer = world.token("officer").await;
        let viewer = world.token("viewer").await;
        for (id, seen) in ids.iter().zip([true, false, true, true]) {
            let response = world.client.get(&officer, &format!("/loans/{id}")).await;
            match seen {
                true => drop(response.expect(200)),
                false => drop(response.expect_problem(404, "not-found")),
            }
            let rows = world.client.get(&officer, &format!("/loans/{id}/transactions")).await;
            assert_eq!(rows.status == 200, seen);
            let pay = world.pay(&officer, *id, json!({"Amount": "10.00"})).await;
            assert_eq!(pay.status == 201, seen, "{}", pay.text);
            world.client.get(&viewer, &format!("/loans/{id}")).await.expect(200);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn trustees_control_who_sees_the_loans_of_a_group() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}");
        let viewer = world.token("viewer").await;
        world.client.get(&viewer, &path).await.expect(200);
        let trustee = "INSERT INTO trustees (object_type, object_id, user_id) \
             SELECT 'loan_group', g.loan_group_id, u.user_id FROM loan_groups g, users u \
             WHERE g.code = 'CONSUMER' AND u.user_name = ";
        world.sql(&format!("{trustee}'teller'")).await;
        world.client.get(&viewer, &path).await.expect_problem(404, "not-found");
        world.client.get(&world.token("teller").await, &path).await.expect(200);
        world.client.get(&admin, &path).await.expect(200);
        world.sql(&format!("{trustee}'viewer'")).await;
        world.client.get(&viewer, &path).await.expect(200);
        world
    })
    .await;
}

#[tokio::test]
async fn reading_a_loan_takes_at_most_four_statements() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let records = [
            borrower_with_loan(1, OPEN_TERMS),
            borrower_with_loan(2, &PUBLISHED_TERMS.replace("monthly", "weekly")),
        ];
        let ids = loan_ids(&world.import(&admin, &file(&records.concat())).await);
        // A payment that leaves a hundred installments unpaid, which become stored due rows.
        world.pay(&admin, ids[1], json!({"Amount": "1.00"})).await.expect(201);
        assert!(world.count("SELECT COUNT(*) FROM payments_due").await > 50);
        let viewer = world.token("viewer").await;
        for id in ids {
            let before = world.statements().await;
            world.client.get(&viewer, &format!("/loans/{id}")).await.expect(200);
            let sent = world.statements().await - before;
            assert!((1..=4).contains(&sent), "{sent} statements");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn head_answers_like_get_without_a_body() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}");
        let get = world.client.get(&admin, &path).await.expect(200);
        let head = world.client.request(reqwest::Method::HEAD, &admin, &path);
        let head = world.client.send(head).await.expect("a response").expect(200);
        assert_eq!(head.text, "");
        assert_eq!(head.header("content-length"), get.text.len().to_string());
        world
    })
    .await;
}

#[tokio::test]
async fn recurring_transactions_and_automated_payments_show_what_is_stored() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let rows = world.rows(&admin, 1, 1).await;
        world
            .sql(
                "UPDATE recurring_transactions SET amount_type = 'annual_percent_of_principal', \
                 transaction_amount = NULL, annual_percentage = 1250000000, numerator = 'ACT', \
                 denominator = '360', event_max_repeat = 12",
            )
            .await;
        let path = format!("/loans/{}/recurring-transactions", rows.loan_id);
        let list = world.client.get(&admin, &path).await.expect(200).json();
        let expected = json!([{
            "Row_ID": list[0]["Row_ID"], "Loan_ID": rows.loan_id, "Description": "Fee",
            "Active_Flag": true, "Event_Type": "periodic", "Event_Start_Date": "2024-01-01",
            "Start_Date_Day_Value": 0, "Event_Period": "monthly", "Event_Number_Of_Periods": 1,
            "Event_Max_Repeat": 12, "Event_Count": 0, "Transaction_Code": 142,
            "Amount_Type": "annual_percent_of_principal", "Annual_Percentage": "12.50",
            "Numerator": "ACT", "Denominator": "360",
        }]);
        assert_eq!(list, expected);
        world
            .sql(&format!(
                "UPDATE automated_payments SET payment_type = 'card', bank_account_number = NULL, \
                 payment_gateway_token_id = {}, temp_grace_period = 5",
                rows.token_id
            ))
            .await;
        let path = format!("/loans/automated-payments/{}", rows.automated_payment_id);
        let drawn = world.client.get(&admin, &path).await.expect(200).json();
        let expected = json!({
            "Row_ID": rows.automated_payment_id, "Loan_ID": rows.loan_id, "Description": "ACH",
            "Payment_Type": "card", "Status": "active", "PaymentGatewayTokenID": rows.token_id,
            "Amount_Type": "billing", "Debit_Or_Credit": "debit", "Billing_Type": "billing",
            "Billing_Period": "monthly", "Start_Date": "2024-01-01", "Temp_Grace_Period": 5,
        });
        assert_eq!(drawn, expected);
        world
    })
    .await;
}

//! `/loans/{loan_id}/payoff-quote`

use super::import_loan;
use super::payments_due::pay_three_installments;
use super::transactions::adjustments::adjust;
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS};
use acceptance::{TestResponse, World, on_each_database};
use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

async fn get(world: &World, token: &str, loan_id: i64, query: &str) -> TestResponse {
    world.client.get(token, &format!("/loans/{loan_id}/payoff-quote{query}")).await
}

/// Reads the quotes of a query.
async fn quotes(world: &World, token: &str, loan_id: i64, query: &str) -> Vec<Value> {
    let answer = get(world, token, loan_id, query).await.expect(200).json();
    assert_eq!(answer["Loan_ID"], loan_id);
    answer["Quotes"].as_array().expect("quotes").clone()
}

fn amounts(quotes: &[Value]) -> Vec<&str> {
    quotes.iter().map(|quote| quote["Payoff_Amount"].as_str().expect("an amount")).collect()
}

/// Checks that a payoff on the quoted day takes the quoted amount, that a cent less is short, and
/// that a cent more is too much. Nothing is posted.
async fn check_by_paying(world: &World, token: &str, loan_id: i64, quote: &Value) {
    let path = format!("/loans/{loan_id}/transactions/payments?test=true");
    let quoted = quote["Payoff_Amount"].as_str().expect("an amount");
    let cents: i64 = quoted.replace('.', "").parse().expect("cents");
    let pay = async |cents: i64| {
        let amount = format!("{}.{:02}", cents / 100, cents % 100);
        let body = json!({"Amount": amount, "Effective_Date": quote["Date"], "Payoff": true});
        world.client.post(token, &path, &body, None).await
    };
    pay(cents - 1).await.expect_problem(422, "payoff-short");
    pay(cents + 1).await.expect_problem(422, "overpayment");
    let rows = pay(cents).await.expect(200).json();
    let paid = |code: i64| {
        let row = rows.as_array().expect("rows").iter().find(|row| row["Transaction_Code"] == code);
        row.map_or(json!("0.00"), |row| row["Transaction_Amount"].clone())
    };
    for (code, member) in [
        (120, "Payoff_Amount"),
        (122, "Principal"),
        (124, "Interest"),
        (126, "Late_Charges"),
        (128, "Fees"),
        (134, "Suspense_Applied"),
    ] {
        assert_eq!(paid(code), quote[member], "{quote}: {rows}");
    }
}

#[tokio::test]
async fn a_quote_names_each_balance_and_is_what_a_payoff_takes() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        pay_three_installments(&world, &admin, loan_id).await;
        adjust(&world, loan_id, "late_charge", "25.00", "2024-04-15").await;
        adjust(&world, loan_id, "fee", "10.00", "2024-04-15").await;
        let held = json!({"Amount": "60.00", "Effective_Date": "2024-04-15",
            "Suspense_Amount": "50.00", "Impound_Amount": "10.00"});
        world.pay(&admin, loan_id, held).await.expect(201);
        let quotes = quotes(&world, &admin, loan_id, "?date=2024-05-15").await;
        let expected = json!([{
            "Date": "2024-05-15",
            "Principal": "27015.86",
            "Interest": "316.76",
            "Late_Charges": "25.00",
            "Fees": "10.00",
            "Suspense_Applied": "50.00",
            "Payoff_Amount": "27317.62",
            "Per_Diem": "10.55869862",
            "Impound_Held": "10.00",
            "Suspense_Held": "0.00",
        }]);
        assert_eq!(Value::from(quotes.clone()), expected);
        check_by_paying(&world, &admin, loan_id, &quotes[0]).await;
        world
    })
    .await;
}

#[tokio::test]
async fn each_day_of_a_span_has_a_quote() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        pay_three_installments(&world, &admin, loan_id).await;
        let query = "?date=2024-04-15&through=2024-06-15";
        let quotes = quotes(&world, &admin, loan_id, query).await;
        assert_eq!(quotes.len(), 62);
        let first: NaiveDate = "2024-04-15".parse().expect("a date");
        for (quote, day) in quotes.iter().zip(first.iter_days()) {
            assert_eq!(quote["Date"], day.to_string());
        }
        assert_eq!(amounts(&quotes)[0], "27015.86", "the published balance");
        let interest_on = |day: &str| {
            let quote = quotes.iter().find(|quote| quote["Date"] == day);
            quote.expect("a quote")["Interest"].clone()
        };
        let (may_31, june_1) = (interest_on("2024-05-31"), interest_on("2024-06-01"));
        assert_eq!(may_31, june_1, "a month has 30 days");
        for quote in quotes.iter().step_by(10) {
            check_by_paying(&world, &admin, loan_id, quote).await;
        }
        world
    })
    .await;
}

#[tokio::test]
async fn today_is_quoted_by_default_and_shows_as_on_the_loan() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        let answer = get(&world, &admin, loan_id, "").await.expect(200).json();
        assert_eq!(answer["As_Of_Date"], loan["As_Of_Date"]);
        let [quote] = &answer["Quotes"].as_array().expect("quotes")[..] else { panic!("{answer}") };
        assert_eq!(quote["Date"], loan["As_Of_Date"]);
        assert_eq!(quote["Payoff_Amount"], loan["Current_Payoff_Balance"]);
        assert_eq!(quote["Per_Diem"], loan["Current_Per_Diem"]);
        check_by_paying(&world, &admin, loan_id, quote).await;
        world
    })
    .await;
}

#[tokio::test]
async fn a_rate_of_a_later_day_counts_and_a_status_that_stops_interest_adds_none() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let rate = "<Core><Loan UpdateFlag=\"1\" LoanNumber=\"L-1\"><InterestRate \
                    EffectiveDate=\"2021-11-01\" InterestRate=\"36.5\"/></Loan></Core>";
        world.import(&admin, rate).await;
        let query = "?date=2021-10-31&through=2021-11-03";
        let before = quotes(&world, &admin, loan_id, query).await;
        // Six days at 10 %, then a thousandth of the principal a day.
        assert_eq!(amounts(&before), ["10016.44", "10019.18", "10029.18", "10039.18"]);
        check_by_paying(&world, &admin, loan_id, &before[3]).await;
        world.sql("UPDATE loan_status_codes SET stop_accrual_flag = true").await;
        let stopped = quotes(&world, &admin, loan_id, query).await;
        assert_eq!(amounts(&stopped), ["10000.00"; 4]);
        assert!(stopped.iter().all(|quote| quote["Per_Diem"] == "0.00"), "{stopped:?}");
        world
    })
    .await;
}

#[tokio::test]
async fn suspense_that_covers_everything_makes_a_quote_of_zero() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let held = json!({"Amount": "10001.00", "Effective_Date": "2021-10-25",
            "Suspense_Amount": "10001.00"});
        world.pay(&admin, loan_id, held).await.expect(201);
        let quotes = quotes(&world, &admin, loan_id, "?date=2021-10-25").await;
        assert_eq!(quotes[0]["Suspense_Applied"], "10000.00");
        assert_eq!(quotes[0]["Payoff_Amount"], "0.00");
        let payoff = json!({"Amount": "0.00", "Effective_Date": "2021-10-25", "Payoff": true});
        world.pay(&admin, loan_id, payoff).await.expect(201);
        world
    })
    .await;
}

#[tokio::test]
async fn days_beyond_the_limits_are_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let answer = get(&world, &admin, loan_id, "").await.expect(200).json();
        let today = answer["As_Of_Date"].as_str().expect("a date");
        let today: NaiveDate = today.parse().expect("a date");
        let latest = today + Days::new(366);
        quotes(&world, &admin, loan_id, &format!("?date={latest}")).await;
        let beyond = latest + Days::new(1);
        for (query, field) in [
            (format!("date={beyond}"), "date"),
            (format!("date={latest}&through={beyond}"), "through"),
            ("date=2024-02-15&through=2024-04-17".to_owned(), "through"),
            ("date=2024-02-15&through=2024-02-14".to_owned(), "through"),
            ("date=2024-02-30".to_owned(), "date"),
            ("through=soon".to_owned(), "through"),
        ] {
            let refused = get(&world, &admin, loan_id, &format!("?{query}")).await;
            let refused = refused.expect_problem(400, "bad-request").json();
            assert_eq!(refused["errors"][0]["field"], field, "{query}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn a_day_before_the_last_payment_and_a_loan_that_takes_no_payments_are_not_quoted() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let early = get(&world, &admin, loan_id, "?date=2024-01-14").await;
        let early = early.expect_problem(422, "effective-date-too-early");
        assert!(early.text.contains("2024-01-15"), "{}", early.text);
        pay_three_installments(&world, &admin, loan_id).await;
        let early = get(&world, &admin, loan_id, "?date=2024-04-14").await;
        let early = early.expect_problem(422, "effective-date-too-early");
        assert!(early.text.contains("2024-04-15"), "{}", early.text);
        assert_eq!(early.json()["errors"][0]["field"], "date");

        world.sql("UPDATE loan_status_codes SET refuse_payments_flag = true").await;
        get(&world, &admin, loan_id, "").await.expect_problem(422, "loan-closed");
        world.sql("UPDATE loan_status_codes SET refuse_payments_flag = false").await;
        let payoff = json!({"Amount": "90000.00", "Payoff": true, "Excess_Handling": "suspense"});
        world.pay(&admin, loan_id, payoff).await.expect(201);
        get(&world, &admin, loan_id, "").await.expect_problem(422, "loan-closed");
        world
    })
    .await;
}

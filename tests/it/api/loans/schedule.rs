//! `/loans/{loan_id}/schedule`

use super::import_loan;
use super::payments_due::pay_three_installments;
use super::transactions::adjustments::adjust;
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS};
use acceptance::{World, on_each_database};
use chrono::{Datelike, Days, Months, NaiveDate};
use serde_json::{Value, json};

async fn schedule(world: &World, token: &str, loan_id: i64, query: &str) -> Value {
    let path = format!("/loans/{loan_id}/schedule{query}");
    world.client.get(token, &path).await.expect(200).json()
}

/// The rows of a schedule: date, payment, interest, principal and balance afterwards.
fn rows(schedule: &Value) -> Vec<[&str; 5]> {
    let members = ["Date", "Payment", "Interest", "Principal", "Ending_Balance"];
    let rows = schedule["Rows"].as_array().expect("rows").iter();
    rows.map(|row| members.map(|member| row[member].as_str().expect("a text"))).collect()
}

async fn today(world: &World) -> NaiveDate {
    let clock = shared::database::clock(&world.db).await.expect("the clock");
    clock.today
}

/// 28,000.00 as published, from the first of this month; more attributes may follow.
async fn terms_of_this_month(world: &World) -> (NaiveDate, String) {
    let begun = today(world).await.with_day(1).expect("a first day");
    let first = begun + Months::new(1);
    let terms = format!(
        "OriginationDate=\"{begun}\" LoanAmount=\"28000.00\" InterestYearNumerator=\"360\" \
         InterestYearDenominator=\"360\" PaymentPeriod=\"monthly\" FirstPaymentDate=\"{first}\""
    );
    (first, terms)
}

#[tokio::test]
async fn a_schedule_leads_from_today_to_maturity() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (first, terms) = terms_of_this_month(&world).await;
        let terms = format!(
            "{terms} InterestRate=\"14.07\" PaymentAmount=\"652.53\" NumberOfPayments=\"60\""
        );
        let loan_id = import_loan(&world, &admin, &terms).await;
        let all = schedule(&world, &admin, loan_id, "").await;
        let as_of = all["As_Of_Date"].as_str().expect("a date");
        let shown = rows(&all);
        assert_eq!(shown.len(), 61);
        assert_eq!(shown[0], [as_of, "0.00", "0.00", "0.00", "28000.00"], "nothing is due");
        let [first, second] = [0, 1].map(|months| (first + Months::new(months)).to_string());
        assert_eq!(shown[1], [&first, "652.53", "328.30", "324.23", "27675.77"]);
        assert_eq!(shown[2], [&second, "652.53", "324.50", "328.03", "27347.74"]);
        assert!(shown[1..60].iter().all(|[_, payment, ..]| *payment == "652.53"));
        assert_eq!(shown[60][1..], ["652.32", "7.56", "644.76", "0.00"]);
        let numbers = all["Rows"].as_array().expect("rows").iter();
        assert!(numbers.map(|row| row["Payment_Number"].as_i64()).eq((0..=60).map(Some)));
        assert_eq!(all["Complete_Flag"], true);
        assert_eq!(all["Total_Payments"], "39151.59");
        assert_eq!(all["Total_Interest"], "11151.59");
        assert_eq!(all["Total_Principal"], "28000.00");

        let part = schedule(&world, &admin, loan_id, "?limit=1").await;
        assert_eq!(rows(&part), shown[..2]);
        assert_eq!(part["Complete_Flag"], false);
        let part = schedule(&world, &admin, loan_id, &format!("?from={second}&limit=2")).await;
        assert_eq!(rows(&part), shown[2..4]);
        assert_eq!(part["Total_Payments"], "1305.06", "of the rows shown");
        let last = shown[60][0];
        let part = schedule(&world, &admin, loan_id, &format!("?from={last}")).await;
        assert_eq!((rows(&part), &part["Complete_Flag"]), (shown[60..].to_vec(), &json!(true)));
        world
    })
    .await;
}

#[tokio::test]
async fn row_0_is_what_is_due_or_past_due_without_charges() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        pay_three_installments(&world, &admin, loan_id).await;
        adjust(&world, loan_id, "late_charge", "25.00", "2024-05-15").await;
        adjust(&world, loan_id, "fee", "10.00", "2024-05-15").await;
        let due = format!("/loans/{loan_id}/payments-due?from=2024-05-15");
        let due = world.client.get(&admin, &due).await.expect(200).json();
        let cents = |value: &Value| -> i64 {
            value.as_str().expect("an amount").replace('.', "").parse().expect("cents")
        };
        let unpaid: i64 =
            due.as_array().expect("rows").iter().map(|row| cents(&row["Unpaid_Amount"])).sum();
        let schedule = schedule(&world, &admin, loan_id, "").await;
        let row_0 = &schedule["Rows"][0];
        assert_eq!(cents(&row_0["Payment"]), unpaid);
        assert_eq!(row_0["Payment_Number"], 0);
        assert_eq!(schedule["Late_Charges"], "25.00");
        assert_eq!(schedule["Fees"], "10.00");
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        let (past, current) = (&loan["Total_Past_Due_Balance"], &loan["Total_Current_Due_Balance"]);
        assert_eq!(cents(&row_0["Payment"]), cents(past) + cents(current));
        let next_due = schedule["Rows"][1]["Date"].as_str().expect("a date");
        assert!(next_due > schedule["As_Of_Date"].as_str().expect("today"), "{next_due}");
        let next = due.as_array().map_or(0, Vec::len) + 4;
        assert_eq!(schedule["Rows"][1]["Payment_Number"], next, "continued from the payments due");
        world
    })
    .await;
}

#[tokio::test]
async fn what_was_paid_ahead_lowers_the_next_installment() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let today = today(&world).await;
        let first = today + Days::new(7);
        let terms = format!(
            "OriginationDate=\"{today}\" LoanAmount=\"1000.00\" InterestRate=\"0\" \
             InterestYearNumerator=\"ACT\" InterestYearDenominator=\"365\" \
             PaymentPeriod=\"weekly\" FirstPaymentDate=\"{first}\" PaymentAmount=\"400.00\" \
             AdvanceDays=\"10\""
        );
        let loan_id = import_loan(&world, &admin, &terms).await;
        world.pay(&admin, loan_id, json!({"Amount": "150.00"})).await.expect(201);
        let all = schedule(&world, &admin, loan_id, "").await;
        let paid: Vec<_> =
            rows(&all).iter().map(|[_, payment, .., left]| [*payment, *left]).collect();
        assert_eq!(
            paid,
            [["0.00", "850.00"], ["250.00", "600.00"], ["400.00", "200.00"], ["200.00", "0.00"]]
        );
        assert_eq!(all["Total_Interest"], "0.00", "the rate is zero");
        assert_eq!(all["Complete_Flag"], true, "it ends when nothing is owed");
        world
    })
    .await;
}

#[tokio::test]
async fn a_rate_stored_for_the_future_counts_and_the_last_payment_takes_the_difference() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (first, terms) = terms_of_this_month(&world).await;
        let terms =
            format!("{terms} InterestRate=\"12\" PaymentAmount=\"9520.62\" NumberOfPayments=\"3\"");
        let loan_id = import_loan(&world, &admin, &terms).await;
        let later = first + Months::new(1);
        let rate = format!(
            "<Core><Loan UpdateFlag=\"1\" LoanNumber=\"L-1\"><InterestRate \
             EffectiveDate=\"{later}\" InterestRate=\"24\"/></Loan></Core>"
        );
        world.import(&admin, &rate).await;
        let all = schedule(&world, &admin, loan_id, "").await;
        let shown: Vec<_> = rows(&all).iter().map(|row| row[1..].to_vec()).collect();
        assert_eq!(shown[1], ["9520.62", "280.00", "9240.62", "18759.38"]);
        assert_eq!(shown[2], ["9520.62", "187.59", "9333.03", "9426.35"]);
        assert_eq!(shown[3], ["9614.88", "188.53", "9426.35", "0.00"], "at the new rate");
        world.sql("UPDATE loan_status_codes SET stop_accrual_flag = true").await;
        let stopped = schedule(&world, &admin, loan_id, "").await;
        assert_eq!(stopped["Total_Interest"], "0.00");
        assert_eq!(stopped["Total_Principal"], "28000.00");
        world
    })
    .await;
}

#[tokio::test]
async fn a_schedule_without_end_stops_at_the_limit() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let (_, terms) = terms_of_this_month(&world).await;
        let terms = format!("{terms} InterestRate=\"12\" PaymentAmount=\"280.00\"");
        let loan_id = import_loan(&world, &admin, &terms).await;
        for (query, count) in [("", 1001), ("?limit=7", 8)] {
            let part = schedule(&world, &admin, loan_id, query).await;
            let shown = rows(&part);
            assert_eq!(shown.len(), count);
            assert_eq!(part["Complete_Flag"], false);
            assert_eq!(shown[count - 1][1..], ["280.00", "280.00", "0.00", "28000.00"]);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn without_due_dates_to_come_row_0_is_alone() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let of_none = schedule(&world, &admin, loan_id, "").await;
        assert_eq!(rows(&of_none).len(), 1);
        assert_eq!(rows(&of_none)[0][1..], ["0.00", "0.00", "0.00", "10000.00"]);
        assert_eq!(of_none["Complete_Flag"], true);
        // Matured: everything is due, and so is the interest since.
        world
            .sql(
                "UPDATE loans SET payment_period = 'maturity', maturity_date = '2021-11-25', \
                 next_due_date = '2021-11-25'",
            )
            .await;
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        let matured = schedule(&world, &admin, loan_id, "").await;
        let shown = rows(&matured);
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0][1], loan["Total_Past_Due_Balance"], "{matured}");
        assert_eq!(shown[0][1], loan["Current_Payoff_Balance"]);
        assert_eq!(shown[0][3..], ["10000.00", "0.00"]);
        let payoff = json!({"Amount": "90000.00", "Payoff": true, "Excess_Handling": "suspense"});
        world.pay(&admin, loan_id, payoff).await.expect(201);
        let paid_off = schedule(&world, &admin, loan_id, "").await;
        assert_eq!(rows(&paid_off)[0][1..], ["0.00"; 4]);
        assert_eq!(rows(&paid_off).len(), 1);
        world
    })
    .await;
}

#[tokio::test]
async fn ranges_beyond_the_limits_are_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let latest = today(&world).await + Months::new(1200);
        schedule(&world, &admin, loan_id, &format!("?from={latest}")).await;
        for (query, field) in [
            (format!("from={}", latest + Days::new(1)), "from"),
            ("from=2024-02-30".to_owned(), "from"),
            ("limit=0".to_owned(), "limit"),
            ("limit=1001".to_owned(), "limit"),
            ("limit=-1".to_owned(), "limit"),
            ("limit=many".to_owned(), "limit"),
        ] {
            let path = format!("/loans/{loan_id}/schedule?{query}");
            let refused = world.client.get(&admin, &path).await.expect_problem(400, "bad-request");
            assert_eq!(refused.json()["errors"][0]["field"], field, "{query}");
        }
        world
    })
    .await;
}

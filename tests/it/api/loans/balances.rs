//! `/loans/{loan_id}/balances`

use super::import_loan;
use super::payments_due::pay_three_installments;
use super::transactions::adjustments::{adjust, grant};
use crate::PROGRAM;
use acceptance::seeds::{OPEN_TERMS, PUBLISHED_TERMS, borrower_with_loan, file};
use acceptance::{TestResponse, World, on_each_database};
use chrono::{Days, NaiveDate};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};
use shared::entity::{field_changes, loan_transactions};
use shared::time::Timestamp;

async fn get(world: &World, token: &str, loan_id: i64, query: &str) -> TestResponse {
    world.client.get(token, &format!("/loans/{loan_id}/balances?{query}")).await
}

/// Reads principal, interest, late charges, fees, impound, suspense and payoff amount.
async fn balances(world: &World, token: &str, loan_id: i64, query: &str) -> [String; 7] {
    let found = get(world, token, loan_id, query).await.expect(200).json();
    let names = ["Principal", "Interest", "Late_Charge", "Fees", "Impound", "Suspense", "Payoff"];
    names.map(|name| found[format!("{name}_Balance")].as_str().expect("an amount").to_owned())
}

/// Reverses the latest payment of a loan because of an error.
async fn reverse_latest(world: &World, token: &str, loan_id: i64) {
    let latest = "SELECT MAX(transaction_reference_no) FROM loan_transactions";
    let reference = world.count(latest).await;
    let path = format!("/loans/{loan_id}/transactions/{reference}/reversal");
    world.client.post(token, &path, &json!({"Reason": "error"}), None).await.expect(201);
}

/// Makes the ledger know each entry since its effective date.
async fn backdate_the_ledger(world: &World) {
    world.sql("UPDATE loan_transactions SET gl_date = effective_date").await;
}

#[tokio::test]
async fn balances_are_those_after_the_entries_up_to_that_day() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        pay_three_installments(&world, &admin, loan_id).await;
        adjust(&world, loan_id, "late_charge", "25.00", "2024-03-20").await;
        adjust(&world, loan_id, "fee", "10.00", "2024-05-01").await;
        let held = json!({"Amount": "60.00", "Effective_Date": "2024-05-01",
            "Suspense_Amount": "50.00", "Impound_Amount": "10.00"});
        world.pay(&admin, loan_id, held).await.expect(201);
        for (day, expected) in [
            ("2024-01-15", ["28000.00", "0.00", "0.00", "0.00", "0.00", "0.00", "28000.00"]),
            ("2024-02-14", ["28000.00", "317.36", "0.00", "0.00", "0.00", "0.00", "28317.36"]),
            ("2024-02-15", ["27675.77", "0.00", "0.00", "0.00", "0.00", "0.00", "27675.77"]),
            ("2024-03-14", ["27675.77", "313.68", "0.00", "0.00", "0.00", "0.00", "27989.45"]),
            ("2024-03-15", ["27347.74", "0.00", "0.00", "0.00", "0.00", "0.00", "27347.74"]),
            ("2024-03-20", ["27347.74", "53.44", "25.00", "0.00", "0.00", "0.00", "27426.18"]),
            ("2024-04-15", ["27015.86", "0.00", "25.00", "0.00", "0.00", "0.00", "27040.86"]),
            ("2024-05-01", ["27015.86", "168.94", "25.00", "10.00", "10.00", "50.00", "27169.80"]),
        ] {
            let found = balances(&world, &admin, loan_id, &format!("date={day}")).await;
            assert_eq!(found, expected, "{day}");
        }
        world
    })
    .await;
}

#[tokio::test]
async fn todays_balances_are_those_of_the_loan() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        pay_three_installments(&world, &admin, loan_id).await;
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        let today = loan["As_Of_Date"].as_str().expect("a date");
        let answer = get(&world, &admin, loan_id, &format!("date={today}")).await;
        let answer = answer.expect(200).json();
        assert_eq!([&answer["Date"], &answer["Known_On"]], [today, today]);
        assert_eq!(answer["Loan_ID"], loan_id);
        let found = balances(&world, &admin, loan_id, &format!("date={today}")).await;
        assert_eq!(found[0], "27015.86");
        assert_eq!(found[6], loan["Current_Payoff_Balance"]);
        world
    })
    .await;
}

#[tokio::test]
async fn a_reversed_payment_counts_only_as_long_as_its_reversal_was_not_known() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        pay_three_installments(&world, &admin, loan_id).await;
        backdate_the_ledger(&world).await;
        reverse_latest(&world, &admin, loan_id).await;
        let paid = balances(&world, &admin, loan_id, "date=2024-04-20&knownOn=2024-04-20").await;
        assert_eq!(paid[..2], ["27015.86", "52.79"]);
        let reversed = balances(&world, &admin, loan_id, "date=2024-04-20").await;
        assert_eq!(reversed[..2], ["27347.74", "374.09"], "one installment's interest more");
        let unknown = balances(&world, &admin, loan_id, "date=2024-04-20&knownOn=2024-04-14").await;
        assert_eq!(unknown, reversed, "before the payment was posted");
        let again = json!({"Amount": "652.53", "Effective_Date": "2024-05-15"});
        world.pay(&admin, loan_id, again).await.expect(201);
        for (query, before) in [
            ("date=2024-04-20&knownOn=2024-04-20", &paid),
            ("date=2024-04-20", &reversed),
            ("date=2024-04-20&knownOn=2024-04-14", &unknown),
        ] {
            let later = balances(&world, &admin, loan_id, query).await;
            assert_eq!(later, *before, "{query}: later entries change nothing");
        }
        world
    })
    .await;
}

/// Makes what is done meanwhile count as done on a day.
async fn on_day(world: &World, day: &str, work: impl Future<Output = ()>) {
    use field_changes::Column::{ModifiedDate, RowId};
    use loan_transactions::Column::{GlDate, TransactionDate, TransactionId};
    let change = world.count("SELECT COALESCE(MAX(row_id), 0) FROM field_changes").await;
    let entry = world.count("SELECT COALESCE(MAX(transaction_id), 0) FROM loan_transactions").await;
    work.await;
    let noon = Timestamp(format!("{day}T12:00:00Z").parse().expect("a time"));
    let changes = field_changes::Entity::update_many().filter(RowId.gt(change));
    let changes = changes.col_expr(ModifiedDate, Expr::value(noon)).exec(&world.db).await;
    assert!(changes.expect("an update").rows_affected > 0, "nothing changed");
    let entries = loan_transactions::Entity::update_many().filter(TransactionId.gt(entry));
    let entries = entries.col_expr(TransactionDate, Expr::value(noon));
    let entries = entries.col_expr(GlDate, Expr::value(noon.0.date_naive()));
    entries.exec(&world.db).await.expect("an update");
}

/// Changes a loan by an import that counts as made on a day; with interest accrued until then, in
/// units of 1e-8, if the change moves the accrual base.
async fn change_on(world: &World, token: &str, day: &str, attributes: &str, accrued: Option<i64>) {
    let change = format!("<Loan UpdateFlag=\"1\" LoanNumber=\"L-1\" {attributes}/>");
    on_day(world, day, async {
        world.import(token, &file(&change)).await;
    })
    .await;
    if let Some(accrued) = accrued {
        let base = format!("accrual_base_date = '{day}', accrual_base_total = {accrued}");
        world.sql(&format!("UPDATE loans SET {base}")).await;
    }
}

/// The interest of 10,000.00 at 10 percent, booked on 2021-10-25, at the end of a day.
async fn interest(world: &World, token: &str, day: &str) -> String {
    let loan_id = world.count("SELECT MAX(loan_id) FROM loans").await;
    let [_, interest, ..] = balances(world, token, loan_id, &format!("date={day}")).await;
    interest
}

#[tokio::test]
async fn interest_accrued_by_the_terms_and_the_status_of_each_day() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let terms = OPEN_TERMS.replace("\"ACT\"", "\"360\"").replace("\"365\"", "\"360\"");
        import_loan(&world, &admin, &terms).await;
        let actual = "InterestYearNumerator=\"ACT\" InterestYearDenominator=\"365\"";
        for (day, change) in [
            ("2022-01-25", "StatusCode=\"CHARGED_OFF\""),
            ("2022-04-25", "StatusCode=\"ACTIVE\""),
            ("2022-05-25", actual),
            ("2022-06-04", "StatusCode=\"CHARGED_OFF\""),
            ("2022-06-14", "StatusCode=\"ACTIVE\" ContractualJurisdiction=\"NY\""),
            ("2022-07-01", "StatusCode=\"CHARGED_OFF\""),
        ] {
            change_on(&world, &admin, day, change, Some(0)).await;
        }
        for (day, expected) in [
            ("2021-10-25", "0.00"),
            ("2021-12-25", "166.67"),
            ("2022-01-25", "250.00"),
            ("2022-03-25", "250.00"),
            ("2022-04-25", "250.00"),
            ("2022-05-25", "333.33"),
            ("2022-05-26", "336.07"),
            ("2022-06-04", "360.73"),
            ("2022-06-10", "360.73"),
            ("2022-06-15", "363.47"),
        ] {
            assert_eq!(interest(&world, &admin, day).await, expected, "{day}");
        }
        world
    })
    .await;
}

fn payoff(amount: &str, day: &str) -> String {
    format!(
        "<Transactions><Payment LoanNumber=\"L-1\" Payoff=\"true\" Amount=\"{amount}\" \
         EffectiveDate=\"{day}\"/></Transactions>"
    )
}

#[tokio::test]
async fn a_loan_booked_and_paid_off_by_one_file_accrues_on_after_the_reversal() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan = [borrower_with_loan(1, OPEN_TERMS), payoff("10084.93", "2021-11-25")].concat();
        on_day(&world, "2021-11-25", async {
            world.import(&admin, &file(&loan)).await;
        })
        .await;
        let loan_id = world.count("SELECT MAX(loan_id) FROM loans").await;
        on_day(&world, "2021-11-30", reverse_latest(&world, &admin, loan_id)).await;
        assert_eq!(interest(&world, &admin, "2021-12-05").await, "112.33");
        world
    })
    .await;
}

#[tokio::test]
async fn what_happens_after_an_entry_does_not_change_the_interest_before_it() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        import_loan(&world, &admin, OPEN_TERMS).await;
        let basis = "InterestYearDenominator=\"360\"";
        change_on(&world, &admin, "2021-12-09", basis, Some(12_328_767_123)).await;
        let payoff = file(&payoff("10164.95", "2021-12-24"));
        on_day(&world, "2021-12-24", async {
            world.import(&admin, &payoff).await;
        })
        .await;
        change_on(&world, &admin, "2021-12-26", "StatusCode=\"CLOSED\"", None).await;
        change_on(&world, &admin, "2021-12-27", "StatusCode=\"CHARGED_OFF\"", None).await;
        change_on(&world, &admin, "2021-12-28", "StatusCode=\"ACTIVE\"", None).await;
        assert_eq!(interest(&world, &admin, "2021-11-25").await, "84.93");
        assert_eq!(interest(&world, &admin, "2021-12-19").await, "151.07", "by the new basis");
        assert_eq!(interest(&world, &admin, "2021-12-27").await, "0.00");
        world
    })
    .await;
}

#[tokio::test]
async fn a_status_changed_and_a_payoff_posted_by_one_file_leave_past_interest_as_it_was() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let path = format!("/loans/{loan_id}/payoff-quote");
        let quote = world.client.get(&admin, &path).await.expect(200).json();
        let (amount, today) = (&quote["Quotes"][0]["Payoff_Amount"], &quote["As_Of_Date"]);
        let payoff = payoff(amount.as_str().expect("an amount"), today.as_str().expect("a day"));
        let status = "<Loan UpdateFlag=\"1\" LoanNumber=\"L-1\" StatusCode=\"CHARGED_OFF\"/>";
        world.import(&admin, &file(&format!("{status}{payoff}"))).await;
        assert_eq!(interest(&world, &admin, "2021-11-25").await, "84.93");
        world
    })
    .await;
}

#[tokio::test]
async fn statuses_between_a_payoff_and_its_reversal_do_not_stop_accrual() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, OPEN_TERMS).await;
        let payoff = file(&payoff("10084.93", "2021-11-25"));
        on_day(&world, "2021-11-25", async {
            world.import(&admin, &payoff).await;
        })
        .await;
        change_on(&world, &admin, "2021-11-26", "StatusCode=\"CLOSED\"", None).await;
        change_on(&world, &admin, "2021-11-27", "StatusCode=\"PAID_OFF\"", None).await;
        on_day(&world, "2021-11-30", reverse_latest(&world, &admin, loan_id)).await;
        assert_eq!(interest(&world, &admin, "2021-12-05").await, "112.33");
        world
    })
    .await;
}

#[tokio::test]
async fn rows_that_the_caller_may_not_see_count_too() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        pay_three_installments(&world, &admin, loan_id).await;
        for code in [122, 124] {
            world
                .sql(&format!(
                    "INSERT INTO trustees (object_type, object_id, user_id) SELECT \
                     'transaction_code', {code}, user_id FROM users WHERE user_name = 'officer'"
                ))
                .await;
        }
        let viewer = world.token("viewer").await;
        let expected = balances(&world, &admin, loan_id, "date=2024-04-20").await;
        assert_eq!(balances(&world, &viewer, loan_id, "date=2024-04-20").await, expected);
        world
    })
    .await;
}

#[tokio::test]
async fn both_privileges_are_required() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        for (held, missing) in [
            ("Loan > Records", "Loan > Transactions > View"),
            ("Loan > Transactions", "Loan > Records > View"),
        ] {
            world.sql("DELETE FROM privilege_grants WHERE user_id IS NOT NULL").await;
            grant(&world, "viewer", "Loan > Access to Other Officers", "Allow").await;
            grant(&world, "viewer", held, "View").await;
            let viewer = world.token("viewer").await;
            let refused = get(&world, &viewer, loan_id, "date=2024-04-20").await;
            let refused = refused.expect_problem(403, "privilege-missing");
            assert!(refused.text.contains(missing), "{}", refused.text);
        }
        world
    })
    .await;
}

#[tokio::test]
async fn days_that_make_no_sense_are_refused() {
    on_each_database(PROGRAM, |world| async move {
        let admin = world.token("admin").await;
        let loan_id = import_loan(&world, &admin, PUBLISHED_TERMS).await;
        let early = get(&world, &admin, loan_id, "date=2024-01-14").await;
        let early = early.expect_problem(422, "effective-date-too-early");
        assert!(early.text.contains("2024-01-15"), "{}", early.text);
        assert_eq!(early.json()["errors"][0]["field"], "date");
        let loan = world.client.get(&admin, &format!("/loans/{loan_id}")).await.expect(200).json();
        let today: NaiveDate =
            loan["As_Of_Date"].as_str().expect("a date").parse().expect("a date");
        let by_default = get(&world, &admin, loan_id, "").await.expect(200).json();
        assert_eq!(by_default["Date"], loan["As_Of_Date"]);
        assert_eq!(by_default["Payoff_Balance"], loan["Current_Payoff_Balance"]);
        let tomorrow = today + Days::new(1);
        for (query, field) in [
            ("date=2024-02-30".to_owned(), "date"),
            (format!("date={tomorrow}"), "date"),
            (format!("date=2024-02-15&knownOn={tomorrow}"), "knownOn"),
            ("date=2024-02-15&knownOn=then".to_owned(), "knownOn"),
        ] {
            let refused = get(&world, &admin, loan_id, &query).await;
            let refused: Value = refused.expect_problem(400, "bad-request").json();
            assert_eq!(refused["errors"][0]["field"], field, "{query}");
        }
        world
    })
    .await;
}

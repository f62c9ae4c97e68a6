//! Every figure of a loan equals that of a second book, kept by simple means: thousands of random
//! loans with random payments, adjustments and reversals, to the cent and to the row.
//!
//! The loans follow from `TEST_SEED`. A failure is shrunk before it is reported. `loan_histories`
//! plays more of them.

use acceptance::Database;
use acceptance::loan_drivers::database::DatabaseDriver;
use acceptance::loan_drivers::{Tally, play, pure};
use acceptance::loan_model::plan::{ActionSpec, AmountSpec, DateSpec, Move, Plan};
use acceptance::loan_model::{AdjustmentKind, CENT, LARGEST, OpeningBalances, Terms};
use acceptance::test_seed::test_seed;
use chrono::NaiveDate;
use shared::entity::loans::{DistributionItem, ExcessHandling, PaymentPeriod, YearLength};
use tokio::runtime::Runtime;

#[test]
fn the_arithmetic_matches_the_loan_model() {
    let played = play(1_000, test_seed(), pure::compare);
    let tally = played.unwrap_or_else(|difference| panic!("{difference}"));
    println!("{tally:?}");
    assert!(tally.reversed > 100 && tally.posted > 1_000, "{tally:?}");
    assert!(tally.switched > 100, "{tally:?}");
}

#[test]
fn the_rows_of_each_database_match_the_loan_model() {
    let runtime = Runtime::new().expect("a runtime");
    let seed = test_seed();
    for database in Database::all() {
        let histories = if database == Database::Sqlite { 20 } else { 8 };
        let folder = tempfile::tempdir().expect("a folder");
        let driver = runtime.block_on(DatabaseDriver::fresh(&database, folder.path()));
        let alone = play(histories, seed, |plan| runtime.block_on(driver.compare(plan)));
        let gathered =
            play(histories, seed, |plan| runtime.block_on(driver.compare_gathered(plan)));
        runtime.block_on(driver.close(&database));
        for played in [alone, gathered] {
            let tally = played.unwrap_or_else(|difference| panic!("{difference}"));
            println!("on {}: {tally:?}", database.name());
        }
    }
}

/// A change of status is refused if the interest until then cannot be stored.
#[test]
fn a_refused_change_of_status_matches_the_loan_model() {
    let day = |day: &str| day.parse::<NaiveDate>().expect("a date");
    let terms = Terms {
        numerator: YearLength::D360,
        denominator: YearLength::D360,
        rates: vec![(day("2017-12-01"), 12_000_000)],
        origination: day("2017-12-01"),
        interest_start: day("2017-12-01"),
        period: PaymentPeriod::Monthly,
        payment_amount: Some(CENT),
        number_of_payments: None,
        first_payment: Some(day("2018-01-01")),
        maturity: None,
        payment_day: Some(1),
        advance_days: 0,
        distribution: vec![
            DistributionItem::PastDue,
            DistributionItem::CurrentInterestDue,
            DistributionItem::AccruedInterest,
            DistributionItem::CurrentPrincipal,
            DistributionItem::LateCharges,
            DistributionItem::Fees,
            DistributionItem::Excess,
        ],
        excess: ExcessHandling::Principal,
        stops_accrual: false,
        accrual_switches: Vec::new(),
        refuses_payments: false,
        opening: OpeningBalances { principal: CENT, ..OpeningBalances::default() },
    };
    let largest_advance = ActionSpec::Adjust {
        kind: AdjustmentKind::Advance,
        amount: AmountSpec::Cents(LARGEST / CENT - 1),
    };
    let moves = [
        (largest_advance, DateSpec::AfterDue(0)),
        (ActionSpec::SwitchAccrual, DateSpec::AfterBase(30)),
    ];
    let moves = moves.into_iter().map(|(action, date)| Move { action, date, lag: 0 });
    let plan = Plan { terms, moves: moves.collect() };
    let runtime = Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir().expect("a folder");
    let tally = runtime.block_on(async {
        let driver = DatabaseDriver::fresh(&Database::Sqlite, folder.path()).await;
        let compared = driver.compare(&plan).await;
        driver.close(&Database::Sqlite).await;
        compared
    });
    let tally = tally.unwrap_or_else(|difference| panic!("{difference}"));
    assert_eq!((tally.posted, tally.switched), (1, 0), "{tally:?}");
}

#[test]
fn level_installments_match_the_loan_model() {
    let above = std::cell::RefCell::new(std::collections::BTreeMap::<i32, u32>::new());
    let played = play(500, test_seed(), |plan| {
        if let Some(cents) = pure::cents_above_level(plan)? {
            *above.borrow_mut().entry(cents).or_default() += 1;
        }
        Ok(Tally::default())
    });
    println!("{:?}", above.borrow());
    played.unwrap_or_else(|difference| panic!("{difference}"));
}

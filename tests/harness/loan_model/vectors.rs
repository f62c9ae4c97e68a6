//! The model reproduces published figures, and figures computed by hand.

use super::{Amount, Books, CENT, Event, LoanFigures, OpeningBalances, Payment, State, Terms};
use chrono::{Months, NaiveDate};
use shared::entity::loans::{DistributionItem as Item, ExcessHandling, PaymentPeriod, YearLength};

fn date(text: &str) -> NaiveDate {
    text.parse().expect("a date")
}

fn cents(text: &str) -> Amount {
    text.replace('.', "").parse::<Amount>().expect("an amount") * CENT
}

fn terms(principal: &str, rate: i128, basis: (YearLength, YearLength), start: &str) -> Terms {
    Terms {
        numerator: basis.0,
        denominator: basis.1,
        rates: vec![(date(start), rate * 1_000_000)],
        origination: date(start),
        interest_start: date(start),
        period: PaymentPeriod::None,
        payment_amount: None,
        number_of_payments: None,
        first_payment: None,
        maturity: None,
        payment_day: None,
        advance_days: 21,
        distribution: vec![
            Item::PastDue,
            Item::CurrentInterestDue,
            Item::AccruedInterest,
            Item::CurrentPrincipal,
            Item::LateCharges,
            Item::Fees,
            Item::Excess,
        ],
        excess: ExcessHandling::Principal,
        stops_accrual: false,
        accrual_switches: Vec::new(),
        refuses_payments: false,
        opening: OpeningBalances { principal: cents(principal), ..OpeningBalances::default() },
    }
}

const MONTHS: (YearLength, YearLength) = (YearLength::D360, YearLength::D360);

fn monthly(principal: &str, rate: i128, installment: &str, count: u32) -> Terms {
    Terms {
        period: PaymentPeriod::Monthly,
        payment_amount: Some(cents(installment)),
        number_of_payments: Some(count),
        first_payment: Some(date("2024-02-15")),
        ..terms(principal, rate, MONTHS, "2024-01-15")
    }
}

fn books(terms: Terms) -> Books {
    Books::new(terms, date("2030-12-31"))
}

/// Posts a payment, and returns its amounts by code.
fn pay(books: &mut Books, day: &str, amount: &str, payoff: bool) -> Vec<(i32, Amount)> {
    let payment =
        Payment { amount: cents(amount), date: date(day), payoff, excess: None, split: None };
    let entry = books.enter(payment.date, Event::Pay(payment)).expect("a payment");
    entry.entered.rows.iter().map(|row| (row.code, row.amount)).collect()
}

#[test]
fn published_loans_are_reproduced() {
    for (principal, rate, installment, payments, balance) in [
        ("28000.00", 1407, "652.53", 3, "27015.86"),
        ("6000.00", 1408, "205.30", 5, "5309.48"),
        ("20000.00", 797, "626.46", 4, "18005.74"),
    ] {
        let mut books = books(monthly(principal, rate, installment, 60));
        for month in 0..payments {
            let day = date("2024-02-15") + Months::new(month);
            pay(&mut books, &day.to_string(), installment, false);
        }
        assert_eq!(books.state.principal, cents(balance), "{principal}");
    }
}

#[test]
fn a_loan_paid_on_time_ends_with_a_smaller_payment() {
    let mut books = books(monthly("28000.00", 1407, "652.53", 60));
    for month in 0..59 {
        let day = date("2024-02-15") + Months::new(month);
        pay(&mut books, &day.to_string(), "652.53", false);
    }
    let rows = pay(&mut books, "2029-01-15", "652.32", false);
    assert_eq!(rows[2], (124, cents("7.56")));
    assert_eq!((books.state.principal, books.state.next_due), (0, None));
}

#[test]
fn an_early_payment_counts_towards_the_next_installment() {
    let mut terms = monthly("28000.00", 1407, "652.53", 60);
    terms.opening.late_charges = cents("25.00");
    let mut books = books(terms);
    let rows = pay(&mut books, "2024-02-12", "652.53", false);
    assert_eq!(rows[1..], [(122, cents("357.06")), (124, cents("295.47"))]);
    let reading = books.read(date("2024-03-15")).expect("a reading");
    assert_eq!((reading.past_due, reading.current_due), (0, cents("652.53")));
    let mut later: State = books.state.clone();
    later.fall_due(&books.terms, &books.interest, date("2024-03-15")).expect("due rows");
    let rows: Vec<_> = later.due_rows.iter().map(|row| (row.interest, row.principal)).collect();
    assert_eq!(rows, [(0, 0), (cents("356.52"), cents("296.01"))]);
}

#[test]
fn daily_interest_is_carried_unrounded() {
    let basis = (YearLength::Actual, YearLength::D365);
    let mut books = books(terms("10000.00", 1000, basis, "2021-10-25"));
    let rows = pay(&mut books, "2021-11-25", "879.16", false);
    assert_eq!(rows[1..], [(122, cents("794.23")), (124, cents("84.93"))]);
    let rows = pay(&mut books, "2021-12-28", "879.16", false);
    assert_eq!(rows[1..], [(122, cents("795.93")), (124, cents("83.23"))]);
    let LoanFigures { per_diem, payoff, .. } = books.read(date("2022-01-07")).expect("a reading");
    assert_eq!((per_diem, payoff), (230_406_575, cents("8432.88")));
    pay(&mut books, "2022-01-07", "8432.88", true);
    assert_eq!(books.state.paid_off, Some(date("2022-01-07")));
}

#[test]
fn small_monthly_interest_drops_a_cent_when_the_remainder_requires_it() {
    let mut books = books(terms("1234.56", 725, MONTHS, "2024-01-15"));
    for (month, interest) in ["7.46", "7.46", "7.46", "7.46", "7.45"].into_iter().enumerate() {
        let day = date("2024-02-15") + Months::new(month as u32);
        let rows = pay(&mut books, &day.to_string(), interest, false);
        assert_eq!(rows, [(120, cents(interest)), (124, cents(interest))]);
    }
}

#[test]
fn per_diems_follow_the_year_basis() {
    use YearLength::{Actual, D360, D364, D365, D366};
    for (basis, common, leap) in [
        ((Actual, D365), 2_739_726, 2_739_726),
        ((Actual, D360), 2_777_778, 2_777_778),
        ((D365, D360), 2_777_778, 2_770_188),
        ((D365, D365), 2_739_726, 2_732_240),
        ((D360, D365), 2_702_196, 2_694_812),
        ((Actual, Actual), 2_739_726, 2_732_240),
        ((D366, D365), 2_747_232, 2_739_726),
        ((Actual, D366), 2_732_240, 2_732_240),
        ((D364, D364), 2_739_726, 2_732_240),
        ((D360, D360), 2_777_778, 2_777_778),
    ] {
        let books = books(terms("10000.00", 1000, basis, "2022-01-01"));
        let per_diem = |day| (books.read(date(day)).expect("a reading").per_diem + 50) / 100;
        assert_eq!((per_diem("2023-06-01"), per_diem("2024-06-01")), (common, leap), "{basis:?}");
    }
}

#[test]
fn a_period_over_the_year_end_is_split_by_year() {
    use YearLength::{Actual, D360, D365};
    for (basis, interest) in [((Actual, Actual), 84_826_709), ((D365, D360), 86_004_857)] {
        let books = books(terms("10000.00", 1000, basis, "2023-12-15"));
        let total = books.state.total_on(&books.interest, date("2024-01-15")).expect("a total");
        assert_eq!((total + 50) / 100, interest, "{basis:?}");
    }
}

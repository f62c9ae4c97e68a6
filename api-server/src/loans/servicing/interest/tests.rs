//! Interest accrual.

use super::*;
use crate::loans::servicing::RateStep;
use crate::loans::servicing::allocation::Split;
use crate::loans::servicing::payment::AllocationMode;
use crate::loans::servicing::testing::{
    any_terms, booked, date, interest_and_principal, money, pay, post_on, terms,
};
use chrono::Days;
use proptest::prelude::*;
use shared::entity::Iterable;
use shared::entity::loans::ExcessHandling;
use shared::entity::loans::YearLength::{self, Actual, D360, D364, D365, D366};

/// Formats an accrual with six decimals, as such figures are usually printed.
fn six_decimals(accrual: Accrual) -> String {
    let units = divide_half_up(accrual.units().into(), 100);
    format!("{}.{:06}", units / 1_000_000, units % 1_000_000)
}

#[test]
fn per_diems_follow_the_year_basis() {
    for (numerator, denominator, common, leap) in [
        (Actual, D365, "2.739726", "2.739726"),
        (Actual, D360, "2.777778", "2.777778"),
        (D365, D360, "2.777778", "2.770188"),
        (D365, D365, "2.739726", "2.732240"),
        (D360, D365, "2.702196", "2.694812"),
        (Actual, Actual, "2.739726", "2.732240"),
        (D366, D365, "2.747232", "2.739726"),
        (Actual, D366, "2.732240", "2.732240"),
        (D364, D364, "2.739726", "2.732240"),
        (D360, D360, "2.777778", "2.777778"),
    ] {
        let terms = terms(numerator, denominator, "10", "2021-01-01");
        for (day, expected) in [("2023-03-05", common), ("2024-03-05", leap)] {
            let per_diem = per_diem(&terms, money("10000.00"), date(day)).unwrap();
            assert_eq!(six_decimals(per_diem), expected, "{numerator:?}/{denominator:?} {day}");
        }
    }
}

#[test]
fn a_360_360_per_diem_is_the_same_on_the_31st() {
    let terms = terms(D360, D360, "10", "2024-01-01");
    for day in ["2024-01-30", "2024-01-31", "2024-02-29"] {
        let per_diem = per_diem(&terms, money("10000.00"), date(day)).unwrap();
        assert_eq!(per_diem.to_string(), "2.77777778");
    }
}

#[test]
fn a_span_over_the_new_year_weights_each_year_by_its_days() {
    for (numerator, denominator, expected) in
        [(Actual, Actual, "84.826709"), (D365, D360, "86.004857")]
    {
        let terms = terms(numerator, denominator, "10", "2023-12-15");
        let (from, to) = (date("2023-12-15"), date("2024-01-15"));
        let interest = accrue(&terms, money("10000.00"), from, to).unwrap();
        assert_eq!(six_decimals(interest), expected);
    }
}

#[test]
fn equal_days_are_multiplied_not_added_up() {
    let terms = terms(Actual, D365, "10", "2021-10-25");
    let first = pay(&terms, &booked(&terms, "10000.00"), "879.16", "2021-11-25");
    assert_eq!(interest_and_principal(&first), ("84.93".into(), "794.23".into()));
    assert_eq!(first.after.principal, money("9205.77"));

    let second = pay(&terms, &first.after, "879.16", "2021-12-28");
    assert_eq!(interest_and_principal(&second), ("83.23".into(), "795.93".into()));
    assert_eq!(second.after.principal, money("8409.84"));

    let standing = second.after.standing(&terms, date("2022-01-07")).unwrap();
    assert_eq!(standing.interest_owed, money("23.04"));
    assert_eq!(standing.payoff, money("8432.88"));
    assert_eq!(standing.per_diem.to_string(), "2.30406575");
    let mode = AllocationMode::Payoff { excess: ExcessHandling::Principal };
    let payoff = post_on(&terms, &second.after, "8432.88", "2022-01-07", mode).unwrap();
    assert_eq!(interest_and_principal(&payoff), ("23.04".into(), "8409.84".into()));
}

#[test]
fn a_rounding_remainder_is_carried_to_the_next_payment() {
    let terms = terms(D360, D360, "7.25", "2024-01-15");
    let mut state = booked(&terms, "1234.56");
    let mut paid = Vec::new();
    for day in ["2024-02-15", "2024-03-15", "2024-04-15", "2024-05-15", "2024-06-15"] {
        let interest = state.interest_owed_on(&terms, date(day)).unwrap();
        let split = Split { interest, ..Split::default() };
        state = post_on(&terms, &state, &interest.to_string(), day, AllocationMode::Split(split))
            .unwrap()
            .after;
        paid.push(interest.to_string());
    }
    assert_eq!(paid, ["7.46", "7.46", "7.46", "7.46", "7.45"]);
}

#[test]
fn oversettled_interest_is_never_negative() {
    let terms = terms(Actual, D365, "10", "2024-01-01");
    let mut state = booked(&terms, "1000.00");
    state.interest_settled_total = money("5.00");
    assert_eq!(state.interest_owed_on(&terms, date("2024-01-02")).unwrap(), Money::ZERO);
    assert_eq!(state.interest_owed_on(&terms, date("2024-02-01")).unwrap(), money("3.49"));
}

#[test]
fn each_day_accrues_at_the_latest_rate_and_earlier_days_at_the_first() {
    let mut terms = terms(Actual, D360, "10", "2024-01-01");
    terms.rates = [("2024-01-05", "36"), ("2024-01-11", "72")]
        .map(|(day, rate)| RateStep { effective_date: date(day), rate: rate.parse().unwrap() })
        .to_vec();
    let on = |from, to| accrue(&terms, money("1000"), date(from), date(to)).unwrap().to_string();
    assert_eq!(on("2024-01-01", "2024-01-11"), "10.00000000");
    assert_eq!(on("2024-01-01", "2024-01-12"), "12.00000000");
    assert_eq!(on("2024-01-11", "2024-01-12"), "2.00000000");
}

#[test]
fn nothing_accrues_before_the_start_without_principal_or_when_accrual_is_stopped() {
    let mut terms = terms(D360, D360, "36", "2024-01-11");
    let on = |terms: &Terms, principal, from, to| {
        accrue(terms, money(principal), date(from), date(to)).unwrap().to_string()
    };
    assert_eq!(on(&terms, "1000", "2024-01-01", "2024-01-11"), "0.00000000");
    assert_eq!(on(&terms, "1000", "2024-01-01", "2024-01-12"), "1.00000000");
    assert_eq!(on(&terms, "0", "2024-01-01", "2024-02-11"), "0.00000000");
    assert_eq!(on(&terms, "1000", "2024-02-01", "2024-01-20"), "0.00000000");
    assert_eq!(per_diem(&terms, money("1000"), date("2024-01-10")).unwrap(), Accrual::ZERO);
    terms.accrues = false;
    assert_eq!(on(&terms, "1000", "2024-01-01", "2024-02-11"), "0.00000000");
    assert_eq!(per_diem(&terms, money("1000"), date("2024-02-01")).unwrap(), Accrual::ZERO);
}

#[test]
fn intermediate_results_never_overflow_for_interest_in_range() {
    // The largest principal, at a rate that accrues nearly the maximum in a century.
    for (numerator, denominator) in bases() {
        let terms = terms(numerator, denominator, "0.000098", "1904-01-01");
        let (from, to) = (date("1904-01-01"), date("2004-01-01"));
        let interest = accrue(&terms, money("900000000000000"), from, to).unwrap();
        assert!(interest.units() > 8_000_000_000_000_000_000, "{numerator:?}/{denominator:?}");
    }
}

#[test]
fn interest_beyond_range_is_refused() {
    for (numerator, denominator) in bases() {
        let terms = terms(numerator, denominator, "90000000000", "1904-01-01");
        let (from, to) = (date("1904-01-01"), date("2004-01-01"));
        assert_eq!(accrue(&terms, money("900000000000000"), from, to), Err(OutOfRange));
    }
}

fn bases() -> impl Iterator<Item = (YearLength, YearLength)> {
    YearLength::iter().flat_map(|n| YearLength::iter().map(move |d| (n, d)))
}

proptest! {
    #[test]
    fn accruing_in_steps_equals_accruing_at_once(
        terms in any_terms(),
        gaps in prop::collection::vec(0u64..90, 1..40),
        cents in 0i64..10_000_000_000,
    ) {
        let start = date("2019-11-15");
        let principal = Money::from_cents(cents).unwrap();
        let mut day = start;
        let mut factor = InterestFactor::none(&terms);
        let mut total = Accrual::ZERO;
        for gap in &gaps {
            let next = day + Days::new(*gap);
            factor = factor.extended(&terms, day, next).unwrap();
            total = total.plus(accrue(&terms, principal, day, next).unwrap()).unwrap();
            day = next;
        }
        prop_assert_eq!(factor, InterestFactor::between(&terms, start, day).unwrap());
        let in_one_step = accrue(&terms, principal, start, day).unwrap();
        let rounded_away = total.minus(in_one_step).unwrap().units().unsigned_abs();
        prop_assert!(rounded_away <= gaps.len() as u64, "{total} {in_one_step}");
    }

    #[test]
    fn calendar_days_are_weighted_one_by_one(terms in any_terms(), days in 0u64..1500) {
        prop_assume!((terms.numerator, terms.denominator) != (D360, D360));
        let start = date("2019-11-15");
        let mut expected = InterestFactor::none(&terms);
        for day in (0..days).map(|n| start + Days::new(n)) {
            if day >= terms.interest_start_date {
                let units = DayCount::of(&terms).units_of_day(day);
                expected = expected.with(terms.rate_on(day), units).unwrap();
            }
        }
        let factor = InterestFactor::between(&terms, start, start + Days::new(days)).unwrap();
        prop_assert_eq!(factor, expected);
    }

    #[test]
    fn interest_never_shrinks_with_time(terms in any_terms(), days in 0u64..1500) {
        let start = date("2019-11-15");
        let on = |days| InterestFactor::between(&terms, start, start + Days::new(days)).unwrap();
        prop_assert!(on(days).numerator <= on(days + 1).numerator);
    }
}

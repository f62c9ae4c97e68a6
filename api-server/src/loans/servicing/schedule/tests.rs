//! Due dates and level installments.

use super::*;
use crate::loans::servicing::testing::{any_terms, date, money, monthly, schedule, terms};
use crate::loans::servicing::{RateStep, Terms};
use chrono::Days;
use proptest::prelude::*;
use shared::entity::loans::YearLength;

fn dates(schedule: &Schedule, count: u32) -> Vec<String> {
    (1..=count).map_while(|n| schedule.nth(n)).map(|date| date.to_string()).collect()
}

#[test]
fn weekly_and_biweekly_dates_are_7_and_14_days_apart() {
    let weekly = schedule(PaymentPeriod::Weekly, "2024-02-26");
    assert_eq!(dates(&weekly, 3), ["2024-02-26", "2024-03-04", "2024-03-11"]);
    let biweekly = schedule(PaymentPeriod::Biweekly, "2024-02-26");
    assert_eq!(dates(&biweekly, 3), ["2024-02-26", "2024-03-11", "2024-03-25"]);
}

#[test]
fn semimonthly_dates_are_15_days_apart_and_cut_to_the_end_of_february() {
    for payment_day in [15, 30, 31] {
        let semimonthly = schedule(PaymentPeriod::Semimonthly, "2023-01-30");
        let semimonthly = Schedule { payment_day: Some(payment_day), ..semimonthly };
        let expected = ["2023-01-30", "2023-02-15", "2023-02-28", "2023-03-15", "2023-03-30"];
        assert_eq!(dates(&semimonthly, 5), expected);
    }
    let early = schedule(PaymentPeriod::Semimonthly, "2023-02-16");
    assert_eq!(dates(&early, 3), ["2023-02-16", "2023-03-01", "2023-03-16"]);
}

#[test]
fn monthly_dates_keep_the_payment_day_across_short_months() {
    let month_ends = schedule(PaymentPeriod::Monthly, "2024-01-31");
    assert_eq!(dates(&month_ends, 4), ["2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30"]);
    let mut from_february = schedule(PaymentPeriod::Monthly, "2023-02-28");
    from_february.payment_day = Some(31);
    assert_eq!(dates(&from_february, 3), ["2023-02-28", "2023-03-31", "2023-04-30"]);
}

#[test]
fn longer_periods_step_by_whole_months() {
    for (period, second) in [
        (PaymentPeriod::Bimonthly, "2024-10-31"),
        (PaymentPeriod::Quarterly, "2024-11-30"),
        (PaymentPeriod::Semiannual, "2025-02-28"),
        (PaymentPeriod::Annual, "2025-08-31"),
    ] {
        assert_eq!(dates(&schedule(period, "2024-08-31"), 2), ["2024-08-31", second]);
    }
}

#[test]
fn the_maturity_date_is_the_last_due_date_on_or_off_the_schedule() {
    let mut monthly = schedule(PaymentPeriod::Monthly, "2024-01-15");
    for (maturity, expected) in [
        ("2024-03-15", vec!["2024-01-15", "2024-02-15", "2024-03-15"]),
        ("2024-03-01", vec!["2024-01-15", "2024-02-15", "2024-03-01"]),
        ("2024-01-10", vec!["2024-01-10"]),
    ] {
        monthly.maturity_date = Some(date(maturity));
        assert_eq!(dates(&monthly, 10), expected);
    }
}

#[test]
fn a_loan_due_at_maturity_has_one_due_date_and_one_without_a_period_none() {
    let mut at_maturity = schedule(PaymentPeriod::Maturity, "2024-01-15");
    at_maturity.maturity_date = Some(date("2024-06-30"));
    assert_eq!(dates(&at_maturity, 10), ["2024-06-30"]);
    assert_eq!(at_maturity.next_after(date("2024-06-30")), None);
    let never = Schedule { period: PaymentPeriod::None, ..at_maturity };
    assert_eq!(never.first(), None);
    assert_eq!(never.next_after(date("2024-01-01")), None);
}

#[test]
fn a_first_payment_date_off_its_own_schedule_is_detected() {
    for (period, payment_day, first, meets) in [
        (PaymentPeriod::Monthly, 31, "2024-02-29", true),
        (PaymentPeriod::Monthly, 31, "2024-02-28", false),
        (PaymentPeriod::Monthly, 15, "2024-02-16", false),
        (PaymentPeriod::Semimonthly, 15, "2024-02-29", true),
        (PaymentPeriod::Semimonthly, 15, "2024-02-15", true),
        (PaymentPeriod::Semimonthly, 15, "2024-02-14", false),
        (PaymentPeriod::Semimonthly, 15, "2024-02-16", false),
        (PaymentPeriod::Weekly, 1, "2024-02-16", true),
    ] {
        let mut schedule = schedule(period, first);
        schedule.payment_day = Some(payment_day);
        assert_eq!(schedule.meets(date(first)), meets, "{period:?} {payment_day} {first}");
    }
}

#[test]
fn the_schedule_extends_before_the_first_payment_date() {
    let quarterly = schedule(PaymentPeriod::Quarterly, "2024-05-31");
    assert!(quarterly.meets(date("2024-02-29")));
    assert!(!quarterly.meets(date("2024-03-31")));
    assert!(!quarterly.is_due_date(date("2024-02-29")));
    assert_eq!(quarterly.last_on_or_before(date("2024-05-30")), None);
}

#[test]
fn level_installments_are_rounded_up() {
    for (principal, rate, payments, installment) in [
        ("28000.00", "14.07", 60, "652.53"),
        ("10000.00", "10", 12, "879.16"),
        ("5000.00", "12.61", 36, "167.54"),
        // The same amount suffices if interest is rounded to cents each month.
        ("15000.00", "7.34", 60, "299.44"),
        ("1200.00", "0", 12, "100.00"),
        ("1200.01", "0", 12, "100.01"),
        ("20100.00", "12", 2, "10201.00"),
        ("12000.00", "8", 1, "12080.00"),
        ("0.00", "8", 12, "0.00"),
        ("900000000000000.00", "0", 2, "450000000000000.00"),
    ] {
        let terms = monthly(rate, "0.00", payments);
        let level = level_installment(&terms, money(principal), payments).unwrap();
        assert_eq!(level, money(installment), "{principal} at {rate} % over {payments}");
    }
}

#[test]
fn a_long_first_period_costs_more_each_time() {
    let mut terms = monthly("12", "0.00", 12);
    let level = level_installment(&terms, money("1000.00"), 12).unwrap();
    terms.interest_start_date = date("2023-12-15");
    assert!(level_installment(&terms, money("1000.00"), 12).unwrap() > level);
}

#[test]
fn a_loan_without_due_dates_has_no_installment() {
    let terms = terms(YearLength::Actual, YearLength::D365, "10", "2024-01-15");
    assert_eq!(level_installment(&terms, money("1000.00"), 12), Ok(money("0.00")));
}

/// Computes the annuity by plain compound interest, at 28 digits.
fn annuity_rounded_up(principal: i64, rate_in_basis_points: i64, payments: u32) -> i64 {
    use rust_decimal::Decimal;
    let i = Decimal::new(rate_in_basis_points, 4) / Decimal::from(12);
    let growth = (0..payments).fold(Decimal::ONE, |growth, _| growth * (Decimal::ONE + i));
    let cents = Decimal::from(principal) * i * growth / (growth - Decimal::ONE);
    i64::try_from(cents.round_dp(10).ceil()).unwrap()
}

proptest! {
    #[test]
    fn counting_due_dates_equals_iterating_them(terms in any_terms(), offset in 0u64..6000) {
        let schedule = terms.schedule;
        let day = date("2019-11-15") + Days::new(offset);
        let all: Vec<_> = (1..3000).map_while(|n| schedule.nth(n)).collect();
        prop_assert!(all.is_sorted_by(|a, b| a < b));
        prop_assert_eq!(schedule.next_after(day), all.iter().find(|d| **d > day).copied());
        let last = all.iter().rfind(|d| **d <= day);
        prop_assert_eq!(schedule.last_on_or_before(day), last.copied());
        prop_assert_eq!(schedule.is_due_date(day), all.contains(&day));
        for due in &all {
            prop_assert!(schedule.meets(*due));
        }
        if schedule.maturity_date.is_some() && schedule.period != PaymentPeriod::None {
            prop_assert_eq!(all.last().copied(), schedule.maturity_date);
        }
    }

    #[test]
    fn the_level_installment_is_the_annuity_rounded_up(
        cents in 100i64..10_000_000,
        basis_points in 1i64..4000,
        payments in 1u32..120,
    ) {
        let mut terms: Terms = monthly("0", "0.00", payments);
        let rate = shared::amounts::Rate::from_units(basis_points * 1_000_000).unwrap();
        terms.rates = vec![RateStep { effective_date: terms.interest_start_date, rate }];
        let principal = shared::amounts::Money::from_cents(cents).unwrap();
        let level = level_installment(&terms, principal, payments).unwrap();
        prop_assert_eq!(level.units() / 100, annuity_rounded_up(cents, basis_points, payments));
    }
}

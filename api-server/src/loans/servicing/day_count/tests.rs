//! Day counts.

use super::*;
use crate::loans::servicing::schedule::Schedule;
use crate::loans::servicing::testing::{date, schedule, terms};
use proptest::prelude::*;
use shared::entity::Iterable;
use shared::entity::loans::PaymentPeriod;

fn thirty_360(start: &str, schedule: Schedule) -> Terms {
    let mut terms = terms(YearLength::D360, YearLength::D360, "10", start);
    terms.schedule = schedule;
    terms
}

/// Days from each date to the next, on a loan that bears interest from the first date.
fn days_along(schedule: Schedule, dates: &[&str]) -> Vec<i128> {
    let terms = thirty_360(dates[0], schedule);
    let between =
        |pair: &[&str]| DayCount::Thirty360.units_between(&terms, date(pair[0]), date(pair[1]));
    dates.windows(2).map(between).collect()
}

fn monthly(first_payment_date: &str) -> Schedule {
    schedule(PaymentPeriod::Monthly, first_payment_date)
}

fn monthly_until(maturity: &str, first_payment_date: &str) -> Schedule {
    Schedule { maturity_date: Some(date(maturity)), ..monthly(first_payment_date) }
}

#[test]
fn days_off_the_schedule_follow_the_us_30_360_convention() {
    for (from, to, days) in [
        ("2024-01-15", "2024-02-15", 30),
        ("2024-01-15", "2024-01-31", 16),
        ("2024-01-31", "2024-02-29", 29),
        ("2024-01-31", "2024-03-31", 60),
        ("2024-02-29", "2024-03-31", 30),
        ("2024-02-29", "2025-02-28", 360),
        ("2023-01-30", "2023-02-28", 28),
    ] {
        let [first, last] = [from, to].map(|day| SpanEnd { date: date(day), intended_day: None });
        assert_eq!(first.days_until(last), days, "{from} to {to}");
    }
}

#[test]
fn a_payment_day_of_30_is_the_30th_in_february_too() {
    let on_the_30th = Schedule { payment_day: Some(30), ..monthly("2023-01-30") };
    let dates = ["2022-12-30", "2023-01-30", "2023-02-28", "2023-03-30"];
    assert_eq!(days_along(on_the_30th, &dates), [30, 30, 30]);
}

#[test]
fn month_ends_are_30_days_apart() {
    let on_the_31st = Schedule { payment_day: Some(31), ..monthly("2024-01-31") };
    let dates = ["2023-12-31", "2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30"];
    assert_eq!(days_along(on_the_31st, &dates), [30, 30, 30, 30]);
}

#[test]
fn halves_of_months_have_15_days() {
    let semimonthly = schedule(PaymentPeriod::Semimonthly, "2024-02-29");
    let semimonthly = Schedule { payment_day: Some(15), ..semimonthly };
    let dates = ["2024-02-15", "2024-02-29", "2024-03-15", "2024-03-30"];
    assert_eq!(days_along(semimonthly, &dates), [15, 15, 15]);
}

#[test]
fn weekly_periods_count_actual_days() {
    let weekly = schedule(PaymentPeriod::Weekly, "2024-02-26");
    let dates = ["2024-02-19", "2024-02-26", "2024-03-04", "2024-03-11"];
    assert_eq!(days_along(weekly, &dates), [7, 8, 7]);
}

#[test]
fn an_interest_start_date_on_the_schedule_is_30_days_before_the_first_due_date() {
    assert_eq!(days_along(monthly("2023-03-28"), &["2023-02-28", "2023-03-28"]), [30]);
}

#[test]
fn an_interest_start_date_off_the_schedule_counts_actual_days() {
    assert_eq!(days_along(monthly("2023-03-15"), &["2023-02-28", "2023-03-15"]), [15]);
}

#[test]
fn days_within_a_period_count_from_the_last_due_date() {
    let dates = ["2024-01-15", "2024-01-30", "2024-01-31", "2024-02-12", "2024-02-15"];
    assert_eq!(days_along(monthly("2024-02-15"), &dates), [15, 1, 11, 3]);
}

#[test]
fn a_maturity_date_off_the_schedule_counts_its_calendar_day() {
    for (maturity, days) in [("2024-02-29", 30), ("2024-02-20", 20)] {
        let dates = ["2023-12-31", "2024-01-31", maturity];
        assert_eq!(days_along(monthly_until(maturity, "2024-01-31"), &dates), [30, days]);
    }
}

#[test]
fn a_year_after_a_matured_february_has_360_days() {
    let month_ends = monthly_until("2023-02-28", "2023-01-31");
    let dates = ["2022-12-31", "2023-01-31", "2023-02-28", "2024-02-29"];
    assert_eq!(days_along(month_ends, &dates), [30, 30, 360]);
    // It is meant to fall on the 28th, so it does not count as an end of February.
    let on_the_28th = monthly_until("2023-02-28", "2023-01-28");
    for (later, days) in [("2024-02-28", 360), ("2024-02-29", 361)] {
        let dates = ["2022-12-28", "2023-01-28", "2023-02-28", later];
        assert_eq!(days_along(on_the_28th, &dates), [30, 30, days]);
    }
}

proptest! {
    #[test]
    fn months_between_due_dates_have_30_days(
        start in 0u32..20_000,
        payment_day in 1u32..=31,
        period in prop::sample::select(PaymentPeriod::iter().collect::<Vec<_>>()),
        n in 1u32..600,
    ) {
        let days = match period {
            PaymentPeriod::Semimonthly => 15,
            PaymentPeriod::Monthly => 30,
            PaymentPeriod::Bimonthly => 60,
            PaymentPeriod::Quarterly => 90,
            PaymentPeriod::Semiannual => 180,
            PaymentPeriod::Annual => 360,
            _ => return Ok(()),
        };
        let start = date("1990-01-01") + chrono::Days::new(start.into());
        let anchor = Schedule {
            period,
            first_payment_date: Some(start),
            payment_day: Some(payment_day),
            maturity_date: None,
        };
        let schedule = Schedule { first_payment_date: anchor.next_after(start), ..anchor };
        let terms = thirty_360("1990-01-01", schedule);
        let (from, to) = (schedule.nth(n).unwrap(), schedule.nth(n + 1).unwrap());
        prop_assert_eq!(DayCount::Thirty360.units_between(&terms, from, to), days);
    }
}

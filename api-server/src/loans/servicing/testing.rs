//! Sample loans for the tests of this module.

use super::payment::{AllocationMode, PaymentInput, PaymentRefusal, PostedPayment, post};
use super::schedule::Schedule;
use super::{LoanState, RateStep, Terms};
use chrono::{Days, NaiveDate};
use proptest::prelude::*;
use shared::amounts::{Accrual, Money, Rate};
use shared::entity::Iterable;
use shared::entity::loans::{ExcessHandling, PaymentPeriod, YearLength};
use shared::entity::payment_distribution::PaymentDistribution;

pub(crate) fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

pub(crate) fn money(text: &str) -> Money {
    text.parse().unwrap()
}

/// An endless schedule with the payment day of its first payment date.
pub(crate) fn schedule(period: PaymentPeriod, first_payment_date: &str) -> Schedule {
    let first_payment_date = Some(date(first_payment_date));
    Schedule { period, first_payment_date, payment_day: None, maturity_date: None }
}

/// Terms without due dates and without an installment.
pub(crate) fn terms(
    numerator: YearLength,
    denominator: YearLength,
    rate: &str,
    start: &str,
) -> Terms {
    let interest_start_date = date(start);
    Terms {
        numerator,
        denominator,
        rates: vec![RateStep { effective_date: interest_start_date, rate: rate.parse().unwrap() }],
        interest_start_date,
        schedule: Schedule {
            period: PaymentPeriod::None,
            first_payment_date: None,
            payment_day: None,
            maturity_date: None,
        },
        payment_amount: None,
        advance_days: 21,
        accrues: true,
    }
}

/// A monthly 360/360 loan from 2024-01-15, first due on 02-15.
pub(crate) fn monthly(rate: &str, installment: &str, payments: u32) -> Terms {
    let mut terms = terms(YearLength::D360, YearLength::D360, rate, "2024-01-15");
    terms.schedule = schedule(PaymentPeriod::Monthly, "2024-02-15");
    terms.schedule.maturity_date = terms.schedule.nth(payments);
    terms.payment_amount = Some(money(installment));
    terms
}

/// The published loan of 28,000.00 at 14.07 % over 60 months.
pub(crate) fn published() -> (Terms, LoanState) {
    let terms = monthly("14.07", "652.53", 60);
    let state = booked(&terms, "28000.00");
    (terms, state)
}

/// The state of a loan at booking.
pub(crate) fn booked(terms: &Terms, principal: &str) -> LoanState {
    LoanState {
        principal: money(principal),
        late_charges: Money::ZERO,
        fees: Money::ZERO,
        impound: Money::ZERO,
        suspense: Money::ZERO,
        accrual_base_date: terms.interest_start_date,
        accrual_base_total: Accrual::ZERO,
        interest_settled_total: Money::ZERO,
        paid_ahead_amount: Money::ZERO,
        next_due_date: terms.schedule.first(),
        due_rows: Vec::new(),
        due_row_count: 0,
    }
}

/// Posts a payment in the default distribution, with the excess to principal.
pub(crate) fn pay(terms: &Terms, state: &LoanState, amount: &str, day: &str) -> PostedPayment {
    pay_with(terms, state, amount, day, ExcessHandling::Principal).unwrap()
}

pub(crate) fn pay_with(
    terms: &Terms,
    state: &LoanState,
    amount: &str,
    day: &str,
    excess: ExcessHandling,
) -> Result<PostedPayment, PaymentRefusal> {
    let default = PaymentDistribution::default();
    let mode = AllocationMode::Distributed { distribution: default.items(), excess };
    post_on(terms, state, amount, day, mode)
}

pub(crate) fn post_on(
    terms: &Terms,
    state: &LoanState,
    amount: &str,
    day: &str,
    mode: AllocationMode<'_>,
) -> Result<PostedPayment, PaymentRefusal> {
    let input = PaymentInput { amount: money(amount), effective_date: date(day), mode };
    post(terms, state, &input)
}

/// Returns the interest and principal parts of a posting, to compare with published figures.
pub(crate) fn interest_and_principal(posting: &PostedPayment) -> (String, String) {
    (posting.parts.interest.to_string(), posting.parts.principal.to_string())
}

/// Terms of every year basis and payment period, with two rate changes, starting on or after
/// 2019-11-15.
pub(crate) fn any_terms() -> impl Strategy<Value = Terms> {
    let length = || prop::sample::select(YearLength::iter().collect::<Vec<_>>());
    let rate = || (0i64..40_0000_0000).prop_map(|units| Rate::from_units(units).unwrap());
    let rates = ([rate(), rate(), rate()], [1u64..800, 1u64..800]);
    let installment = prop::option::of((1i64..200_000).prop_map(|c| Money::from_cents(c).unwrap()));
    let days = (0u64..400, any_schedule(), -1i32..40);
    (length(), length(), rates, installment, days).prop_map(
        |(numerator, denominator, (rates, changes), payment_amount, days)| {
            let (start, schedule, advance_days) = days;
            let day = |days| date("2019-11-15") + Days::new(days);
            let effective = [0, changes[0], changes[0] + changes[1]];
            let step = |(rate, days)| RateStep { effective_date: day(days), rate };
            let rates = rates.into_iter().zip(effective).map(step).collect();
            let interest_start_date = day(start);
            Terms {
                numerator,
                denominator,
                rates,
                interest_start_date,
                schedule,
                payment_amount,
                advance_days,
                accrues: true,
            }
        },
    )
}

/// Schedules of every period, with and without an end.
fn any_schedule() -> impl Strategy<Value = Schedule> {
    let period = prop::sample::select(PaymentPeriod::iter().collect::<Vec<_>>());
    (period, 0u64..800, 1u32..=31, prop::option::of(0u64..2000)).prop_map(
        |(period, first, payment_day, maturity)| {
            let day = |days| date("2019-11-15") + Days::new(days);
            let (first_payment_date, payment_day) = (Some(day(first)), Some(payment_day));
            let anchor = Schedule { period, first_payment_date, payment_day, maturity_date: None };
            let first_payment_date = anchor.next_after(day(first));
            let maturity_date = maturity.map(|days| day(first + days));
            Schedule { first_payment_date, maturity_date, ..anchor }
        },
    )
}

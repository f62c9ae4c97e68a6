//! Cycles: the regular due dates of a payment period, counted in both directions from the first
//! payment date.

use chrono::{Datelike, NaiveDate, TimeDelta};
use shared::entity::loans::PaymentPeriod;

/// An endless sequence of regular due dates: number 0 is the first payment date, −1 the date before
/// it.
#[derive(Clone, Copy)]
pub(super) struct Cycle {
    first: NaiveDate,
    step: CycleStep,
}

#[derive(Clone, Copy)]
enum CycleStep {
    Days(i64),
    /// Twice a month, on this day and 15 days later.
    HalfMonths {
        early_day: u32,
    },
    Months {
        months: i64,
        payment_day: u32,
    },
}

impl Cycle {
    /// Returns the cycle of a payment period; `None` for periods without regular dates.
    pub(super) fn new(
        period: PaymentPeriod,
        first: NaiveDate,
        payment_day: Option<u32>,
    ) -> Option<Self> {
        let payment_day = payment_day.unwrap_or(first.day());
        let months = |months| CycleStep::Months { months, payment_day };
        let step = match period {
            PaymentPeriod::None | PaymentPeriod::Maturity => return None,
            PaymentPeriod::Weekly => CycleStep::Days(7),
            PaymentPeriod::Biweekly => CycleStep::Days(14),
            PaymentPeriod::Semimonthly if payment_day <= 15 => {
                CycleStep::HalfMonths { early_day: payment_day }
            }
            PaymentPeriod::Semimonthly => {
                CycleStep::HalfMonths { early_day: payment_day.min(30) - 15 }
            }
            PaymentPeriod::Monthly => months(1),
            PaymentPeriod::Bimonthly => months(2),
            PaymentPeriod::Quarterly => months(3),
            PaymentPeriod::Semiannual => months(6),
            PaymentPeriod::Annual => months(12),
        };
        Some(Self { first, step })
    }

    /// Returns the first payment date.
    pub(super) fn first(self) -> NaiveDate {
        self.first
    }

    /// Returns the date with this number; `None` beyond the calendar.
    pub(super) fn date(self, index: i64) -> Option<NaiveDate> {
        match self.step {
            CycleStep::Days(days) => {
                let distance = TimeDelta::try_days(index.checked_mul(days)?)?;
                self.first.checked_add_signed(distance)
            }
            CycleStep::HalfMonths { early_day } => {
                let half = self.first_half(early_day) + index;
                let day = if half.rem_euclid(2) == 0 { early_day } else { early_day + 15 };
                day_of_month(half.div_euclid(2), day)
            }
            CycleStep::Months { months, payment_day } => {
                day_of_month(month_number(self.first) + index * months, payment_day)
            }
        }
    }

    /// Returns the number of the last date on or before a day.
    pub(super) fn index_on_or_before(self, day: NaiveDate) -> i64 {
        // An upper bound: above the number sought by at most the dates of one month.
        let mut index = match self.step {
            CycleStep::Days(days) => (day - self.first).num_days().div_euclid(days),
            CycleStep::HalfMonths { early_day } => {
                2 * month_number(day) + 1 - self.first_half(early_day)
            }
            CycleStep::Months { months, .. } => {
                (month_number(day) - month_number(self.first)).div_euclid(months)
            }
        };
        while self.date(index).is_some_and(|date| date > day) {
            index -= 1;
        }
        index
    }

    /// Returns the day of the month on which a date of the cycle is meant to fall, whatever the
    /// length of the month; `None` for other days.
    pub(super) fn intended_day(self, day: NaiveDate) -> Option<u32> {
        self.date(self.index_on_or_before(day)).filter(|date| *date == day)?;
        Some(match self.step {
            CycleStep::Days(_) => day.day(),
            CycleStep::HalfMonths { early_day } if day.day() <= early_day => early_day,
            CycleStep::HalfMonths { early_day } => early_day + 15,
            CycleStep::Months { payment_day, .. } => payment_day,
        })
    }

    /// Returns the number of the half month in which the first payment date falls.
    fn first_half(self, early_day: u32) -> i64 {
        2 * month_number(self.first) + i64::from(self.first.day() > early_day)
    }
}

/// Returns the months since the beginning of the calendar.
fn month_number(date: NaiveDate) -> i64 {
    i64::from(date.year()) * 12 + i64::from(date.month0())
}

/// Returns the day of a month, or its last day if the month is shorter.
fn day_of_month(month_number: i64, day: u32) -> Option<NaiveDate> {
    let year = i32::try_from(month_number.div_euclid(12)).ok()?;
    let month = u32::try_from(month_number.rem_euclid(12)).ok()? + 1;
    let shorter = || (28..day).rev().find_map(|day| NaiveDate::from_ymd_opt(year, month, day));
    NaiveDate::from_ymd_opt(year, month, day).or_else(shorter)
}

//! Day counts: the fraction of a year that a span of days represents.
//!
//! All spans of one loan are whole multiples of one small unit, so their sum is exact:
//!
//! | Year basis | A day is | Unit |
//! |---|---|---|
//! | 360/360 | 1/360 of a year, with 30-day months | 1/360 |
//! | any other | 1 ÷ denominator × (numerator ÷ A) of a year | a common divisor of all such days |
//!
//! A is the number of days in the calendar year of the day. An actual numerator or denominator is A
//! as well, so an actual numerator cancels out.

use super::Terms;
use chrono::{Datelike, NaiveDate};
use shared::entity::loans::YearLength;

/// Day count of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DayCount {
    /// Months of 30 days, years of 360.
    Thirty360,
    /// Calendar days, each weighted by the year it falls in.
    Calendar { numerator: YearLength, denominator: YearLength },
}

/// A common multiple of the lengths of a common year and a leap year.
const BOTH_YEARS: i128 = 365 * 366;

impl DayCount {
    /// Returns the day count of a loan.
    pub(super) fn of(terms: &Terms) -> Self {
        match (terms.numerator, terms.denominator) {
            (YearLength::D360, YearLength::D360) => Self::Thirty360,
            (numerator, denominator) => Self::Calendar { numerator, denominator },
        }
    }

    /// Returns the units in a year: the common denominator of all spans of the loan.
    pub(super) fn units_per_year(self) -> i128 {
        match self {
            Self::Thirty360 => 360,
            Self::Calendar { numerator, denominator } => {
                let numerator_units = if fixed_days(numerator).is_some() { BOTH_YEARS } else { 1 };
                numerator_units * fixed_days(denominator).unwrap_or(BOTH_YEARS)
            }
        }
    }

    /// Returns the units of a single day.
    pub(super) fn units_of_day(self, day: NaiveDate) -> i128 {
        match self {
            Self::Thirty360 => 1,
            Self::Calendar { numerator, denominator } => {
                let year = if day.leap_year() { 366 } else { 365 };
                let numerator_units = fixed_days(numerator).map_or(1, |n| n * (BOTH_YEARS / year));
                let denominator_units = fixed_days(denominator).map_or(BOTH_YEARS / year, |_| 1);
                numerator_units * denominator_units
            }
        }
    }

    /// Returns the units of the days `from ≤ d < to`. No [`cut`](Self::next_cut) may lie between
    /// them.
    pub(super) fn units_between(self, terms: &Terms, from: NaiveDate, to: NaiveDate) -> i128 {
        match self {
            Self::Thirty360 => {
                let since = terms.schedule.last_on_or_before(from);
                let since = SpanEnd::of(terms, since.unwrap_or(terms.interest_start_date));
                let (from, to) = (SpanEnd::of(terms, from), SpanEnd::of(terms, to));
                i128::from(since.days_until(to) - since.days_until(from))
            }
            Self::Calendar { .. } => self.units_of_day(from) * i128::from((to - from).num_days()),
        }
    }

    /// Returns the first day after `day` at which a span must be cut: 30-day months are counted
    /// from due date to due date, calendar days within one year.
    pub(super) fn next_cut(self, terms: &Terms, day: NaiveDate) -> Option<NaiveDate> {
        match self {
            Self::Thirty360 => terms.schedule.next_after(day),
            Self::Calendar { .. } => NaiveDate::from_ymd_opt(day.year() + 1, 1, 1),
        }
    }
}

/// One end of a span of 30-day months, by the US 30/360 convention.
///
/// 360 (y2 − y1) + 30 (m2 − m1) + d2 − d1 after these steps in order:
///
/// 1. both dates are the last day of February: d2 = 30
/// 2. the first date is the last day of February: d1 = 30
/// 3. d2 is 31 and d1 is at least 30: d2 = 30
/// 4. d1 is 31: d1 = 30
///
/// A scheduled due date counts as the day on which it is meant to fall, at most the 30th: with a
/// Payment_Day of 30, February's due date counts as the 30th. The same holds for an interest start
/// date that lies on the schedule counted backwards. These steps do not move such a date, so months
/// between due dates have 30 days.
#[derive(Clone, Copy)]
struct SpanEnd {
    date: NaiveDate,
    intended_day: Option<u32>,
}

impl SpanEnd {
    fn of(terms: &Terms, date: NaiveDate) -> Self {
        let scheduled = date == terms.interest_start_date || terms.schedule.is_due_date(date);
        let intended_day = terms.schedule.intended_day_360(date).filter(|_| scheduled);
        Self { date, intended_day }
    }

    fn days_until(self, to: Self) -> i64 {
        let (from_day, to_day) = (self.counted_as_first(), to.counted_as_second(self));
        let months = |date: NaiveDate| i64::from(date.year()) * 12 + i64::from(date.month());
        30 * (months(to.date) - months(self.date)) + i64::from(to_day) - i64::from(from_day)
    }

    /// d1: steps 2 and 4.
    fn counted_as_first(self) -> u32 {
        let as_it_falls = if ends_february(self.date) { 30 } else { self.date.day().min(30) };
        self.intended_day.unwrap_or(as_it_falls)
    }

    /// d2: steps 1 and 3, which make the second date the 30th only if the first is the 30th.
    fn counted_as_second(self, first: Self) -> u32 {
        let day = self.date.day();
        let both_end_february = ends_february(first.date) && ends_february(self.date);
        let becomes_30 = first.counted_as_first() == 30 && (both_end_february || day == 31);
        let as_it_falls = if becomes_30 { 30 } else { day };
        self.intended_day.unwrap_or(as_it_falls)
    }
}

fn ends_february(date: NaiveDate) -> bool {
    date.month() == 2 && date.succ_opt().is_some_and(|next| next.month() == 3)
}

/// Returns the length of the year if it is the same every year.
fn fixed_days(length: YearLength) -> Option<i128> {
    match length {
        YearLength::D360 => Some(360),
        YearLength::D364 => Some(364),
        YearLength::D365 => Some(365),
        YearLength::D366 => Some(366),
        YearLength::Actual => None,
    }
}

#[cfg(test)]
mod tests;

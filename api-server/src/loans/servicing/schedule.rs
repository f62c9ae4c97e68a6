//! Payment schedules: the dates on which installments are due.
//!
//! | Payment period | Due dates |
//! |---|---|
//! | weekly, biweekly | the first payment date and every 7 or 14 days after it |
//! | semimonthly | days p and p + 15 of each month, the latter at most the last day of the month |
//! | monthly, bimonthly, quarterly, semiannual, annual | every 1, 2, 3, 6, 12 months |
//! | maturity | the maturity date only |
//! | none | never |
//!
//! Months are counted from the first payment date. The installment is due on the payment day, or on
//! the last day of a month that is too short for it. For semimonthly loans, p is the payment day if
//! that is at most 15, otherwise the payment day (at most 30) less 15.
//!
//! The maturity date is the last due date, on the schedule or not; without one the schedule has no
//! end. Dates are computed by counting, never by walking from the first date.

mod cycle;
mod level_installment;

use chrono::{Datelike, NaiveDate};
use cycle::Cycle;
use shared::entity::loans::PaymentPeriod;

pub use level_installment::level_installment;

/// The last year of a date: years are written with four digits, and the databases store no later
/// one.
pub const LAST_YEAR: i32 = 9999;

/// Payment schedule of a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Interval between due dates; may be maturity only, or none.
    pub period: PaymentPeriod,
    /// Date on which the schedule begins and from which it is counted. Without one, only the
    /// maturity date is due.
    pub first_payment_date: Option<NaiveDate>,
    /// Day of the month, 1 to 31, whatever the length of the month; if absent, the day of the first
    /// payment date.
    pub payment_day: Option<u32>,
    /// Last due date.
    pub maturity_date: Option<NaiveDate>,
}

impl Schedule {
    /// Returns the first due date.
    pub fn first(&self) -> Option<NaiveDate> {
        self.nth(1)
    }

    /// Returns the due date of payment `n`, counted from 1; `None` beyond maturity.
    pub fn nth(&self, n: u32) -> Option<NaiveDate> {
        let index = i64::from(n).checked_sub(1).filter(|index| *index >= 0)?;
        let regular = |index| self.cycle().and_then(|cycle| cycle.date(index));
        let Some(maturity) = self.maturity() else { return regular(index) };
        let previous = if index > 0 { Some(regular(index - 1)?) } else { None };
        if previous.is_some_and(|previous| previous >= maturity) {
            return None;
        }
        Some(regular(index).map_or(maturity, |date| date.min(maturity)))
    }

    /// Returns the first due date after a day.
    pub fn next_after(&self, day: NaiveDate) -> Option<NaiveDate> {
        let maturity = self.maturity();
        if maturity.is_some_and(|maturity| maturity <= day) {
            return None;
        }
        let regular =
            self.cycle().and_then(|cycle| cycle.date((cycle.index_on_or_before(day) + 1).max(0)));
        [regular, maturity].into_iter().flatten().min()
    }

    /// Returns the last due date on or before a day.
    pub fn last_on_or_before(&self, day: NaiveDate) -> Option<NaiveDate> {
        if let Some(maturity) = self.maturity().filter(|maturity| *maturity <= day) {
            return Some(maturity);
        }
        let cycle = self.cycle()?;
        cycle.date(cycle.index_on_or_before(day)).filter(|date| *date >= cycle.first())
    }

    /// True if the day is a due date.
    pub fn is_due_date(&self, day: NaiveDate) -> bool {
        self.last_on_or_before(day) == Some(day)
    }

    /// True if the day is the maturity date or a date of the schedule, counted in both directions
    /// from the first payment date.
    ///
    /// A first payment date that is not on its own schedule contradicts the payment day.
    pub fn meets(&self, day: NaiveDate) -> bool {
        self.intended_day_360(day).is_some()
    }

    /// Returns the day of the month, at most 30, on which a date of the schedule is meant to fall:
    /// the payment day, even in a shorter month. `None` for days that are not on the schedule.
    ///
    /// Weekly and biweekly dates, and a maturity date off the schedule, are meant to fall on their
    /// own day.
    pub fn intended_day_360(&self, day: NaiveDate) -> Option<u32> {
        let regular = self.cycle().and_then(|cycle| cycle.intended_day(day));
        let maturity = self.maturity().filter(|maturity| *maturity == day);
        regular.or(maturity.map(|maturity| maturity.day())).map(|day| day.min(30))
    }

    /// Returns the maturity date, unless the period has no due dates at all.
    fn maturity(&self) -> Option<NaiveDate> {
        self.maturity_date.filter(|_| self.period != PaymentPeriod::None)
    }

    fn cycle(&self) -> Option<Cycle> {
        Cycle::new(self.period, self.first_payment_date?, self.payment_day)
    }
}

#[cfg(test)]
mod tests;

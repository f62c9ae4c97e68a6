//! Interest on a principal between two days: an exact fraction, summed day by day.

use super::calendar::{Calendar, Day, days_of_30};
use super::state::Refusal;
use super::{Amount, LARGEST, Terms};
use chrono::NaiveDate;
use shared::entity::loans::YearLength;

/// Days of a common year times days of a leap year, which any actual year length divides.
const BOTH_YEARS: i128 = 365 * 366;

/// Accrual is in units of 1e-8 of the currency unit. Money in 1e-4 times a rate in 1e-8 percent is
/// in 1e-14 of a unit per year.
const PRODUCT_PER_ACCRUAL: i128 = 1_000_000;

/// The interest of a loan, for every day that a test may look at.
#[derive(Clone, Debug)]
pub struct Interest {
    terms: Terms,
    /// The dates on which installments are due.
    pub due_dates: Vec<Day>,
    start: Day,
    /// For each day since the interest start, the sum of rate times share of a year over all
    /// earlier days.
    weights: Vec<i128>,
    /// The divisor of the weights.
    divisor: i128,
    up_to: NaiveDate,
}

impl Interest {
    /// The interest on these terms for days up to this one.
    pub fn new(terms: &Terms, calendar: &Calendar, up_to: NaiveDate) -> Self {
        let start = calendar.counted_back(terms.interest_start);
        let mut weights = vec![0];
        let mut sum = 0;
        let days = start.date.iter_days().take_while(|day| *day <= up_to);
        for day in days.filter(|_| !terms.is_of_months()) {
            sum += terms.rate_borne_on(day) * terms.share(day);
            weights.push(sum);
        }
        let due_dates = calendar.due_dates(up_to);
        let divisor = terms.share_divisor() * PRODUCT_PER_ACCRUAL;
        Self { terms: terms.clone(), due_dates, start, weights, divisor, up_to }
    }

    /// The interest for the same days on other terms.
    pub fn with(&self, terms: &Terms) -> Self {
        Self::new(terms, &terms.calendar(), self.up_to)
    }

    /// The interest on this principal from the first day up to, but not including, the second, in
    /// 1e-8 of the currency unit.
    pub fn accrue(
        &self,
        principal: Amount,
        from: NaiveDate,
        to: NaiveDate,
    ) -> Result<i128, Refusal> {
        let from = from.max(self.start.date);
        if to <= from {
            return Ok(0);
        }
        let (weight, divisor) = match self.terms.is_of_months() {
            true => (self.months(from, to), 360 * PRODUCT_PER_ACCRUAL),
            false => (self.weight_before(to) - self.weight_before(from), self.divisor),
        };
        divide(principal.checked_mul(weight).ok_or(Refusal::OutOfRange)?, divisor)
    }

    /// One day's interest, to eight decimals.
    pub fn per_diem(&self, principal: Amount, day: NaiveDate) -> Result<i128, Refusal> {
        if !self.terms.is_of_months() {
            return self.accrue(principal, day, day.succ_opt().expect("a day"));
        }
        if day < self.start.date {
            return Ok(0);
        }
        divide(principal * self.terms.rate_borne_on(day), 360 * PRODUCT_PER_ACCRUAL)
    }

    fn weight_before(&self, day: NaiveDate) -> i128 {
        self.weights[(day - self.start.date).num_days() as usize]
    }

    /// Rate times days in 30/360, split at due dates, rate changes and changes of status.
    fn months(&self, from: NaiveDate, to: NaiveDate) -> i128 {
        let due = self.due_dates.iter().map(|due| due.date);
        let changes = self.terms.rates.iter().map(|(day, _)| *day);
        let switches = self.terms.accrual_switches.iter().copied();
        let mut cuts: Vec<NaiveDate> = due.chain(changes).chain(switches).collect();
        cuts.retain(|cut| from < *cut && *cut < to);
        cuts.extend([from, to]);
        cuts.sort();
        cuts.dedup();
        let mut weight = 0;
        for part in cuts.windows(2) {
            let period_start = self.due_dates.iter().rev().find(|due| due.date <= part[0]);
            let period_start = *period_start.unwrap_or(&self.start);
            let days = |day| days_of_30(period_start, self.day(day));
            weight += self.terms.rate_borne_on(part[0]) * (days(part[1]) - days(part[0]));
        }
        weight
    }

    fn day(&self, date: NaiveDate) -> Day {
        let known_day = self.due_dates.iter().chain([&self.start]).find(|day| day.date == date);
        known_day.copied().unwrap_or(Day { date, nominal: None })
    }
}

impl Terms {
    /// The rate of the interest borne on a day.
    fn rate_borne_on(&self, day: NaiveDate) -> i128 {
        if self.stops_on(day) { 0 } else { self.rate_on(day) }
    }

    /// True for 360/360: months of 30 days.
    fn is_of_months(&self) -> bool {
        (self.numerator, self.denominator) == (YearLength::D360, YearLength::D360)
    }

    /// This day's share of a year, times `share_divisor`.
    fn share(&self, day: NaiveDate) -> i128 {
        let actual = if day.leap_year() { 366 } else { 365 };
        let of_denominator = match fixed(self.denominator) {
            Some(_) => 1,
            None => BOTH_YEARS / actual,
        };
        let of_numerator = match fixed(self.numerator) {
            Some(numerator) => numerator * BOTH_YEARS / actual,
            None => 1,
        };
        of_denominator * of_numerator
    }

    fn share_divisor(&self) -> i128 {
        let of_denominator = fixed(self.denominator).unwrap_or(BOTH_YEARS);
        let of_numerator = if fixed(self.numerator).is_some() { BOTH_YEARS } else { 1 };
        of_denominator * of_numerator
    }
}

/// The number of days in a year, if it is always the same.
fn fixed(length: YearLength) -> Option<i128> {
    match length {
        YearLength::D360 => Some(360),
        YearLength::D364 => Some(364),
        YearLength::D365 => Some(365),
        YearLength::D366 => Some(366),
        YearLength::Actual => None,
    }
}

/// Divides a non-negative amount and rounds half up; refuses a quotient that cannot be stored.
fn divide(amount: i128, divisor: i128) -> Result<i128, Refusal> {
    let rest = amount % divisor;
    let rounded = amount / divisor + i128::from(rest * 2 >= divisor);
    if rounded > LARGEST { Err(Refusal::OutOfRange) } else { Ok(rounded) }
}

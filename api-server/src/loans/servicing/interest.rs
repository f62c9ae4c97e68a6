//! Interest: accrual over a span of days, and the amount owed.
//!
//! A span covers the days `from ≤ d < to`: a payment pays interest up to, not including, its
//! effective date. Interest is simple, on the principal of the day. A span is summed as one exact
//! fraction and rounded once, half-up at eight decimals. Interest is rounded to cents only where it
//! is posted or quoted; the remainder below a cent stays in the accrued total.

use super::day_count::DayCount;
use super::{LoanState, Terms};
use chrono::NaiveDate;
use rust_decimal::Decimal;
use shared::amounts::{Accrual, Money, OutOfRange, Rate, divide_half_up};

/// Returns the interest on a constant principal for the days `from ≤ d < to`, rounded half-up at
/// eight decimals.
///
/// Each day bears interest at the latest rate effective on or before it; days before the first
/// rate, at the first. Nothing accrues before the interest start date, on zero principal, or if the
/// loan's status stops accrual. An empty or reversed span accrues nothing.
///
/// # Errors
/// [`OutOfRange`] if the interest exceeds what can be stored.
pub fn accrue(
    terms: &Terms,
    principal: Money,
    from: NaiveDate,
    to: NaiveDate,
) -> Result<Accrual, OutOfRange> {
    InterestFactor::between(terms, from, to)?.interest_on(principal)
}

/// Returns one day's interest, at eight decimals.
///
/// In 360/360 every day bears 1/360 of the annual interest, wherever it falls in the month.
pub fn per_diem(terms: &Terms, principal: Money, day: NaiveDate) -> Result<Accrual, OutOfRange> {
    if !terms.accrues || day < terms.interest_start_date {
        return Ok(Accrual::ZERO);
    }
    let units = DayCount::of(terms).units_of_day(day);
    InterestFactor::none(terms).with(terms.rate_on(day), units)?.interest_on(principal)
}

impl LoanState {
    /// Returns the interest accrued since booking up to a day, paid or not, unrounded.
    ///
    /// This is the total at the accrual base plus the interest on the current principal since then.
    /// For a day before the base, it is the total at the base.
    pub fn interest_total_on(&self, terms: &Terms, day: NaiveDate) -> Result<Accrual, OutOfRange> {
        let since_base = accrue(terms, self.principal, self.accrual_base_date, day)?;
        self.accrual_base_total.plus(since_base)
    }

    /// Returns the interest owed on a day, in cents: accrued less settled, never negative.
    pub fn interest_owed_on(&self, terms: &Terms, day: NaiveDate) -> Result<Money, OutOfRange> {
        self.interest_owed_of(self.interest_total_on(terms, day)?)
    }

    /// Returns the part of an accrued total that is owed, in cents, never negative.
    pub(super) fn interest_owed_of(&self, total: Accrual) -> Result<Money, OutOfRange> {
        let unsettled = total.minus(self.interest_settled_total.to_accrual()?)?;
        Ok(unsettled.round_to_cents().max(Money::ZERO))
    }
}

/// Interest on one unit of principal over a span, as an exact fraction.
///
/// All factors of a loan have the same denominator, so adjoining spans add up without rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InterestFactor {
    numerator: i128,
    denominator: i128,
}

/// Units of a rate of 100 percent.
const RATE_UNITS: i128 = 10_i128.pow(Rate::DECIMALS + 2);

/// Units of an accrual in one unit of money.
const ACCRUAL_UNITS: i128 = 10_i128.pow(Accrual::DECIMALS - Money::DECIMALS);

impl InterestFactor {
    /// Returns the factor of an empty span.
    pub(super) fn none(terms: &Terms) -> Self {
        Self { numerator: 0, denominator: DayCount::of(terms).units_per_year() * RATE_UNITS }
    }

    /// Returns the factor of the days `from ≤ d < to`.
    pub(super) fn between(
        terms: &Terms,
        from: NaiveDate,
        to: NaiveDate,
    ) -> Result<Self, OutOfRange> {
        Self::none(terms).extended(terms, from, to)
    }

    /// Returns this factor plus that of the days `from ≤ d < to`.
    pub(super) fn extended(
        self,
        terms: &Terms,
        from: NaiveDate,
        to: NaiveDate,
    ) -> Result<Self, OutOfRange> {
        if !terms.accrues {
            return Ok(self);
        }
        let day_count = DayCount::of(terms);
        let mut factor = self;
        let mut part_start = from.max(terms.interest_start_date);
        while part_start < to {
            let cuts = [terms.next_rate_change(part_start), day_count.next_cut(terms, part_start)];
            let part_end = cuts.into_iter().flatten().fold(to, NaiveDate::min);
            let units = day_count.units_between(terms, part_start, part_end);
            factor = factor.with(terms.rate_on(part_start), units)?;
            part_start = part_end;
        }
        Ok(factor)
    }

    /// Returns this factor plus that of `year_units` at one rate.
    fn with(self, rate: Rate, year_units: i128) -> Result<Self, OutOfRange> {
        let more = i128::from(rate.units()).checked_mul(year_units).ok_or(OutOfRange)?;
        let numerator = self.numerator.checked_add(more).ok_or(OutOfRange)?;
        Ok(Self { numerator, ..self })
    }

    /// Returns the interest on a principal, rounded half-up at eight decimals.
    pub(super) fn interest_on(self, principal: Money) -> Result<Accrual, OutOfRange> {
        let exact = self.numerator.checked_mul(principal.units().into()).ok_or(OutOfRange)?;
        // Dividing by a smaller denominator, rather than multiplying by more, keeps the product in
        // range.
        Accrual::from_wide_units(divide_half_up(exact, self.denominator / ACCRUAL_UNITS))
    }

    /// Returns the factor at 28 significant digits.
    pub(super) fn to_decimal(self) -> Result<Decimal, OutOfRange> {
        let decimal = |units| Decimal::try_from_i128_with_scale(units, 0).map_err(|_| OutOfRange);
        decimal(self.numerator)?.checked_div(decimal(self.denominator)?).ok_or(OutOfRange)
    }
}

impl Terms {
    /// Returns the rate that applies on a day.
    pub fn rate_on(&self, day: NaiveDate) -> Rate {
        let in_effect = self.rates_in_effect(day);
        self.rates.get(in_effect.saturating_sub(1)).map_or(Rate::ZERO, |step| step.rate)
    }

    /// Returns the first day after `day` on which a new rate takes effect.
    fn next_rate_change(&self, day: NaiveDate) -> Option<NaiveDate> {
        self.rates.get(self.rates_in_effect(day)).map(|step| step.effective_date)
    }

    fn rates_in_effect(&self, day: NaiveDate) -> usize {
        self.rates.partition_point(|step| step.effective_date <= day)
    }
}

#[cfg(test)]
mod tests;

//! Payoffs: the amount that pays a loan off on a given day. Quotes and postings use the same
//! calculation, so they cannot differ.

use super::interest::InterestFactor;
use super::{LoanState, Terms, interest, sum};
use chrono::NaiveDate;
use shared::amounts::{Accrual, Money, OutOfRange};

/// Amount that pays a loan off, and the balances it pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payoff {
    pub principal: Money,
    /// Interest owed on the day.
    pub interest: Money,
    pub late_charges: Money,
    pub fees: Money,
    /// Taken out of the suspense balance first: at most what is owed.
    pub suspense_applied: Money,
    /// What remains to be paid. The impound balance belongs to the borrower and is not netted.
    pub amount: Money,
    /// Impound balance that the loan still holds for the borrower after the payoff.
    pub impound_held: Money,
    /// Suspense balance that it still holds.
    pub suspense_held: Money,
}

impl Payoff {
    /// Returns the payoff of a loan on which this much interest is owed.
    pub(super) fn of(state: &LoanState, interest: Money) -> Result<Self, OutOfRange> {
        let LoanState { principal, late_charges, fees, suspense, .. } = *state;
        let owed = sum([principal, interest, late_charges, fees])?;
        let suspense_applied = suspense.min(owed);
        let amount = owed.minus_down_to_zero(suspense);
        let (impound_held, suspense_held) = (state.impound, suspense.minus(suspense_applied)?);
        Ok(Self {
            principal,
            interest,
            late_charges,
            fees,
            suspense_applied,
            amount,
            impound_held,
            suspense_held,
        })
    }
}

/// Payoff quote for a day: the payoff then, if nothing is posted and no status changes before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayoffQuote {
    /// Effective date of the payoff.
    pub date: NaiveDate,
    /// Payoff on that day.
    pub payoff: Payoff,
    /// Interest of that day itself, to eight decimals.
    pub per_diem: Accrual,
}

impl LoanState {
    pub fn payoff_on(&self, terms: &Terms, day: NaiveDate) -> Result<Payoff, OutOfRange> {
        Payoff::of(self, self.interest_owed_on(terms, day)?)
    }

    /// Returns a payoff quote for each day of a span, both ends included.
    pub fn payoff_quotes(
        &self,
        terms: &Terms,
        from: NaiveDate,
        through: NaiveDate,
    ) -> Result<Vec<PayoffQuote>, OutOfRange> {
        // The interest is that of one span from the accrual base, extended day by day.
        let mut factor = InterestFactor::none(terms);
        let mut end = self.accrual_base_date;
        let quote = |date: NaiveDate| {
            factor = factor.extended(terms, end, date)?;
            end = end.max(date);
            let total = self.accrual_base_total.plus(factor.interest_on(self.principal)?)?;
            let payoff = Payoff::of(self, self.interest_owed_of(total)?)?;
            let per_diem = interest::per_diem(terms, self.principal, date)?;
            Ok(PayoffQuote { date, payoff, per_diem })
        };
        from.iter_days().take_while(|date| *date <= through).map(quote).collect()
    }
}

#[cfg(test)]
mod tests;

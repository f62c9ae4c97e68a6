//! Amortization schedules: the installments still to come, up to maturity, and the principal balance
//! after each.
//!
//! The schedule assumes that each installment is paid in full on its due date, that nothing else is
//! posted, no charge assessed and nothing drawn, and that no status changes. Row 0 is what is due or
//! past due today. Every other row is the due row of its date, created by the same rules as on that
//! date, with the future rates already stored, and less what was paid ahead. Each row is then
//! paid as an explicit split of its interest and principal would be.
//!
//! The schedule ends at maturity, or as soon as nothing is owed. A loan without a maturity date whose
//! installments do not exceed its interest has no last row: its schedule is truncated at the requested
//! number of rows or the last representable year.

use super::allocation::Allocation;
use super::allocation::Split;
use super::due::UpcomingDueRows;
use super::schedule::LAST_YEAR;
use super::{LoanState, Terms};
use chrono::{Datelike, NaiveDate};
use shared::amounts::{Money, OutOfRange};

#[derive(Clone, Copy, Debug)]
pub struct RowRange {
    /// Rows before this day are left out.
    pub from: NaiveDate,
    /// Maximum number of rows, not counting row 0.
    pub limit: usize,
}

/// Installments up to maturity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amortization {
    pub rows: Vec<AmortizationRow>,
    /// True if no row follows.
    pub complete: bool,
}

/// An installment, and the balance after it is paid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmortizationRow {
    /// Payment number of the due row; 0 for what is due or past due today.
    pub payment_number: i32,
    /// Due date; today for row 0.
    pub date: NaiveDate,
    /// Interest and principal together.
    pub payment: Money,
    pub interest: Money,
    pub principal: Money,
    /// Principal balance after the row is paid.
    pub ending_balance: Money,
}

impl LoanState {
    /// Returns the loan's installments from today's state to maturity.
    pub fn amortization(
        &self,
        terms: &Terms,
        today: NaiveDate,
        range: RowRange,
    ) -> Result<Amortization, OutOfRange> {
        let mut state = self.clone();
        state.create_due_rows(terms, today)?;
        let mut rows = Vec::new();
        let due_today = state.pay_all_due(terms, 0, today)?;
        if range.from <= today {
            rows.push(due_today);
        }
        let rows_max = rows.len() + range.limit;
        let mut upcoming = UpcomingDueRows::of(terms, &state)?;
        while let Some(due_date) = state.next_due_date {
            if state.owes_nothing()? {
                break;
            }
            if rows.len() == rows_max || due_date.year() > LAST_YEAR {
                return Ok(Amortization { rows, complete: false });
            }
            upcoming.create(&mut state, due_date)?;
            let row = state.pay_all_due(terms, state.due_row_count, due_date)?;
            if row.payment.is_positive() {
                upcoming = UpcomingDueRows::of(terms, &state)?;
            }
            if range.from <= due_date {
                rows.push(row);
            }
        }
        Ok(Amortization { rows, complete: true })
    }

    /// Pays everything due by a day, on which every due row up to it exists. If nothing is due,
    /// nothing is paid, and the accrual base stays where it is.
    fn pay_all_due(
        &mut self,
        terms: &Terms,
        payment_number: i32,
        date: NaiveDate,
    ) -> Result<AmortizationRow, OutOfRange> {
        let Split { interest, principal, .. } = self.due_by(terms, date)?;
        let payment = interest.plus(principal)?;
        if payment.is_positive() {
            self.move_base(terms, date)?;
            let mut allocation = Allocation::new(terms, self.clone(), date, payment)?;
            allocation.pay_split(&Split { interest, principal, ..Split::default() })?;
            allocation.count_paid_ahead()?;
            *self = allocation.state;
            self.due_rows.retain(|row| row.unpaid() != Ok(Money::ZERO));
        }
        let ending_balance = self.principal;
        Ok(AmortizationRow { payment_number, date, payment, interest, principal, ending_balance })
    }

    /// Returns the interest and principal due by a day: the unpaid due rows, and after maturity all
    /// interest, but no more than is owed.
    fn due_by(&self, terms: &Terms, day: NaiveDate) -> Result<Split, OutOfRange> {
        let billed = self.unpaid_row_interest()?;
        let is_after_maturity = terms.schedule.maturity_date.is_some_and(|date| date < day);
        let interest = match (is_after_maturity, billed.is_zero()) {
            (true, _) => self.interest_owed_on(terms, day)?,
            (false, false) => billed.min(self.interest_owed_on(terms, day)?),
            (false, true) => Money::ZERO,
        };
        let principal = self.unpaid_row_principal()?.min(self.principal);
        Ok(Split { interest, principal, ..Split::default() })
    }

    /// True if no principal is left, and no interest that was accrued on it.
    fn owes_nothing(&self) -> Result<bool, OutOfRange> {
        let is_repaid = self.principal.is_zero();
        Ok(is_repaid && self.interest_owed_of(self.accrual_base_total)?.is_zero())
    }
}

#[cfg(test)]
mod tests;

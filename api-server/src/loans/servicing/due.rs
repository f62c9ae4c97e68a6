//! Due rows: the amounts due on each due date, and the standing of a loan on a day.
//!
//! A due row is created for each due date D when the accrual base reaches or passes it:
//!
//! 1. Accrued interest is the interest owed on D that no earlier row holds; unbilled principal is
//!    the principal that no earlier row holds.
//! 2. The row's amount is the payment amount less what was paid ahead toward it: first accrued
//!    interest, then unbilled principal.
//! 3. On the maturity date the row holds all accrued interest and all unbilled principal instead.
//! 4. The amount paid ahead is reset to zero, and the next due date moves on; after maturity there
//!    is none.
//!
//! The standing on a day is computed by creating the rows up to it without storing them.

use super::interest::{self, InterestFactor};
use super::payoff::Payoff;
use super::{DueRow, LoanState, Terms, sum};
use chrono::NaiveDate;
use shared::amounts::{Accrual, Money, OutOfRange};

/// Standing of a loan on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanStanding {
    /// Interest accrued since booking, unrounded, paid or not.
    pub interest_total: Accrual,
    /// Interest owed, in cents.
    pub interest_owed: Money,
    /// Interest of the day itself.
    pub per_diem: Accrual,
    pub payoff: Money,
    /// Unpaid amount of the rows due before the day; after maturity also all accrued interest.
    pub past_due: Money,
    /// The part of it that no due row holds: interest accrued since maturity.
    pub after_maturity: Money,
    /// Unpaid amount of the row due on the day.
    pub current_due: Money,
    /// Age of the oldest past-due amount, in days; 0 if nothing is past due.
    pub days_past_due: i32,
    /// First due date after the day; `None` after maturity or payoff.
    pub next_due_date: Option<NaiveDate>,
    /// Due rows up to the day, including those not stored yet.
    pub due_rows: Vec<DueRow>,
}

impl DueRow {
    /// Returns the age of the row in days; 0 if nothing of it is past due.
    pub fn days_past_due(&self, today: NaiveDate) -> Result<i32, OutOfRange> {
        let is_past_due = self.due_date < today && self.unpaid()?.is_positive();
        Ok(if is_past_due { days_between(self.due_date, today) } else { 0 })
    }
}

impl LoanState {
    /// Returns the standing of the loan on a day, without posting anything.
    ///
    /// After the maturity date, accrued interest that no due row holds is past due immediately,
    /// aged from the maturity date.
    pub fn standing(&self, terms: &Terms, today: NaiveDate) -> Result<LoanStanding, OutOfRange> {
        let mut state = self.clone();
        state.create_due_rows(terms, today)?;
        let interest_total = state.interest_total_on(terms, today)?;
        let interest_owed = state.interest_owed_of(interest_total)?;

        let mut past_due = Money::ZERO;
        let mut current_due = Money::ZERO;
        let mut oldest_past_due = None;
        for row in &state.due_rows {
            let unpaid = row.unpaid()?;
            if row.due_date == today {
                current_due = current_due.plus(unpaid)?;
            } else if row.due_date < today && unpaid.is_positive() {
                past_due = past_due.plus(unpaid)?;
                oldest_past_due = oldest_past_due.or(Some(row.due_date));
            }
        }
        let after_maturity = state.interest_after_maturity(terms, today, interest_owed)?;
        past_due = past_due.plus(after_maturity)?;
        if after_maturity.is_positive() {
            oldest_past_due = oldest_past_due.or(terms.schedule.maturity_date);
        }

        Ok(LoanStanding {
            interest_total,
            interest_owed,
            per_diem: interest::per_diem(terms, state.principal, today)?,
            payoff: Payoff::of(&state, interest_owed)?.amount,
            past_due,
            after_maturity,
            current_due,
            days_past_due: oldest_past_due.map_or(0, |since| days_between(since, today)),
            next_due_date: state.next_due_date,
            due_rows: state.due_rows,
        })
    }

    /// Moves the accrual base to a day, creating the due rows up to it.
    ///
    /// Required before anything that changes how interest accrues or what is due: a payment, or a
    /// change of principal, accrual status, year basis or schedule. A day before the base leaves
    /// the base where it is.
    pub fn move_base(&mut self, terms: &Terms, to: NaiveDate) -> Result<(), OutOfRange> {
        self.create_due_rows(terms, to)?;
        self.accrual_base_total = self.interest_total_on(terms, to)?;
        self.accrual_base_date = self.accrual_base_date.max(to);
        Ok(())
    }

    /// Creates the due row of every due date that has none, up to and including a day.
    pub fn create_due_rows(&mut self, terms: &Terms, up_to: NaiveDate) -> Result<(), OutOfRange> {
        let mut upcoming = UpcomingDueRows::of(terms, self)?;
        while let Some(due_date) = self.next_due_date.filter(|due_date| *due_date <= up_to) {
            upcoming.create(self, due_date)?;
        }
        Ok(())
    }

    /// Returns the row of the next due date: steps 2 and 3.
    fn next_row(
        &self,
        terms: &Terms,
        due_date: NaiveDate,
        accrued_interest: Money,
        unbilled_principal: Money,
    ) -> Result<DueRow, OutOfRange> {
        let (interest_due, principal_due) = if terms.schedule.maturity_date == Some(due_date) {
            (accrued_interest, unbilled_principal)
        } else {
            let payment_amount = terms.payment_amount.unwrap_or(Money::ZERO);
            let installment = payment_amount.minus_down_to_zero(self.paid_ahead_amount);
            let interest_due = accrued_interest.min(installment);
            (interest_due, installment.minus_down_to_zero(interest_due).min(unbilled_principal))
        };
        Ok(DueRow {
            row_id: None,
            payment_number: self.due_row_count.checked_add(1).ok_or(OutOfRange)?,
            due_date,
            interest_due,
            principal_due,
            interest_paid: Money::ZERO,
            principal_paid: Money::ZERO,
        })
    }

    /// Returns the interest owed on a day after maturity that no due row holds: it is past due
    /// immediately. Zero up to maturity.
    pub(super) fn interest_after_maturity(
        &self,
        terms: &Terms,
        day: NaiveDate,
        interest_owed: Money,
    ) -> Result<Money, OutOfRange> {
        match terms.schedule.maturity_date.is_some_and(|maturity| maturity < day) {
            true => self.accrued_interest(interest_owed),
            false => Ok(Money::ZERO),
        }
    }

    /// Returns the interest owed that no due row holds.
    pub(super) fn accrued_interest(&self, interest_owed: Money) -> Result<Money, OutOfRange> {
        Ok(interest_owed.minus_down_to_zero(self.unpaid_row_interest()?))
    }

    /// Returns the principal that no due row holds.
    pub(super) fn unbilled_principal(&self) -> Result<Money, OutOfRange> {
        Ok(self.principal.minus_down_to_zero(self.unpaid_row_principal()?))
    }

    pub(super) fn unpaid_row_interest(&self) -> Result<Money, OutOfRange> {
        sum(self.due_rows.iter().map(DueRow::unpaid_interest))
    }

    pub(super) fn unpaid_row_principal(&self) -> Result<Money, OutOfRange> {
        sum(self.due_rows.iter().map(DueRow::unpaid_principal))
    }
}

/// The due rows that come next on a loan whose accrual base and principal stay as they are. The
/// interest accrued since the base is carried from row to row.
pub(super) struct UpcomingDueRows<'a> {
    terms: &'a Terms,
    accrued_to: NaiveDate,
    factor: InterestFactor,
    unpaid_interest: Money,
    unpaid_principal: Money,
}

impl<'a> UpcomingDueRows<'a> {
    pub(super) fn of(terms: &'a Terms, state: &LoanState) -> Result<Self, OutOfRange> {
        Ok(Self {
            terms,
            accrued_to: state.accrual_base_date,
            factor: InterestFactor::none(terms),
            unpaid_interest: state.unpaid_row_interest()?,
            unpaid_principal: state.unpaid_row_principal()?,
        })
    }

    /// Adds the row of the next due date, which is this one, to the loan.
    pub(super) fn create(
        &mut self,
        state: &mut LoanState,
        due_date: NaiveDate,
    ) -> Result<(), OutOfRange> {
        self.factor = self.factor.extended(self.terms, self.accrued_to, due_date)?;
        self.accrued_to = self.accrued_to.max(due_date);
        let since_base = self.factor.interest_on(state.principal)?;
        let owed = state.interest_owed_of(state.accrual_base_total.plus(since_base)?)?;
        let row = state.next_row(
            self.terms,
            due_date,
            owed.minus_down_to_zero(self.unpaid_interest),
            state.principal.minus_down_to_zero(self.unpaid_principal),
        )?;
        self.unpaid_interest = self.unpaid_interest.plus(row.interest_due)?;
        self.unpaid_principal = self.unpaid_principal.plus(row.principal_due)?;
        state.due_row_count = row.payment_number;
        state.due_rows.push(row);
        state.paid_ahead_amount = Money::ZERO;
        state.next_due_date = self.terms.schedule.next_after(due_date);
        Ok(())
    }
}

fn days_between(from: NaiveDate, to: NaiveDate) -> i32 {
    i32::try_from((to - from).num_days()).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests;

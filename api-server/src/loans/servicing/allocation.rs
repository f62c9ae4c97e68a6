//! Payment allocation: the balances and due rows that a payment reaches, in order.
//!
//! | Item | Pays |
//! |---|---|
//! | past due | the rows due before the day, oldest first: each interest first, then principal |
//! | past due interest | all unpaid interest of those rows |
//! | past due principal | all unpaid principal of those rows |
//! | current interest due | unpaid interest of the row due on the day |
//! | accrued interest | interest owed that no due row holds |
//! | current principal | unpaid principal of the row due on the day; early, the next installment's |
//! | late charges; fees | those balances |
//! | excess | unbilled principal, or the suspense balance, or nothing |
//!
//! The day is the payment's effective date. Each item takes its amount, or what is left of the
//! payment. Nothing is ever paid beyond the unpaid amount of a due row or the balance owed.
//!
//! **Early window.** During the advance days before the next due date, a payment counts as the next
//! installment. The current-principal item then also pays unbilled principal: up to the payment
//! amount less what was already paid ahead and the accrued interest just paid, or all of it if the
//! next due date is the maturity date. The accrued interest and unbilled principal paid then count
//! as paid ahead, up to the payment amount, and lower the next due row. Outside the window, paying
//! more than is due only shortens the loan.

use super::{DueRow, LoanState, Terms};
use chrono::NaiveDate;
use shared::amounts::{Money, OutOfRange};
use shared::entity::loans::{DistributionItem, ExcessHandling};

/// The parts of an explicit split; they must sum to the payment's amount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// At most the principal balance.
    pub principal: Money,
    /// At most the interest owed on the effective date.
    pub interest: Money,
    /// At most the late charge balance.
    pub late_charges: Money,
    /// At most the fee balance.
    pub fees: Money,
    /// To be added to the impound balance, without a limit.
    pub impound: Money,
    /// To be added to the suspense balance, without a limit.
    pub suspense: Money,
}

/// Amounts that a payment moved, by balance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PaymentParts {
    /// Principal paid, in due rows or unbilled.
    pub principal: Money,
    /// Interest paid, whether or not a due row holds it.
    pub interest: Money,
    pub late_charges: Money,
    pub fees: Money,
    /// Added to impound, for taxes and insurance.
    pub impound: Money,
    pub suspense: Money,
    /// Taken out of suspense to pay the other parts.
    pub suspense_applied: Money,
}

impl PaymentParts {
    /// Returns the payment's amount: all parts less the suspense applied.
    pub fn total(&self) -> Result<Money, OutOfRange> {
        let Self { principal, interest, late_charges, fees, impound, suspense, .. } = *self;
        let parts = [principal, interest, late_charges, fees, impound, suspense];
        // Including the suspense applied, the parts may sum to more than can be stored; the amount
        // does not.
        let sum: i128 = parts.iter().map(|part| i128::from(part.units())).sum();
        Money::from_wide_units(sum - i128::from(self.suspense_applied.units()))
    }
}

/// Amounts of a payment allocated to one due row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueRowPart {
    /// `None` for a row that is not stored yet.
    pub row_id: Option<i64>,
    /// Due date of the row.
    pub due_date: NaiveDate,
    /// Amount allocated to the row's interest.
    pub interest: Money,
    /// Amount allocated to the row's principal.
    pub principal: Money,
}

/// A payment being allocated on a loan whose accrual base is at the effective date.
pub(super) struct Allocation<'a> {
    terms: &'a Terms,
    effective_date: NaiveDate,
    /// Amount not allocated yet.
    pub remaining: Money,
    pub state: LoanState,
    /// Interest owed on the effective date and not paid yet.
    pub interest_owed: Money,
    pub parts: PaymentParts,
    /// One for each due row, in the same order.
    due_row_parts: Vec<DueRowPart>,
    accrued_interest_paid: Money,
    unbilled_principal_paid: Money,
}

/// Pays part of the due row with this index.
type PayRow<'a> = fn(&mut Allocation<'a>, usize) -> Result<(), OutOfRange>;

impl<'a> Allocation<'a> {
    pub(super) fn new(
        terms: &'a Terms,
        state: LoanState,
        effective_date: NaiveDate,
        amount: Money,
    ) -> Result<Self, OutOfRange> {
        let unallocated = |row: &DueRow| DueRowPart {
            row_id: row.row_id,
            due_date: row.due_date,
            interest: Money::ZERO,
            principal: Money::ZERO,
        };
        Ok(Self {
            terms,
            effective_date,
            remaining: amount,
            interest_owed: state.interest_owed_on(terms, effective_date)?,
            parts: PaymentParts::default(),
            due_row_parts: state.due_rows.iter().map(unallocated).collect(),
            accrued_interest_paid: Money::ZERO,
            unbilled_principal_paid: Money::ZERO,
            state,
        })
    }

    /// Allocates what is left to one item of the loan's payment distribution.
    pub(super) fn pay(&mut self, item: DistributionItem) -> Result<(), OutOfRange> {
        use DistributionItem as Item;
        let past_due = |row: &DueRow, day| row.due_date < day;
        let current = |row: &DueRow, day| row.due_date == day;
        let (interest, principal): (PayRow<'a>, PayRow<'a>) =
            (Self::pay_row_interest, Self::pay_row_principal);
        match item {
            Item::PastDue => self.pay_rows(past_due, &[interest, principal]),
            Item::PastDueInterest => self.pay_rows(past_due, &[interest]),
            Item::PastDuePrincipal => self.pay_rows(past_due, &[principal]),
            Item::CurrentInterestDue => self.pay_rows(current, &[interest]),
            Item::AccruedInterest => self.pay_accrued_interest(),
            Item::CurrentPrincipal => {
                self.pay_rows(current, &[principal])?;
                let early = self.early_principal()?;
                self.pay_unbilled_principal(early)
            }
            Item::LateCharges => self.pay_late_charges(),
            Item::Fees => self.pay_fees(),
            // Always last, wherever it is in the list: see `allocate_excess`.
            Item::Excess => Ok(()),
        }
    }

    /// Allocates what is left after all items. Anything still left after that is an overpayment.
    pub(super) fn allocate_excess(&mut self, excess: ExcessHandling) -> Result<(), OutOfRange> {
        match excess {
            ExcessHandling::Principal => self.pay_unbilled_principal(self.state.principal),
            ExcessHandling::Suspense => self.hold_in_suspense(self.remaining),
            ExcessHandling::Reject => Ok(()),
        }
    }

    /// Allocates the parts of a split to their balances: due rows oldest first, then amounts that
    /// no due row holds.
    pub(super) fn pay_split(&mut self, split: &Split) -> Result<(), OutOfRange> {
        let all_rows = |_: &DueRow, _| true;
        self.remaining = split.interest;
        self.pay_rows(all_rows, &[Self::pay_row_interest])?;
        self.pay_accrued_interest()?;
        self.remaining = split.principal;
        self.pay_rows(all_rows, &[Self::pay_row_principal])?;
        self.pay_unbilled_principal(split.principal)?;
        self.remaining = split.late_charges;
        self.pay_late_charges()?;
        self.remaining = split.fees;
        self.pay_fees()?;
        self.remaining = split.impound;
        self.hold_in_impound(split.impound)?;
        self.remaining = split.suspense;
        self.hold_in_suspense(split.suspense)
    }

    /// Takes money out of suspense, to be allocated with the payment.
    pub(super) fn apply_suspense(&mut self, amount: Money) -> Result<(), OutOfRange> {
        self.parts.suspense_applied = self.parts.suspense_applied.plus(amount)?;
        self.state.suspense = self.state.suspense.minus(amount)?;
        Ok(())
    }

    /// In the early window, counts amounts paid beyond the due rows as paid ahead.
    pub(super) fn count_paid_ahead(&mut self) -> Result<(), OutOfRange> {
        if self.in_early_window() {
            let paid = self.accrued_interest_paid.plus(self.unbilled_principal_paid)?;
            let paid_ahead = self.state.paid_ahead_amount.plus(paid)?;
            self.state.paid_ahead_amount = paid_ahead.min(self.payment_amount());
        }
        Ok(())
    }

    /// Leaves nothing due: marks every due row as paid and ends the schedule.
    pub(super) fn close(&mut self) {
        for row in &mut self.state.due_rows {
            // A write-off may have left a due row with more unpaid than the loan owes.
            row.interest_paid = row.interest_due;
            row.principal_paid = row.principal_due;
        }
        self.state.paid_ahead_amount = Money::ZERO;
        self.state.next_due_date = None;
    }

    /// Returns the due rows to which something was allocated.
    pub(super) fn paid_due_rows(&self) -> Vec<DueRowPart> {
        let is_allocated =
            |part: &&DueRowPart| part.interest.is_positive() || part.principal.is_positive();
        self.due_row_parts.iter().filter(is_allocated).copied().collect()
    }

    /// Pays the chosen rows, oldest first, each in the given steps.
    fn pay_rows(
        &mut self,
        selected: impl Fn(&DueRow, NaiveDate) -> bool,
        steps: &[PayRow<'a>],
    ) -> Result<(), OutOfRange> {
        for index in 0..self.state.due_rows.len() {
            if selected(&self.state.due_rows[index], self.effective_date) {
                steps.iter().try_for_each(|pay| pay(self, index))?;
            }
        }
        Ok(())
    }

    fn pay_row_interest(&mut self, index: usize) -> Result<(), OutOfRange> {
        let paid = self.pay_interest(self.state.due_rows[index].unpaid_interest())?;
        let (row, part) = (&mut self.state.due_rows[index], &mut self.due_row_parts[index]);
        row.interest_paid = row.interest_paid.plus(paid)?;
        part.interest = part.interest.plus(paid)?;
        Ok(())
    }

    fn pay_row_principal(&mut self, index: usize) -> Result<(), OutOfRange> {
        let paid = self.pay_principal(self.state.due_rows[index].unpaid_principal())?;
        let (row, part) = (&mut self.state.due_rows[index], &mut self.due_row_parts[index]);
        row.principal_paid = row.principal_paid.plus(paid)?;
        part.principal = part.principal.plus(paid)?;
        Ok(())
    }

    fn pay_accrued_interest(&mut self) -> Result<(), OutOfRange> {
        let paid = self.pay_interest(self.state.accrued_interest(self.interest_owed)?)?;
        self.accrued_interest_paid = self.accrued_interest_paid.plus(paid)?;
        Ok(())
    }

    fn pay_unbilled_principal(&mut self, at_most: Money) -> Result<(), OutOfRange> {
        let paid = self.pay_principal(self.state.unbilled_principal()?.min(at_most))?;
        self.unbilled_principal_paid = self.unbilled_principal_paid.plus(paid)?;
        Ok(())
    }

    fn pay_interest(&mut self, at_most: Money) -> Result<Money, OutOfRange> {
        // A reduction may have left due rows with more unpaid interest than the loan owes.
        let paid = self.take(at_most.min(self.interest_owed));
        self.interest_owed = self.interest_owed.minus(paid)?;
        self.parts.interest = self.parts.interest.plus(paid)?;
        self.state.interest_settled_total = self.state.interest_settled_total.plus(paid)?;
        Ok(paid)
    }

    fn pay_principal(&mut self, at_most: Money) -> Result<Money, OutOfRange> {
        // A write-off may have left due rows with more unpaid principal than the loan owes.
        let paid = self.take(at_most.min(self.state.principal));
        self.parts.principal = self.parts.principal.plus(paid)?;
        self.state.principal = self.state.principal.minus(paid)?;
        Ok(paid)
    }

    fn pay_late_charges(&mut self) -> Result<(), OutOfRange> {
        let paid = self.take(self.state.late_charges);
        self.parts.late_charges = self.parts.late_charges.plus(paid)?;
        self.state.late_charges = self.state.late_charges.minus(paid)?;
        Ok(())
    }

    fn pay_fees(&mut self) -> Result<(), OutOfRange> {
        let paid = self.take(self.state.fees);
        self.parts.fees = self.parts.fees.plus(paid)?;
        self.state.fees = self.state.fees.minus(paid)?;
        Ok(())
    }

    fn hold_in_impound(&mut self, amount: Money) -> Result<(), OutOfRange> {
        let held = self.take(amount);
        self.parts.impound = self.parts.impound.plus(held)?;
        self.state.impound = self.state.impound.plus(held)?;
        Ok(())
    }

    fn hold_in_suspense(&mut self, amount: Money) -> Result<(), OutOfRange> {
        let held = self.take(amount);
        self.parts.suspense = self.parts.suspense.plus(held)?;
        self.state.suspense = self.state.suspense.plus(held)?;
        Ok(())
    }

    /// Takes an amount, or what is left, out of the payment.
    fn take(&mut self, amount: Money) -> Money {
        let taken = amount.min(self.remaining).max(Money::ZERO);
        self.remaining = self.remaining.minus_down_to_zero(taken);
        taken
    }

    /// Returns the unbilled principal that belongs to the next installment; zero outside the early
    /// window.
    fn early_principal(&self) -> Result<Money, OutOfRange> {
        if !self.in_early_window() {
            return Ok(Money::ZERO);
        }
        if self.state.next_due_date == self.terms.schedule.maturity_date {
            return Ok(self.state.principal);
        }
        let paid = self.state.paid_ahead_amount.plus(self.accrued_interest_paid)?;
        Ok(self.payment_amount().minus_down_to_zero(paid))
    }

    fn in_early_window(&self) -> bool {
        self.state.next_due_date.is_some_and(|next| {
            let days_ahead = (next - self.effective_date).num_days();
            0 < days_ahead && days_ahead <= i64::from(self.terms.advance_days)
        })
    }

    fn payment_amount(&self) -> Money {
        self.terms.payment_amount.unwrap_or(Money::ZERO)
    }
}

#[cfg(test)]
mod tests;

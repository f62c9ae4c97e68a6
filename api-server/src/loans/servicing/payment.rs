//! Payments: which amounts are refused, and the state after a payment.
//!
//! A payment is allocated in the order of the loan's payment distribution or by an explicit split,
//! or it pays the loan off. Dates, privileges and statuses are checked by the caller.

use super::allocation::{Allocation, DueRowPart, PaymentParts, Split};
use super::payoff::Payoff;
use super::{LoanState, Terms, sum};
use chrono::NaiveDate;
use shared::amounts::{Money, OutOfRange};
use shared::entity::loans::{DistributionItem, ExcessHandling};

/// A payment to post.
#[derive(Clone, Copy, Debug)]
pub struct PaymentInput<'a> {
    /// Amount to allocate, without any convenience fee; zero only for a payoff if nothing is owed.
    pub amount: Money,
    /// Interest is paid up to, not including, this day, which is not before the accrual base.
    pub effective_date: NaiveDate,
    /// By distribution, by explicit split, or as a payoff.
    pub mode: AllocationMode<'a>,
}

/// How a payment is allocated.
#[derive(Clone, Copy, Debug)]
pub enum AllocationMode<'a> {
    /// Item by item; the excess handling decides about the rest.
    Distributed {
        /// Items in the order in which they are paid.
        distribution: &'a [DistributionItem],
        /// Handling of what is left after all items.
        excess: ExcessHandling,
    },
    /// In the parts given: due rows oldest first, then amounts that no due row holds.
    Split(Split),
    /// To everything owed, after the suspense balance is applied. Anything beyond that goes to
    /// suspense if the excess handling says so, and is an overpayment otherwise.
    Payoff {
        /// Handling of money beyond the payoff amount.
        excess: ExcessHandling,
    },
}

/// Result of posting a payment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostedPayment {
    /// Amounts by balance; they sum to the payment's amount.
    pub parts: PaymentParts,
    /// Due rows paid, ascending. Interest and principal paid beyond these were in no due row.
    pub due_row_parts: Vec<DueRowPart>,
    /// State to store: accrual base at the effective date, due rows created and paid.
    pub after: LoanState,
    /// Payoff amount on the effective date, after this payment.
    pub payoff_after: Money,
    /// True if the payment closes the loan: only a payoff does, not merely a payment in full.
    pub closes: bool,
}

impl PostedPayment {
    /// True if the parts sum to the amount, every balance moved by its part, and no more was
    /// allocated to due rows than was paid in interest and in principal: a last check before
    /// anything is written. Differences are computed in wide integers, because they may exceed what
    /// can be stored: a suspense balance may be near its limit until it is applied.
    pub fn is_balanced(&self, before: &LoanState, amount: Money) -> bool {
        let Self { parts, after, due_row_parts, .. } = self;
        let units = |amount: Money| i128::from(amount.units());
        let difference = |more: Money, less: Money| units(more) - units(less);
        let allocated = |part: fn(&DueRowPart) -> Money| {
            due_row_parts.iter().map(part).map(units).sum::<i128>()
        };
        parts.total() == Ok(amount)
            && difference(before.principal, after.principal) == units(parts.principal)
            && difference(before.late_charges, after.late_charges) == units(parts.late_charges)
            && difference(before.fees, after.fees) == units(parts.fees)
            && difference(after.interest_settled_total, before.interest_settled_total)
                == units(parts.interest)
            && difference(after.impound, before.impound) == units(parts.impound)
            && difference(after.suspense, before.suspense)
                == difference(parts.suspense, parts.suspense_applied)
            && allocated(|row| row.interest) <= units(parts.interest)
            && allocated(|row| row.principal) <= units(parts.principal)
    }
}

/// Reason why a payment is not posted, with the figure that would have passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaymentRefusal {
    /// The amount or a part of it is negative; or the amount is zero, and not a payoff of a loan on
    /// which nothing is owed.
    AmountNotPositive,
    /// The parts do not sum to the amount.
    SplitMismatch {
        /// Sum of the parts.
        sum: Money,
        /// Amount of the payment.
        amount: Money,
    },
    /// A part exceeds its balance on the effective date.
    SplitExceedsBalance {
        /// Name of the balance, such as `late charge`.
        part: &'static str,
        /// What the part may be at most; for interest, the interest owed.
        balance: Money,
    },
    /// The amount exceeds the most that can be paid.
    Overpayment {
        /// Largest amount that would be accepted.
        most: Money,
    },
    /// The amount is less than the payoff amount.
    PayoffShort {
        /// Payoff amount on the effective date.
        payoff: Money,
    },
    /// An amount exceeds what can be stored.
    OutOfRange(OutOfRange),
}

impl From<OutOfRange> for PaymentRefusal {
    fn from(error: OutOfRange) -> Self {
        Self::OutOfRange(error)
    }
}

/// Posts a payment: moves the accrual base to the effective date, creates the due rows up to it,
/// allocates the amount, and returns the state afterwards.
///
/// # Errors
/// A [`PaymentRefusal`], after which nothing has changed.
pub fn post(
    terms: &Terms,
    before: &LoanState,
    input: &PaymentInput<'_>,
) -> Result<PostedPayment, PaymentRefusal> {
    let PaymentInput { amount, effective_date, mode } = *input;
    check_positive(terms, before, input)?;
    let mut accrued = before.clone();
    accrued.move_base(terms, effective_date)?;
    let allocation = Allocation::new(terms, accrued, effective_date, amount)?;
    let closes = matches!(mode, AllocationMode::Payoff { .. });
    let allocation = match mode {
        AllocationMode::Distributed { distribution, excess } => {
            allocate_distribution(allocation, distribution, excess)?
        }
        AllocationMode::Split(split) => allocate_split(allocation, &split)?,
        AllocationMode::Payoff { excess } => allocate_payoff(allocation, excess)?,
    };
    Ok(PostedPayment {
        parts: allocation.parts,
        due_row_parts: allocation.paid_due_rows(),
        payoff_after: allocation.state.payoff_on(terms, effective_date)?.amount,
        after: allocation.state,
        closes,
    })
}

fn check_positive(
    terms: &Terms,
    before: &LoanState,
    input: &PaymentInput<'_>,
) -> Result<(), PaymentRefusal> {
    let PaymentInput { amount, effective_date, mode } = *input;
    // A payoff of zero closes a loan on which nothing is owed.
    let is_zero_payoff = matches!(mode, AllocationMode::Payoff { .. })
        && amount.is_zero()
        && before.payoff_on(terms, effective_date)?.amount.is_zero();
    if amount.is_positive() || is_zero_payoff {
        Ok(())
    } else {
        Err(PaymentRefusal::AmountNotPositive)
    }
}

fn allocate_distribution<'a>(
    mut allocation: Allocation<'a>,
    distribution: &[DistributionItem],
    excess: ExcessHandling,
) -> Result<Allocation<'a>, PaymentRefusal> {
    for item in distribution {
        allocation.pay(*item)?;
    }
    allocation.allocate_excess(excess)?;
    if allocation.remaining.is_positive() {
        // Money is left over, so every item has taken all it can.
        return Err(PaymentRefusal::Overpayment { most: allocation.parts.total()? });
    }
    allocation.count_paid_ahead()?;
    Ok(allocation)
}

fn allocate_split<'a>(
    mut allocation: Allocation<'a>,
    split: &Split,
) -> Result<Allocation<'a>, PaymentRefusal> {
    let Split { principal, interest, late_charges, fees, impound, suspense } = *split;
    let parts = [principal, interest, late_charges, fees, impound, suspense];
    if parts.iter().any(|part| *part < Money::ZERO) {
        return Err(PaymentRefusal::AmountNotPositive);
    }
    let (sum, amount) = (sum(parts)?, allocation.remaining);
    if sum != amount {
        return Err(PaymentRefusal::SplitMismatch { sum, amount });
    }
    let state = &allocation.state;
    for (part, amount, balance) in [
        ("principal", principal, state.principal),
        ("interest", interest, allocation.interest_owed),
        ("late charge", late_charges, state.late_charges),
        ("fee", fees, state.fees),
    ] {
        if amount > balance {
            return Err(PaymentRefusal::SplitExceedsBalance { part, balance });
        }
    }
    allocation.pay_split(split)?;
    allocation.count_paid_ahead()?;
    Ok(allocation)
}

fn allocate_payoff(
    mut allocation: Allocation<'_>,
    excess: ExcessHandling,
) -> Result<Allocation<'_>, PaymentRefusal> {
    let amount = allocation.remaining;
    let payoff = Payoff::of(&allocation.state, allocation.interest_owed)?;
    if amount < payoff.amount {
        return Err(PaymentRefusal::PayoffShort { payoff: payoff.amount });
    }
    let excess_amount = amount.minus(payoff.amount)?;
    if excess_amount.is_positive() && excess != ExcessHandling::Suspense {
        return Err(PaymentRefusal::Overpayment { most: payoff.amount });
    }
    allocation.apply_suspense(payoff.suspense_applied)?;
    let Payoff { principal, interest, late_charges, fees, .. } = payoff;
    let impound = Money::ZERO;
    let split = Split { principal, interest, late_charges, fees, impound, suspense: excess_amount };
    allocation.pay_split(&split)?;
    allocation.close();
    Ok(allocation)
}

#[cfg(test)]
mod tests;

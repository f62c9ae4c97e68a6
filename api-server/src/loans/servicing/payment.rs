//! May this payment be posted, and what is the loan's state after it?
//!
//! A payment is spent in the order of the loan's payment distribution, or in parts named by the
//! caller, or pays the loan off. Dates, rights and statuses are the caller's affair.

use super::allocation::{Allocation, DueRowPart, Parts};
use super::{State, Terms, sum};
use chrono::NaiveDate;
use shared::amounts::{Money, OutOfRange};
use shared::entity::loans::{DistributionItem, ExcessHandling};

/// A payment to post.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    pub amount: Money,
    /// Interest is paid up to, not including, this day; not before the accrual base.
    pub effective_date: NaiveDate,
    pub how: How<'a>,
}

/// How a payment is spent.
#[derive(Clone, Copy, Debug)]
pub enum How<'a> {
    /// Item by item, what is left over by the excess handling.
    Distributed { distribution: &'a [DistributionItem], excess: ExcessHandling },
    /// In the parts named, due rows oldest first, then what no row holds.
    Split(Split),
    /// On everything owed, after the suspense balance. More than that goes to suspense if the
    /// excess handling says so, and is an overpayment otherwise.
    Payoff { excess: ExcessHandling },
}

/// The parts of a payment as named by the caller; they sum to its amount.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    pub principal: Money,
    pub interest: Money,
    pub late_charges: Money,
    pub fees: Money,
    pub impound: Money,
    pub suspense: Money,
}

/// What posting a payment does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The balances touched; they sum to the amount.
    pub parts: Parts,
    /// The due rows paid, ascending; what of interest and principal is not here was in no row.
    pub due_row_parts: Vec<DueRowPart>,
    /// The state to store: the accrual base at the effective date, due rows made and paid.
    pub after: State,
    /// What would pay off the loan on the effective date after this payment.
    pub payoff_after: Money,
    /// True where the payment closes the loan: a payoff, not merely the full amount.
    pub closes: bool,
}

impl Posting {
    /// True where the parts sum to the amount, every balance moved by its part, and no due row got
    /// more than there was: looked at once more before anything is written. Sums may be beyond what
    /// is stored: suspense is near its limit before it is applied, and within it afterwards.
    pub fn is_balanced(&self, before: &State, amount: Money) -> bool {
        let Self { parts, after, due_row_parts, .. } = self;
        let units = |amount: Money| i128::from(amount.units());
        let difference = |more: Money, less: Money| units(more) - units(less);
        let of_rows = |part: fn(&DueRowPart) -> Money| {
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
            && of_rows(|row| row.interest) <= units(parts.interest)
            && of_rows(|row| row.principal) <= units(parts.principal)
    }
}

/// Why a payment is not posted, with the figures that would have passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The amount or a part of it is negative, or the amount zero and no payoff of nothing.
    AmountNotPositive,
    /// The parts sum to something else.
    SplitMismatch { sum: Money, amount: Money },
    /// A part is above its balance on the effective date.
    SplitExceedsBalance { part: &'static str, balance: Money },
    /// More than the payment may be.
    Overpayment { most: Money },
    /// Less than pays the loan off.
    PayoffShort { payoff: Money },
    /// An amount is beyond what is stored.
    OutOfRange(OutOfRange),
}

impl From<OutOfRange> for Refusal {
    fn from(error: OutOfRange) -> Self {
        Self::OutOfRange(error)
    }
}

/// Posts a payment: brings interest and due rows to the effective date, spends the amount and
/// returns the state after it.
///
/// # Errors
/// A [`Refusal`], after which nothing has changed.
pub fn post(
    terms: &Terms,
    before: &State,
    instruction: &Instruction<'_>,
) -> Result<Posting, Refusal> {
    let Instruction { amount, effective_date, how } = *instruction;
    check_positive(terms, before, instruction)?;
    let mut accrued = before.clone();
    accrued.move_base(terms, effective_date)?;
    let allocation = Allocation::new(terms, accrued, effective_date, amount)?;
    let closes = matches!(how, How::Payoff { .. });
    let allocation = match how {
        How::Distributed { distribution, excess } => distributed(allocation, distribution, excess)?,
        How::Split(split) => split_up(allocation, &split)?,
        How::Payoff { excess } => paid_off(allocation, excess)?,
    };
    Ok(Posting {
        parts: allocation.parts,
        due_row_parts: allocation.paid_due_rows(),
        payoff_after: payoff_amount(terms, &allocation.state, effective_date)?,
        after: allocation.state,
        closes,
    })
}

/// What pays the loan off on a day: principal, interest owed, late charges and fees, less the
/// suspense balance, never negative. The impound balance is the borrower's and is not netted.
pub fn payoff_amount(terms: &Terms, state: &State, day: NaiveDate) -> Result<Money, OutOfRange> {
    Ok(total_owed(state, state.interest_owed_on(terms, day)?)?.minus_down_to_zero(state.suspense))
}

fn total_owed(state: &State, interest_owed: Money) -> Result<Money, OutOfRange> {
    sum([state.principal, interest_owed, state.late_charges, state.fees])
}

fn check_positive(
    terms: &Terms,
    before: &State,
    instruction: &Instruction<'_>,
) -> Result<(), Refusal> {
    let Instruction { amount, effective_date, how } = *instruction;
    // A loan on which nothing is owed is closed by a payoff of nothing.
    let closes_for_nothing = matches!(how, How::Payoff { .. })
        && amount.is_zero()
        && payoff_amount(terms, before, effective_date)?.is_zero();
    if amount.is_positive() || closes_for_nothing {
        Ok(())
    } else {
        Err(Refusal::AmountNotPositive)
    }
}

fn distributed<'a>(
    mut allocation: Allocation<'a>,
    distribution: &[DistributionItem],
    excess: ExcessHandling,
) -> Result<Allocation<'a>, Refusal> {
    for item in distribution {
        allocation.pay(*item)?;
    }
    allocation.place_excess(excess)?;
    if allocation.rest.is_positive() {
        // With money left over every item has taken all it can.
        return Err(Refusal::Overpayment { most: allocation.parts.total()? });
    }
    allocation.count_paid_ahead()?;
    Ok(allocation)
}

fn split_up<'a>(mut allocation: Allocation<'a>, split: &Split) -> Result<Allocation<'a>, Refusal> {
    let Split { principal, interest, late_charges, fees, impound, suspense } = *split;
    let parts = [principal, interest, late_charges, fees, impound, suspense];
    if parts.iter().any(|part| *part < Money::ZERO) {
        return Err(Refusal::AmountNotPositive);
    }
    let (sum, amount) = (sum(parts)?, allocation.rest);
    if sum != amount {
        return Err(Refusal::SplitMismatch { sum, amount });
    }
    let state = &allocation.state;
    for (part, amount, balance) in [
        ("principal", principal, state.principal),
        ("interest", interest, allocation.interest_owed()),
        ("late charge", late_charges, state.late_charges),
        ("fee", fees, state.fees),
    ] {
        if amount > balance {
            return Err(Refusal::SplitExceedsBalance { part, balance });
        }
    }
    allocation.pay_split(split)?;
    allocation.count_paid_ahead()?;
    Ok(allocation)
}

fn paid_off(
    mut allocation: Allocation<'_>,
    excess: ExcessHandling,
) -> Result<Allocation<'_>, Refusal> {
    let amount = allocation.rest;
    let interest = allocation.interest_owed();
    let State { principal, late_charges, fees, suspense: held, .. } = allocation.state;
    let owed = total_owed(&allocation.state, interest)?;
    let payoff = owed.minus_down_to_zero(held);
    if amount < payoff {
        return Err(Refusal::PayoffShort { payoff });
    }
    let beyond = amount.minus(payoff)?;
    if beyond.is_positive() && excess != ExcessHandling::Suspense {
        return Err(Refusal::Overpayment { most: payoff });
    }
    allocation.apply_suspense(held.min(owed))?;
    let impound = Money::ZERO;
    let everything = Split { principal, interest, late_charges, fees, impound, suspense: beyond };
    allocation.pay_split(&everything)?;
    allocation.close();
    Ok(allocation)
}

#[cfg(test)]
mod tests;

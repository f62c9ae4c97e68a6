//! Adjustments: postings other than payments that move a balance of a loan.
//!
//! | Kind | Balance | At most |
//! |---|---|---|
//! | advance, draw | principal up | |
//! | late charge, fee | that balance up | |
//! | interest reduction | interest down | the interest owed on the effective date |
//! | principal write-off | principal down | the principal |
//! | impound or suspense disbursement, late charge or fee waived | that balance down | that balance |
//!
//! An adjustment that changes principal or settles interest first moves the accrual base to its
//! effective date and creates the due rows up to it. A reduction or write-off settles due rows,
//! oldest first, then the amount that no due row holds; none of it counts as paid ahead.

use super::allocation::Split;
use super::allocation::{Allocation, DueRowPart};
use super::payment::PaymentRefusal;
use super::{LoanState, Terms};
use chrono::NaiveDate;
use shared::amounts::Money;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdjustmentKind {
    /// Principal lent, on no credit line.
    Advance,
    /// An advance on a credit line.
    Draw,
    /// A late charge assessed.
    LateCharge,
    Fee,
    /// Interest that is no longer owed.
    InterestReduction,
    /// Principal that is no longer owed.
    PrincipalWriteOff,
    /// Money paid out of the impound balance, for taxes or insurance.
    ImpoundDisbursement,
    /// Money paid out of the suspense balance, back to the borrower.
    SuspenseDisbursement,
    /// Late charges that are no longer owed.
    LateChargeWaived,
    /// Fees that are no longer owed.
    FeeWaived,
}

impl AdjustmentKind {
    /// True if it moves the accrual base to its effective date.
    pub const fn moves_base(self) -> bool {
        use AdjustmentKind::{Advance, Draw, InterestReduction, PrincipalWriteOff};
        matches!(self, Advance | Draw | InterestReduction | PrincipalWriteOff)
    }

    /// True if it pays out money held for the borrower, which closed loans may still hold.
    pub const fn pays_out(self) -> bool {
        matches!(self, Self::ImpoundDisbursement | Self::SuspenseDisbursement)
    }
}

/// Result of an adjustment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjusted {
    /// Due rows settled, ascending.
    pub due_row_parts: Vec<DueRowPart>,
    pub after: LoanState,
    /// The moved balance, after the adjustment; for interest, the amount owed on the effective
    /// date.
    pub balance_after: Money,
}

impl Adjusted {
    /// True if this one balance moved by the amount, no other balance moved, and no more than the
    /// amount was allocated to due rows: a last check before anything is written.
    pub fn is_balanced(&self, before: &LoanState, kind: AdjustmentKind, amount: Money) -> bool {
        let Self { due_row_parts, after, .. } = self;
        let units = |amount: Money| i128::from(amount.units());
        let moved = [
            (before.principal, after.principal),
            (before.interest_settled_total, after.interest_settled_total),
            (before.late_charges, after.late_charges),
            (before.fees, after.fees),
            (before.impound, after.impound),
            (before.suspense, after.suspense),
        ];
        let (up, down) = (units(amount), -units(amount));
        let expected = match kind {
            AdjustmentKind::Advance | AdjustmentKind::Draw => [up, 0, 0, 0, 0, 0],
            AdjustmentKind::PrincipalWriteOff => [down, 0, 0, 0, 0, 0],
            AdjustmentKind::InterestReduction => [0, up, 0, 0, 0, 0],
            AdjustmentKind::LateCharge => [0, 0, up, 0, 0, 0],
            AdjustmentKind::LateChargeWaived => [0, 0, down, 0, 0, 0],
            AdjustmentKind::Fee => [0, 0, 0, up, 0, 0],
            AdjustmentKind::FeeWaived => [0, 0, 0, down, 0, 0],
            AdjustmentKind::ImpoundDisbursement => [0, 0, 0, 0, down, 0],
            AdjustmentKind::SuspenseDisbursement => [0, 0, 0, 0, 0, down],
        };
        let allocated: i128 =
            due_row_parts.iter().map(|row| units(row.interest) + units(row.principal)).sum();
        moved.map(|(before, after)| units(after) - units(before)) == expected && allocated <= up
    }
}

/// Applies an adjustment to the state of a loan.
///
/// # Errors
/// A [`PaymentRefusal`], after which nothing has changed.
pub fn post(
    terms: &Terms,
    before: &LoanState,
    kind: AdjustmentKind,
    amount: Money,
    day: NaiveDate,
) -> Result<Adjusted, PaymentRefusal> {
    if !amount.is_positive() {
        return Err(PaymentRefusal::AmountNotPositive);
    }
    let mut state = before.clone();
    if kind.moves_base() {
        state.move_base(terms, day)?;
    }
    let mut due_row_parts = Vec::new();
    let balance_after = match kind {
        AdjustmentKind::Advance | AdjustmentKind::Draw => raise(&mut state.principal, amount)?,
        AdjustmentKind::LateCharge => raise(&mut state.late_charges, amount)?,
        AdjustmentKind::Fee => raise(&mut state.fees, amount)?,
        AdjustmentKind::ImpoundDisbursement => lower(&mut state.impound, amount, "impound")?,
        AdjustmentKind::SuspenseDisbursement => lower(&mut state.suspense, amount, "suspense")?,
        AdjustmentKind::LateChargeWaived => lower(&mut state.late_charges, amount, "late charge")?,
        AdjustmentKind::FeeWaived => lower(&mut state.fees, amount, "fee")?,
        AdjustmentKind::InterestReduction => {
            let split = Split { interest: amount, ..Split::default() };
            let owed = state.interest_owed_on(terms, day)?;
            check_at_most(amount, owed, "interest")?;
            (state, due_row_parts) = settle(terms, state, amount, day, &split)?;
            state.interest_owed_on(terms, day)?
        }
        AdjustmentKind::PrincipalWriteOff => {
            let split = Split { principal: amount, ..Split::default() };
            check_at_most(amount, state.principal, "principal")?;
            (state, due_row_parts) = settle(terms, state, amount, day, &split)?;
            state.principal
        }
    };
    Ok(Adjusted { due_row_parts, after: state, balance_after })
}

fn raise(balance: &mut Money, amount: Money) -> Result<Money, PaymentRefusal> {
    *balance = balance.plus(amount)?;
    Ok(*balance)
}

fn lower(balance: &mut Money, amount: Money, part: &'static str) -> Result<Money, PaymentRefusal> {
    check_at_most(amount, *balance, part)?;
    *balance = balance.minus(amount)?;
    Ok(*balance)
}

fn check_at_most(amount: Money, balance: Money, part: &'static str) -> Result<(), PaymentRefusal> {
    match amount > balance {
        true => Err(PaymentRefusal::SplitExceedsBalance { part, balance }),
        false => Ok(()),
    }
}

fn settle(
    terms: &Terms,
    state: LoanState,
    amount: Money,
    day: NaiveDate,
    split: &Split,
) -> Result<(LoanState, Vec<DueRowPart>), PaymentRefusal> {
    let mut allocation = Allocation::new(terms, state, day, amount)?;
    allocation.pay_split(split)?;
    let due_row_parts = allocation.paid_due_rows();
    Ok((allocation.state, due_row_parts))
}

#[cfg(test)]
mod tests;

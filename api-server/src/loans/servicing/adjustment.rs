//! Adjustments: postings other than payments that move a balance of a loan.
//!
//! | Kind | Balance | At most |
//! |---|---|---|
//! | advance, draw | principal up | |
//! | late charge, fee | that balance up | |
//! | interest reduction | interest down | the interest owed on the effective date |
//! | principal write-off | principal down | the principal |
//! | impound disbursement, late charge waived, fee waived | that balance down | that balance |
//!
//! An adjustment that changes principal or settles interest first moves the accrual base to its
//! effective date and creates the due rows up to it. A reduction or write-off settles due rows,
//! oldest first, then the amount that no due row holds; none of it counts as paid ahead.

use super::allocation::{Allocation, DueRowPart};
use super::payment::{Refusal, Split};
use super::{State, Terms};
use chrono::NaiveDate;
use shared::amounts::Money;

/// Kind of adjustment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Advance,
    /// An advance on a credit line.
    Draw,
    LateCharge,
    Fee,
    InterestReduction,
    PrincipalWriteOff,
    ImpoundDisbursement,
    LateChargeWaived,
    FeeWaived,
}

impl Kind {
    /// True if it moves the accrual base to its effective date.
    pub const fn moves_base(self) -> bool {
        use Kind::{Advance, Draw, InterestReduction, PrincipalWriteOff};
        matches!(self, Advance | Draw | InterestReduction | PrincipalWriteOff)
    }
}

/// Result of an adjustment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adjusted {
    /// Due rows settled, ascending.
    pub due_row_parts: Vec<DueRowPart>,
    /// State to store.
    pub after: State,
    /// The moved balance, after the adjustment; for interest, the amount owed on the effective
    /// date.
    pub balance_after: Money,
}

impl Adjusted {
    /// True if this one balance moved by the amount, no other balance moved, and no more than the
    /// amount was allocated to due rows: a last check before anything is written.
    pub fn is_balanced(&self, before: &State, kind: Kind, amount: Money) -> bool {
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
            Kind::Advance | Kind::Draw => [up, 0, 0, 0, 0, 0],
            Kind::PrincipalWriteOff => [down, 0, 0, 0, 0, 0],
            Kind::InterestReduction => [0, up, 0, 0, 0, 0],
            Kind::LateCharge => [0, 0, up, 0, 0, 0],
            Kind::LateChargeWaived => [0, 0, down, 0, 0, 0],
            Kind::Fee => [0, 0, 0, up, 0, 0],
            Kind::FeeWaived => [0, 0, 0, down, 0, 0],
            Kind::ImpoundDisbursement => [0, 0, 0, 0, down, 0],
        };
        let of_rows: i128 =
            due_row_parts.iter().map(|row| units(row.interest) + units(row.principal)).sum();
        moved.map(|(before, after)| units(after) - units(before)) == expected && of_rows <= up
    }
}

/// Applies an adjustment to the state of a loan.
///
/// # Errors
/// A [`Refusal`], after which nothing has changed.
pub fn post(
    terms: &Terms,
    before: &State,
    kind: Kind,
    amount: Money,
    day: NaiveDate,
) -> Result<Adjusted, Refusal> {
    if !amount.is_positive() {
        return Err(Refusal::AmountNotPositive);
    }
    let mut state = before.clone();
    if kind.moves_base() {
        state.move_base(terms, day)?;
    }
    let mut due_row_parts = Vec::new();
    let balance_after = match kind {
        Kind::Advance | Kind::Draw => raise(&mut state.principal, amount)?,
        Kind::LateCharge => raise(&mut state.late_charges, amount)?,
        Kind::Fee => raise(&mut state.fees, amount)?,
        Kind::ImpoundDisbursement => lower(&mut state.impound, amount, "impound")?,
        Kind::LateChargeWaived => lower(&mut state.late_charges, amount, "late charge")?,
        Kind::FeeWaived => lower(&mut state.fees, amount, "fee")?,
        Kind::InterestReduction => {
            let split = Split { interest: amount, ..Split::default() };
            let owed = state.interest_owed_on(terms, day)?;
            at_most(amount, owed, "interest")?;
            (state, due_row_parts) = settled(terms, state, amount, day, &split)?;
            state.interest_owed_on(terms, day)?
        }
        Kind::PrincipalWriteOff => {
            let split = Split { principal: amount, ..Split::default() };
            at_most(amount, state.principal, "principal")?;
            (state, due_row_parts) = settled(terms, state, amount, day, &split)?;
            state.principal
        }
    };
    Ok(Adjusted { due_row_parts, after: state, balance_after })
}

fn raise(balance: &mut Money, amount: Money) -> Result<Money, Refusal> {
    *balance = balance.plus(amount)?;
    Ok(*balance)
}

fn lower(balance: &mut Money, amount: Money, part: &'static str) -> Result<Money, Refusal> {
    at_most(amount, *balance, part)?;
    *balance = balance.minus(amount)?;
    Ok(*balance)
}

fn at_most(amount: Money, balance: Money, part: &'static str) -> Result<(), Refusal> {
    match amount > balance {
        true => Err(Refusal::SplitExceedsBalance { part, balance }),
        false => Ok(()),
    }
}

fn settled(
    terms: &Terms,
    state: State,
    amount: Money,
    day: NaiveDate,
    split: &Split,
) -> Result<(State, Vec<DueRowPart>), Refusal> {
    let mut allocation = Allocation::new(terms, state, day, amount)?;
    allocation.pay_split(split)?;
    let due_row_parts = allocation.paid_due_rows();
    Ok((allocation.state, due_row_parts))
}

#[cfg(test)]
mod tests;

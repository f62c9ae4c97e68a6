//! The arithmetic of loans: what interest accrues, what is due when, and where a payment goes.
//!
//! Pure functions over [`Terms`] (what the contract says) and [`State`] (what postings change).
//! Nothing here reads a clock or a database, and no amount passes through a binary float.
//!
//! | Question | Module |
//! |---|---|
//! | When is an instalment due, and how large is a level one? | [`schedule`] |
//! | How much interest does a span of days bear, and how much is owed? | [`interest`] |
//! | What is due on each date, what is past due, what would pay the loan off? | [`due`] |
//! | Which balances and due rows does a payment reach, in which order? | [`allocation`] |
//! | May this payment be posted, and what is the loan's state after it? | [`payment`] |
//! | What becomes of a loan when something else moves a balance? | [`adjustment`] |

pub mod adjustment;
pub mod allocation;
mod day_count;
pub mod due;
pub mod interest;
pub mod payment;
pub mod schedule;

#[cfg(test)]
mod testing;

use chrono::NaiveDate;
use schedule::Schedule;
use shared::amounts::{Accrual, Money, OutOfRange, Rate};
use shared::entity::loans::YearLength;

/// What the contract says about interest and instalments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The days a calendar year counts for; 360 over 360 means months of 30 days.
    pub numerator: YearLength,
    /// The days the yearly rate is divided by.
    pub denominator: YearLength,
    /// The contract rates, ascending by date. The first also holds before its date.
    pub rates: Vec<RateStep>,
    /// The first day that bears interest.
    pub interest_start_date: NaiveDate,
    /// When instalments are due.
    pub schedule: Schedule,
    /// The level instalment; without one nothing is due before maturity.
    pub payment_amount: Option<Money>,
    /// So many days before its due date a payment counts as the next instalment.
    pub advance_days: i32,
    /// False where the loan's status stops accrual.
    pub accrues: bool,
}

/// A rate and the first day it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateStep {
    pub effective_date: NaiveDate,
    pub rate: Rate,
}

/// What postings change: balances, where the interest stands, and what has become due.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub principal: Money,
    pub late_charges: Money,
    pub fees: Money,
    /// Held for the borrower, for taxes and insurance.
    pub impound: Money,
    /// Held for the borrower until it is applied or returned.
    pub suspense: Money,
    /// The accrual base: interest up to this day is in `accrual_base_total`, later interest is
    /// reckoned from it on the present principal.
    pub accrual_base_date: NaiveDate,
    /// Interest accrued since booking up to the base date, unrounded, paid or not.
    pub accrual_base_total: Accrual,
    /// Interest paid, reduced or written off since booking.
    pub interest_settled_total: Money,
    /// What early payments have paid toward the next instalment.
    pub paid_ahead_amount: Money,
    /// The first due date without a row; none after maturity or payoff.
    pub next_due_date: Option<NaiveDate>,
    /// Every row that is not fully paid, ascending; paid rows may be among them.
    pub due_rows: Vec<DueRow>,
    /// Rows ever made; numbers the next one.
    pub due_row_count: i32,
}

/// What one due date asks for, and how much of it is paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueRow {
    /// None for a row that is not stored yet.
    pub row_id: Option<i64>,
    /// 1 for the first row of the loan.
    pub payment_number: i32,
    pub due_date: NaiveDate,
    pub interest_due: Money,
    pub principal_due: Money,
    pub interest_paid: Money,
    pub principal_paid: Money,
}

impl DueRow {
    /// Interest due and not paid.
    pub fn unpaid_interest(&self) -> Money {
        self.interest_due.minus_down_to_zero(self.interest_paid)
    }

    /// Principal due and not paid.
    pub fn unpaid_principal(&self) -> Money {
        self.principal_due.minus_down_to_zero(self.principal_paid)
    }

    /// Interest and principal due and not paid.
    pub fn unpaid(&self) -> Result<Money, OutOfRange> {
        self.unpaid_interest().plus(self.unpaid_principal())
    }
}

/// The sum, or [`OutOfRange`] as soon as it cannot be stored.
fn sum(amounts: impl IntoIterator<Item = Money>) -> Result<Money, OutOfRange> {
    amounts.into_iter().try_fold(Money::ZERO, Money::plus)
}

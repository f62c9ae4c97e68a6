//! Loan arithmetic: interest accrual, due dates and due rows, allocation of payments.
//!
//! Pure functions over [`Terms`] (what the contract says) and [`LoanState`] (what postings change).
//! Nothing here reads a clock or a database, and no amount passes through a binary float.
//!
//! | Subject | Module |
//! |---|---|
//! | due dates, and the amount of a level installment | [`schedule`] |
//! | interest over a span of days, and interest owed | [`interest`] |
//! | due rows, amounts past due, and the standing of a loan on a day | [`due`] |
//! | the order in which a payment reaches balances and due rows | [`allocation`] |
//! | payoffs, posted and quoted | [`payoff`] |
//! | payments: refusals, and the state after a payment | [`payment`] |
//! | adjustments: what other than a payment moves a balance | [`adjustment`] |
//! | the installments up to maturity, and the balance after each | [`amortization`] |

pub mod adjustment;
pub mod allocation;
pub mod amortization;
mod day_count;
pub mod due;
pub mod interest;
pub mod payment;
pub mod payoff;
pub mod schedule;

#[cfg(test)]
pub(crate) mod testing;

use chrono::NaiveDate;
use schedule::Schedule;
use shared::amounts::{Accrual, Money, OutOfRange, Rate};
use shared::entity::loans::YearLength;

/// Contract terms of interest and installments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Numerator of the year basis: the days that a calendar year counts as. 360/360 means 30-day
    /// months.
    pub numerator: YearLength,
    /// Denominator of the year basis: the days that the annual rate is divided by.
    pub denominator: YearLength,
    /// Contract rates, ascending by date. The first also applies before its date.
    pub rates: Vec<RateStep>,
    /// First day that bears interest.
    pub interest_start_date: NaiveDate,
    pub schedule: Schedule,
    /// Level installment; without one, nothing is due before maturity.
    pub payment_amount: Option<Money>,
    /// Days before the next due date from which a payment counts as the next installment.
    pub advance_days: i32,
    /// False if the loan's status stops accrual.
    pub accrues: bool,
}

/// An interest rate and the first day on which it applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateStep {
    /// First day on which the rate applies.
    pub effective_date: NaiveDate,
    /// Annual rate, in percent.
    pub rate: Rate,
}

/// State that postings change: balances, accrual and due rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanState {
    /// Principal balance, billed in due rows or not.
    pub principal: Money,
    /// Late charges assessed and neither paid nor waived.
    pub late_charges: Money,
    /// Fees assessed and neither paid nor waived.
    pub fees: Money,
    /// Held for the borrower, for taxes and insurance.
    pub impound: Money,
    /// Held for the borrower until it is applied or returned.
    pub suspense: Money,
    /// The accrual base: interest up to this day is in `accrual_base_total`; interest after it is
    /// computed from this day on the current principal.
    pub accrual_base_date: NaiveDate,
    /// Interest accrued since booking up to the base date, unrounded, paid or not.
    pub accrual_base_total: Accrual,
    /// Interest paid, reduced or written off since booking.
    pub interest_settled_total: Money,
    /// Amount that early payments have paid toward the next installment.
    pub paid_ahead_amount: Money,
    /// First due date without a due row; `None` after maturity or payoff.
    pub next_due_date: Option<NaiveDate>,
    /// Every due row that is not fully paid, ascending; paid rows may be among them.
    pub due_rows: Vec<DueRow>,
    /// Number of due rows ever created; the next row's number follows it.
    pub due_row_count: i32,
}

/// Amounts due on one due date, and how much of them is paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueRow {
    /// `None` for a row that is not stored yet.
    pub row_id: Option<i64>,
    /// 1 for the first row of the loan.
    pub payment_number: i32,
    /// Day on which the installment is due.
    pub due_date: NaiveDate,
    /// Interest portion of the installment.
    pub interest_due: Money,
    /// Principal portion of the installment.
    pub principal_due: Money,
    /// Interest settled, by payments or reductions; a payoff settles the rest.
    pub interest_paid: Money,
    /// Principal settled, by payments or write-offs; a payoff settles the rest.
    pub principal_paid: Money,
}

impl DueRow {
    /// Returns the interest due and not paid.
    pub fn unpaid_interest(&self) -> Money {
        self.interest_due.minus_down_to_zero(self.interest_paid)
    }

    /// Returns the principal due and not paid.
    pub fn unpaid_principal(&self) -> Money {
        self.principal_due.minus_down_to_zero(self.principal_paid)
    }

    /// Returns the interest and principal due and not paid.
    pub fn unpaid(&self) -> Result<Money, OutOfRange> {
        self.unpaid_interest().plus(self.unpaid_principal())
    }
}

/// Returns the sum, or [`OutOfRange`] as soon as it cannot be stored.
fn sum(amounts: impl IntoIterator<Item = Money>) -> Result<Money, OutOfRange> {
    amounts.into_iter().try_fold(Money::ZERO, Money::plus)
}

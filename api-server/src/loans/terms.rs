//! Terms of a loan, its status among them, as the arithmetic uses them.

use crate::loans::servicing::schedule::Schedule;
use crate::loans::servicing::{RateStep, Terms};
use crate::loans::snapshots::LoanSnapshot;
use shared::entity::{loan_status_codes, loans};

/// Returns the terms in the columns of a loan, with this status and these rates.
pub fn terms(
    loan: &loans::Model,
    status: &loan_status_codes::Model,
    rates: Vec<RateStep>,
) -> Terms {
    Terms {
        numerator: loan.interest_year_numerator,
        denominator: loan.interest_year_denominator,
        rates,
        interest_start_date: loan.interest_start_date,
        schedule: schedule_of(loan),
        payment_amount: loan.payment_amount,
        advance_days: loan.advance_days,
        accrues: accrues(status),
    }
}

/// True if a loan with this status bears interest.
pub fn accrues(status: &loan_status_codes::Model) -> bool {
    !status.stop_accrual_flag && !status.closed_flag
}

/// Returns the payment schedule in the columns of a loan.
pub fn schedule_of(loan: &loans::Model) -> Schedule {
    Schedule {
        period: loan.payment_period,
        first_payment_date: loan.first_payment_date,
        payment_day: loan.payment_day.and_then(|day| u32::try_from(day).ok()),
        maturity_date: loan.maturity_date,
    }
}

/// True if interest or installments depend on the difference between two states of a loan, each with
/// its status. Such a change moves the accrual base.
pub fn moves_base(
    (before, status): (&LoanSnapshot, &loan_status_codes::Model),
    (after, new_status): (&LoanSnapshot, &loan_status_codes::Model),
) -> bool {
    let flags = |it: &loan_status_codes::Model| (accrues(it), it.closed_flag);
    !before.has_terms_of(after) || flags(status) != flags(new_status)
}

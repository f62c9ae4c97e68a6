//! Terms of a loan, its status among them, and changes of them.

use crate::audit::Actor;
use crate::loans::account::{AccountChange, LoanAccount};
use crate::loans::refusals::LoanError;
use crate::loans::servicing::schedule::Schedule;
use crate::loans::servicing::{LoanState, RateStep, Terms};
use crate::loans::snapshots::LoanSnapshot;
use chrono::NaiveDate;
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
pub fn move_base(
    (before, status): (&LoanSnapshot, &loan_status_codes::Model),
    (after, new_status): (&LoanSnapshot, &loan_status_codes::Model),
) -> bool {
    let flags = |it: &loan_status_codes::Model| (accrues(it), it.closed_flag);
    !before.has_terms_of(after) || flags(status) != flags(new_status)
}

/// Changes the terms of a loan to those in the columns of `loan`, and its status. Before a term that
/// interest depends on changes, the accrual base moves to today, so that interest accrued so far
/// stays as it is.
pub fn change<'a>(
    account: &LoanAccount,
    author: &'a Actor,
    today: NaiveDate,
    mut loan: loans::Model,
    status: &loan_status_codes::Model,
) -> Result<AccountChange<'a>, LoanError> {
    let mut state = account.state.clone();
    let (before, after) = (LoanSnapshot::of(&account.loan), LoanSnapshot::of(&loan));
    let moves_base = move_base((&before, &account.status), (&after, status));
    if moves_base && today >= state.accrual_base_date {
        state.move_base(&account.terms, today)?;
    }
    let schedule = schedule_of(&loan);
    let reopens = account.status.closed_flag && !status.closed_flag;
    if status.closed_flag {
        state.next_due_date = None;
    } else if reopens || schedule != account.terms.schedule {
        state.next_due_date = first_without_row(&schedule, &state, today);
    }
    if status.status_code_id != account.status.status_code_id && !status.closed_flag {
        (loan.payoff_date, loan.closed_date) = (None, None);
    }
    Ok(account.changed(author, &state, |row| *row = with_terms_of(row, loan))?)
}

/// Returns the first due date of a new schedule that has no due row yet: not before today, and after
/// every existing due row.
fn first_without_row(
    schedule: &Schedule,
    state: &LoanState,
    today: NaiveDate,
) -> Option<NaiveDate> {
    let last_row = state.due_rows.iter().map(|row| row.due_date).max();
    let today_is_open = schedule.is_due_date(today) && last_row.is_none_or(|last| last < today);
    let first = if today_is_open { Some(today) } else { schedule.next_after(today) };
    match (first, last_row) {
        (Some(first), Some(last)) if first <= last => schedule.next_after(last),
        _ => first,
    }
}

/// Returns the changed terms of a loan, combined with the balances and dates that its account
/// computes.
fn with_terms_of(row: &loans::Model, terms: loans::Model) -> loans::Model {
    loans::Model {
        next_due_date: row.next_due_date,
        current_principal_balance: row.current_principal_balance,
        current_interest_balance: row.current_interest_balance,
        interest_accrued_thru_date: row.interest_accrued_thru_date,
        interest_accrued_total: row.interest_accrued_total,
        paid_ahead_amount: row.paid_ahead_amount,
        accrual_base_date: row.accrual_base_date,
        accrual_base_total: row.accrual_base_total,
        ..terms
    }
}

//! Loan modifications: changes of terms and status.

use crate::audit::Actor;
use crate::loans::account::{AccountChange, LoanAccount};
use crate::loans::refusals::LoanError;
use crate::loans::servicing::LoanState;
use crate::loans::servicing::schedule::Schedule;
use crate::loans::snapshots::LoanSnapshot;
use crate::loans::terms::{moves_base, schedule_of};
use chrono::NaiveDate;
use shared::entity::{loan_status_codes, loans};

/// Changes the terms of a loan to those in the columns of `loan`, and its status. Before a term that
/// interest depends on changes, the accrual base moves to today, so that interest accrued so far
/// stays as it is.
pub fn modify<'a>(
    account: &LoanAccount,
    author: &'a Actor,
    today: NaiveDate,
    mut loan: loans::Model,
    status: &loan_status_codes::Model,
) -> Result<AccountChange<'a>, LoanError> {
    let mut state = account.state.clone();
    let (before, after) = (LoanSnapshot::of(&account.loan), LoanSnapshot::of(&loan));
    if moves_base((&before, &account.status), (&after, status)) && today >= state.accrual_base_date
    {
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
    account.changed(author, &state, |row| *row = with_terms_of(row, loan))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loans::servicing::testing::{booked, date, monthly};

    #[test]
    fn a_due_date_counts_on_its_own_day_until_it_has_a_due_row() {
        let terms = monthly("12.00", "100.00", 60);
        let mut state = booked(&terms, "1000.00");
        let first = |today: &str| first_without_row(&terms.schedule, &state, date(today));
        assert_eq!(first("2024-04-14"), Some(date("2024-04-15")));
        assert_eq!(first("2024-04-15"), Some(date("2024-04-15")));
        assert_eq!(first("2024-04-16"), Some(date("2024-05-15")));
        state.create_due_rows(&terms, date("2024-04-15")).expect("due rows");
        let first = |today: &str| first_without_row(&terms.schedule, &state, date(today));
        assert_eq!(first("2024-04-15"), Some(date("2024-05-15")));
        assert_eq!(first("2024-02-15"), Some(date("2024-05-15")));
    }
}

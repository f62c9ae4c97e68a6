//! Due rows and standings.

use super::*;
use crate::loans::servicing::schedule::Schedule;
use crate::loans::servicing::testing::{
    any_terms, booked, date, money, monthly, pay, pay_with, published, schedule, terms,
};
use chrono::Days;
use proptest::prelude::*;
use shared::entity::loans::{ExcessHandling, PaymentPeriod, YearLength};

/// Due date, interest and principal due of each row.
fn amounts_due(rows: &[DueRow]) -> Vec<(String, String, String)> {
    let amounts = |row: &DueRow| {
        (row.due_date.to_string(), row.interest_due.to_string(), row.principal_due.to_string())
    };
    rows.iter().map(amounts).collect()
}

fn row(due_date: &str, interest: &str, principal: &str) -> (String, String, String) {
    (due_date.into(), interest.into(), principal.into())
}

#[test]
fn a_loan_paid_on_every_due_date_ends_with_a_smaller_payment() {
    let (terms, mut state) = published();
    let mut paid = Vec::new();
    let mut interest = String::new();
    while let Some(due_date) = state.next_due_date {
        let due = state.standing(&terms, due_date).unwrap().current_due.to_string();
        let posting = pay(&terms, &state, &due, &due_date.to_string());
        interest = posting.parts.interest.to_string();
        state = posting.after;
        paid.push(due);
    }
    let last = paid.pop();
    assert_eq!(paid, ["652.53"; 59]);
    assert_eq!((last.as_deref(), interest.as_str()), (Some("652.32"), "7.56"));
    assert_eq!((state.principal, state.next_due_date), (Money::ZERO, None));
    assert_eq!(state.due_row_count, 60);
}

#[test]
fn an_early_payment_counts_as_the_next_installment_whatever_happens_to_excess() {
    for excess in [ExcessHandling::Principal, ExcessHandling::Suspense, ExcessHandling::Reject] {
        let (terms, mut state) = published();
        state.late_charges = money("25.00");
        let posting = pay_with(&terms, &state, "652.53", "2024-02-12", excess).unwrap();
        assert_eq!(posting.parts.interest, money("295.47"));
        assert_eq!(posting.parts.principal, money("357.06"));
        assert_eq!(posting.after.paid_ahead_amount, money("652.53"));

        let standing = posting.after.standing(&terms, date("2024-03-15")).unwrap();
        let rows = [row("2024-02-15", "0.00", "0.00"), row("2024-03-15", "356.52", "296.01")];
        assert_eq!(amounts_due(&standing.due_rows), rows);
        assert_eq!((standing.past_due, standing.days_past_due), (Money::ZERO, 0));
        assert_eq!(standing.current_due, money("652.53"));
        assert_eq!(standing.next_due_date, Some(date("2024-04-15")));
    }
}

#[test]
fn what_is_partly_paid_ahead_lowers_the_next_row() {
    let (terms, state) = published();
    let posting = pay(&terms, &state, "400.00", "2024-02-12");
    assert_eq!(posting.after.paid_ahead_amount, money("400.00"));
    let standing = posting.after.standing(&terms, date("2024-02-15")).unwrap();
    assert_eq!(standing.current_due, money("252.53"));
}

#[test]
fn unpaid_rows_are_past_due_from_the_day_after_and_aged_from_the_oldest() {
    let (terms, state) = published();
    let on = |day| state.standing(&terms, date(day)).unwrap();
    let (first, later) = (on("2024-02-15"), on("2024-03-20"));
    assert_eq!((first.past_due, first.current_due), (Money::ZERO, money("652.53")));
    assert_eq!(first.days_past_due, 0);
    assert_eq!((later.past_due, later.current_due), (money("1305.06"), Money::ZERO));
    assert_eq!(later.days_past_due, 34);
    assert_eq!(later.due_rows.iter().map(|row| row.payment_number).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(state.due_rows, []);
}

#[test]
fn a_row_of_nothing_is_never_past_due() {
    let mut terms = monthly("14.07", "652.53", 60);
    terms.payment_amount = None;
    let standing = booked(&terms, "28000.00").standing(&terms, date("2024-04-20")).unwrap();
    assert_eq!(standing.due_rows.len(), 3);
    assert_eq!((standing.past_due, standing.days_past_due), (Money::ZERO, 0));
    assert_eq!(standing.interest_owed, money("1039.62"));
}

#[test]
fn the_row_of_maturity_asks_for_all_that_no_row_holds() {
    let mut terms = monthly("12", "100.00", 2);
    terms.schedule.maturity_date = Some(date("2024-03-20"));
    let standing = booked(&terms, "1000.00").standing(&terms, date("2024-03-20")).unwrap();
    let rows = [
        row("2024-02-15", "10.00", "90.00"),
        row("2024-03-15", "10.00", "90.00"),
        row("2024-03-20", "1.67", "820.00"),
    ];
    assert_eq!(amounts_due(&standing.due_rows), rows);
    assert_eq!(standing.next_due_date, None);
}

#[test]
fn interest_after_maturity_is_past_due_at_once() {
    let mut terms = terms(YearLength::Actual, YearLength::D360, "36", "2024-01-01");
    let maturity_date = Some(date("2024-01-31"));
    terms.schedule = Schedule { period: PaymentPeriod::Maturity, maturity_date, ..terms.schedule };
    let state = booked(&terms, "1000.00");
    let unpaid = state.standing(&terms, date("2024-02-10")).unwrap();
    assert_eq!((unpaid.past_due, unpaid.days_past_due), (money("1040.00"), 10));

    // The row is paid; the interest accrued since is aged from maturity.
    let mut after = state.clone();
    after.create_due_rows(&terms, date("2024-01-31")).unwrap();
    after.due_rows[0].interest_paid = money("30.00");
    after.interest_settled_total = money("30.00");
    after.due_rows[0].principal_paid = money("1000.00");
    let rest = after.standing(&terms, date("2024-02-10")).unwrap();
    assert_eq!((rest.past_due, rest.days_past_due), (money("10.00"), 10));
}

#[test]
fn interest_beyond_the_installment_waits_for_the_next_row() {
    let terms = monthly("12", "4.00", 3);
    let standing = booked(&terms, "1000.00").standing(&terms, date("2024-04-15")).unwrap();
    let rows = [
        row("2024-02-15", "4.00", "0.00"),
        row("2024-03-15", "4.00", "0.00"),
        row("2024-04-15", "22.00", "1000.00"),
    ];
    assert_eq!(amounts_due(&standing.due_rows), rows);
}

#[test]
fn moving_the_base_makes_the_rows_and_keeps_the_total() {
    let (terms, mut state) = published();
    let total = state.interest_total_on(&terms, date("2024-03-01")).unwrap();
    state.move_base(&terms, date("2024-03-01")).unwrap();
    assert_eq!((state.accrual_base_date, state.accrual_base_total), (date("2024-03-01"), total));
    assert_eq!(state.due_rows.len(), 1);
    let moved = state.clone();
    state.move_base(&terms, date("2024-02-01")).unwrap();
    assert_eq!(state, moved);
}

#[test]
fn thirty_years_of_unpaid_weeks_have_a_standing() {
    let mut terms = terms(YearLength::D360, YearLength::D360, "10", "2024-01-01");
    terms.schedule = schedule(PaymentPeriod::Weekly, "2024-01-08");
    terms.payment_amount = Some(money("10.00"));
    let standing = booked(&terms, "10000.00").standing(&terms, date("2054-01-01")).unwrap();
    assert_eq!(standing.due_rows.len(), 1565);
    assert_eq!(standing.past_due, money("15650.00"));
    assert_eq!(standing.interest_owed, money("30000.00"));
}

proptest! {
    #[test]
    fn rows_made_in_steps_are_rows_made_at_once(
        terms in any_terms(),
        gaps in prop::collection::vec(0u64..90, 1..20),
        ahead in 0i64..20_000,
    ) {
        let mut in_one_step = booked(&terms, "10000.00");
        in_one_step.paid_ahead_amount = Money::from_cents(ahead).unwrap();
        let mut in_steps = in_one_step.clone();
        let mut day = date("2019-11-15");
        for gap in gaps {
            day = day + Days::new(gap);
            in_steps.create_due_rows(&terms, day).unwrap();
        }
        in_one_step.create_due_rows(&terms, day).unwrap();
        prop_assert_eq!(&in_steps, &in_one_step);
        let rows = &in_one_step.due_rows;
        prop_assert!(rows.is_sorted_by(|a, b| a.due_date < b.due_date));
        prop_assert!(rows.iter().all(|row| terms.schedule.is_due_date(row.due_date)));
        let standing = in_one_step.standing(&terms, day).unwrap();
        prop_assert!(standing.past_due.plus(standing.current_due).unwrap() <= standing.payoff);
    }
}

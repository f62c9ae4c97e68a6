//! Amortization schedules.

use super::*;
use crate::loans::servicing::RateStep;
use crate::loans::servicing::payment::AllocationMode;
use crate::loans::servicing::testing::{
    any_terms, booked, date, money, monthly, pay, post_on, published, schedule, terms,
};
use chrono::Days;
use proptest::prelude::*;
use shared::entity::loans::{PaymentPeriod, YearLength};

fn amortization(terms: &Terms, state: &LoanState, today: &str, limit: usize) -> Amortization {
    let range = RowRange { from: date(today), limit };
    state.amortization(terms, date(today), range).unwrap()
}

/// Number, date, interest, principal and ending balance, as text.
fn row(row: &AmortizationRow) -> String {
    let AmortizationRow { payment_number, date, interest, principal, ending_balance, .. } = row;
    format!("{payment_number} {date} {interest} {principal} {ending_balance}")
}

fn rows(schedule: &Amortization) -> Vec<String> {
    schedule.rows.iter().map(row).collect()
}

#[test]
fn the_published_loan_has_59_equal_installments_and_a_smaller_last_one() {
    let (terms, state) = published();
    let schedule = amortization(&terms, &state, "2024-01-15", 1000);
    assert!(schedule.complete);
    assert_eq!(schedule.rows.len(), 61);
    assert_eq!(
        rows(&schedule)[..3],
        [
            "0 2024-01-15 0.00 0.00 28000.00",
            "1 2024-02-15 328.30 324.23 27675.77",
            "2 2024-03-15 324.50 328.03 27347.74",
        ]
    );
    assert_eq!(row(&schedule.rows[60]), "60 2029-01-15 7.56 644.76 0.00");
    assert!(schedule.rows[1..60].iter().all(|row| row.payment == money("652.53")));
    assert_eq!(schedule.rows[60].payment, money("652.32"));
}

#[test]
fn row_0_is_what_is_due_or_past_due_today() {
    let (terms, mut state) = published();
    state.late_charges = money("25.00");
    let schedule = amortization(&terms, &state, "2024-03-15", 1);
    // The second installment falls due today; without the first, its interest is on more principal.
    assert_eq!(
        rows(&schedule),
        ["0 2024-03-15 656.60 648.46 27351.54", "3 2024-04-15 320.70 331.83 27019.71"]
    );
    assert!(!schedule.complete);
}

#[test]
fn what_was_paid_ahead_lowers_the_next_row() {
    let (terms, state) = published();
    let paid = pay(&terms, &state, "652.53", "2024-02-12").after;
    let schedule = amortization(&terms, &paid, "2024-02-12", 2);
    assert_eq!(
        rows(&schedule),
        [
            "0 2024-02-12 0.00 0.00 27642.94",
            "1 2024-02-15 0.00 0.00 27642.94",
            "2 2024-03-15 356.52 296.01 27346.93",
        ]
    );
}

#[test]
fn a_rate_stored_for_the_future_changes_later_rows() {
    let mut terms = monthly("12", "200.00", 12);
    let rate = "24".parse().unwrap();
    terms.rates.push(RateStep { effective_date: date("2024-02-15"), rate });
    let schedule = amortization(&terms, &booked(&terms, "1000.00"), "2024-01-15", 2);
    assert_eq!(
        rows(&schedule)[1..],
        ["1 2024-02-15 10.00 190.00 810.00", "2 2024-03-15 16.20 183.80 626.20"]
    );
}

#[test]
fn without_interest_every_row_is_principal() {
    let free = monthly("0", "400.00", 3);
    let stopped = Terms { accrues: false, ..monthly("12", "400.00", 3) };
    for terms in [free, stopped] {
        let schedule = amortization(&terms, &booked(&terms, "1000.00"), "2024-01-15", 9);
        assert_eq!(
            rows(&schedule)[1..],
            [
                "1 2024-02-15 0.00 400.00 600.00",
                "2 2024-03-15 0.00 400.00 200.00",
                "3 2024-04-15 0.00 200.00 0.00",
            ]
        );
        assert!(schedule.complete);
    }
}

#[test]
fn the_last_row_takes_what_is_left_at_maturity() {
    let terms = monthly("12", "5.00", 2);
    let schedule = amortization(&terms, &booked(&terms, "1000.00"), "2024-01-15", 9);
    assert_eq!(
        rows(&schedule)[1..],
        ["1 2024-02-15 5.00 0.00 1000.00", "2 2024-03-15 15.00 1000.00 0.00"]
    );
    assert!(schedule.complete);
}

#[test]
fn a_schedule_without_an_end_stops_at_the_limit_or_when_the_loan_is_repaid() {
    let mut endless = monthly("12", "10.00", 2);
    endless.schedule.maturity_date = None;
    let state = booked(&endless, "1000.00");
    let schedule = amortization(&endless, &state, "2024-01-15", 1000);
    assert_eq!((schedule.rows.len(), schedule.complete), (1001, false));
    assert_eq!(row(&schedule.rows[1000]), "1000 2107-05-15 10.00 0.00 1000.00");

    let repaid = Terms { payment_amount: Some(money("505.00")), ..endless };
    let schedule = amortization(&repaid, &state, "2024-01-15", 1000);
    assert_eq!(
        rows(&schedule)[1..],
        [
            "1 2024-02-15 10.00 495.00 505.00",
            "2 2024-03-15 5.05 499.95 5.05",
            "3 2024-04-15 0.05 5.05 0.00"
        ]
    );
    assert!(schedule.complete);
}

#[test]
fn after_maturity_without_due_dates_and_after_the_payoff_there_is_row_0_alone() {
    let matured = monthly("12", "0.00", 1);
    let state = booked(&matured, "1000.00");
    let schedule = amortization(&matured, &state, "2024-02-18", 9);
    assert_eq!(rows(&schedule), ["0 2024-02-18 11.00 1000.00 0.00"]);

    let open = terms(YearLength::Actual, YearLength::D365, "10", "2024-01-15");
    let schedule = amortization(&open, &booked(&open, "1000.00"), "2024-02-18", 9);
    assert_eq!(rows(&schedule), ["0 2024-02-18 0.00 0.00 1000.00"]);

    let repaid = LoanState { principal: Money::ZERO, ..state };
    let schedule = amortization(&monthly("12", "0.00", 5), &repaid, "2024-01-18", 9);
    assert_eq!(rows(&schedule), ["0 2024-01-18 0.00 0.00 0.00"]);
    assert!(schedule.complete);
}

#[test]
fn rows_before_the_first_day_asked_for_are_left_out_and_not_counted() {
    let (terms, state) = published();
    let range = RowRange { from: date("2024-04-15"), limit: 2 };
    let schedule = state.amortization(&terms, date("2024-01-15"), range).unwrap();
    let numbers: Vec<i32> = schedule.rows.iter().map(|row| row.payment_number).collect();
    assert_eq!((numbers, schedule.complete), (vec![3, 4], false));
    let all = amortization(&terms, &state, "2024-01-15", 1000);
    assert_eq!(schedule.rows, all.rows[3..5]);
}

#[test]
fn a_schedule_without_an_end_is_cut_off_with_the_last_year() {
    let mut terms = terms(YearLength::Actual, YearLength::Actual, "10", "9990-01-01");
    terms.schedule = schedule(PaymentPeriod::Annual, "9991-01-01");
    terms.payment_amount = Some(money("100.00"));
    let schedule = amortization(&terms, &booked(&terms, "1000.00"), "9990-01-01", 1000);
    assert_eq!(schedule.rows.last().unwrap().date, date("9999-01-01"));
    assert!(!schedule.complete);
}

#[test]
fn installments_of_nothing_move_neither_the_base_nor_the_balance() {
    let mut terms = terms(YearLength::Actual, YearLength::Actual, "7.77", "2024-01-01");
    terms.schedule = schedule(PaymentPeriod::Weekly, "2024-01-08");
    terms.schedule.maturity_date = Some(date("2026-01-05"));
    let state = booked(&terms, "1234.56");
    let schedule = amortization(&terms, &state, "2024-01-01", 1000);
    let (last, others) = schedule.rows.split_last().unwrap();
    assert!(others.iter().all(|row| row.payment.is_zero()));
    assert_eq!(Ok(last.interest), state.interest_owed_on(&terms, last.date));
    assert_eq!(last.principal, money("1234.56"));
}

proptest! {
    #[test]
    fn each_row_paid_on_its_day_as_a_split_gives_its_ending_balance(
        terms in any_terms(),
        cents in 1i64..10_000_000,
        share in 0i64..100,
        [paid, until] in [0u64..200, 0u64..700],
    ) {
        let paid = terms.interest_start_date + Days::new(paid);
        let today = paid + Days::new(until);
        let principal = Money::from_cents(cents).unwrap().to_string();
        let first = Money::from_cents(cents * share / 100 + 1).unwrap().to_string();
        let mut state = pay(&terms, &booked(&terms, &principal), &first, &paid.to_string()).after;
        let due = state.standing(&terms, today).unwrap();
        let range = RowRange { from: today, limit: 40 };
        let schedule = state.amortization(&terms, today, range).unwrap();
        prop_assert_eq!(schedule.rows[0].payment, due.past_due.plus(due.current_due).unwrap());
        for row in &schedule.rows {
            let AmortizationRow { date, payment, interest, principal, .. } = *row;
            prop_assert_eq!(Ok(payment), interest.plus(principal));
            if payment.is_positive() {
                let mode =
                    AllocationMode::Split(Split { interest, principal, ..Split::default() });
                let posted =
                    post_on(&terms, &state, &payment.to_string(), &date.to_string(), mode);
                state = posted.unwrap().after;
            }
            prop_assert_eq!(state.principal, row.ending_balance);
            let left = state.standing(&terms, date).unwrap();
            prop_assert_eq!(left.past_due.plus(left.current_due), Ok(Money::ZERO));
        }
        if schedule.complete && terms.schedule.maturity_date.is_some_and(|date| date > today) {
            prop_assert!(state.principal.is_zero() || terms.schedule.period == PaymentPeriod::None);
        }
    }
}

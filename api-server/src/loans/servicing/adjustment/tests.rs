//! Adjustments.

use super::AdjustmentKind as Kind;
use super::*;
use crate::loans::servicing::testing::{any_terms, booked, date, money, pay, published};
use crate::loans::servicing::{DueRow, sum};
use proptest::prelude::*;

fn adjusted(terms: &Terms, state: &LoanState, kind: Kind, amount: &str, day: &str) -> Adjusted {
    post(terms, state, kind, money(amount), date(day)).unwrap()
}

#[test]
fn a_draw_bears_interest_from_its_day() {
    let (terms, state) = published();
    let drawn = adjusted(&terms, &state, Kind::Draw, "1000.00", "2024-01-25");
    assert_eq!(drawn.balance_after, money("29000.00"));
    // 10 days on 28,000.00 and 20 days on 29,000.00, in a 30-day month.
    let owed = drawn.after.interest_owed_on(&terms, date("2024-02-15"));
    assert_eq!(owed, Ok(money("336.12")));
}

#[test]
fn a_reduction_settles_due_rows_oldest_first_and_then_what_none_holds() {
    let (terms, state) = published();
    let reduced = adjusted(&terms, &state, Kind::InterestReduction, "500.00", "2024-03-20");
    let settled: Vec<_> =
        reduced.due_row_parts.iter().map(|part| (part.interest, part.principal)).collect();
    let zero = Money::ZERO;
    assert_eq!(settled, [(money("328.30"), zero), (money("171.70"), zero)]);
    assert_eq!(reduced.after.paid_ahead_amount, zero);
    let day = date("2024-03-20");
    let refused = post(&terms, &state, Kind::InterestReduction, money("1000.00"), day);
    let balance = state.interest_owed_on(&terms, day).unwrap();
    assert_eq!(refused, Err(PaymentRefusal::SplitExceedsBalance { part: "interest", balance }));
}

#[test]
fn a_write_off_of_everything_leaves_nothing_due() {
    let (terms, state) = published();
    let written_off = adjusted(&terms, &state, Kind::PrincipalWriteOff, "28000.00", "2024-02-20");
    assert_eq!(written_off.balance_after, Money::ZERO);
    let row = &written_off.after.due_rows[0];
    assert_eq!(row.unpaid_principal(), Money::ZERO);
    assert_eq!(row.unpaid_interest(), money("328.30"));
}

#[test]
fn no_balance_is_lowered_below_zero() {
    let (terms, state) = published();
    for (kind, part) in [
        (Kind::ImpoundDisbursement, "impound"),
        (Kind::SuspenseDisbursement, "suspense"),
        (Kind::LateChargeWaived, "late charge"),
        (Kind::FeeWaived, "fee"),
    ] {
        let refused = post(&terms, &state, kind, money("0.01"), date("2024-02-20"));
        let balance = Money::ZERO;
        assert_eq!(refused, Err(PaymentRefusal::SplitExceedsBalance { part, balance }));
    }
    let fee = adjusted(&terms, &state, Kind::Fee, "25.00", "2024-02-20");
    assert_eq!(fee.after.accrual_base_date, state.accrual_base_date, "no interest moves");
    let waived = adjusted(&terms, &fee.after, Kind::FeeWaived, "25.00", "2024-02-20");
    assert_eq!(waived.after, state);
}

proptest! {
    /// Whatever a reduction or write-off settles, no due row is left with more unpaid than the loan
    /// owes.
    #[test]
    fn due_rows_never_ask_for_more_than_the_loan_owes(
        terms in any_terms(),
        cents in 1_i64..500_000,
        days in 1_u64..900,
        principal in any::<bool>(),
    ) {
        let day = terms.interest_start_date + chrono::Days::new(days);
        let state = booked(&terms, "5000.00");
        let kind = if principal { Kind::PrincipalWriteOff } else { Kind::InterestReduction };
        let amount = Money::from_cents(cents).unwrap();
        if let Ok(adjusted) = post(&terms, &state, kind, amount, day) {
            let after = adjusted.after;
            let unpaid = |part: fn(&DueRow) -> Money| {
                sum(after.due_rows.iter().map(part)).unwrap()
            };
            prop_assert!(unpaid(DueRow::unpaid_principal) <= after.principal);
            let owed = after.interest_owed_on(&terms, day).unwrap();
            prop_assert!(unpaid(DueRow::unpaid_interest) <= owed);
            // The next payment must find a consistent loan.
            if after.principal.is_positive() {
                pay(&terms, &after, "1.00", &day.to_string());
            }
        }
    }
}

#[test]
fn an_adjustment_off_by_a_cent_is_not_balanced() {
    let (terms, state) = published();
    let fee = adjusted(&terms, &state, Kind::Fee, "25.00", "2024-02-20").after;
    let late = adjusted(&terms, &fee, Kind::LateCharge, "25.00", "2024-02-20").after;
    let before = LoanState { impound: money("50.00"), suspense: money("50.00"), ..late };
    let amount = money("10.00");
    let cent = money("0.01");
    for kind in [
        Kind::Advance,
        Kind::Draw,
        Kind::LateCharge,
        Kind::Fee,
        Kind::InterestReduction,
        Kind::PrincipalWriteOff,
        Kind::ImpoundDisbursement,
        Kind::SuspenseDisbursement,
        Kind::LateChargeWaived,
        Kind::FeeWaived,
    ] {
        let adjusted = adjusted(&terms, &before, kind, "10.00", "2024-03-20");
        assert!(adjusted.is_balanced(&before, kind, amount), "{kind:?}");
        assert!(!adjusted.is_balanced(&before, kind, money("10.01")), "{kind:?}");
        let corruptions: [fn(&mut LoanState) -> &mut Money; 6] = [
            |state| &mut state.principal,
            |state| &mut state.interest_settled_total,
            |state| &mut state.late_charges,
            |state| &mut state.fees,
            |state| &mut state.impound,
            |state| &mut state.suspense,
        ];
        for (number, corrupt) in corruptions.into_iter().enumerate() {
            let mut adjusted = adjusted.clone();
            let balance = corrupt(&mut adjusted.after);
            *balance = balance.plus(cent).unwrap();
            assert!(!adjusted.is_balanced(&before, kind, amount), "{kind:?} {number}");
        }
    }
}

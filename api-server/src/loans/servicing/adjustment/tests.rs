//! Adjustments.

use super::*;
use crate::loans::servicing::testing::{any_terms, booked, date, money, pay, published};
use proptest::prelude::*;

fn adjusted(
    terms: &Terms,
    state: &LoanState,
    kind: AdjustmentKind,
    amount: &str,
    day: &str,
) -> Adjusted {
    post(terms, state, kind, money(amount), date(day)).unwrap()
}

#[test]
fn a_draw_bears_interest_from_its_day() {
    let (terms, state) = published();
    let drawn = adjusted(&terms, &state, AdjustmentKind::Draw, "1000.00", "2024-01-25");
    assert_eq!(drawn.balance_after, money("29000.00"));
    // 10 days on 28,000.00 and 20 days on 29,000.00, in a 30-day month.
    let owed = drawn.after.interest_owed_on(&terms, date("2024-02-15"));
    assert_eq!(owed, Ok(money("336.12")));
}

#[test]
fn a_reduction_settles_due_rows_oldest_first_and_then_accrued_interest() {
    let (terms, state) = published();
    let reduced =
        adjusted(&terms, &state, AdjustmentKind::InterestReduction, "500.00", "2024-03-20");
    let settled: Vec<_> =
        reduced.due_row_parts.iter().map(|part| (part.interest, part.principal)).collect();
    let zero = Money::ZERO;
    assert_eq!(settled, [(money("328.30"), zero), (money("171.70"), zero)]);
    assert_eq!(reduced.after.paid_ahead_amount, zero);
    let most = post(
        &terms,
        &state,
        AdjustmentKind::InterestReduction,
        money("1000.00"),
        date("2024-03-20"),
    );
    let balance = state.interest_owed_on(&terms, date("2024-03-20")).unwrap();
    assert_eq!(most, Err(PaymentRefusal::SplitExceedsBalance { part: "interest", balance }));
}

#[test]
fn a_write_off_of_everything_leaves_nothing_due() {
    let (terms, state) = published();
    let written_off =
        adjusted(&terms, &state, AdjustmentKind::PrincipalWriteOff, "28000.00", "2024-02-20");
    assert_eq!(written_off.balance_after, Money::ZERO);
    let row = &written_off.after.due_rows[0];
    assert_eq!(row.unpaid_principal(), Money::ZERO);
    assert_eq!(row.unpaid_interest(), money("328.30"));
}

#[test]
fn no_balance_is_lowered_below_zero() {
    let (terms, state) = published();
    for (kind, part) in [
        (AdjustmentKind::ImpoundDisbursement, "impound"),
        (AdjustmentKind::LateChargeWaived, "late charge"),
        (AdjustmentKind::FeeWaived, "fee"),
    ] {
        let refused = post(&terms, &state, kind, money("0.01"), date("2024-02-20"));
        assert_eq!(
            refused,
            Err(PaymentRefusal::SplitExceedsBalance { part, balance: Money::ZERO })
        );
    }
    let fee = adjusted(&terms, &state, AdjustmentKind::Fee, "25.00", "2024-02-20");
    assert_eq!(fee.after.accrual_base_date, state.accrual_base_date, "no interest moves");
    let waived = adjusted(&terms, &fee.after, AdjustmentKind::FeeWaived, "25.00", "2024-02-20");
    assert_eq!(waived.after, state);
}

proptest! {
    /// Whatever a reduction or write-off settles, no due row is left with more unpaid than the loan
    /// owes.
    #[test]
    fn due_rows_never_exceed_what_the_loan_owes(
        terms in any_terms(),
        cents in 1_i64..500_000,
        days in 1_u64..900,
        principal in any::<bool>(),
    ) {
        let day = terms.interest_start_date + chrono::Days::new(days);
        let state = booked(&terms, "5000.00");
        let kind = if principal { AdjustmentKind::PrincipalWriteOff } else { AdjustmentKind::InterestReduction };
        let amount = Money::from_cents(cents).unwrap();
        if let Ok(adjusted) = post(&terms, &state, kind, amount, day) {
            let after = adjusted.after;
            let unpaid = |part: fn(&crate::loans::servicing::DueRow) -> Money| {
                crate::loans::servicing::sum(after.due_rows.iter().map(part)).unwrap()
            };
            prop_assert!(unpaid(crate::loans::servicing::DueRow::unpaid_principal) <= after.principal);
            let owed = after.interest_owed_on(&terms, day).unwrap();
            prop_assert!(unpaid(crate::loans::servicing::DueRow::unpaid_interest) <= owed);
            // The next payment must find a consistent loan.
            if after.principal.is_positive() {
                pay(&terms, &after, "1.00", &day.to_string());
            }
        }
    }
}

#[test]
fn an_adjustment_that_is_off_by_a_cent_is_detected() {
    let (terms, state) = published();
    let fee = adjusted(&terms, &state, AdjustmentKind::Fee, "25.00", "2024-02-20").after;
    let late = adjusted(&terms, &fee, AdjustmentKind::LateCharge, "25.00", "2024-02-20").after;
    let before = LoanState { impound: money("50.00"), ..late };
    let amount = money("10.00");
    let cent = money("0.01");
    for kind in [
        AdjustmentKind::Advance,
        AdjustmentKind::Draw,
        AdjustmentKind::LateCharge,
        AdjustmentKind::Fee,
        AdjustmentKind::InterestReduction,
        AdjustmentKind::PrincipalWriteOff,
        AdjustmentKind::ImpoundDisbursement,
        AdjustmentKind::LateChargeWaived,
        AdjustmentKind::FeeWaived,
    ] {
        let adjusted = adjusted(&terms, &before, kind, "10.00", "2024-03-20");
        assert!(adjusted.is_balanced(&before, kind, amount), "{kind:?}");
        assert!(!adjusted.is_balanced(&before, kind, money("10.01")), "{kind:?}");
        let balances: [fn(&mut LoanState) -> &mut Money; 6] = [
            |after| &mut after.principal,
            |after| &mut after.interest_settled_total,
            |after| &mut after.late_charges,
            |after| &mut after.fees,
            |after| &mut after.impound,
            |after| &mut after.suspense,
        ];
        for (number, balance_of) in balances.into_iter().enumerate() {
            let mut adjusted = adjusted.clone();
            let balance = balance_of(&mut adjusted.after);
            *balance = balance.plus(cent).unwrap();
            assert!(!adjusted.is_balanced(&before, kind, amount), "{kind:?} {number}");
        }
    }
}

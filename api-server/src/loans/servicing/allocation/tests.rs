//! Payment allocation.

use crate::loans::servicing::allocation::{DueRowPart, PaymentParts, Split};
use crate::loans::servicing::payment::{AllocationMode, PaymentRefusal, PostedPayment};
use crate::loans::servicing::testing::{booked, date, money, monthly, pay, pay_with, post_on};
use crate::loans::servicing::{LoanState, Terms};
use shared::amounts::Money;
use shared::entity::loans::{DistributionItem, ExcessHandling};

/// 1,000.00 at 12 %, 100.00 a month: rows of 10.00 and 90.00 on 02-15 and 03-15 when unpaid.
fn loan() -> (Terms, LoanState) {
    let mut terms = monthly("12", "100.00", 12);
    terms.advance_days = 10;
    let mut state = booked(&terms, "1000.00");
    state.late_charges = money("5.00");
    state.fees = money("7.00");
    (terms, state)
}

fn parts(interest: &str, principal: &str, late_charges: &str, fees: &str) -> PaymentParts {
    PaymentParts {
        interest: money(interest),
        principal: money(principal),
        late_charges: money(late_charges),
        fees: money(fees),
        ..PaymentParts::default()
    }
}

fn row(due_date: &str, interest: &str, principal: &str) -> DueRowPart {
    let (interest, principal) = (money(interest), money(principal));
    DueRowPart { row_id: None, due_date: date(due_date), interest, principal }
}

fn pay_in_order(amount: &str, distribution: &[DistributionItem]) -> PostedPayment {
    let (terms, state) = loan();
    let mode = AllocationMode::Distributed { distribution, excess: ExcessHandling::Principal };
    post_on(&terms, &state, amount, "2024-03-18", mode).unwrap()
}

#[test]
fn the_oldest_row_is_paid_first_interest_before_principal() {
    let (terms, state) = loan();
    let posting = pay(&terms, &state, "105.00", "2024-03-18");
    assert_eq!(posting.parts, parts("15.00", "90.00", "0", "0"));
    let expected = [row("2024-02-15", "10.00", "90.00"), row("2024-03-15", "5.00", "0.00")];
    assert_eq!(posting.due_row_parts, expected);
}

#[test]
fn what_is_past_due_comes_before_accrued_interest_charges_and_unbilled_principal() {
    let (terms, state) = loan();
    for (amount, expected) in [
        ("200.00", parts("20.00", "180.00", "0", "0")),
        ("201.00", parts("21.00", "180.00", "0", "0")),
        ("205.00", parts("21.00", "180.00", "4.00", "0")),
        ("210.00", parts("21.00", "180.00", "5.00", "4.00")),
        ("300.00", parts("21.00", "267.00", "5.00", "7.00")),
    ] {
        assert_eq!(pay(&terms, &state, amount, "2024-03-18").parts, expected, "{amount}");
    }
}

#[test]
fn interest_first_distributions_pay_all_past_due_interest_before_any_principal() {
    use DistributionItem::*;
    let distribution =
        [PastDueInterest, PastDuePrincipal, CurrentInterestDue, AccruedInterest, Excess];
    let posting = pay_in_order("25.00", &distribution);
    let expected = [row("2024-02-15", "10.00", "5.00"), row("2024-03-15", "10.00", "0.00")];
    assert_eq!(posting.due_row_parts, expected);
}

#[test]
fn charges_can_be_paid_first_and_excess_always_comes_last() {
    use DistributionItem::*;
    let posting = pay_in_order("20.00", &[Excess, Fees, LateCharges, PastDue]);
    assert_eq!(posting.parts, parts("8.00", "0", "5.00", "7.00"));
}

#[test]
fn the_row_due_on_the_day_pays_interest_and_principal_as_items_of_their_own() {
    let (terms, state) = loan();
    let first = pay(&terms, &state, "100.00", "2024-02-15").after;
    let posting = pay(&terms, &first, "50.00", "2024-03-15");
    assert_eq!(posting.due_row_parts, [row("2024-03-15", "9.10", "40.90")]);
}

#[test]
fn a_payment_in_the_early_window_pays_the_installment_and_then_charges() {
    let (terms, state) = loan();
    let posting = pay(&terms, &state, "106.00", "2024-02-05");
    assert_eq!(posting.parts, parts("6.67", "93.33", "5.00", "1.00"));
    assert_eq!(posting.after.paid_ahead_amount, money("100.00"));
    // The installment is already paid ahead: the next early payment goes to the charges.
    let second = pay(&terms, &posting.after, "6.00", "2024-02-05");
    assert_eq!(second.parts, parts("0", "0", "0", "6.00"));
}

#[test]
fn outside_the_early_window_paying_more_only_shortens_the_loan() {
    let (terms, state) = loan();
    let posting = pay(&terms, &state, "106.00", "2024-02-04");
    assert_eq!(posting.parts, parts("6.33", "87.67", "5.00", "7.00"));
    assert_eq!(posting.after.paid_ahead_amount, Money::ZERO);
    let standing = posting.after.standing(&terms, date("2024-02-15")).unwrap();
    assert_eq!(standing.current_due, money("100.00"));
}

#[test]
fn excess_in_the_early_window_counts_ahead_up_to_the_payment_amount() {
    let (terms, state) = loan();
    let posting = pay(&terms, &state, "300.00", "2024-02-05");
    assert_eq!(posting.parts, parts("6.67", "281.33", "5.00", "7.00"));
    assert_eq!(posting.after.paid_ahead_amount, money("100.00"));
}

#[test]
fn before_maturity_the_early_window_takes_all_principal() {
    let (terms, state) = loan();
    let terms = Terms { payment_amount: None, ..terms };
    let mut state = state;
    state.move_base(&terms, date("2025-01-10")).unwrap();
    let excess = ExcessHandling::Reject;
    let posting = pay_with(&terms, &state, "1120.33", "2025-01-10", excess).unwrap();
    assert_eq!(posting.parts, parts("118.33", "1000.00", "2.00", "0"));
    assert_eq!(posting.after.paid_ahead_amount, Money::ZERO);
}

#[test]
fn excess_goes_to_suspense_if_the_loan_says_so() {
    let (terms, state) = loan();
    let posting = pay_with(&terms, &state, "250.00", "2024-03-18", ExcessHandling::Suspense);
    let parts = posting.unwrap().parts;
    assert_eq!((parts.principal, parts.suspense), (money("180.00"), money("37.00")));
}

#[test]
fn refused_excess_names_the_largest_accepted_amount() {
    let (terms, state) = loan();
    let with = |amount, excess| pay_with(&terms, &state, amount, "2024-03-18", excess);
    let most = |amount| Err(PaymentRefusal::Overpayment { most: money(amount) });
    assert_eq!(with("213.01", ExcessHandling::Reject), most("213.00"));
    assert!(with("213.00", ExcessHandling::Reject).is_ok());
    assert_eq!(with("1033.01", ExcessHandling::Principal), most("1033.00"));
    assert!(with("1033.00", ExcessHandling::Principal).is_ok());
}

#[test]
fn a_split_pays_due_rows_oldest_first_then_unbilled_amounts() {
    let (terms, state) = loan();
    let split = Split { interest: money("20.50"), principal: money("200.00"), ..Split::default() };
    let posting =
        post_on(&terms, &state, "220.50", "2024-03-18", AllocationMode::Split(split)).unwrap();
    let expected = [row("2024-02-15", "10.00", "90.00"), row("2024-03-15", "10.00", "90.00")];
    assert_eq!(posting.due_row_parts, expected);
    assert_eq!(posting.parts, parts("20.50", "200.00", "0", "0"));
}

#[test]
fn a_split_in_the_early_window_counts_ahead() {
    let (terms, state) = loan();
    let split = Split { principal: money("60.00"), ..Split::default() };
    let posting =
        post_on(&terms, &state, "60.00", "2024-02-10", AllocationMode::Split(split)).unwrap();
    assert_eq!(posting.after.paid_ahead_amount, money("60.00"));
}

#[test]
fn written_off_principal_is_not_paid_from_a_split() {
    let (terms, mut state) = loan();
    state.move_base(&terms, date("2024-03-18")).unwrap();
    state.principal = money("30.00");
    let posting = pay(&terms, &state, "63.00", "2024-03-18");
    assert_eq!(posting.parts, parts("21.00", "30.00", "5.00", "7.00"));
    assert_eq!(posting.payoff_after, Money::ZERO);
}

//! Posting payments.

use super::*;
use crate::loans::servicing::DueRow;
use crate::loans::servicing::testing::{
    any_terms, booked, date, interest_and_principal, money, monthly, pay, pay_with, post_on,
    published,
};
use chrono::Days;
use proptest::prelude::*;
use shared::entity::payment_distribution::PaymentDistribution;

const SUSPENSE: ExcessHandling = ExcessHandling::Suspense;
const PRINCIPAL: ExcessHandling = ExcessHandling::Principal;

#[test]
fn a_published_loan_comes_out_to_the_cent() {
    let (terms, mut state) = published();
    for (day, interest, principal) in [
        ("2024-02-15", "328.30", "324.23"),
        ("2024-03-15", "324.50", "328.03"),
        ("2024-04-15", "320.65", "331.88"),
    ] {
        let posting = pay(&terms, &state, "652.53", day);
        assert_eq!(interest_and_principal(&posting), (interest.into(), principal.into()));
        state = posting.after;
    }
    assert_eq!(state.principal, money("27015.86"));
}

#[test]
fn a_posting_off_by_a_cent_is_not_balanced() {
    let (terms, before) = published();
    let posting = pay(&terms, &before, "652.53", "2024-02-15");
    let amount = money("652.53");
    assert!(posting.is_balanced(&before, amount));
    assert!(!posting.is_balanced(&before, money("652.54")));
    let cent = money("0.01");
    let add_cent = |amount: &mut Money| *amount = amount.plus(cent).unwrap();
    let corruptions: [fn(&mut PostedPayment) -> &mut Money; 11] = [
        |posting| &mut posting.parts.principal,
        |posting| &mut posting.parts.suspense_applied,
        |posting| &mut posting.after.principal,
        |posting| &mut posting.after.late_charges,
        |posting| &mut posting.after.fees,
        |posting| &mut posting.after.interest_settled_total,
        |posting| &mut posting.after.impound,
        |posting| &mut posting.after.suspense,
        |posting| &mut posting.parts.interest,
        |posting| &mut posting.due_row_parts[0].interest,
        |posting| &mut posting.due_row_parts[0].principal,
    ];
    for (number, corrupt) in corruptions.into_iter().enumerate() {
        let mut posting = posting.clone();
        add_cent(corrupt(&mut posting));
        assert!(!posting.is_balanced(&before, amount), "{number}");
    }
}

#[test]
fn published_balances_need_the_remainder_below_a_cent_carried() {
    for (principal, rate, installment, payments, balance) in [
        ("6000.00", "14.08", "205.30", 5, "5309.48"),
        ("20000.00", "7.97", "626.46", 4, "18005.74"),
    ] {
        let terms = monthly(rate, installment, 36);
        let mut state = booked(&terms, principal);
        for n in 1..=payments {
            let due_date = terms.schedule.nth(n).unwrap().to_string();
            state = pay(&terms, &state, installment, &due_date).after;
        }
        assert_eq!(state.principal, money(balance));
    }
}

#[test]
fn amounts_of_zero_or_less_are_refused() {
    let (terms, state) = published();
    for amount in ["0.00", "-1.00"] {
        let refusal = pay_with(&terms, &state, amount, "2024-02-15", PRINCIPAL);
        assert_eq!(refusal, Err(PaymentRefusal::AmountNotPositive));
        let mode = AllocationMode::Payoff { excess: PRINCIPAL };
        let refusal = post_on(&terms, &state, amount, "2024-02-15", mode);
        assert_eq!(refusal, Err(PaymentRefusal::AmountNotPositive));
    }
}

#[test]
fn the_parts_of_a_split_sum_to_the_amount() {
    let (terms, state) = published();
    let split = Split { principal: money("10.00"), fees: money("1.00"), ..Split::default() };
    let refusal = post_on(&terms, &state, "10.00", "2024-02-15", AllocationMode::Split(split));
    let (sum, amount) = (money("11.00"), money("10.00"));
    assert_eq!(refusal, Err(PaymentRefusal::SplitMismatch { sum, amount }));
}

#[test]
fn no_part_of_a_split_is_above_its_balance() {
    let (terms, state) = published();
    let with =
        |split, amount| post_on(&terms, &state, amount, "2024-02-15", AllocationMode::Split(split));
    let exceeds =
        |part, balance| Err(PaymentRefusal::SplitExceedsBalance { part, balance: money(balance) });
    let interest = Split { interest: money("328.31"), ..Split::default() };
    assert_eq!(with(interest, "328.31"), exceeds("interest", "328.30"));
    let principal = Split { principal: money("28000.01"), ..Split::default() };
    assert_eq!(with(principal, "28000.01"), exceeds("principal", "28000.00"));
    let fees = Split { fees: money("0.01"), ..Split::default() };
    assert_eq!(with(fees, "0.01"), exceeds("fee", "0.00"));
}

#[test]
fn no_part_of_a_split_is_negative() {
    let (terms, state) = published();
    let split = Split { principal: money("20.00"), impound: money("-10.00"), ..Split::default() };
    let refusal = post_on(&terms, &state, "10.00", "2024-02-15", AllocationMode::Split(split));
    assert_eq!(refusal, Err(PaymentRefusal::AmountNotPositive));
}

#[test]
fn impound_and_suspense_take_any_part_of_a_split() {
    let (terms, state) = published();
    let split = Split { impound: money("70.00"), suspense: money("30.00"), ..Split::default() };
    let posting =
        post_on(&terms, &state, "100.00", "2024-02-10", AllocationMode::Split(split)).unwrap();
    assert_eq!((posting.after.impound, posting.after.suspense), (money("70.00"), money("30.00")));
    assert_eq!(posting.after.principal, state.principal);
    assert_eq!(posting.due_row_parts, []);
}

#[test]
fn a_payoff_of_nearly_all_that_can_be_stored_takes_suspense_on_top() {
    let (terms, before) = in_arrears();
    let amount = Money::from_units(Money::UNITS_MAX - 100).unwrap();
    let mode = AllocationMode::Payoff { excess: ExcessHandling::Suspense };
    let posting = post_on(&terms, &before, &amount.to_string(), "2024-03-20", mode).unwrap();
    assert_eq!(posting.parts.total(), Ok(amount));
    assert_eq!(posting.parts.suspense_applied, money("100.00"));
    assert!(posting.is_balanced(&before, amount));
}

/// The published loan on 2024-03-20 with charges, 100.00 in suspense and 50.00 impounded:
/// 28,000.00 principal, 711.32 interest, 25.00 late charges and 10.00 fees are owed.
fn in_arrears() -> (Terms, LoanState) {
    let (terms, mut state) = published();
    state.late_charges = money("25.00");
    state.fees = money("10.00");
    state.suspense = money("100.00");
    state.impound = money("50.00");
    (terms, state)
}

fn pay_off(amount: &str, excess: ExcessHandling) -> Result<PostedPayment, PaymentRefusal> {
    let (terms, state) = in_arrears();
    post_on(&terms, &state, amount, "2024-03-20", AllocationMode::Payoff { excess })
}

#[test]
fn a_payoff_applies_suspense_first_and_leaves_nothing_owed_or_due() {
    let posting = pay_off("28646.32", PRINCIPAL).unwrap();
    let PaymentParts { principal, interest, suspense, suspense_applied, .. } = posting.parts;
    assert_eq!((principal, interest), (money("28000.00"), money("711.32")));
    assert_eq!((suspense, suspense_applied), (Money::ZERO, money("100.00")));
    assert_eq!(posting.parts.total().unwrap(), money("28646.32"));
    assert!(posting.closes);
    assert_eq!(posting.payoff_after, Money::ZERO);

    let LoanState { principal, late_charges, fees, suspense, impound, .. } = posting.after;
    assert_eq!([principal, late_charges, fees, suspense], [Money::ZERO; 4]);
    assert_eq!(impound, money("50.00"));
    assert_eq!(posting.after.next_due_date, None);
    assert!(posting.after.due_rows.iter().all(|row| row.unpaid() == Ok(Money::ZERO)));
    assert_eq!(posting.due_row_parts.len(), 2);
}

#[test]
fn a_payoff_that_falls_short_names_the_payoff_amount() {
    let payoff = money("28646.32");
    assert_eq!(pay_off("28646.31", PRINCIPAL), Err(PaymentRefusal::PayoffShort { payoff }));
}

#[test]
fn a_payoff_of_more_goes_to_suspense_or_is_refused() {
    assert_eq!(
        pay_off("28646.33", PRINCIPAL),
        Err(PaymentRefusal::Overpayment { most: money("28646.32") })
    );
    let posting = pay_off("28650.00", SUSPENSE).unwrap();
    assert_eq!(posting.parts.suspense, money("3.68"));
    assert_eq!(posting.after.suspense, money("3.68"));
}

#[test]
fn a_loan_on_which_nothing_is_owed_is_closed_by_a_payoff_of_nothing() {
    let (terms, mut state) = published();
    state.principal = Money::ZERO;
    state.suspense = money("5.00");
    let mode = AllocationMode::Payoff { excess: PRINCIPAL };
    let posting = post_on(&terms, &state, "0.00", "2024-01-15", mode).unwrap();
    assert!(posting.closes);
    assert_eq!(posting.parts, PaymentParts::default());
    assert_eq!(posting.after.suspense, money("5.00"));
}

#[test]
fn the_full_amount_without_a_payoff_leaves_the_loan_open() {
    let (terms, state) = published();
    let posting = pay(&terms, &state, "28328.30", "2024-02-15");
    assert_eq!((posting.after.principal, posting.payoff_after), (Money::ZERO, Money::ZERO));
    assert!(!posting.closes);
    assert_eq!(posting.after.next_due_date, Some(date("2024-03-15")));
}

#[test]
fn payments_leave_suspense_alone_but_for_a_payoff() {
    let (terms, state) = in_arrears();
    let posting = pay(&terms, &state, "500.00", "2024-03-20");
    assert_eq!(posting.after.suspense, money("100.00"));
    assert_eq!(posting.parts.suspense_applied, Money::ZERO);
}

/// An event on a loan, some days after the previous one.
#[derive(Clone, Copy, Debug)]
enum Event {
    Payment {
        cents: i64,
        excess: ExcessHandling,
    },
    /// Thousandths of each balance, and cents for impound and suspense.
    Split {
        principal: i64,
        interest: i64,
        held: i64,
    },
    Charge {
        cents: i64,
    },
}

fn any_event() -> impl Strategy<Value = Event> {
    let excess = prop::sample::select(vec![PRINCIPAL, SUSPENSE, ExcessHandling::Reject]);
    prop_oneof![
        4 => (1i64..300_000, excess).prop_map(|(cents, excess)| Event::Payment { cents, excess }),
        1 => (0i64..=1000, 0i64..=1000, 1i64..5_000)
            .prop_map(|(principal, interest, held)| Event::Split { principal, interest, held }),
        1 => (1i64..5_000).prop_map(|cents| Event::Charge { cents }),
    ]
}

fn cents(cents: i64) -> Money {
    Money::from_cents(cents).unwrap()
}

/// Posts the event; if the amount is refused, posts the most that would have passed.
fn apply(terms: &Terms, state: &LoanState, day: NaiveDate, event: Event) -> Option<PostedPayment> {
    let posted =
        |amount, mode| post(terms, state, &PaymentInput { amount, effective_date: day, mode });
    match event {
        Event::Payment { cents: amount, excess } => {
            let default = PaymentDistribution::default();
            let mode = AllocationMode::Distributed { distribution: default.items(), excess };
            match posted(cents(amount), mode) {
                Err(PaymentRefusal::Overpayment { most }) if most.is_positive() => {
                    let above = most.plus(Money::ONE_CENT).unwrap();
                    assert_eq!(posted(above, mode), Err(PaymentRefusal::Overpayment { most }));
                    Some(posted(most, mode).unwrap())
                }
                Err(PaymentRefusal::Overpayment { .. }) => None,
                posting => Some(posting.unwrap()),
            }
        }
        Event::Split { principal, interest, held } => {
            let owed = state.interest_owed_on(terms, day).unwrap();
            let share = |balance: Money, thousandths| {
                cents(balance.units() / Money::ONE_CENT.units() * thousandths / 1000)
            };
            let split = Split {
                principal: share(state.principal, principal),
                interest: share(owed, interest),
                late_charges: state.late_charges,
                fees: state.fees,
                impound: cents(held),
                suspense: cents(held),
            };
            let Split { principal, interest, late_charges, fees, impound, suspense } = split;
            let parts = [principal, interest, late_charges, fees, impound, suspense];
            Some(posted(sum(parts).unwrap(), AllocationMode::Split(split)).unwrap())
        }
        Event::Charge { .. } => None,
    }
}

fn unpaid_rows_only(state: &LoanState) -> LoanState {
    let mut state = state.clone();
    state.due_rows.retain(|row| row.unpaid().unwrap().is_positive());
    state
}

fn check(terms: &Terms, before: &LoanState, posting: &PostedPayment, day: NaiveDate) {
    let PostedPayment { parts, after, .. } = posting;
    let balances = [after.principal, after.late_charges, after.fees, after.impound, after.suspense];
    assert!(balances.iter().all(|balance| *balance >= Money::ZERO));

    assert!(posting.is_balanced(before, parts.total().unwrap()), "{posting:?}");

    let owed = after.interest_owed_on(terms, day).unwrap();
    assert_eq!(owed.plus(parts.interest), before.interest_owed_on(terms, day));
    if owed.is_zero() && parts.interest.is_positive() {
        let total = after.interest_total_on(terms, day).unwrap();
        assert_eq!(after.interest_settled_total, total.round_to_cents());
    }

    for row in &after.due_rows {
        assert!(row.interest_paid <= row.interest_due && row.principal_paid <= row.principal_due);
    }
    let unpaid = |part: fn(&DueRow) -> Money| sum(after.due_rows.iter().map(part)).unwrap();
    assert!(unpaid(DueRow::unpaid_interest) <= owed);
    assert!(unpaid(DueRow::unpaid_principal) <= after.principal);

    let most_ahead = terms.payment_amount.unwrap_or(Money::ZERO);
    assert!(after.paid_ahead_amount <= most_ahead);
    assert_eq!(after.accrual_base_date, day.max(before.accrual_base_date));
    assert!(after.next_due_date.is_none_or(|next| next > day));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_history_adds_up_and_ends_in_a_payoff_of_everything(
        terms in any_terms(),
        events in prop::collection::vec((0u64..60, any_event()), 1..30),
    ) {
        let mut state = booked(&terms, "10000.00");
        let mut day = date("2019-11-15").max(terms.interest_start_date);
        for (gap, event) in events {
            day = day + Days::new(gap);
            if let Event::Charge { cents: charged } = event {
                state.late_charges = state.late_charges.plus(cents(charged)).unwrap();
                state.fees = state.fees.plus(cents(charged)).unwrap();
            }
            let Some(posting) = apply(&terms, &state, day, event) else { continue };
            check(&terms, &state, &posting, day);

            let unpaid_only = apply(&terms, &unpaid_rows_only(&state), day, event).unwrap();
            prop_assert_eq!(unpaid_only.parts, posting.parts);
            prop_assert_eq!(unpaid_only.due_row_parts, posting.due_row_parts);
            prop_assert_eq!(unpaid_rows_only(&unpaid_only.after), unpaid_rows_only(&posting.after));
            state = posting.after;
        }

        let amount = state.payoff_on(&terms, day).unwrap().amount;
        let mode = AllocationMode::Payoff { excess: PRINCIPAL };
        let payoff = PaymentInput { amount, effective_date: day, mode };
        let posting = post(&terms, &state, &payoff).unwrap();
        check(&terms, &state, &posting, day);
        prop_assert_eq!(posting.parts.total(), Ok(amount));
        let standing = posting.after.standing(&terms, day + Days::new(100)).unwrap();
        let amounts = [standing.payoff, standing.past_due, standing.current_due];
        prop_assert_eq!(amounts, [Money::ZERO; 3]);
        prop_assert_eq!(posting.after.paid_ahead_amount, Money::ZERO);
        prop_assert!(posting.after.due_rows.iter().all(|row| row.unpaid() == Ok(Money::ZERO)));
    }
}

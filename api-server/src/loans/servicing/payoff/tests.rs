//! Payoffs and payoff quotes.

use super::*;
use crate::loans::servicing::RateStep;
use crate::loans::servicing::payment::{AllocationMode, PaymentRefusal};
use crate::loans::servicing::testing::{
    any_terms, booked, date, money, monthly, pay, post_on, published, terms,
};
use chrono::Days;
use proptest::prelude::*;
use shared::entity::loans::{ExcessHandling, YearLength};

fn quotes(terms: &Terms, state: &LoanState, from: &str, through: &str) -> Vec<PayoffQuote> {
    state.payoff_quotes(terms, date(from), date(through)).unwrap()
}

fn amounts(quotes: &[PayoffQuote]) -> Vec<String> {
    quotes.iter().map(|quote| quote.payoff.amount.to_string()).collect()
}

#[test]
fn a_quote_names_the_balances_and_the_suspense_that_a_payoff_uses() {
    let (terms, mut state) = published();
    state.late_charges = money("25.00");
    state.fees = money("10.00");
    state.suspense = money("100.00");
    state.impound = money("500.00");
    let quotes = quotes(&terms, &state, "2024-02-15", "2024-02-15");
    let payoff = Payoff {
        principal: money("28000.00"),
        interest: money("328.30"),
        late_charges: money("25.00"),
        fees: money("10.00"),
        suspense_applied: money("100.00"),
        amount: money("28263.30"),
        impound_held: money("500.00"),
        suspense_held: Money::ZERO,
    };
    assert_eq!(quotes[0].payoff, payoff);
    assert_eq!(quotes[0].per_diem.to_string(), "10.94333333");
}

#[test]
fn more_suspense_than_is_owed_makes_a_quote_of_zero() {
    let (terms, mut state) = published();
    state.suspense = money("30000.00");
    let payoff = state.payoff_on(&terms, date("2024-01-15")).unwrap();
    assert_eq!(payoff.suspense_applied, money("28000.00"));
    assert_eq!(payoff.amount, Money::ZERO);
}

#[test]
fn quotes_in_30_day_months_differ_by_no_day_or_by_three() {
    let mut terms = monthly("3.6", "0.00", 12);
    terms.interest_start_date = date("2023-02-01");
    terms.schedule.first_payment_date = Some(date("2023-05-01"));
    let state = booked(&terms, "10000.00");
    // Each of the 30 days costs 1.00; February ends with the 30th, and the 31st of March is the 30th.
    let february = quotes(&terms, &state, "2023-02-27", "2023-03-02");
    assert_eq!(amounts(&february), ["10026.00", "10027.00", "10030.00", "10031.00"]);
    let march = quotes(&terms, &state, "2023-03-30", "2023-04-01");
    assert_eq!(amounts(&march), ["10059.00", "10060.00", "10060.00"]);
    assert!(february.iter().chain(&march).all(|quote| quote.per_diem.to_string() == "1.00000000"));
}

#[test]
fn a_rate_stored_for_the_future_counts_from_its_day() {
    let mut terms = terms(YearLength::Actual, YearLength::D365, "3.65", "2024-01-01");
    let rate = "36.5".parse().unwrap();
    terms.rates.push(RateStep { effective_date: date("2024-01-03"), rate });
    let state = booked(&terms, "1000.00");
    let quotes = quotes(&terms, &state, "2024-01-01", "2024-01-04");
    assert_eq!(amounts(&quotes), ["1000.00", "1000.10", "1000.20", "1001.20"]);
    let per_diems: Vec<_> = quotes.iter().map(|quote| quote.per_diem.to_string()).collect();
    assert_eq!(per_diems, ["0.10000000", "0.10000000", "1.00000000", "1.00000000"]);
}

#[test]
fn a_status_without_accrual_and_a_rate_of_zero_add_nothing() {
    let (terms, state) = published();
    let stopped = Terms { accrues: false, ..terms };
    let free = monthly("0", "652.53", 60);
    for terms in [stopped, free] {
        let quotes = quotes(&terms, &state, "2024-02-01", "2024-02-03");
        assert_eq!(amounts(&quotes), ["28000.00", "28000.00", "28000.00"]);
        assert!(quotes.iter().all(|quote| quote.per_diem == Accrual::ZERO));
    }
}

#[test]
fn interest_goes_on_after_maturity() {
    let terms = monthly("12", "0.00", 1);
    let state = booked(&terms, "1000.00");
    let quotes = quotes(&terms, &state, "2024-02-15", "2024-02-17");
    assert_eq!(amounts(&quotes), ["1010.00", "1010.33", "1010.67"]);
}

/// Days after booking on which a loan is paid, quoted and paid off, in this order.
fn days() -> impl Strategy<Value = [u64; 3]> {
    [0u64..200, 0u64..700, 0u64..400].prop_map(|[paid, until, ahead]| {
        let quoted = paid + until;
        [paid, quoted, quoted + ahead]
    })
}

proptest! {
    #[test]
    fn a_quote_is_what_a_payoff_on_its_day_takes_and_a_cent_less_is_short(
        terms in any_terms(),
        cents in 1i64..10_000_000,
        share in 0i64..100,
        [paid, quoted, paid_off] in days(),
    ) {
        let [paid, quoted, paid_off] =
            [paid, quoted, paid_off].map(|days| terms.interest_start_date + Days::new(days));
        let principal = Money::from_cents(cents).unwrap().to_string();
        let first = Money::from_cents(cents * share / 100 + 1).unwrap().to_string();
        let state = pay(&terms, &booked(&terms, &principal), &first, &paid.to_string()).after;
        let quote = state.payoff_quotes(&terms, quoted, paid_off).unwrap().pop().unwrap();
        prop_assert_eq!(quote.date, paid_off);

        let mode = AllocationMode::Payoff { excess: ExcessHandling::Reject };
        let post = |amount: Money| {
            post_on(&terms, &state, &amount.to_string(), &paid_off.to_string(), mode)
        };
        let Payoff {
            principal,
            interest,
            late_charges,
            fees,
            suspense_applied,
            amount,
            impound_held,
            suspense_held,
        } = quote.payoff;
        let posted = post(amount).unwrap();
        prop_assert_eq!(posted.parts.principal, principal);
        prop_assert_eq!(posted.parts.interest, interest);
        prop_assert_eq!(posted.parts.late_charges, late_charges);
        prop_assert_eq!(posted.parts.fees, fees);
        prop_assert_eq!(posted.parts.suspense_applied, suspense_applied);
        prop_assert_eq!(posted.payoff_after, Money::ZERO);
        prop_assert_eq!(posted.after.impound, impound_held);
        prop_assert_eq!(posted.after.suspense, suspense_held);
        if amount > Money::ONE_CENT {
            let short = post(amount.minus(Money::ONE_CENT).unwrap());
            prop_assert_eq!(short, Err(PaymentRefusal::PayoffShort { payoff: amount }));
        }
    }
}

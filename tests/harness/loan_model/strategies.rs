//! Generator of random loans and of what is done with them, with a preference for edge cases: month
//! ends, leap years, the day before, one cent too much.

use super::plan::{ActionSpec, AmountSpec, DateSpec, Figure, Move, Plan, SplitPart};
use super::{AdjustmentKind, Amount, CENT, OpeningBalances, Terms};
use chrono::{Datelike, Days, NaiveDate, TimeDelta};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use shared::entity::loans::{DistributionItem as Item, ExcessHandling, PaymentPeriod, YearLength};

/// Any loan with at most this many moves.
pub fn plan(moves: usize) -> BoxedStrategy<Plan> {
    (terms(), vec(any_move(), 1..=moves)).prop_map(|(terms, moves)| Plan { terms, moves }).boxed()
}

pub fn terms() -> BoxedStrategy<Terms> {
    let schedule = (period(), first_date(), day_of_month(), maturity(), start());
    let spending = (distribution(), excess(), select(vec![0, 1, 5, 10, 21, 21, 21, 40]));
    let status = (prop::bool::weighted(0.04), prop::bool::weighted(0.03));
    (basis(), schedule, rates(), opening(), installment(), spending, status)
        .prop_map(|(basis, schedule, rates, opening, installment, spending, status)| {
            let mut terms = scheduled(schedule);
            (terms.numerator, terms.denominator) = basis;
            let begin = terms.origination.min(terms.interest_start);
            terms.rates = rates
                .into_iter()
                .map(|(days, rate)| (begin + TimeDelta::days(days), rate))
                .collect();
            terms.rates.sort();
            terms.rates.dedup_by_key(|(day, _)| *day);
            terms.payment_amount = installment.of(opening.principal);
            if terms.payment_amount.is_none() && terms.period != PaymentPeriod::Maturity {
                terms.payment_amount = Some(CENT).filter(|_| terms.period != PaymentPeriod::None);
            }
            (terms.distribution, terms.excess, terms.advance_days) = spending;
            (terms.stops_accrual, terms.refuses_payments) = status;
            terms.opening = opening;
            terms
        })
        .boxed()
}

const YEARS: [YearLength; 5] =
    [YearLength::D360, YearLength::D364, YearLength::D365, YearLength::D366, YearLength::Actual];

fn basis() -> impl Strategy<Value = (YearLength, YearLength)> {
    prop_oneof![
        3 => (select(YEARS.to_vec()), select(YEARS.to_vec())),
        2 => Just((YearLength::D360, YearLength::D360)),
        1 => Just((YearLength::Actual, YearLength::D365)),
    ]
}

fn period() -> impl Strategy<Value = PaymentPeriod> {
    use PaymentPeriod as Period;
    prop_oneof![
        4 => Just(Period::Monthly),
        1 => Just(Period::None),
        1 => Just(Period::Weekly),
        1 => Just(Period::Biweekly),
        2 => Just(Period::Semimonthly),
        1 => Just(Period::Bimonthly),
        1 => Just(Period::Quarterly),
        1 => Just(Period::Semiannual),
        1 => Just(Period::Annual),
        1 => Just(Period::Maturity),
    ]
}

/// Year and month of the first due date.
fn first_date() -> impl Strategy<Value = (i32, u32)> {
    (2018..=2024, prop_oneof![3 => 1u32..=12, 1 => 2u32..=3])
}

fn day_of_month() -> impl Strategy<Value = u32> {
    prop_oneof![2 => 1u32..=31, 2 => 28u32..=31, 1 => Just(15u32), 1 => Just(1u32)]
}

/// When a loan ends.
#[derive(Clone, Copy, Debug)]
enum MaturitySpec {
    Never,
    AfterPayments(u32),
    OnPayment(u32),
    AfterDays(u64),
}

fn maturity() -> impl Strategy<Value = MaturitySpec> {
    prop_oneof![
        2 => Just(MaturitySpec::Never),
        4 => (1u32..=36).prop_map(MaturitySpec::AfterPayments),
        2 => (1u32..=24).prop_map(MaturitySpec::OnPayment),
        2 => (0u64..=700).prop_map(MaturitySpec::AfterDays),
    ]
}

/// When a loan begins, relative to the first due date.
#[derive(Clone, Copy, Debug)]
enum StartSpec {
    /// Interest starts this many whole periods before, the contract this many days after that.
    Periods(i64, i64),
    /// The contract is this many days before, interest starts this many days after that.
    Days(i64, i64),
}

fn start() -> impl Strategy<Value = StartSpec> {
    let days = prop_oneof![2 => Just(0i64), 1 => -40i64..=40];
    prop_oneof![
        (1i64..=2, days.clone()).prop_map(|(periods, days)| StartSpec::Periods(periods, days)),
        (0i64..=75, days).prop_map(|(before, days)| StartSpec::Days(before, days)),
    ]
}

fn scheduled(
    (period, (year, month), day, maturity, start): (
        PaymentPeriod,
        (i32, u32),
        u32,
        MaturitySpec,
        StartSpec,
    ),
) -> Terms {
    let day = match period {
        PaymentPeriod::Semimonthly => day.min(30),
        _ => day,
    };
    let first = (1..=day).rev().find_map(|day| NaiveDate::from_ymd_opt(year, month, day));
    let first = first.expect("a day of a month");
    let regular = !matches!(period, PaymentPeriod::None | PaymentPeriod::Maturity);
    let by_day_of_month = !matches!(period, PaymentPeriod::Weekly | PaymentPeriod::Biweekly);
    let mut terms = Terms {
        numerator: YearLength::Actual,
        denominator: YearLength::Actual,
        rates: Vec::new(),
        origination: first,
        interest_start: first,
        period,
        payment_amount: None,
        number_of_payments: None,
        first_payment: Some(first).filter(|_| regular),
        maturity: None,
        payment_day: Some(if by_day_of_month { day } else { first.day() }).filter(|_| regular),
        advance_days: 0,
        distribution: Vec::new(),
        excess: ExcessHandling::Principal,
        stops_accrual: false,
        accrual_switches: Vec::new(),
        refuses_payments: false,
        opening: OpeningBalances::default(),
    };
    let payment = |terms: &Terms, number| terms.calendar().counted(number).map(|(date, _)| date);
    match maturity {
        MaturitySpec::AfterPayments(count) if regular => terms.number_of_payments = Some(count),
        MaturitySpec::OnPayment(number) if regular => {
            terms.maturity = payment(&terms, i64::from(number) - 1);
        }
        MaturitySpec::AfterDays(days) => {
            terms.maturity = Some(first + Days::new(days));
        }
        _ if period == PaymentPeriod::Maturity => terms.maturity = Some(first),
        _ => {}
    }
    terms.maturity = terms.calendar().maturity;
    match start {
        StartSpec::Periods(periods, days) if regular => {
            terms.interest_start = payment(&terms, -periods).expect("a date");
            terms.origination = terms.interest_start + TimeDelta::days(days);
        }
        StartSpec::Periods(before, days) | StartSpec::Days(before, days) => {
            terms.origination = first - TimeDelta::days(before);
            terms.interest_start = terms.origination + TimeDelta::days(days);
        }
    }
    terms.origination = terms.origination.min(first);
    terms.interest_start = terms.interest_start.min(first);
    terms
}

fn rates() -> BoxedStrategy<Vec<(i64, i128)>> {
    let rate = prop_oneof![
        4 => (1i128..=30_00).prop_map(|hundredths| hundredths * 1_000_000),
        1 => 0i128..=20_000_000_000,
        1 => Just(0i128),
        1 => Just(1i128),
    ];
    let later = vec((0i64..=900, rate.clone()), 0..=3);
    (-20i64..=20, rate, later)
        .prop_map(|(days, rate, later)| {
            let mut rates = vec![(days, rate)];
            rates.extend(later);
            rates
        })
        .boxed()
}

/// Amounts in cents, of every magnitude.
fn cents() -> BoxedStrategy<i128> {
    prop_oneof![
        1 => 1i128..=20,
        4 => 100i128..=200_000,
        4 => 100_000i128..=50_000_000,
        1 => 1_000_000_000i128..=900_000_000_000,
    ]
    .boxed()
}

fn opening() -> BoxedStrategy<OpeningBalances> {
    let principal = prop_oneof![
        20 => cents().prop_map(|cents| cents * CENT),
        1 => Just(0),
    ];
    let other = || prop_oneof![3 => Just(0), 1 => (1i128..=20_000).prop_map(|cents| cents * CENT)];
    (principal, other(), other(), other(), other())
        .prop_map(|(principal, late_charges, fees, impound, suspense)| OpeningBalances {
            principal,
            late_charges,
            fees,
            impound,
            suspense,
        })
        .boxed()
}

/// The installment, relative to the principal.
#[derive(Clone, Copy, Debug)]
enum Installment {
    Absent,
    Cents(i128),
    OneOf(i128),
}

impl Installment {
    fn of(self, principal: Amount) -> Option<Amount> {
        match self {
            Self::Absent => None,
            Self::Cents(cents) => Some(cents * CENT),
            Self::OneOf(parts) => Some((principal / CENT / parts * 11 / 10 + 1) * CENT),
        }
    }
}

fn installment() -> impl Strategy<Value = Installment> {
    prop_oneof![
        1 => Just(Installment::Absent),
        2 => cents().prop_map(Installment::Cents),
        6 => (1i128..=40).prop_map(Installment::OneOf),
    ]
}

fn distribution() -> BoxedStrategy<Vec<Item>> {
    let others = [
        Item::CurrentInterestDue,
        Item::AccruedInterest,
        Item::CurrentPrincipal,
        Item::LateCharges,
        Item::Fees,
    ];
    let list = move |past_due: &[Item]| [past_due, &others].concat();
    let plain = list(&[Item::PastDue]);
    let interest_and_principal = list(&[Item::PastDueInterest, Item::PastDuePrincipal]);
    prop_oneof![
        2 => Just(plain.clone()),
        1 => Just(interest_and_principal.clone()),
        1 => Just(plain).prop_shuffle(),
        1 => Just(interest_and_principal).prop_shuffle(),
    ]
    .prop_map(|mut items| {
        items.push(Item::Excess);
        items
    })
    .boxed()
}

fn excess() -> impl Strategy<Value = ExcessHandling> {
    use ExcessHandling::{Principal, Reject, Suspense};
    prop_oneof![3 => Just(Principal), 2 => Just(Suspense), 1 => Just(Reject)]
}

fn any_move() -> BoxedStrategy<Move> {
    let lag = prop_oneof![4 => Just(0u64), 1 => 1u64..=10];
    (action_spec(), date_spec(), lag)
        .prop_map(|(action, date, lag)| Move { action, date, lag })
        .boxed()
}

fn date_spec() -> BoxedStrategy<DateSpec> {
    let near = || prop_oneof![3 => Just(0i64), 1 => Just(-1), 1 => Just(1), 1 => 2i64..=20];
    prop_oneof![
        2 => Just(DateSpec::Today),
        3 => prop_oneof![
            3 => 0i64..=31,
            1 => 30i64..=120,
            1 => -2i64..=0,
        ].prop_map(DateSpec::AfterBase),
        1 => (200i64..=500).prop_map(DateSpec::AfterBase),
        6 => near().prop_map(DateSpec::AfterDue),
        3 => near().prop_map(DateSpec::AfterWindow),
        2 => near().prop_map(DateSpec::AfterMonthEnd),
        1 => near().prop_map(DateSpec::AfterMaturity),
        1 => (-3i64..=3).prop_map(DateSpec::AfterOrigination),
        1 => (1u64..=3).prop_map(DateSpec::InFuture),
    ]
    .boxed()
}

fn amount_spec() -> BoxedStrategy<AmountSpec> {
    let offset = prop_oneof![5 => Just(0i128), 1 => Just(1), 1 => Just(-1), 1 => -500i128..=500];
    let figure = select(vec![
        Figure::Due,
        Figure::Due,
        Figure::Payoff,
        Figure::Owed,
        Figure::Installment,
        Figure::Installment,
        Figure::Interest,
        Figure::Principal,
        Figure::Balance,
    ]);
    prop_oneof![
        6 => (figure, offset).prop_map(|(figure, cents)| AmountSpec::Of(figure, cents)),
        3 => cents().prop_map(AmountSpec::Cents),
        3 => (1i128..=400).prop_map(AmountSpec::Share),
        1 => select(vec![0i128, -1, 1, 1, 89_999_999_999_999_999]).prop_map(AmountSpec::Cents),
    ]
    .boxed()
}

fn action_spec() -> BoxedStrategy<ActionSpec> {
    prop_oneof![
        12 => (amount_spec(), weighted(0.2, excess()))
            .prop_map(|(amount, excess)| ActionSpec::Pay { amount, payoff: false, excess }),
        2 => pay_off(),
        3 => split(),
        7 => (select(AdjustmentKind::ALL.to_vec()), amount_spec())
            .prop_map(|(kind, amount)| ActionSpec::Adjust { kind, amount }),
        4 => reverse(),
        2 => Just(ActionSpec::SwitchAccrual),
        3 => Just(ActionSpec::Read),
    ]
    .boxed()
}

fn pay_off() -> BoxedStrategy<ActionSpec> {
    let offset = prop_oneof![6 => Just(0i128), 1 => Just(-1), 1 => Just(1), 1 => 100i128..=9_999];
    let amount = prop_oneof![
        8 => offset.prop_map(|cents| AmountSpec::Of(Figure::Payoff, cents)),
        1 => amount_spec(),
        1 => Just(AmountSpec::Cents(0)),
    ];
    (amount, weighted(0.3, excess()))
        .prop_map(|(amount, excess)| ActionSpec::Pay { amount, payoff: true, excess })
        .boxed()
}

fn split() -> BoxedStrategy<ActionSpec> {
    let part = || {
        prop_oneof![
            8 => Just(SplitPart::Nothing),
            4 => Just(SplitPart::All),
            8 => cents().prop_map(SplitPart::Cents),
            1 => Just(SplitPart::TooMuch),
        ]
    };
    let parts = [part(), part(), part(), part(), part(), part()];
    let offset = prop_oneof![12 => Just(0i128), 1 => Just(1), 1 => Just(-1)];
    (parts, offset, prop::bool::weighted(0.04))
        .prop_map(|(parts, offset, payoff)| ActionSpec::Split { parts, offset, payoff })
        .boxed()
}

fn reverse() -> impl Strategy<Value = ActionSpec> {
    let back = prop_oneof![3 => Just(0usize), 2 => 0usize..=8];
    let returned = weighted(0.25, prop_oneof![4 => Just(0i64), 2 => 0i64..=9, 1 => -1i64..=60]);
    (back, prop::bool::weighted(0.6), returned)
        .prop_map(|(back, latest, returned)| ActionSpec::Reverse { back, latest, returned })
        .boxed()
}

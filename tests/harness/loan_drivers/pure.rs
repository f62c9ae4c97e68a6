//! Driver for the api-server's loan arithmetic, in memory.

use super::{Play, Tally, money};
use crate::loan_model::plan::{Action, Plan};
use crate::loan_model::{
    self as model, Adjustment, Allocation, Amount, Event, Parts, Payment, PostedRows,
};
use api_server::loans::servicing::adjustment;
use api_server::loans::servicing::allocation::{DueRowPart, Split};
use api_server::loans::servicing::payment::{
    self, AllocationMode, PaymentInput, PaymentRefusal, PostedPayment,
};
use api_server::loans::servicing::schedule::{Schedule, level_installment};
use api_server::loans::servicing::{DueRow, LoanState, RateStep, Terms};
use chrono::NaiveDate;
use shared::amounts::{Accrual, Money, Rate};
use shared::entity::loan_transactions::BalanceName;

/// The engine's side of a loan.
struct PureEngine {
    terms: Terms,
    state: LoanState,
    /// For each entry, the state before it.
    before: Vec<LoanState>,
}

/// Plays a plan on both and returns the first difference.
pub fn compare(plan: &Plan) -> Result<Tally, String> {
    let mut play = Play::new(plan);
    let mut engine = PureEngine::new(plan, &play.books.state);
    let mut today = plan.first_day();
    for step in &plan.moves {
        let (day, action) = step.action(&play.books, today, plan.last_day());
        today = day;
        play.transcript.record(today, &action);
        match action {
            Action::Enter(event) => enter(&mut play, &mut engine, today, event)?,
            Action::SwitchAccrual => switch_accrual(&mut play, &mut engine, today)?,
            Action::Read => {}
        }
        read(&mut play, &engine, today)?;
    }
    Ok(play.tally)
}

/// Below this installment, only the rounding of each payment's interest counts.
const DOLLAR: Amount = 100 * model::CENT;

/// A rate of 30 percent a year.
const USURIOUS: i128 = 30_0000_0000;

/// Compares the level installment of a loan that has a last due date: by how many cents the engine's
/// exceeds the smallest one whose last payment is not larger than it.
///
/// The engine computes with unrounded interest; the book rounds interest and carries the remainder,
/// up to a cent per payment. At the rates of real loans that makes at most one cent; at usurious
/// rates interest on the difference counts too, so those loans are not compared.
pub fn cents_above_level(plan: &Plan) -> Result<Option<i32>, String> {
    let (terms, first) = (&plan.terms, plan.terms.rates[0]);
    let terms = model::Terms {
        rates: vec![first],
        stops_accrual: false,
        refuses_payments: false,
        ..terms.clone()
    };
    if first.1 > USURIOUS {
        return Ok(None);
    }
    let plan = Plan { terms, moves: Vec::new() };
    let engine = PureEngine::new(&plan, &plan.books().state);
    let schedule = engine.terms.schedule;
    if schedule.maturity_date.is_none() {
        return Ok(None);
    }
    let count = (1..).take_while(|n| schedule.nth(*n).is_some()).count() as u32;
    let principal = engine.state.principal;
    let level = match level_installment(&engine.terms, principal, count) {
        Ok(level) if Amount::from(level.units()) > DOLLAR => Amount::from(level.units()),
        _ => return Ok(None),
    };
    let suffices = |cents: i32| {
        let installment = level + Amount::from(cents) * model::CENT;
        model::level::last_payment(&plan.terms, installment).is_some_and(|last| last <= installment)
    };
    let smallest = (-4..=4).find(|cents| suffices(*cents));
    let terms = &plan.terms;
    match smallest {
        Some(cents @ -1..=1) => Ok(Some(-cents)),
        _ => Err(format!("{terms:#?}\n{level} is {smallest:?} cents off")),
    }
}

fn enter(
    play: &mut Play<'_>,
    engine: &mut PureEngine,
    today: NaiveDate,
    event: Event,
) -> Result<(), String> {
    let before = engine.state.clone();
    let expected = play.enter(today, event, |_| Ok(()))?;
    let accepted = expected.is_ok();
    match event {
        Event::Pay(payment) if !is_checked_by_caller(&expected) => {
            let actual = engine.pay(&play.books.terms, &payment);
            play.transcript.check_equal("what was posted", &expected, &actual)?;
        }
        Event::Adjust(adjustment) if !is_checked_by_caller(&expected) => {
            let actual = engine.adjust(&adjustment);
            play.transcript.check_equal("what was adjusted", &expected, &actual)?;
        }
        Event::Reverse { entry: number, .. } if accepted => {
            let entry = &play.books.entries[number];
            engine.reverse(number, entry, !play.books.terms.stops_now());
        }
        _ => {}
    }
    if accepted {
        engine.before.push(before);
        play.transcript.check_equal(
            "the state",
            comparable(&play.books.state),
            engine.comparable(),
        )?;
    }
    Ok(())
}

fn switch_accrual(
    play: &mut Play<'_>,
    engine: &mut PureEngine,
    today: NaiveDate,
) -> Result<(), String> {
    let expected = play.switch_accrual(today);
    let mut state = engine.state.clone();
    let moved = state.move_base(&engine.terms, today).map_err(|_| model::Refusal::OutOfRange);
    play.transcript.check_equal("what happened", expected, moved)?;
    if moved.is_ok() {
        engine.state = state;
        engine.terms.accrues ^= true;
    }
    play.transcript.check_equal("the state", comparable(&play.books.state), engine.comparable())
}

/// True for refusals that are up to the arithmetic's callers.
fn is_checked_by_caller(expected: &Result<PostedRows, model::Refusal>) -> bool {
    use model::Refusal::{Closed, InFuture, InvalidValue, TooEarly};
    matches!(expected, Err(Closed | InFuture | InvalidValue | TooEarly(_)))
}

fn read(play: &mut Play<'_>, engine: &PureEngine, today: NaiveDate) -> Result<(), String> {
    play.tally.read += 1;
    let expected = play.books.read(today);
    let standing = engine.state.standing(&engine.terms, today);
    let actual = standing.map(|standing| model::LoanFigures {
        per_diem: standing.per_diem.units().into(),
        payoff: standing.payoff.units().into(),
        past_due: standing.past_due.units().into(),
        current_due: standing.current_due.units().into(),
        days_past_due: standing.days_past_due.into(),
    });
    let actual = actual.map_err(|_| model::Refusal::OutOfRange);
    play.transcript.check_equal("what is read", expected, actual)
}

impl PureEngine {
    fn new(plan: &Plan, booked: &model::State) -> Self {
        let terms = &plan.terms;
        let calendar = terms.calendar();
        let schedule = Schedule {
            period: terms.period,
            first_payment_date: terms.first_payment,
            payment_day: terms.payment_day,
            maturity_date: calendar.maturity,
        };
        let state = LoanState {
            principal: money(booked.principal),
            late_charges: money(booked.late_charges),
            fees: money(booked.fees),
            impound: money(booked.impound),
            suspense: money(booked.suspense),
            accrual_base_date: booked.base_date,
            accrual_base_total: Accrual::ZERO,
            interest_settled_total: Money::ZERO,
            paid_ahead_amount: Money::ZERO,
            next_due_date: schedule.first(),
            due_rows: Vec::new(),
            due_row_count: 0,
        };
        let rate = |rate| Rate::from_wide_units(rate).expect("a rate");
        let rates = terms.rates.iter();
        let terms = Terms {
            numerator: terms.numerator,
            denominator: terms.denominator,
            rates: rates
                .map(|(day, units)| RateStep { effective_date: *day, rate: rate(*units) })
                .collect(),
            interest_start_date: terms.interest_start,
            schedule,
            payment_amount: terms.payment_amount.map(money),
            advance_days: terms.advance_days as i32,
            accrues: !terms.stops_accrual,
        };
        Self { terms, state, before: Vec::new() }
    }

    fn pay(
        &mut self,
        terms: &model::Terms,
        payment: &Payment,
    ) -> Result<PostedRows, model::Refusal> {
        let excess = payment.excess.unwrap_or(terms.excess);
        let allocation_mode = match &payment.split {
            _ if payment.payoff => AllocationMode::Payoff { excess },
            Some(parts) => AllocationMode::Split(split(parts)),
            None => AllocationMode::Distributed { distribution: &terms.distribution, excess },
        };
        let (amount, effective_date) = (money(payment.amount), payment.date);
        let input = PaymentInput { amount, effective_date, mode: allocation_mode };
        let posted = payment::post(&self.terms, &self.state, &input).map_err(to_refusal)?;
        assert!(posted.is_balanced(&self.state, amount), "{posted:?}");
        let owed = posted.after.interest_owed_on(&self.terms, effective_date);
        let rows = entered(&posted, amount, effective_date, owed.unwrap_or_default());
        self.terms.accrues &= !posted.closes;
        self.state = posted.after;
        Ok(rows)
    }

    fn adjust(&mut self, adjustment: &Adjustment) -> Result<PostedRows, model::Refusal> {
        let Adjustment { kind, amount, date } = *adjustment;
        let (code, balance, _) = kind.posting();
        let kind = super::database::kind(kind);
        let adjusted = adjustment::post(&self.terms, &self.state, kind, money(amount), date);
        let adjusted = adjusted.map_err(to_refusal)?;
        let row = model::Row {
            code,
            amount,
            balance: Some(balance),
            resulting: Some(adjusted.balance_after.units().into()),
            effective: date,
        };
        self.state = adjusted.after;
        let allocations = allocations(code, code, &adjusted.due_row_parts);
        Ok(PostedRows { rows: vec![row], allocations })
    }

    /// Restores the state before an entry, and keeps what other entries have since done to its
    /// balances.
    fn reverse(&mut self, number: usize, entry: &model::Entry, accrues: bool) {
        let now = self.state.clone();
        if entry.moves_base() {
            self.state = self.before[number].clone();
            self.terms.accrues = accrues;
        }
        let restored = |name, balance: Money| {
            let rows = entry.entered.rows.iter().filter(|row| row.balance == Some(name));
            let raises = |code| matches!(code, 130 | 132 | 140 | 142);
            let changes = rows.map(|row| if raises(row.code) { -row.amount } else { row.amount });
            money(Amount::from(balance.units()) + changes.sum::<Amount>())
        };
        self.state.late_charges = restored(BalanceName::LateCharge, now.late_charges);
        self.state.fees = restored(BalanceName::Fees, now.fees);
        self.state.impound = restored(BalanceName::Impound, now.impound);
        self.state.suspense = restored(BalanceName::Suspense, now.suspense);
    }

    fn comparable(&self) -> Comparable {
        let state = &self.state;
        let units = |money: Money| Amount::from(money.units());
        Comparable {
            balances: [
                state.principal,
                state.late_charges,
                state.fees,
                state.impound,
                state.suspense,
                state.interest_settled_total,
                state.paid_ahead_amount,
            ]
            .map(units),
            base: (state.accrual_base_date, state.accrual_base_total.units().into()),
            next_due: state.next_due_date,
            due_rows: state.due_rows.iter().map(due_row).collect(),
        }
    }
}

/// The part of a state that both sides have.
#[derive(Debug, PartialEq, Eq)]
struct Comparable {
    /// Principal, late charges, fees, impound, suspense, interest settled, paid ahead.
    balances: [Amount; 7],
    base: (NaiveDate, i128),
    next_due: Option<NaiveDate>,
    due_rows: Vec<model::DueRow>,
}

fn comparable(state: &model::State) -> Comparable {
    Comparable {
        balances: [
            state.principal,
            state.late_charges,
            state.fees,
            state.impound,
            state.suspense,
            state.settled,
            state.paid_ahead,
        ],
        base: (state.base_date, state.base_total),
        next_due: state.next_due,
        due_rows: state.due_rows.clone(),
    }
}

fn due_row(row: &DueRow) -> model::DueRow {
    model::DueRow {
        date: row.due_date,
        interest: row.interest_due.units().into(),
        principal: row.principal_due.units().into(),
        interest_paid: row.interest_paid.units().into(),
        principal_paid: row.principal_paid.units().into(),
    }
}

fn split(parts: &Parts) -> Split {
    Split {
        principal: money(parts.principal),
        interest: money(parts.interest),
        late_charges: money(parts.late_charges),
        fees: money(parts.fees),
        impound: money(parts.impound),
        suspense: money(parts.suspense),
    }
}

fn to_refusal(refusal: PaymentRefusal) -> model::Refusal {
    match refusal {
        PaymentRefusal::AmountNotPositive => model::Refusal::AmountNotPositive,
        PaymentRefusal::SplitMismatch { .. } => model::Refusal::SplitMismatch,
        PaymentRefusal::SplitExceedsBalance { balance, .. } => {
            model::Refusal::ExceedsBalance(balance.units().into())
        }
        PaymentRefusal::Overpayment { most } => model::Refusal::Overpayment(most.units().into()),
        PaymentRefusal::PayoffShort { payoff } => {
            model::Refusal::PayoffShort(payoff.units().into())
        }
        PaymentRefusal::OutOfRange(_) => model::Refusal::OutOfRange,
    }
}

/// The rows that would be stored in the database.
fn entered(
    posting: &PostedPayment,
    amount: Money,
    effective: NaiveDate,
    owed: Money,
) -> PostedRows {
    use BalanceName as Name;
    let (parts, after) = (&posting.parts, &posting.after);
    let mut rows = vec![model::Row {
        code: 120,
        amount: amount.units().into(),
        balance: None,
        resulting: Some(posting.payoff_after.units().into()),
        effective,
    }];
    let suspense_between = after.suspense.minus_down_to_zero(parts.suspense);
    for (code, name, amount, resulting) in [
        (134, Name::Suspense, parts.suspense_applied, suspense_between),
        (122, Name::Principal, parts.principal, after.principal),
        (124, Name::Interest, parts.interest, owed),
        (126, Name::LateCharge, parts.late_charges, after.late_charges),
        (128, Name::Fees, parts.fees, after.fees),
        (130, Name::Impound, parts.impound, after.impound),
        (132, Name::Suspense, parts.suspense, after.suspense),
    ] {
        if !amount.is_zero() {
            let (amount, resulting) = (amount.units().into(), Some(resulting.units().into()));
            rows.push(model::Row { code, amount, balance: Some(name), resulting, effective });
        }
    }
    PostedRows { rows, allocations: allocations(122, 124, &posting.due_row_parts) }
}

/// The allocations to due rows of rows with these codes.
fn allocations(principal: i32, interest: i32, parts: &[DueRowPart]) -> Vec<Allocation> {
    let of_row =
        |row: &DueRowPart| {
            [(principal, row.principal), (interest, row.interest)].map(|(code, amount)| {
                Allocation { code, due: row.due_date, amount: amount.units().into() }
            })
        };
    let of_rows = parts.iter().flat_map(of_row);
    let mut allocations: Vec<_> = of_rows.filter(|part| part.amount > 0).collect();
    allocations.sort();
    allocations
}

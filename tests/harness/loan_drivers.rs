//! Drivers that play one plan on the engine and on the model, and report any difference.

pub mod database;
mod invariants;
pub mod pure;

use crate::loan_model::plan::{Action, Plan};
use crate::loan_model::strategies;
use crate::loan_model::{Amount, Books, Event, PostedRows, Refusal, State};
use chrono::NaiveDate;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::{Debug, Write};

/// How often each thing was tried.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Loans.
    pub histories: u64,
    /// Entries that were posted.
    pub posted: u64,
    /// Entries that were refused, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Payments that were posted together with others.
    pub gathered: u64,
    /// Entries that were reversed.
    pub reversed: u64,
    /// Changes of a loan's status.
    pub switched: u64,
    /// How often a loan was read.
    pub read: u64,
    /// Rows that were compared.
    pub rows: u64,
}

impl Tally {
    /// Adds another tally.
    pub fn add(&mut self, other: Self) {
        self.histories += other.histories;
        self.posted += other.posted;
        for (reason, count) in other.refused {
            *self.refused.entry(reason).or_default() += count;
        }
        self.gathered += other.gathered;
        self.reversed += other.reversed;
        self.switched += other.switched;
        self.read += other.read;
        self.rows += other.rows;
    }

    /// The tally in one line.
    pub fn line(&self) -> String {
        let refused: u64 = self.refused.values().sum();
        let Self { histories, posted, gathered, reversed, switched, read, rows, .. } = self;
        format!(
            "{histories} loans: {posted} entries posted, {reversed} reversed, {refused} refused, \
             {gathered} payments posted with others, {switched} changes of status, {rows} rows and \
             {read} reads compared"
        )
    }

    fn refuse(&mut self, refusal: Refusal) {
        let reason = format!("{refusal:?}");
        let name = reason.split('(').next().unwrap_or_default();
        *self.refused.entry(name.to_owned()).or_default() += 1;
    }
}

/// The most moves in a history: more would not add other kinds of moves, only longer lists.
const MOVES: usize = 20;

/// The most attempts at shrinking a failure.
const SHRINKS: u32 = 3000;

/// Plays this many plans that follow from a seed. Shrinks the first difference as far as possible.
pub fn play(
    histories: u32,
    seed: u64,
    compare: impl Fn(&Plan) -> Result<Tally, String>,
) -> Result<Tally, String> {
    let config = Config {
        cases: histories,
        failure_persistence: None,
        max_shrink_iters: SHRINKS,
        ..Config::default()
    };
    let tally = RefCell::new(Tally::default());
    let outcome =
        TestRunner::new_with_rng(config, rng(seed)).run(&strategies::plan(MOVES), |plan| {
            let plan_tally = compare(&plan).map_err(TestCaseError::fail)?;
            tally.borrow_mut().add(plan_tally);
            Ok(())
        });
    outcome.map_err(|failure| format!("TEST_SEED={seed}: {failure}"))?;
    Ok(tally.into_inner())
}

/// This many plans that follow from a seed.
pub fn plans(count: usize, seed: u64) -> Vec<Plan> {
    let mut runner = TestRunner::new_with_rng(Config::default(), rng(seed));
    let plan = strategies::plan(MOVES);
    (0..count).map(|_| plan.new_tree(&mut runner).expect("a plan").current()).collect()
}

fn rng(seed: u64) -> TestRng {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    TestRng::from_seed(RngAlgorithm::ChaCha, &bytes)
}

/// The log of what was done so far, for finding out what went wrong.
struct Transcript {
    text: String,
}

impl Transcript {
    fn new(plan: &Plan) -> Self {
        Self { text: format!("{:#?}\n", plan.terms) }
    }

    fn record(&mut self, today: NaiveDate, action: &Action) {
        writeln!(self.text, "on {today}: {action:?}").expect("a string takes everything");
    }

    /// Fails with the story and the difference, unless the two are equal.
    fn check_equal<T: PartialEq + Debug>(
        &self,
        what: &str,
        model: T,
        engine: T,
    ) -> Result<(), String> {
        if model == engine {
            return Ok(());
        }
        let text = &self.text;
        Err(format!("{text}\n{what}\nthe model:  {model:#?}\nthe engine: {engine:#?}"))
    }
}

/// The amount in the service's type.
pub fn money(amount: Amount) -> shared::amounts::Money {
    shared::amounts::Money::from_wide_units(amount).expect("an amount that can be stored")
}

/// A plan being played.
struct Play<'a> {
    plan: &'a Plan,
    books: Books,
    /// For each entry, the state of the loan before it.
    before: Vec<State>,
    /// Number of entries before the latest change of status.
    entries_before_switch: usize,
    transcript: Transcript,
    tally: Tally,
}

impl<'a> Play<'a> {
    fn new(plan: &'a Plan) -> Self {
        let tally = Tally { histories: 1, ..Tally::default() };
        let (books, transcript) = (plan.books(), Transcript::new(plan));
        Self { plan, books, before: Vec::new(), entries_before_switch: 0, transcript, tally }
    }

    /// Changes the status in the model, so that accrual stops or goes on.
    fn switch_accrual(&mut self, today: NaiveDate) -> Result<(), Refusal> {
        self.books.switch_accrual(today)?;
        self.entries_before_switch = self.books.entries.len();
        self.tally.switched += 1;
        Ok(())
    }

    /// Enters an event into the model, and checks the invariants of every loan.
    ///
    /// `fits` checks that everything else the engine stores has room for what was entered.
    fn enter(
        &mut self,
        today: NaiveDate,
        event: Event,
        check_limits: impl Fn(&Books) -> Result<(), Refusal>,
    ) -> Result<Result<PostedRows, Refusal>, String> {
        let mut books = self.books.clone();
        let entered = books.enter(today, event).map(|entry| entry.entered.clone());
        if entered.is_err() {
            self.transcript.check_equal(
                "a refusal changes nothing",
                &self.books.state,
                &books.state,
            )?;
        }
        let entered = entered.and_then(|entered| check_limits(&books).map(|()| entered));
        match &entered {
            Err(refusal) => self.tally.refuse(*refusal),
            Ok(entered) => {
                self.tally.rows += entered.rows.len() as u64;
                match event {
                    Event::Reverse { .. } => self.tally.reversed += 1,
                    _ => self.tally.posted += 1,
                }
                let before = std::mem::replace(&mut self.books, books).state;
                self.check_invariants(&before)?;
                self.before.push(before);
            }
        }
        Ok(entered)
    }
}

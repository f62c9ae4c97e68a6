//! Drivers that play one plan on the engine and on the model, and report any difference.

pub mod database;
mod invariants;
pub mod pure;

use crate::loan_model::drawing;
use crate::loan_model::plan::{Action, Plan};
use crate::loan_model::{Amount, Books, Entered, Event, Refusal, State};
use chrono::NaiveDate;
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
    /// Entries that were reversed.
    pub reversed: u64,
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
        for (why, count) in other.refused {
            *self.refused.entry(why).or_default() += count;
        }
        self.reversed += other.reversed;
        self.read += other.read;
        self.rows += other.rows;
    }

    /// The tally in one line.
    pub fn line(&self) -> String {
        let refused: u64 = self.refused.values().sum();
        let Self { histories, posted, reversed, read, rows, .. } = self;
        format!(
            "{histories} loans: {posted} entries posted, {reversed} reversed, {refused} refused, \
             {rows} rows and {read} reads compared"
        )
    }

    fn refuse(&mut self, refusal: Refusal) {
        let why = format!("{refusal:?}");
        let name = why.split('(').next().unwrap_or_default();
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
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let chance = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config {
        cases: histories,
        failure_persistence: None,
        max_shrink_iters: SHRINKS,
        ..Config::default()
    };
    let tally = RefCell::new(Tally::default());
    let played = TestRunner::new_with_rng(config, chance).run(&drawing::plan(MOVES), |plan| {
        let one = compare(&plan).map_err(TestCaseError::fail)?;
        tally.borrow_mut().add(one);
        Ok(())
    });
    played.map_err(|failure| format!("TEST_SEED={seed}: {failure}"))?;
    Ok(tally.into_inner())
}

/// The log of what was done so far, for finding out what went wrong.
struct Story {
    text: String,
}

impl Story {
    fn new(plan: &Plan) -> Self {
        Self { text: format!("{:#?}\n", plan.terms) }
    }

    fn tell(&mut self, today: NaiveDate, action: &Action) {
        writeln!(self.text, "on {today}: {action:?}").expect("a string takes everything");
    }

    /// Fails with the story and the difference, unless the two are equal.
    fn same<T: PartialEq + Debug>(&self, what: &str, model: T, engine: T) -> Result<(), String> {
        if model == engine {
            return Ok(());
        }
        let text = &self.text;
        Err(format!("{text}\n{what}\nthe model:  {model:#?}\nthe engine: {engine:#?}"))
    }
}

/// The amount in the service's type.
fn money(amount: Amount) -> shared::amounts::Money {
    shared::amounts::Money::from_wide_units(amount).expect("an amount that can be stored")
}

/// A plan being played.
struct Play<'a> {
    plan: &'a Plan,
    books: Books,
    /// For each entry, the state of the loan before it.
    before: Vec<State>,
    story: Story,
    tally: Tally,
}

impl<'a> Play<'a> {
    fn new(plan: &'a Plan) -> Self {
        let tally = Tally { histories: 1, ..Tally::default() };
        let (books, story) = (plan.books(), Story::new(plan));
        Self { plan, books, before: Vec::new(), story, tally }
    }

    /// Enters an event into the model, and checks the invariants of every loan.
    ///
    /// `fits` checks that everything else the engine stores has room for what was entered.
    fn enter(
        &mut self,
        today: NaiveDate,
        event: Event,
        fits: impl Fn(&Books) -> Result<(), Refusal>,
    ) -> Result<Result<Entered, Refusal>, String> {
        let mut books = self.books.clone();
        let entered = books.enter(today, event).map(|entry| entry.entered.clone());
        if entered.is_err() {
            self.story.same("a refusal changes nothing", &self.books.state, &books.state)?;
        }
        let entered = entered.and_then(|entered| fits(&books).map(|()| entered));
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

//! The engine beside the model: each plays the same plan, and whatever one says and the other does
//! not is told.

pub mod pure;

use crate::loan_model::plan::{Action, Plan};
use crate::loan_model::{Amount, Books};
use chrono::NaiveDate;
use std::fmt::{Debug, Write};

/// How often what was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Loans.
    pub histories: u64,
    /// Entries that were posted.
    pub posted: u64,
    /// Entries that were refused.
    pub refused: u64,
    /// Entries that were taken back.
    pub reversed: u64,
    /// Times a loan was looked at.
    pub read: u64,
    /// Rows that were compared.
    pub rows: u64,
}

impl Tally {
    /// Both together.
    pub fn add(&mut self, other: Self) {
        self.histories += other.histories;
        self.posted += other.posted;
        self.refused += other.refused;
        self.reversed += other.reversed;
        self.read += other.read;
        self.rows += other.rows;
    }
}

/// What was done so far, for whoever must find out what went wrong.
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

    /// The story with a difference at its end, unless there is none.
    fn same<T: PartialEq + Debug>(&self, what: &str, model: T, engine: T) -> Result<(), String> {
        if model == engine {
            return Ok(());
        }
        let text = &self.text;
        Err(format!("{text}\n{what}\nthe model:  {model:#?}\nthe engine: {engine:#?}"))
    }
}

/// The amount as the service writes it.
fn money(amount: Amount) -> shared::amounts::Money {
    shared::amounts::Money::from_wide_units(amount).expect("an amount that can be stored")
}

/// A plan while it is played.
struct Play<'a> {
    plan: &'a Plan,
    books: Books,
    story: Story,
    tally: Tally,
}

impl<'a> Play<'a> {
    fn new(plan: &'a Plan) -> Self {
        let tally = Tally { histories: 1, ..Tally::default() };
        Self { plan, books: plan.books(), story: Story::new(plan), tally }
    }
}

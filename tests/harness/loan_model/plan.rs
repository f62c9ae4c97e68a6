//! What somebody is going to do with a loan, in words that become dates and amounts when the time
//! comes: *exactly what is owed*, *the day before it is due*. So a plan stays sensible when parts
//! of it are left out, and what fails can be made small.

use super::{
    Adjustment, Amount, Books, CENT, Event, Kind, LARGEST, Parts, Payment, State, Terms,
    state::DueRow,
};
use chrono::{Datelike, Days, NaiveDate, TimeDelta};
use shared::entity::loans::ExcessHandling;

/// A loan and what is done with it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How it is booked.
    pub terms: Terms,
    /// What is done, in order.
    pub moves: Vec<Move>,
}

/// Something that is done.
#[derive(Clone, Debug)]
pub struct Move {
    /// What.
    pub what: What,
    /// The day it counts for.
    pub when: When,
    /// So many days later it is entered.
    pub lag: u64,
}

/// What is done.
#[derive(Clone, Debug)]
pub enum What {
    /// Something is paid.
    Pay {
        /// How much.
        amount: HowMuch,
        /// To close the loan.
        payoff: bool,
        /// What becomes of the rest.
        excess: Option<ExcessHandling>,
    },
    /// Something is paid in parts: principal, interest, late charges, fees, impound, suspense.
    Split {
        /// How much of each.
        parts: [Part; 6],
        /// The amount is so many cents more than its parts.
        beside: i128,
        /// It says that it closes the loan, which it may not.
        payoff: bool,
    },
    /// Another balance is moved.
    Adjust {
        /// How.
        kind: Kind,
        /// How much.
        amount: HowMuch,
    },
    /// An entry is taken back.
    Reverse {
        /// Which one, counted from the last one.
        back: usize,
        /// The latest one that can be, instead.
        latest: bool,
        /// So many days ago the bank returned it.
        returned: Option<i64>,
    },
    /// Somebody looks.
    Read,
}

/// Part of a split.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// Nothing.
    Nothing,
    /// All there is.
    All,
    /// A cent more than there is.
    TooMuch,
    /// So many cents, at most all there is.
    Cents(i128),
}

/// How much.
#[derive(Clone, Copy, Debug)]
pub enum HowMuch {
    /// So many cents.
    Cents(i128),
    /// This figure on that day, and so many cents more.
    Of(Figure, i128),
    /// So many thousandths of the principal, in whole cents.
    Share(i128),
}

/// A figure of a loan on a day.
#[derive(Clone, Copy, Debug)]
pub enum Figure {
    /// What is unpaid of due rows.
    Due,
    /// What pays the loan off.
    Payoff,
    /// Everything that is owed.
    Owed,
    /// The instalment.
    Instalment,
    /// Interest owed.
    Interest,
    /// Principal.
    Principal,
    /// The balance that is adjusted.
    Balance,
}

/// When.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// Today.
    Today,
    /// So many days after the base of accrual.
    AfterBase(i64),
    /// So many days after the next due date.
    AfterDue(i64),
    /// So many days after the first day on which a payment counts for the next instalment.
    AfterWindow(i64),
    /// So many days after the end of the month of the base.
    AfterMonthEnd(i64),
    /// So many days after the last due date.
    AfterMaturity(i64),
    /// So many days after the origination.
    AfterOrigination(i64),
    /// So many days after today.
    InFuture(u64),
}

/// What a move is once its day and its figures are known.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// It is entered.
    Enter(Event),
    /// The loan is looked at.
    Read,
}

/// So much is taken where there is nothing to take.
const FIFTY: Amount = 50_0000;

/// Days that a plan may reach.
pub const DAYS: u64 = 3000;

impl Plan {
    /// The first day of the loan.
    pub fn first_day(&self) -> NaiveDate {
        self.terms.origination.min(self.terms.interest_start)
    }

    /// The last day that anything happens on.
    pub fn last_day(&self) -> NaiveDate {
        self.first_day() + Days::new(DAYS)
    }

    /// The loan as it is booked.
    pub fn books(&self) -> Books {
        Books::new(self.terms.clone(), self.last_day() + Days::new(2))
    }
}

impl Move {
    /// What it is on these books, and the day on which it is done, which is today or later.
    pub fn action(&self, books: &Books, today: NaiveDate, last: NaiveDate) -> (NaiveDate, Action) {
        let date = self.when.date(books, today).min(last);
        let future = matches!(self.when, When::InFuture(_));
        let day = if future { today } else { today.max(date) + Days::new(self.lag) };
        let day = day.min(last);
        let on_date = Figures::of(books, date);
        let event = match &self.what {
            What::Read => return (day, Action::Read),
            What::Pay { amount, payoff, excess } => Event::Pay(Payment {
                amount: on_date.amount(*amount, None),
                date,
                payoff: *payoff,
                excess: *excess,
                split: None,
            }),
            What::Split { parts, beside, payoff } => {
                let split = on_date.parts(parts);
                let amount = (split.sum() + beside * CENT).min(LARGEST);
                let (excess, split) = (None, Some(split));
                Event::Pay(Payment { amount, date, payoff: *payoff, excess, split })
            }
            What::Adjust { kind, amount } => Event::Adjust(Adjustment {
                kind: *kind,
                amount: on_date.amount(*amount, Some(*kind)),
                date,
            }),
            What::Reverse { back, latest, returned } => {
                let Some(entry) = chosen(books, *back, *latest) else {
                    return (day, Action::Read);
                };
                let returned = returned.map(|ago| day - TimeDelta::days(ago));
                Event::Reverse { entry, returned }
            }
        };
        (day, Action::Enter(event))
    }
}

/// The entry that is taken back: counted from the last one, or the latest that can be.
fn chosen(books: &Books, back: usize, latest: bool) -> Option<usize> {
    let standing = |number: &usize| {
        let entry = &books.entries[*number];
        entry.moves_base() && entry.partner.is_none()
    };
    let mut last_first = (0..books.entries.len()).rev();
    if latest { last_first.find(standing) } else { last_first.nth(back) }
}

impl When {
    fn date(self, books: &Books, today: NaiveDate) -> NaiveDate {
        let state = &books.state;
        let after = |date: NaiveDate, days| date + TimeDelta::days(days);
        match self {
            Self::Today => today,
            Self::AfterBase(days) => after(state.base_date, days),
            Self::AfterDue(days) => after(state.next_due.unwrap_or(state.base_date), days),
            Self::AfterWindow(days) => {
                let due = state.next_due.unwrap_or(state.base_date);
                after(due, days - books.terms.advance_days)
            }
            Self::AfterMonthEnd(days) => {
                let next = state.base_date.with_day(1).expect("a first day") + Days::new(31);
                after(next.with_day(1).expect("a first day"), days - 1)
            }
            Self::AfterMaturity(days) => {
                after(books.terms.calendar().maturity.unwrap_or(state.base_date), days)
            }
            Self::AfterOrigination(days) => after(books.terms.origination, days),
            Self::InFuture(days) => today + Days::new(days),
        }
    }
}

/// A loan on a day, as if something were posted then.
struct Figures {
    state: State,
    payoff: Amount,
    instalment: Amount,
}

impl Figures {
    fn of(books: &Books, date: NaiveDate) -> Self {
        let mut state = books.state.clone();
        if date >= state.base_date {
            // Where amounts become too large, any figure will do.
            state.move_base(&books.terms, &books.interest, date).unwrap_or_default();
        }
        let payoff = state.payoff(&books.interest, state.base_date).unwrap_or_default();
        Self { payoff, instalment: books.terms.instalment(), state }
    }

    fn amount(&self, how_much: HowMuch, kind: Option<Kind>) -> Amount {
        let amount = match how_much {
            HowMuch::Cents(cents) => cents * CENT,
            HowMuch::Share(thousandths) => self.state.principal * thousandths / 100_000 * CENT,
            HowMuch::Of(figure, cents) => {
                let figure = match self.figure(figure, kind) {
                    // Most such entries would be refused for the same reason.
                    0 => FIFTY,
                    figure => up_to_cents(figure),
                };
                figure + cents * CENT
            }
        };
        // Nobody can send more.
        amount.min(LARGEST)
    }

    fn figure(&self, figure: Figure, kind: Option<Kind>) -> Amount {
        let state = &self.state;
        let unpaid = |row: &DueRow| row.unpaid_interest() + row.unpaid_principal();
        match figure {
            Figure::Due => state.due_rows.iter().map(unpaid).sum(),
            Figure::Payoff => self.payoff,
            Figure::Owed => state.principal + state.interest + state.late_charges + state.fees,
            Figure::Instalment => self.instalment,
            Figure::Interest => state.interest,
            Figure::Principal => state.principal,
            Figure::Balance => kind.map_or(0, |kind| *self.state.clone().balance(kind.effect().1)),
        }
    }

    fn parts(&self, parts: &[Part; 6]) -> Parts {
        let state = &self.state;
        let part = |index: usize, all: Amount| {
            let part = match parts[index] {
                Part::Nothing => 0,
                Part::All => all / CENT * CENT,
                Part::TooMuch => all / CENT * CENT + CENT,
                Part::Cents(cents) => (cents * CENT).min(all / CENT * CENT),
            };
            // Interest of many years may exceed what a request can say.
            part.min(LARGEST)
        };
        Parts {
            principal: part(0, state.principal),
            interest: part(1, state.interest),
            late_charges: part(2, state.late_charges),
            fees: part(3, state.fees),
            impound: part(4, 100_000),
            suspense: part(5, 100_000),
        }
    }
}

/// Posted amounts are whole cents.
fn up_to_cents(amount: Amount) -> Amount {
    (amount + CENT - 1) / CENT * CENT
}

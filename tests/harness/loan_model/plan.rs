//! Plans for what to do with a loan, in terms that become dates and amounts only when executed:
//! *exactly what is owed*, *the day before it is due*. A plan stays sensible when parts of it are
//! left out, so that a failing one can be shrunk.

use super::{
    Adjustment, AdjustmentKind, Amount, Books, CENT, Event, LARGEST, Parts, Payment, State, Terms,
    state::DueRow,
};
use chrono::{Datelike, Days, NaiveDate, TimeDelta};
use shared::entity::loans::ExcessHandling;

/// A loan and the moves made on it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How it is booked.
    pub terms: Terms,
    /// The moves, in order.
    pub moves: Vec<Move>,
}

#[derive(Clone, Debug)]
pub struct Move {
    /// What is done.
    pub action: ActionSpec,
    pub date: DateSpec,
    /// It is entered this many days later.
    pub lag: u64,
}

/// What is done.
#[derive(Clone, Debug)]
pub enum ActionSpec {
    /// A payment.
    Pay {
        amount: AmountSpec,
        /// True if it is to close the loan.
        payoff: bool,
        /// How excess is handled.
        excess: Option<ExcessHandling>,
    },
    /// A payment in given parts: principal, interest, late charges, fees, impound, suspense.
    Split {
        /// The amount of each part.
        parts: [SplitPart; 6],
        /// The payment's amount exceeds the sum of its parts by this many cents.
        offset: i128,
        /// True if it also claims to close the loan, which is not allowed.
        payoff: bool,
    },
    /// An adjustment of another balance.
    Adjust {
        kind: AdjustmentKind,
        amount: AmountSpec,
    },
    /// A reversal of an entry.
    Reverse {
        /// Which entry, counted from the last one.
        back: usize,
        /// True for the latest reversible entry instead.
        latest: bool,
        /// The bank returned it this many days ago.
        returned: Option<i64>,
    },
    /// A change of status that stops accrual, or lets it go on.
    SwitchAccrual,
    Read,
}

#[derive(Clone, Copy, Debug)]
pub enum SplitPart {
    Nothing,
    /// Everything.
    All,
    /// One cent more than everything.
    TooMuch,
    /// This many cents, at most everything.
    Cents(i128),
}

#[derive(Clone, Copy, Debug)]
pub enum AmountSpec {
    Cents(i128),
    /// This figure on that day, plus this many cents.
    Of(Figure, i128),
    /// This many thousandths of the principal, in whole cents.
    Share(i128),
}

/// A figure of a loan on a day.
#[derive(Clone, Copy, Debug)]
pub enum Figure {
    /// The unpaid part of the due rows.
    Due,
    Payoff,
    /// Everything that is owed.
    Owed,
    Installment,
    Interest,
    Principal,
    /// The balance that is adjusted.
    Balance,
}

#[derive(Clone, Copy, Debug)]
pub enum DateSpec {
    Today,
    /// This many days after the accrual base.
    AfterBase(i64),
    /// This many days after the next due date.
    AfterDue(i64),
    /// This many days after the first day on which a payment counts toward the next installment.
    AfterWindow(i64),
    /// This many days after the end of the accrual base's month.
    AfterMonthEnd(i64),
    /// This many days after the last due date.
    AfterMaturity(i64),
    /// This many days after the origination.
    AfterOrigination(i64),
    /// This many days after today.
    InFuture(u64),
}

/// A move with its date and figures resolved.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    Enter(Event),
    /// A change of status that stops accrual, or lets it go on.
    SwitchAccrual,
    /// A read of the loan.
    Read,
}

/// The amount used for a figure that is zero.
const FIFTY: Amount = 50_0000;

/// The most days that a plan may span.
pub const DAYS: u64 = 3000;

impl Plan {
    /// The first day of the loan.
    pub fn first_day(&self) -> NaiveDate {
        self.terms.origination.min(self.terms.interest_start)
    }

    /// The last day on which anything happens.
    pub fn last_day(&self) -> NaiveDate {
        self.first_day() + Days::new(DAYS)
    }

    /// The books of the newly booked loan.
    pub fn books(&self) -> Books {
        Books::new(self.terms.clone(), self.last_day() + Days::new(2))
    }
}

impl Move {
    /// Resolves the move on these books. Returns the day on which it is made, which is today or
    /// later.
    pub fn action(&self, books: &Books, today: NaiveDate, last: NaiveDate) -> (NaiveDate, Action) {
        let date = self.date.date(books, today).min(last);
        let future = matches!(self.date, DateSpec::InFuture(_));
        let day = if future { today } else { today.max(date) + Days::new(self.lag) };
        let day = day.min(last);
        let on_date = Figures::of(books, date);
        let event = match &self.action {
            ActionSpec::Read => return (day, Action::Read),
            ActionSpec::SwitchAccrual => {
                let takes_it = books.state.paid_off.is_none() && day > books.state.base_date;
                return (day, if takes_it { Action::SwitchAccrual } else { Action::Read });
            }
            ActionSpec::Pay { amount, payoff, excess } => Event::Pay(Payment {
                amount: on_date.amount(*amount, None),
                date,
                payoff: *payoff,
                excess: *excess,
                split: None,
            }),
            ActionSpec::Split { parts, offset, payoff } => {
                let split = on_date.parts(parts);
                let amount = (split.sum() + offset * CENT).min(LARGEST);
                let (excess, split) = (None, Some(split));
                Event::Pay(Payment { amount, date, payoff: *payoff, excess, split })
            }
            ActionSpec::Adjust { kind, amount } => Event::Adjust(Adjustment {
                kind: *kind,
                amount: on_date.amount(*amount, Some(*kind)),
                date,
            }),
            ActionSpec::Reverse { back, latest, returned } => {
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

/// The index of the entry to reverse: counted from the last one, or the latest reversible one.
fn chosen(books: &Books, back: usize, latest: bool) -> Option<usize> {
    let is_reversible = |number: &usize| {
        let entry = &books.entries[*number];
        entry.moves_base() && entry.partner.is_none()
    };
    let mut last_first = (0..books.entries.len()).rev();
    if latest { last_first.find(is_reversible) } else { last_first.nth(back) }
}

impl DateSpec {
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

/// The figures of a loan on a day, as if something were posted then.
struct Figures {
    state: State,
    payoff: Amount,
    installment: Amount,
}

impl Figures {
    fn of(books: &Books, date: NaiveDate) -> Self {
        let mut state = books.state.clone();
        if date >= state.base_date {
            // If amounts become too large, any figure will do.
            state.move_base(&books.terms, &books.interest, date).unwrap_or_default();
        }
        let payoff = state.payoff(&books.interest, state.base_date).unwrap_or_default();
        Self { payoff, installment: books.terms.installment(), state }
    }

    fn amount(&self, how_much: AmountSpec, kind: Option<AdjustmentKind>) -> Amount {
        let amount = match how_much {
            AmountSpec::Cents(cents) => cents * CENT,
            AmountSpec::Share(thousandths) => self.state.principal * thousandths / 100_000 * CENT,
            AmountSpec::Of(figure, cents) => {
                let figure = match self.figure(figure, kind) {
                    // Most entries of zero would be refused for the same reason.
                    0 => FIFTY,
                    figure => up_to_cents(figure),
                };
                figure + cents * CENT
            }
        };
        // No request can hold more.
        amount.min(LARGEST)
    }

    fn figure(&self, figure: Figure, kind: Option<AdjustmentKind>) -> Amount {
        let state = &self.state;
        let unpaid = |row: &DueRow| row.unpaid_interest() + row.unpaid_principal();
        match figure {
            Figure::Due => state.due_rows.iter().map(unpaid).sum(),
            Figure::Payoff => self.payoff,
            Figure::Owed => state.principal + state.interest + state.late_charges + state.fees,
            Figure::Installment => self.installment,
            Figure::Interest => state.interest,
            Figure::Principal => state.principal,
            Figure::Balance => kind.map_or(0, |kind| *self.state.clone().balance(kind.posting().1)),
        }
    }

    fn parts(&self, parts: &[SplitPart; 6]) -> Parts {
        let state = &self.state;
        let part = |index: usize, all: Amount| {
            let part = match parts[index] {
                SplitPart::Nothing => 0,
                SplitPart::All => all / CENT * CENT,
                SplitPart::TooMuch => all / CENT * CENT + CENT,
                SplitPart::Cents(cents) => (cents * CENT).min(all / CENT * CENT),
            };
            // Interest over many years may exceed what a request can hold.
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

/// Rounds up to whole cents, because posted amounts are.
fn up_to_cents(amount: Amount) -> Amount {
    (amount + CENT - 1) / CENT * CENT
}

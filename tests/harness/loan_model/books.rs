//! Journal of a loan, and reversals.
//!
//! Reversing an entry that moved the accrual base means rewriting the whole book without it.
//! Reversing any other entry moves its balance back.

use super::interest::Interest;
use super::{
    Adjustment, Allocation, Amount, LoanFigures, Payment, PostedRows, Refusal, Row, State, Terms,
};
use chrono::NaiveDate;
use shared::entity::loan_transactions::BalanceName;

/// Something to enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Pay(Payment),
    /// Anything else that moves a balance.
    Adjust(Adjustment),
    /// A reversal of this entry; of a payment, possibly because the bank returned it.
    Reverse {
        /// Index of the entry.
        entry: usize,
        /// The day on which the bank returned it.
        returned: Option<NaiveDate>,
    },
}

/// An entry in the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What was entered.
    pub event: Event,
    /// Its rows, the total first.
    pub entered: PostedRows,
    /// The entry that reversed it, or that it reverses.
    pub partner: Option<usize>,
    /// The day on which the bank returned it.
    pub returned: Option<NaiveDate>,
    /// The day on which it was entered.
    pub entered_on: NaiveDate,
}

/// A step in rewriting the book.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// An entry, with the day on which it was made.
    Entry(usize, Event, NaiveDate),
    /// A balance is moved back.
    Reversal(BalanceName, Amount),
    /// A change of status on a day.
    SwitchAccrual(NaiveDate),
}

impl Step {
    fn enters(&self, number: usize) -> bool {
        matches!(self, Self::Entry(entry, ..) if *entry == number)
    }

    fn is_switch(&self) -> bool {
        matches!(self, Self::SwitchAccrual(_))
    }
}

/// The book of a loan.
#[derive(Clone, Debug)]
pub struct Books {
    pub terms: Terms,
    /// The interest that the principal earns.
    pub interest: Interest,
    /// The current state of the loan.
    pub state: State,
    pub entries: Vec<Entry>,
    steps: Vec<Step>,
}

impl Entry {
    /// True if it moves the accrual base.
    pub fn moves_base(&self) -> bool {
        match self.event {
            Event::Pay(_) => true,
            Event::Adjust(adjustment) => adjustment.kind.moves_base(),
            Event::Reverse { .. } => false,
        }
    }
}

impl Books {
    /// Creates the book of a newly booked loan, for days up to this one.
    pub fn new(terms: Terms, up_to: NaiveDate) -> Self {
        let interest = Interest::new(&terms, &terms.calendar(), up_to);
        let state = State::booked(&terms, &interest);
        Self { terms, interest, state, entries: Vec::new(), steps: Vec::new() }
    }

    /// Enters an event. A refused event changes nothing.
    pub fn enter(&mut self, today: NaiveDate, event: Event) -> Result<&Entry, Refusal> {
        let (entered, partner, returned) = match event {
            Event::Reverse { entry, returned } => {
                let rows = self.reverse(today, entry, returned)?;
                let partner = self.entries.len();
                self.entries[entry].partner = Some(partner);
                self.entries[entry].returned = returned;
                (PostedRows { rows, allocations: Vec::new() }, Some(entry), returned)
            }
            _ => {
                let (state, entered) = self.post(&self.state, event, today)?;
                self.state = state;
                self.steps.push(Step::Entry(self.entries.len(), event, today));
                (entered, None, None)
            }
        };
        let entered_on = today;
        self.entries.push(Entry { event, entered, partner, returned, entered_on });
        Ok(&self.entries[self.entries.len() - 1])
    }

    /// Stops accrual by a change of status, or lets it go on: what accrued until today stays as it is.
    pub fn switch_accrual(&mut self, today: NaiveDate) -> Result<(), Refusal> {
        let mut state = self.state.clone();
        state.move_base(&self.terms, &self.interest, today)?;
        self.state = state;
        self.terms.accrual_switches.push(today);
        self.interest = self.interest.with(&self.terms);
        self.steps.push(Step::SwitchAccrual(today));
        Ok(())
    }

    /// What the API shows of the loan on this day.
    pub fn read(&self, today: NaiveDate) -> Result<LoanFigures, Refusal> {
        self.state.read(&self.terms, &self.interest, today)
    }

    /// Allocations to due rows by the entries that are not reversed.
    pub fn allocations(&self) -> Vec<Allocation> {
        let unreversed = self.entries.iter().filter(|entry| entry.partner.is_none());
        let mut all: Vec<_> =
            unreversed.flat_map(|entry| entry.entered.allocations.clone()).collect();
        all.sort();
        all
    }

    fn post(
        &self,
        state: &State,
        event: Event,
        today: NaiveDate,
    ) -> Result<(State, PostedRows), Refusal> {
        match event {
            Event::Pay(payment) => state.pay(&self.terms, &self.interest, today, &payment),
            Event::Adjust(adjustment) => {
                state.adjust(&self.terms, &self.interest, today, &adjustment)
            }
            Event::Reverse { .. } => Err(Refusal::NotApplicable),
        }
    }

    fn reverse(
        &mut self,
        today: NaiveDate,
        number: usize,
        returned: Option<NaiveDate>,
    ) -> Result<Vec<Row>, Refusal> {
        let entry = self.entries.get(number).ok_or(Refusal::NotApplicable)?.clone();
        self.check_reversal(today, number, returned)?;
        let mut steps = self.steps.clone();
        if entry.moves_base() {
            steps.retain(|step| !step.enters(number));
        } else {
            let (balance, amount) = reversed_change(&entry.entered.rows[0]).expect("a balance");
            steps.push(Step::Reversal(balance, amount));
        }
        let mut state = self.replay(&steps);
        // The entry that is the latest without it, whichever was entered when.
        let is_other = |(index, other): &(usize, &Entry)| {
            *index != number
                && other.partner.is_none()
                && !matches!(other.event, Event::Reverse { .. })
        };
        let latest = self.entries.iter().enumerate().rfind(is_other);
        let latest = latest.map(|(_, other)| other.entered.rows[0].effective);
        state.last_activity = Some(latest.unwrap_or(self.terms.origination));
        let rows = self.reversal_rows(&entry, &state)?;
        (self.state, self.steps) = (state, steps);
        Ok(rows)
    }

    fn check_reversal(
        &self,
        today: NaiveDate,
        number: usize,
        returned: Option<NaiveDate>,
    ) -> Result<(), Refusal> {
        let entry = &self.entries[number];
        match (entry.event, entry.partner) {
            (Event::Reverse { .. }, _) => return Err(Refusal::IsReversal),
            (_, Some(reversal)) => return Err(Refusal::Blocked(reversal)),
            (_, None) => {}
        }
        if let Some(returned) = returned {
            let Event::Pay(payment) = entry.event else { return Err(Refusal::NotApplicable) };
            if returned > today || returned < payment.date {
                return Err(Refusal::NotApplicable);
            }
        }
        let latest = self.latest(Entry::moves_base);
        if entry.moves_base() && latest != Some(number) {
            return Err(Refusal::Blocked(latest.expect("this entry at least")));
        }
        let later = self.steps.iter().rev().take_while(|step| !step.enters(number));
        if entry.moves_base() && later.into_iter().any(Step::is_switch) {
            return Err(Refusal::StatusChanged);
        }
        // A paid-off loan is reopened only by reversing the entry that closed it.
        let returned_money =
            matches!(entry.event, Event::Adjust(adjustment) if adjustment.kind.returns_money());
        if !entry.moves_base() && !returned_money && self.state.paid_off.is_some() {
            return Err(Refusal::Blocked(latest.expect("the payoff")));
        }
        self.stays_above_zero(number)
    }

    /// The latest entry like this that is not reversed.
    fn latest(&self, is_like: impl Fn(&Entry) -> bool) -> Option<usize> {
        let is_meant = |entry: &Entry| entry.partner.is_none() && is_like(entry);
        self.entries.iter().rposition(is_meant)
    }

    /// Refuses a reversal that would make a balance negative, because of the entry that lowered it
    /// last.
    fn stays_above_zero(&self, number: usize) -> Result<(), Refusal> {
        let entry = &self.entries[number];
        let mut state = self.state.clone();
        let mut names = Vec::new();
        for (name, amount) in entry.entered.rows.iter().filter_map(reversed_change) {
            *state.balance(name) += amount;
            names.push(name);
        }
        names.retain(|name| *name != BalanceName::Interest);
        let Some(name) = names.into_iter().find(|name| *state.balance(*name) < 0) else {
            return Ok(());
        };
        let lowers = |row: &Row| row.balance == Some(name) && !grows(row.code);
        let lowered_by =
            |other: &Entry| !std::ptr::eq(other, entry) && other.entered.rows.iter().any(lowers);
        Err(Refusal::Blocked(self.latest(lowered_by).expect("an entry that lowered it")))
    }

    /// The state after these steps, starting from the booking.
    fn replay(&self, steps: &[Step]) -> State {
        let terms = Terms { accrual_switches: Vec::new(), ..self.terms.clone() };
        let mut books = Self { interest: self.interest.with(&terms), terms, ..self.clone() };
        books.state = State::booked(&books.terms, &books.interest);
        for step in steps {
            match *step {
                Step::Entry(_, event, today) => {
                    books.state = match books.post(&books.state, event, today) {
                        Ok((state, _)) => state,
                        Err(refusal) => apply_unchecked(books.state, event, refusal),
                    };
                }
                Step::Reversal(balance, amount) => *books.state.balance(balance) += amount,
                Step::SwitchAccrual(day) => books.switch_accrual(day).expect("switched before"),
            }
        }
        books.state
    }

    /// The rows of a reversal: an entry's rows again with the odd codes, each with the balance
    /// after it.
    fn reversal_rows(&self, entry: &Entry, after: &State) -> Result<Vec<Row>, Refusal> {
        let mut running = self.state.clone();
        let mut rows = Vec::new();
        for row in &entry.entered.rows {
            let resulting = match (row.balance, reversed_change(row)) {
                (Some(BalanceName::Interest), _) => {
                    after.interest_owed(&self.interest, row.effective)?
                }
                (_, Some((name, amount))) => running.enter(&self.interest, name, amount)?,
                (_, None) => after.payoff(&self.interest, row.effective)?,
            };
            rows.push(Row { code: row.code + 1, resulting: Some(resulting), ..*row });
        }
        Ok(rows)
    }
}

/// The balance and amount by which reversing a row moves its balance, if it has one.
fn reversed_change(row: &Row) -> Option<(BalanceName, Amount)> {
    Some((row.balance?, if grows(row.code) { -row.amount } else { row.amount }))
}

/// True for the codes that increase their balance.
pub(super) fn grows(code: i32) -> bool {
    matches!(code, 100 | 110 | 130 | 132 | 140 | 142)
}

/// Enters an adjustment made after the reversed entry: it stands even if its balance is too low on
/// the way, because only the end counts.
fn apply_unchecked(mut state: State, event: Event, refusal: Refusal) -> State {
    match event {
        Event::Adjust(Adjustment { kind, amount, date }) if !kind.moves_base() => {
            let (_, balance, grows) = kind.posting();
            *state.balance(balance) += if grows { amount } else { -amount };
            state.last_activity = Some(date);
            state
        }
        _ => panic!("{event:?} was entered once and is refused now: {refusal:?}"),
    }
}

//! What the book says of days to come, and of days past.

use super::books::grows;
use super::interest::Interest;
use super::state::storable;
use super::{Amount, Books, CENT, Entry, Event, LARGEST, Parts, Payment, Refusal, State, Terms};
use chrono::NaiveDate;
use shared::entity::loan_transactions::BalanceName;

/// What pays a loan off on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    /// Owed.
    pub principal: Amount,
    /// Owed on the day.
    pub interest: Amount,
    /// Owed.
    pub late_charges: Amount,
    /// Owed.
    pub fees: Amount,
    /// Taken from what is held.
    pub suspense_applied: Amount,
    /// What is left to pay.
    pub amount: Amount,
    /// The interest of the day itself, in 1e-8.
    pub per_diem: i128,
    /// The borrower's money that is left: impound, suspense.
    pub held: [Amount; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduleRow {
    /// Which due date, counted from 1; 0 for what is due already.
    pub number: usize,
    /// The day on which it is paid.
    pub date: NaiveDate,
    pub interest: Amount,
    pub principal: Amount,
    /// Principal left.
    pub ending_balance: Amount,
}

impl ScheduleRow {
    /// The payment of exactly this row, if anything is due.
    pub fn payment(&self) -> Option<Payment> {
        let Self { date, interest, principal, .. } = *self;
        let amount = interest + principal;
        let split = Some(Parts { principal, interest, ..Parts::default() });
        let payment = Payment { amount, date, payoff: false, excess: None, split };
        Some(payment).filter(|_| amount > 0)
    }
}

/// The balances of a loan at the end of a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayEnd {
    /// Owed.
    pub principal: Amount,
    /// Owed on the day.
    pub interest: Amount,
    /// Owed.
    pub late_charges: Amount,
    /// Owed.
    pub fees: Amount,
    /// Held.
    pub impound: Amount,
    /// Held.
    pub suspense: Amount,
}

impl DayEnd {
    /// What would have paid the loan off.
    pub fn payoff(&self) -> Amount {
        let owed = self.principal + self.interest + self.late_charges + self.fees;
        (owed - self.suspense).max(0)
    }
}

impl Books {
    /// The same book, with due dates and interest up to this day.
    pub fn up_to(&self, day: NaiveDate) -> Self {
        let mut books = self.clone();
        books.interest = Interest::new(&self.terms, &self.terms.calendar(), day);
        books
    }

    /// What pays the loan off on a day, if nothing happens before.
    pub fn quote(&self, day: NaiveDate) -> Result<Quote, Refusal> {
        let State { principal, late_charges, fees, suspense, .. } = self.state;
        let interest = self.state.interest_owed(&self.interest, day)?;
        let owed = storable(principal + interest + late_charges + fees)?;
        Ok(Quote {
            principal,
            interest,
            late_charges,
            fees,
            suspense_applied: owed.min(suspense),
            amount: (owed - suspense).max(0),
            per_diem: self.interest.per_diem(principal, day)?,
            held: [self.state.impound, (suspense - owed).max(0)],
        })
    }

    /// What is due today, and this many due dates after it, each paid on its day; and whether that
    /// is all.
    pub fn schedule(
        &self,
        today: NaiveDate,
        count: usize,
    ) -> Result<(Vec<ScheduleRow>, bool), Refusal> {
        let terms = Terms { refuses_payments: false, ..self.terms.clone() };
        let mut state = self.state.clone();
        state.fall_due(&terms, &self.interest, today)?;
        let mut rows = vec![self.pay_due(&terms, &mut state, 0, today)?];
        while let Some(date) = state.next_due {
            if state.principal == 0 && state.interest_owed(&self.interest, date)? == 0 {
                break;
            }
            if rows.len() > count {
                return Ok((rows, false));
            }
            state.fall_due(&terms, &self.interest, date)?;
            let number = state.due_rows.len();
            rows.push(self.pay_due(&terms, &mut state, number, date)?);
        }
        Ok((rows, true))
    }

    /// Pays what is due on a day.
    fn pay_due(
        &self,
        terms: &Terms,
        state: &mut State,
        number: usize,
        date: NaiveDate,
    ) -> Result<ScheduleRow, Refusal> {
        let owed = state.interest_owed(&self.interest, date)?;
        let has_matured = terms.calendar().maturity.is_some_and(|maturity| maturity < date);
        let interest = if has_matured { owed } else { owed.min(state.billed_interest()) };
        let principal = state.principal.min(state.billed_principal());
        let row = ScheduleRow { number, date, interest, principal, ending_balance: 0 };
        if let Some(payment) = row.payment() {
            (*state, _) = state.pay(terms, &self.interest, date, &payment)?;
        }
        Ok(ScheduleRow { ending_balance: state.principal, ..row })
    }

    /// The balances at the end of a day, by the entries that were made up to another day.
    ///
    /// Balances are sums of rows. Interest accrues on the principal from one entry that stood then
    /// to the next.
    pub fn day_end(&self, day: NaiveDate, known_on: NaiveDate) -> Result<DayEnd, Refusal> {
        let is_made = |entry: &&Entry| entry.entered_on <= known_on;
        let made: Vec<&Entry> = self.entries.iter().filter(is_made).collect();
        let sum = |name| -> Amount {
            let rows = made.iter().flat_map(|entry| &entry.entered.rows);
            let rows = rows.filter(|row| row.balance == Some(name) && row.effective <= day);
            rows.map(|row| signed(row.code, row.amount)).sum()
        };
        let opening = self.terms.opening;
        let settled = -sum(BalanceName::Interest);
        let owed = self.accrued(&made, day, known_on)? - settled * 10_000;
        Ok(DayEnd {
            principal: opening.principal + sum(BalanceName::Principal),
            // A cent is a million times 1e-8.
            interest: if owed < 0 { 0 } else { (owed + 500_000) / 1_000_000 * CENT },
            late_charges: opening.late_charges + sum(BalanceName::LateCharge),
            fees: opening.fees + sum(BalanceName::Fees),
            impound: opening.impound + sum(BalanceName::Impound),
            suspense: opening.suspense + sum(BalanceName::Suspense),
        })
    }

    /// Interest from booking to a day, in 1e-8.
    fn accrued(
        &self,
        made: &[&Entry],
        day: NaiveDate,
        known_on: NaiveDate,
    ) -> Result<i128, Refusal> {
        let reversed = |entry: &Entry| {
            entry.partner.is_some_and(|partner| self.entries[partner].entered_on <= known_on)
        };
        let mut base = self.terms.origination.min(self.terms.interest_start);
        let (mut total, mut principal) = (0, self.terms.opening.principal);
        let entries = made.iter().filter(|entry| entry.moves_base() && !reversed(entry));
        let moves = entries.map(|entry| {
            let rows = &entry.entered.rows;
            let moved = rows.iter().filter(|row| row.balance == Some(BalanceName::Principal));
            (rows[0].effective, moved.map(|row| signed(row.code, row.amount)).sum::<Amount>())
        });
        let switches = self.terms.accrual_switches.iter().map(|date| (*date, 0));
        let mut moves: Vec<(NaiveDate, Amount)> = moves.chain(switches).collect();
        moves.sort_by_key(|(date, _)| *date);
        for (date, moved) in moves.into_iter().take_while(|(date, _)| *date <= day) {
            total += self.interest.accrue(principal, base, date)?;
            base = date;
            principal += moved;
        }
        total += self.interest.accrue(principal, base, day)?;
        if total > LARGEST { Err(Refusal::OutOfRange) } else { Ok(total) }
    }

    /// The balances now, at the end of a day.
    pub fn day_end_now(&self, day: NaiveDate) -> Result<DayEnd, Refusal> {
        let state = &self.state;
        Ok(DayEnd {
            principal: state.principal,
            interest: state.interest_owed(&self.interest, day)?,
            late_charges: state.late_charges,
            fees: state.fees,
            impound: state.impound,
            suspense: state.suspense,
        })
    }

    /// True if the loan takes payments.
    pub fn takes_payments(&self) -> bool {
        self.state.paid_off.is_none() && !self.terms.refuses_payments
    }

    /// The payment of this amount that is to close the loan on a day.
    pub fn payoff_of(amount: Amount, date: NaiveDate) -> Event {
        Event::Pay(Payment { amount, date, payoff: true, excess: None, split: None })
    }
}

/// The change of a balance by a row with this code, reversals included.
fn signed(code: i32, amount: Amount) -> Amount {
    if grows(code & !1) == (code % 2 == 0) { amount } else { -amount }
}

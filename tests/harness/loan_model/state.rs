//! The state of a loan, its due rows, and what is read of it on a day.

use super::interest::Interest;
use super::{Amount, CENT, LARGEST, Terms};
use chrono::NaiveDate;
use shared::entity::loan_transactions::BalanceName;

/// The reason why an entry is refused, with the figure that would have been accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The amount is zero or less.
    AmountNotPositive,
    /// The date is after today.
    InFuture,
    /// The date is before this earliest one.
    TooEarly(NaiveDate),
    /// The loan accepts no more payments.
    Closed,
    /// The parts do not add up to the amount.
    SplitMismatch,
    /// A part exceeds this balance.
    ExceedsBalance(Amount),
    /// A split is combined with something it excludes.
    InvalidValue,
    /// At most this amount is accepted.
    Overpayment(Amount),
    /// This amount pays the loan off.
    PayoffShort(Amount),
    /// This entry stands in the way of a reversal: it came later, spent a balance, closed the loan,
    /// or is the reversal.
    Blocked(usize),
    /// The loan's status changed after the entry that is to be reversed.
    StatusChanged,
    /// The entry is a reversal itself.
    IsReversal,
    /// There is no such entry, or it is not of the right kind.
    NotApplicable,
    /// An amount that cannot be stored.
    OutOfRange,
}

/// An installment that fell due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueRow {
    pub date: NaiveDate,
    pub interest: Amount,
    pub principal: Amount,
    pub interest_paid: Amount,
    pub principal_paid: Amount,
}

impl DueRow {
    pub fn unpaid_interest(&self) -> Amount {
        self.interest - self.interest_paid
    }

    pub fn unpaid_principal(&self) -> Amount {
        self.principal - self.principal_paid
    }

    fn unpaid(&self) -> Amount {
        self.unpaid_interest() + self.unpaid_principal()
    }
}

/// A row that a posting writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    pub code: i32,
    pub amount: Amount,
    /// The balance it moves.
    pub balance: Option<BalanceName>,
    /// That balance afterwards; on a total row, the payoff amount.
    pub resulting: Option<Amount>,
    pub effective: NaiveDate,
}

/// How much of a due row a part of an entry settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Allocation {
    /// The code of the part.
    pub code: i32,
    pub due: NaiveDate,
    pub amount: Amount,
}

/// What an entry writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PostedRows {
    /// Its rows, the total first.
    pub rows: Vec<Row>,
    /// Its allocations to due rows.
    pub allocations: Vec<Allocation>,
}

/// The state of a loan: the columns that postings change, and the due rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Owed.
    pub principal: Amount,
    /// Owed on the `accrued_thru` day.
    pub interest: Amount,
    /// Owed.
    pub late_charges: Amount,
    /// Owed.
    pub fees: Amount,
    /// Held.
    pub impound: Amount,
    /// Held.
    pub suspense: Amount,
    /// Interest accrued since booking, in 1e-8.
    pub accrued_total: i128,
    /// The day up to which interest is accrued.
    pub accrued_thru: NaiveDate,
    /// Interest paid or forgiven.
    pub settled: Amount,
    /// Paid toward the next installment.
    pub paid_ahead: Amount,
    /// The accrual base date.
    pub base_date: NaiveDate,
    /// The interest accrued by then, in 1e-8.
    pub base_total: i128,
    pub next_due: Option<NaiveDate>,
    /// Date and amount of the latest payment.
    pub last_payment: Option<(NaiveDate, Amount)>,
    /// The effective date of the latest entry.
    pub last_activity: Option<NaiveDate>,
    /// The date on which it was paid off, and thereby closed.
    pub paid_off: Option<NaiveDate>,
    /// Installments that fell due.
    pub due_rows: Vec<DueRow>,
}

/// What the API shows of a loan on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoanFigures {
    /// One day's interest, in 1e-8.
    pub per_diem: i128,
    pub payoff: Amount,
    /// Due before the day.
    pub past_due: Amount,
    /// Due on the day.
    pub current_due: Amount,
    /// The age of the oldest unpaid due row, in days.
    pub days_past_due: i64,
}

impl State {
    /// The state of a newly booked loan.
    pub fn booked(terms: &Terms, interest: &Interest) -> Self {
        let base_date = terms.origination.min(terms.interest_start);
        Self {
            principal: terms.opening.principal,
            interest: 0,
            late_charges: terms.opening.late_charges,
            fees: terms.opening.fees,
            impound: terms.opening.impound,
            suspense: terms.opening.suspense,
            accrued_total: 0,
            accrued_thru: base_date,
            settled: 0,
            paid_ahead: 0,
            base_date,
            base_total: 0,
            next_due: interest.due_dates.first().map(|due| due.date),
            last_payment: None,
            last_activity: Some(terms.origination),
            paid_off: None,
            due_rows: Vec::new(),
        }
    }

    /// Interest accrued from booking up to this day, in 1e-8.
    pub fn total_on(&self, interest: &Interest, day: NaiveDate) -> Result<i128, Refusal> {
        if self.paid_off.is_some() {
            return Ok(self.base_total);
        }
        let total = self.base_total + interest.accrue(self.principal, self.base_date, day)?;
        if total > LARGEST { Err(Refusal::OutOfRange) } else { Ok(total) }
    }

    /// Interest owed on this day, in whole cents.
    pub fn interest_owed(&self, interest: &Interest, day: NaiveDate) -> Result<Amount, Refusal> {
        // A cent is a million times 1e-8.
        let owed = self.total_on(interest, day)? - self.settled * 10_000;
        Ok(if owed < 0 { 0 } else { (owed + 500_000) / 1_000_000 * CENT })
    }

    pub fn payoff(&self, interest: &Interest, day: NaiveDate) -> Result<Amount, Refusal> {
        let owed = self.principal + self.interest_owed(interest, day)?;
        let owed = storable(owed + self.late_charges + self.fees)?;
        Ok((owed - self.suspense).max(0))
    }

    /// The unpaid interest of due rows.
    pub fn billed_interest(&self) -> Amount {
        self.due_rows.iter().map(DueRow::unpaid_interest).sum()
    }

    /// The unpaid principal of due rows.
    pub fn billed_principal(&self) -> Amount {
        self.due_rows.iter().map(DueRow::unpaid_principal).sum()
    }

    /// Adds the due rows of the dates up to this day.
    pub fn fall_due(
        &mut self,
        terms: &Terms,
        interest: &Interest,
        up_to: NaiveDate,
    ) -> Result<(), Refusal> {
        while let Some(date) = self.next_due.filter(|date| *date <= up_to) {
            let owed = (self.interest_owed(interest, date)? - self.billed_interest()).max(0);
            let unbilled = self.principal - self.billed_principal();
            let installment = (terms.installment() - self.paid_ahead).max(0);
            let matures = terms.calendar().maturity == Some(date);
            let asked_interest = if matures { owed } else { owed.min(installment) };
            let rest = installment - asked_interest;
            self.due_rows.push(DueRow {
                date,
                interest: asked_interest,
                principal: if matures { unbilled } else { unbilled.min(rest) },
                interest_paid: 0,
                principal_paid: 0,
            });
            self.paid_ahead = 0;
            let later = interest.due_dates.iter().map(|due| due.date).find(|later| *later > date);
            self.next_due = if matures { None } else { later };
        }
        Ok(())
    }

    /// Moves the accrual base to this day, after adding the due rows up to it.
    pub fn move_base(
        &mut self,
        terms: &Terms,
        interest: &Interest,
        day: NaiveDate,
    ) -> Result<(), Refusal> {
        self.fall_due(terms, interest, day)?;
        let total = self.total_on(interest, day)?;
        (self.base_date, self.base_total) = (day, total);
        (self.accrued_thru, self.accrued_total) = (day, total);
        self.interest = self.interest_owed(interest, day)?;
        Ok(())
    }

    pub fn balance(&mut self, name: BalanceName) -> &mut Amount {
        match name {
            BalanceName::Principal => &mut self.principal,
            BalanceName::Interest => &mut self.interest,
            BalanceName::LateCharge => &mut self.late_charges,
            BalanceName::Fees => &mut self.fees,
            BalanceName::Impound => &mut self.impound,
            BalanceName::Suspense => &mut self.suspense,
        }
    }

    /// Moves a balance, which must be storable afterwards, and returns it. A move of interest
    /// settles it, and the interest owed is rounded again.
    pub fn enter(
        &mut self,
        interest: &Interest,
        name: BalanceName,
        by: Amount,
    ) -> Result<Amount, Refusal> {
        if name == BalanceName::Interest {
            self.settled = storable(self.settled - by)?;
            self.interest = self.interest_owed(interest, self.base_date)?;
            return Ok(self.interest);
        }
        let balance = self.balance(name);
        *balance = storable(*balance + by)?;
        Ok(*balance)
    }

    /// What the API shows of the loan on this day.
    pub fn read(
        &self,
        terms: &Terms,
        interest: &Interest,
        today: NaiveDate,
    ) -> Result<LoanFigures, Refusal> {
        let mut on_day = self.clone();
        on_day.fall_due(terms, interest, today)?;
        let open = self.paid_off.is_none();
        let per_diem = if open { interest.per_diem(self.principal, today)? } else { 0 };
        let past: Vec<_> = on_day.due_rows.iter().filter(|row| row.date < today).collect();
        let mut past_due: Amount = past.iter().map(|row| row.unpaid()).sum();
        let mut oldest = past.iter().find(|row| row.unpaid() > 0).map(|row| row.date);
        let unbilled = on_day.interest_owed(interest, today)? - on_day.billed_interest();
        if let Some(maturity) = terms.calendar().maturity.filter(|maturity| *maturity < today)
            && unbilled > 0
        {
            past_due += unbilled;
            oldest = oldest.or(Some(maturity));
        }
        let due_today = on_day.due_rows.iter().filter(|row| row.date == today);
        Ok(LoanFigures {
            per_diem,
            payoff: on_day.payoff(interest, today)?,
            past_due: storable(past_due)?,
            current_due: due_today.map(DueRow::unpaid).sum(),
            days_past_due: oldest.map_or(0, |oldest| (today - oldest).num_days()),
        })
    }
}

/// The amount, if it can be stored.
pub fn storable(amount: Amount) -> Result<Amount, Refusal> {
    if amount.abs() > LARGEST { Err(Refusal::OutOfRange) } else { Ok(amount) }
}

//! Allocation of a payment.

use super::interest::Interest;
use super::state::storable;
use super::{Allocation, Amount, PostedRows, Refusal, Row, State, Terms};
use chrono::NaiveDate;
use shared::entity::loan_transactions::BalanceName;
use shared::entity::loans::{DistributionItem, ExcessHandling};

/// A payment as sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    pub amount: Amount,
    pub date: NaiveDate,
    /// True if it is to close the loan.
    pub payoff: bool,
    /// How excess is handled, if not as the loan says.
    pub excess: Option<ExcessHandling>,
    /// The allocation, if not in the loan's order.
    pub split: Option<Parts>,
}

/// The amount allocated to each balance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Principal, billed or not.
    pub principal: Amount,
    /// Interest, billed or not.
    pub interest: Amount,
    pub late_charges: Amount,
    pub fees: Amount,
    pub impound: Amount,
    pub suspense: Amount,
}

impl Parts {
    /// The sum of all parts.
    pub fn sum(&self) -> Amount {
        let paid = self.principal + self.interest + self.late_charges + self.fees;
        paid + self.impound + self.suspense
    }
}

/// A payment being allocated.
struct Distributor<'a> {
    terms: &'a Terms,
    state: State,
    date: NaiveDate,
    rest: Amount,
    parts: Parts,
    applied_suspense: Amount,
    /// Accrued interest beyond that of the due rows.
    accrued: Amount,
    accrued_paid: Amount,
    unbilled_paid: Amount,
    allocations: Vec<Allocation>,
}

impl State {
    /// Posts a payment. Returns the loan afterwards, and the rows.
    pub fn pay(
        &self,
        terms: &Terms,
        interest: &Interest,
        today: NaiveDate,
        payment: &Payment,
    ) -> Result<(Self, PostedRows), Refusal> {
        self.check(terms, today, payment)?;
        let mut state = self.clone();
        state.move_base(terms, interest, payment.date)?;
        let mut distributor = Distributor {
            terms,
            date: payment.date,
            rest: payment.amount,
            parts: Parts::default(),
            applied_suspense: 0,
            accrued: (state.interest - state.billed_interest()).max(0),
            accrued_paid: 0,
            unbilled_paid: 0,
            allocations: Vec::new(),
            state,
        };
        let window = distributor.is_early();
        let excess = payment.excess.unwrap_or(terms.excess);
        match &payment.split {
            _ if payment.payoff => distributor.pay_off(excess)?,
            Some(parts) => distributor.pay_parts(parts)?,
            None => distributor.distribute(window, excess)?,
        }
        if payment.payoff {
            distributor.state.paid_ahead = 0;
        } else if window {
            let ahead = distributor.accrued_paid + distributor.unbilled_paid;
            let ahead = distributor.state.paid_ahead + ahead;
            distributor.state.paid_ahead = ahead.min(terms.installment());
        }
        distributor.finish(interest, payment)
    }

    fn check(&self, terms: &Terms, today: NaiveDate, payment: &Payment) -> Result<(), Refusal> {
        if payment.amount < 0 || (payment.amount == 0 && !payment.payoff) {
            return Err(Refusal::AmountNotPositive);
        }
        if payment.split.is_some() && (payment.payoff || payment.excess.is_some()) {
            return Err(Refusal::InvalidValue);
        }
        if self.paid_off.is_some() || terms.refuses_payments {
            return Err(Refusal::Closed);
        }
        if payment.date > today {
            return Err(Refusal::InFuture);
        }
        self.not_before_base(terms, payment.date)
    }

    /// Refuses a date before the last move of the accrual base.
    pub fn not_before_base(&self, terms: &Terms, date: NaiveDate) -> Result<(), Refusal> {
        let paid = self.last_payment.map_or(self.base_date, |(date, _)| date);
        let earliest = terms.origination.max(self.base_date).max(paid);
        if date < earliest { Err(Refusal::TooEarly(earliest)) } else { Ok(()) }
    }
}

impl Distributor<'_> {
    /// True if the next due date is so near that the payment counts toward its installment.
    fn is_early(&self) -> bool {
        let ahead = self.state.next_due.map(|next| (next - self.date).num_days());
        ahead.is_some_and(|days| 0 < days && days <= self.terms.advance_days)
    }

    fn pay_off(&mut self, excess: ExcessHandling) -> Result<(), Refusal> {
        let state = &self.state;
        let (principal, interest) = (state.principal, state.interest);
        let (late_charges, fees) = (state.late_charges, state.fees);
        let owed = storable(principal + interest + late_charges + fees)?;
        self.applied_suspense = owed.min(state.suspense);
        let needed = owed - self.applied_suspense;
        if self.rest < needed {
            return Err(match self.rest {
                0 => Refusal::AmountNotPositive,
                _ => Refusal::PayoffShort(needed),
            });
        }
        if self.rest > needed && excess != ExcessHandling::Suspense {
            return Err(Refusal::Overpayment(needed));
        }
        self.parts.suspense = self.rest - needed;
        self.rest = owed;
        let billed = state.due_rows.len();
        self.pay_interest_of(0..billed);
        self.pay_accrued();
        self.pay_principal_of(0..billed);
        self.pay_unbilled(principal);
        self.parts.late_charges = late_charges;
        self.parts.fees = fees;
        self.state.paid_off = Some(self.date);
        self.state.next_due = None;
        Ok(())
    }

    fn pay_parts(&mut self, parts: &Parts) -> Result<(), Refusal> {
        if storable(parts.sum())? != self.rest {
            return Err(Refusal::SplitMismatch);
        }
        let state = &self.state;
        for (part, balance) in [
            (parts.principal, state.principal),
            (parts.interest, state.interest),
            (parts.late_charges, state.late_charges),
            (parts.fees, state.fees),
        ] {
            if part > balance {
                return Err(Refusal::ExceedsBalance(balance));
            }
        }
        let billed = state.due_rows.len();
        self.rest = parts.interest;
        self.pay_interest_of(0..billed);
        self.pay_accrued();
        self.rest = parts.principal;
        self.pay_principal_of(0..billed);
        self.pay_unbilled(parts.principal);
        self.parts = *parts;
        Ok(())
    }

    fn distribute(&mut self, window: bool, excess: ExcessHandling) -> Result<(), Refusal> {
        let amount = self.rest;
        let rows = &self.state.due_rows;
        let past = rows.iter().filter(|row| row.date < self.date).count();
        let all = rows.len();
        for item in self.terms.distribution.clone() {
            match item {
                DistributionItem::PastDue => {
                    for row in 0..past {
                        self.pay_interest_of(row..row + 1);
                        self.pay_principal_of(row..row + 1);
                    }
                }
                DistributionItem::PastDueInterest => self.pay_interest_of(0..past),
                DistributionItem::PastDuePrincipal => self.pay_principal_of(0..past),
                DistributionItem::CurrentInterestDue => self.pay_interest_of(past..all),
                DistributionItem::AccruedInterest => self.pay_accrued(),
                DistributionItem::CurrentPrincipal => {
                    self.pay_principal_of(past..all);
                    if window {
                        self.pay_unbilled(self.next_installment());
                    }
                }
                DistributionItem::LateCharges => {
                    self.parts.late_charges = self.take(self.state.late_charges);
                }
                DistributionItem::Fees => self.parts.fees = self.take(self.state.fees),
                DistributionItem::Excess => match excess {
                    ExcessHandling::Principal => self.pay_unbilled(self.state.principal),
                    ExcessHandling::Suspense => self.parts.suspense = self.take(self.rest),
                    ExcessHandling::Reject => {}
                },
            }
        }
        if self.rest > 0 { Err(Refusal::Overpayment(amount - self.rest)) } else { Ok(()) }
    }

    /// The principal that the next installment may take before its due date.
    fn next_installment(&self) -> Amount {
        if self.state.next_due == self.terms.calendar().maturity {
            return self.state.principal;
        }
        let ahead = self.state.paid_ahead + self.accrued_paid;
        (self.terms.installment() - ahead).max(0)
    }

    fn take(&mut self, at_most: Amount) -> Amount {
        let taken = self.rest.min(at_most);
        self.rest -= taken;
        taken
    }

    fn pay_interest_of(&mut self, rows: std::ops::Range<usize>) {
        for index in rows {
            let row = self.state.due_rows[index];
            let amount = self.take(row.unpaid_interest());
            self.state.due_rows[index].interest_paid += amount;
            self.parts.interest += amount;
            self.allocate(124, row.date, amount);
        }
    }

    fn pay_principal_of(&mut self, rows: std::ops::Range<usize>) {
        for index in rows {
            let row = self.state.due_rows[index];
            let amount = self.take(row.unpaid_principal());
            self.state.due_rows[index].principal_paid += amount;
            self.parts.principal += amount;
            self.allocate(122, row.date, amount);
        }
    }

    fn allocate(&mut self, code: i32, due: NaiveDate, amount: Amount) {
        if amount > 0 {
            self.allocations.push(Allocation { code, due, amount });
        }
    }

    fn pay_accrued(&mut self) {
        let amount = self.take(self.accrued - self.accrued_paid);
        self.accrued_paid += amount;
        self.parts.interest += amount;
    }

    fn pay_unbilled(&mut self, at_most: Amount) {
        let billed = self.state.billed_principal();
        let unbilled = self.state.principal - self.parts.principal - billed;
        let amount = self.take(at_most.min(unbilled));
        self.unbilled_paid += amount;
        self.parts.principal += amount;
    }

    /// Moves the balances and writes the rows.
    fn finish(
        mut self,
        interest: &Interest,
        payment: &Payment,
    ) -> Result<(State, PostedRows), Refusal> {
        let parts = self.parts;
        let mut rows = Vec::new();
        for (code, name, amount, sign) in [
            (134, BalanceName::Suspense, self.applied_suspense, -1),
            (122, BalanceName::Principal, parts.principal, -1),
            (124, BalanceName::Interest, parts.interest, -1),
            (126, BalanceName::LateCharge, parts.late_charges, -1),
            (128, BalanceName::Fees, parts.fees, -1),
            (130, BalanceName::Impound, parts.impound, 1),
            (132, BalanceName::Suspense, parts.suspense, 1),
        ] {
            if amount != 0 {
                let resulting = Some(self.state.enter(interest, name, sign * amount)?);
                let balance = Some(name);
                rows.push(Row { code, amount, balance, resulting, effective: self.date });
            }
        }
        self.state.last_payment = Some((self.date, payment.amount));
        self.state.last_activity = Some(self.date);
        let total = Row {
            code: 120,
            amount: payment.amount,
            balance: None,
            resulting: Some(self.state.payoff(interest, self.date)?),
            effective: self.date,
        };
        rows.insert(0, total);
        self.allocations.sort();
        Ok((self.state, PostedRows { rows, allocations: self.allocations }))
    }
}

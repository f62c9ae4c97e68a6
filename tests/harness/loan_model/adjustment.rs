//! Adjustments: entries other than payments that move a balance.

use super::interest::Interest;
use super::{Allocation, Amount, PostedRows, Refusal, Row, State, Terms};
use chrono::NaiveDate;
use shared::entity::loan_transactions::BalanceName;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdjustmentKind {
    /// More principal is paid out.
    Advance,
    /// More principal is drawn from a credit line.
    Draw,
    LateCharge,
    Fee,
    InterestReduction,
    PrincipalWriteOff,
    /// Impound money is paid out.
    ImpoundDisbursement,
    /// Suspense money is paid out.
    SuspenseDisbursement,
    /// A late charge is forgiven.
    LateChargeWaived,
    /// A fee is forgiven.
    FeeWaived,
}

impl AdjustmentKind {
    /// Every kind.
    pub const ALL: [Self; 10] = [
        Self::Advance,
        Self::Draw,
        Self::LateCharge,
        Self::Fee,
        Self::InterestReduction,
        Self::PrincipalWriteOff,
        Self::ImpoundDisbursement,
        Self::SuspenseDisbursement,
        Self::LateChargeWaived,
        Self::FeeWaived,
    ];

    /// Its transaction code, its balance, and whether that grows.
    pub fn posting(self) -> (i32, BalanceName, bool) {
        match self {
            Self::Advance => (100, BalanceName::Principal, true),
            Self::Draw => (110, BalanceName::Principal, true),
            Self::LateCharge => (140, BalanceName::LateCharge, true),
            Self::Fee => (142, BalanceName::Fees, true),
            Self::InterestReduction => (150, BalanceName::Interest, false),
            Self::PrincipalWriteOff => (152, BalanceName::Principal, false),
            Self::ImpoundDisbursement => (154, BalanceName::Impound, false),
            Self::SuspenseDisbursement => (160, BalanceName::Suspense, false),
            Self::LateChargeWaived => (156, BalanceName::LateCharge, false),
            Self::FeeWaived => (158, BalanceName::Fees, false),
        }
    }

    /// True for kinds that pay the borrower's own money out, on closed loans as well.
    pub fn returns_money(self) -> bool {
        matches!(self, Self::ImpoundDisbursement | Self::SuspenseDisbursement)
    }

    /// True for kinds that move principal or interest, and so the accrual base.
    pub fn moves_base(self) -> bool {
        matches!(self.posting().1, BalanceName::Principal | BalanceName::Interest)
    }
}

/// An adjustment as entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Adjustment {
    pub kind: AdjustmentKind,
    pub amount: Amount,
    pub date: NaiveDate,
}

impl State {
    /// Posts an adjustment. Returns the loan afterwards, and the row.
    pub fn adjust(
        &self,
        terms: &Terms,
        interest: &Interest,
        today: NaiveDate,
        adjustment: &Adjustment,
    ) -> Result<(Self, PostedRows), Refusal> {
        let &Adjustment { kind, amount, date } = adjustment;
        if self.paid_off.is_some() && !kind.returns_money() {
            return Err(Refusal::Closed);
        }
        if date > today {
            return Err(Refusal::InFuture);
        }
        if date < terms.origination && !kind.moves_base() {
            return Err(Refusal::TooEarly(terms.origination));
        }
        if kind.moves_base() {
            self.not_before_base(terms, date)?;
        }
        if amount <= 0 {
            return Err(Refusal::AmountNotPositive);
        }
        let mut state = self.clone();
        if kind.moves_base() {
            state.move_base(terms, interest, date)?;
        }
        let (code, balance, grows) = kind.posting();
        let most = *state.balance(balance);
        if !grows && amount > most {
            return Err(Refusal::ExceedsBalance(most));
        }
        let mut allocations = Vec::new();
        if kind == AdjustmentKind::InterestReduction {
            allocations = state.settle_interest(code, amount);
        }
        if kind == AdjustmentKind::PrincipalWriteOff {
            allocations = state.settle_principal(code, amount);
        }
        let change = if grows { amount } else { -amount };
        let resulting = Some(state.enter(interest, balance, change)?);
        state.last_activity = Some(date);
        let row = Row { code, amount, balance: Some(balance), resulting, effective: date };
        Ok((state, PostedRows { rows: vec![row], allocations }))
    }

    fn settle_interest(&mut self, code: i32, mut rest: Amount) -> Vec<Allocation> {
        let mut allocations = Vec::new();
        for row in &mut self.due_rows {
            let amount = rest.min(row.unpaid_interest());
            row.interest_paid += amount;
            rest -= amount;
            allocations.push(Allocation { code, due: row.date, amount });
        }
        allocations.retain(|allocation| allocation.amount > 0);
        allocations
    }

    fn settle_principal(&mut self, code: i32, mut rest: Amount) -> Vec<Allocation> {
        let mut allocations = Vec::new();
        for row in &mut self.due_rows {
            let amount = rest.min(row.unpaid_principal());
            row.principal_paid += amount;
            rest -= amount;
            allocations.push(Allocation { code, due: row.date, amount });
        }
        allocations.retain(|allocation| allocation.amount > 0);
        allocations
    }
}

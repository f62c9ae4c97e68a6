//! Rows of the database in the model's terms.

use crate::loan_model::{Amount, DueRow, Row, State};
use chrono::NaiveDate;
use shared::amounts::Money;
use shared::entity::{loan_transactions, loans, payments_due};

/// A transaction as listed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListedRow {
    pub(super) row: Row,
    pub(super) reference: i64,
    pub(super) reversed: bool,
    pub(super) partner: Option<i64>,
    pub(super) returned: Option<NaiveDate>,
}

pub(super) fn units(money: Money) -> Amount {
    money.units().into()
}

pub(super) fn row(row: &loan_transactions::Model) -> Row {
    Row {
        code: row.transaction_code,
        amount: units(row.transaction_amount),
        balance: row.balance_name,
        resulting: row.resulting_balance.map(units),
        effective: row.effective_date,
    }
}

pub(super) fn listed(stored: &loan_transactions::Model) -> ListedRow {
    ListedRow {
        row: row(stored),
        reference: stored.transaction_reference_no,
        reversed: stored.reversed_flag,
        partner: stored.reversal_transaction_id,
        returned: stored.nsf_date.filter(|_| stored.nsf_flag),
    }
}

pub(super) fn state(loan: &loans::Model, due: &[payments_due::Model]) -> State {
    State {
        principal: units(loan.current_principal_balance),
        interest: units(loan.current_interest_balance),
        late_charges: units(loan.current_late_charge_balance),
        fees: units(loan.current_fees_balance),
        impound: units(loan.current_impound_balance),
        suspense: units(loan.current_suspense_balance),
        accrued_total: loan.interest_accrued_total.units().into(),
        accrued_thru: loan.interest_accrued_thru_date,
        settled: units(loan.interest_settled_total),
        paid_ahead: units(loan.paid_ahead_amount),
        base_date: loan.accrual_base_date,
        base_total: loan.accrual_base_total.units().into(),
        next_due: loan.next_due_date,
        last_payment: loan.last_payment_date.zip(loan.last_payment_amount.map(units)),
        last_activity: loan.last_activity_date,
        paid_off: loan.payoff_date,
        due_rows: due.iter().map(due_row).collect(),
    }
}

fn due_row(row: &payments_due::Model) -> DueRow {
    DueRow {
        date: row.due_date,
        interest: units(row.interest_due),
        principal: units(row.principal_due),
        interest_paid: units(row.interest_paid),
        principal_paid: units(row.principal_paid),
    }
}

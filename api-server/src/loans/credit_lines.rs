//! Credit lines: how much of a line is used, what may be drawn on it, and how draws are counted. A
//! line is locked after its loan.

use crate::audit::{self, Actor, UpdatedRow};
use crate::loans::account::LoanAccount;
use crate::loans::journal::codes;
use crate::loans::refusals::{DrawRefusal, LoanError, LoanRefusal};
use crate::loans::servicing::schedule::Schedule;
use chrono::NaiveDate;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
};
use shared::amounts::{Money, OutOfRange};
use shared::database::batch::{RowUpdate, WriteBatch};
use shared::entity::credit_lines::{self, DrawUntilType};
use shared::entity::loan_transactions;
use shared::entity::loans::{self, LoanType, PaymentPeriod};
use shared::time::Timestamp;
use std::collections::BTreeMap;

/// Transaction code of a main line. A sub-line has the code that it serves.
const MAIN_LINE: i32 = 0;

/// Returns the credit used on a line: the loan's principal balance for the main line of a revolving
/// loan, otherwise the total drawn.
pub fn credit_used(line: &credit_lines::Model, loan: &loans::Model) -> Money {
    match line.transaction_code == MAIN_LINE && loan.loan_type == LoanType::Revolving {
        true => loan.current_principal_balance,
        false => line.draw_total,
    }
}

/// What an entry changes on a credit line.
pub struct CreditLineChange {
    before: credit_lines::Model,
    after: credit_lines::Model,
}

impl CreditLineChange {
    /// Returns the change that a draw of this amount makes.
    pub fn drawn(line: &credit_lines::Model, amount: Money) -> Result<Self, OutOfRange> {
        let draw_total = line.draw_total.plus(amount)?;
        let draw_count = line.draw_count.saturating_add(1);
        Ok(Self::of(line, draw_count, draw_total))
    }

    /// Returns the change that the reversal of a draw of this amount makes.
    pub fn drawn_back(line: &credit_lines::Model, amount: Money) -> Result<Self, OutOfRange> {
        let draw_total = line.draw_total.minus(amount)?;
        let draw_count = line.draw_count.saturating_sub(1);
        Ok(Self::of(line, draw_count, draw_total))
    }

    fn of(line: &credit_lines::Model, draw_count: i32, draw_total: Money) -> Self {
        let before = line.clone();
        Self { after: credit_lines::Model { draw_count, draw_total, ..line.clone() }, before }
    }
}

/// Adds the changes of entries in their order, each with its author, and the lines' field history
/// to these writes. Each line is written once.
pub(super) fn queue(
    writes: &mut WriteBatch,
    now: Timestamp,
    changes: &[(&Actor, CreditLineChange)],
) -> Result<(), DbErr> {
    use credit_lines::Column::{CreditlineId, DrawCount, DrawTotal};
    let last: BTreeMap<i64, &credit_lines::Model> =
        changes.iter().map(|(_, change)| (change.after.creditline_id, &change.after)).collect();
    let rows = last.into_iter().map(|(key, line)| RowUpdate {
        key,
        values: vec![line.draw_count.into(), line.draw_total.into()],
    });
    let rows: Vec<RowUpdate> = rows.collect();
    writes.update(CreditlineId, &[DrawCount, DrawTotal], &rows)?;
    let updates = changes.iter().map(|(author, CreditLineChange { before, after })| UpdatedRow {
        author,
        before,
        after,
    });
    audit::queue_updates(writes, now, updates)
}

pub struct LockedCreditLine {
    pub row: credit_lines::Model,
    /// All lines of its loan: a draw on any of them counts on the main line.
    lines: Vec<credit_lines::Model>,
    /// Effective date of its first draw that is not reversed.
    first_draw: Option<NaiveDate>,
}

impl LockedCreditLine {
    /// Locks a credit line of the loan, whose row must be locked, and the loan's other lines.
    #[expect(clippy::disallowed_methods, reason = "a draw counts on its line, visible or not")]
    pub async fn lock(
        tx: &DatabaseTransaction,
        loan_id: i64,
        creditline_id: i64,
    ) -> Result<Self, LoanError> {
        let lines = credit_lines::Entity::find()
            .filter(credit_lines::Column::LoanId.eq(loan_id))
            .order_by_asc(credit_lines::Column::CreditlineId)
            .lock_exclusive()
            .all(tx)
            .await?;
        let row = lines.iter().find(|line| line.creditline_id == creditline_id).cloned();
        let row = row.ok_or_else(|| {
            LoanError::invalid("Creditline_ID", "is not a credit line of the loan")
        })?;
        let first_draw = match row.draw_until_type {
            DrawUntilType::FromFirstDraw => first_draw(tx, creditline_id).await?,
            _ => None,
        };
        Ok(Self { row, lines, first_draw })
    }

    /// Refuses a draw that the line does not allow: below or above the amount of one draw, beyond a
    /// limit, one too many, or too late.
    pub fn check_draw(
        &self,
        account: &LoanAccount,
        amount: Money,
        effective_date: NaiveDate,
    ) -> Result<(), LoanError> {
        let Self { row: line, .. } = self;
        let refuse = |refusal| Err(LoanError::Refused(LoanRefusal::Draw(refusal)));
        if let Some(least) = line.min_draw_amount.filter(|least| amount < *least) {
            return refuse(DrawRefusal::BelowMinimum(least));
        }
        if let Some(most) = line.max_draw_amount.filter(|most| amount > *most) {
            return refuse(DrawRefusal::AboveMaximum(most));
        }
        for (line, limit, used) in self.limits(&account.loan)? {
            if used.plus(amount)? > limit {
                let available = limit.minus_down_to_zero(used);
                return refuse(DrawRefusal::AboveLimit { line: line.name.clone(), available });
            }
        }
        if let Some(most) = line.max_number_of_draws.filter(|most| line.draw_count >= *most) {
            return refuse(DrawRefusal::TooMany(most));
        }
        match self.last_day(&account.loan).filter(|last_day| effective_date > *last_day) {
            Some(last_day) => refuse(DrawRefusal::TooLate(last_day)),
            None => Ok(()),
        }
    }

    /// Returns the limits that a draw obeys, each with its line and what is used of it: those of the
    /// line, and those of the main line, on which the draws of all lines count.
    fn limits(
        &self,
        loan: &loans::Model,
    ) -> Result<Vec<(&credit_lines::Model, Money, Money)>, OutOfRange> {
        let Self { row, lines, .. } = self;
        let mut drawn = Money::ZERO;
        for line in lines {
            drawn = drawn.plus(line.draw_total)?;
        }
        let mut limits = Vec::new();
        let is_main = |line: &credit_lines::Model| line.transaction_code == MAIN_LINE;
        for line in lines.iter().filter(|line| is_main(line) || *line == row) {
            let total = if is_main(line) { drawn } else { line.draw_total };
            let used = match loan.loan_type {
                LoanType::Revolving => credit_used(line, loan),
                _ => total,
            };
            limits.push((line, line.credit_line_limit, used));
            limits.extend(line.credit_total_draw_limit.map(|limit| (line, limit, total)));
        }
        Ok(limits)
    }

    /// Returns the last day on which draws are allowed; `None` without such a limit.
    fn last_day(&self, loan: &loans::Model) -> Option<NaiveDate> {
        let from = match self.row.draw_until_type {
            DrawUntilType::None => return None,
            DrawUntilType::FixedDate => return self.row.draw_until_date,
            DrawUntilType::FromOrigination => loan.origination_date,
            DrawUntilType::FromFirstDraw => self.first_draw?,
        };
        match self.row.draw_until_period? {
            PaymentPeriod::Maturity => loan.maturity_date,
            period => {
                let schedule = Schedule {
                    period,
                    first_payment_date: Some(from),
                    payment_day: None,
                    maturity_date: None,
                };
                let periods = u32::try_from(self.row.number_of_periods?).ok()?;
                schedule.nth(periods.checked_add(1)?)
            }
        }
    }
}

/// Returns the effective date of a line's first draw that is not reversed.
#[expect(clippy::disallowed_methods, reason = "a draw counts on its line, visible or not")]
async fn first_draw(
    tx: &DatabaseTransaction,
    creditline_id: i64,
) -> Result<Option<NaiveDate>, DbErr> {
    use loan_transactions::Column::{CreditlineId, EffectiveDate, ReversedFlag, TransactionCode};
    loan_transactions::Entity::find()
        .filter(CreditlineId.eq(creditline_id))
        .filter(TransactionCode.eq(codes::DRAW.number))
        .filter(ReversedFlag.eq(false))
        .order_by_asc(EffectiveDate)
        .select_only()
        .column(EffectiveDate)
        .into_tuple()
        .one(tx)
        .await
}

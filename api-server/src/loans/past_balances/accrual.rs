//! Interest of a loan whose terms and status changed, as its field history has them.
//!
//! A change of terms moves the accrual base to the day of the change: interest accrues by the old
//! terms until that day, and by the new ones from then on.

use crate::audit::{Audited, FieldNames};
use crate::loans::account::LoanAccount;
use crate::loans::refusals::LoanError;
use crate::loans::servicing::{Terms, interest};
use crate::loans::snapshots::{LoanSnapshot, TERMS};
use crate::loans::terms::{moves_base, terms};
use chrono::NaiveDate;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
};
use shared::amounts::Money;
use shared::entity::field_changes::{self, Column};
use shared::entity::{loan_status_codes, loans};
use shared::time::{Clock, Timestamp};

/// Column that a payoff sets, and that its reversal or reopening the loan clears.
const PAYOFF_DATE: &str = "payoff_date";
const STATUS: &str = "status_code_id";

/// What one request changed of a loan's terms.
pub(super) struct TermsChange {
    /// Business day of the request.
    day: NaiveDate,
    columns: Vec<ColumnChange>,
}

/// A changed column, with its values in the form in which the field history stores them.
struct ColumnChange {
    name: &'static str,
    old: Option<String>,
    new: Option<String>,
}

impl TermsChange {
    /// Reads the changes of a loan made in a span of time, both ends included, oldest first. At its
    /// beginning the loan was not paid off.
    #[expect(clippy::disallowed_methods, reason = "figures are the same for every caller")]
    pub(super) async fn read(
        db: &impl ConnectionTrait,
        loan_id: i64,
        clock: Clock,
        (since, until): (Option<Timestamp>, Option<Timestamp>),
    ) -> Result<Vec<Self>, DbErr> {
        let fields = columns().map(|column| FieldNames::of(column).field.clone());
        let of_loan = Condition::all()
            .add(Column::LoanId.eq(loan_id))
            .add(Column::TableName.eq(loans::Model::TABLE))
            .add(Column::FieldName.is_in(fields))
            .add_option(since.map(|since| Column::ModifiedDate.gte(since)))
            .add_option(until.map(|until| Column::ModifiedDate.lte(until)));
        let rows = field_changes::Entity::find().filter(of_loan).order_by_asc(Column::RowId);
        let rows = rows.all(db).await?;
        let mut is_paid_off = false;
        let mut changes = Vec::new();
        for rows in rows
            .chunk_by(|a, b| (a.modified_date, &a.request_id) == (b.modified_date, &b.request_id))
        {
            let day = rows.first().map_or(clock.today, |row| clock.day_of(row.modified_date));
            let columns = changed_terms(rows, &mut is_paid_off);
            if !columns.is_empty() {
                changes.push(Self { day, columns });
            }
        }
        Ok(changes)
    }

    /// Returns a loan with the new terms.
    fn apply(&self, loan: &LoanSnapshot) -> Result<LoanSnapshot, LoanError> {
        let columns = self.columns.iter();
        let after = columns.map(|column| (column.name, column.new.as_deref()));
        loan.with_terms(after).map_err(LoanError::defect)
    }

    /// Returns a loan with the old terms.
    pub(super) fn undo(&self, loan: &LoanSnapshot) -> Result<LoanSnapshot, LoanError> {
        let columns = self.columns.iter().rev();
        let before = columns.map(|column| (column.name, column.old.as_deref()));
        loan.with_terms(before).map_err(LoanError::defect)
    }
}

/// Returns the columns whose changes are read.
fn columns() -> impl Iterator<Item = &'static str> {
    TERMS.into_iter().chain([PAYOFF_DATE])
}

/// Returns what one request changed of a loan's terms.
///
/// The terms with which the request booked the loan are no change. Nor is the status of a loan that
/// is paid off: no principal bears interest then. Reopening the loan sets the status that counts from
/// then on; a reversal of the payoff restores the accrual base and the status before it.
fn changed_terms(rows: &[field_changes::Model], is_paid_off: &mut bool) -> Vec<ColumnChange> {
    let mut booked = Vec::new();
    let mut changes: Vec<ColumnChange> = Vec::new();
    let mut status_paid_off = None;
    for row in rows {
        let Some(name) = columns().find(|name| FieldNames::of(name).field == row.field_name) else {
            continue;
        };
        let (old, new) = (row.old_value.clone(), row.new_value.clone());
        let change = ColumnChange { name, old, new };
        match (name, &change.old) {
            (PAYOFF_DATE, None) => {
                *is_paid_off = true;
                let by_payoff = changes.iter().rposition(|change| change.name == STATUS);
                by_payoff.map(|index| changes.remove(index));
            }
            (PAYOFF_DATE, Some(_)) => {
                *is_paid_off = false;
                changes.extend(status_paid_off.take());
            }
            (STATUS, Some(_)) if *is_paid_off => status_paid_off = Some(change),
            (STATUS, None) => booked.push(name),
            (_, None) if booked.contains(&STATUS) && !booked.contains(&name) => booked.push(name),
            _ => changes.push(change),
        }
    }
    changes
}

/// A loan at a point in its past. Replaying changes of terms moves it forward.
pub(super) struct AccruingLoan<'a> {
    account: &'a LoanAccount,
    statuses: Vec<loan_status_codes::Model>,
    /// Terms and accrual base at that point.
    pub(super) loan: LoanSnapshot,
}

impl<'a> AccruingLoan<'a> {
    /// Returns a loan at a point in its past. Reads the statuses unless it has today's and keeps it.
    #[expect(clippy::disallowed_methods, reason = "every user may see the statuses")]
    pub(super) async fn new(
        db: &impl ConnectionTrait,
        account: &'a LoanAccount,
        loan: LoanSnapshot,
        changes: &[TermsChange],
    ) -> Result<Self, DbErr> {
        let keeps_status =
            changes.is_empty() && loan.status_code_id == account.status.status_code_id;
        let statuses = match keeps_status {
            true => vec![account.status.clone()],
            false => loan_status_codes::Entity::find().all(db).await?,
        };
        Ok(Self { account, statuses, loan })
    }

    /// Returns the terms at this point.
    pub(super) fn terms(&self) -> Result<Terms, LoanError> {
        let status = self.status(&self.loan)?;
        let loan = self.loan.restored(&self.account.loan);
        Ok(terms(&loan, status, self.account.terms.rates.clone()))
    }

    /// Moves the accrual base to a later day; this principal bore interest until then.
    pub(super) fn advance(&mut self, principal: Money, to: NaiveDate) -> Result<(), LoanError> {
        let LoanSnapshot { accrual_base_date: from, accrual_base_total: total, .. } = self.loan;
        if from < to {
            let accrued = interest::accrue(&self.terms()?, principal, from, to)?;
            self.loan.accrual_base_total = total.plus(accrued)?;
            self.loan.accrual_base_date = to;
        }
        Ok(())
    }

    /// Applies the changes made up to a day, that day included. The principal is the same throughout.
    pub(super) fn replay(
        &mut self,
        principal: Money,
        changes: &[TermsChange],
        day: NaiveDate,
    ) -> Result<(), LoanError> {
        for change in changes.iter().filter(|change| change.day <= day) {
            let after = change.apply(&self.loan)?;
            if moves_base((&self.loan, self.status(&self.loan)?), (&after, self.status(&after)?)) {
                self.advance(principal, change.day)?;
            }
            self.loan = change.apply(&self.loan)?;
        }
        Ok(())
    }

    fn status(&self, loan: &LoanSnapshot) -> Result<&loan_status_codes::Model, LoanError> {
        let mut statuses = self.statuses.iter();
        let status = statuses.find(|status| status.status_code_id == loan.status_code_id);
        status.ok_or_else(|| LoanError::defect("a loan has no status"))
    }
}

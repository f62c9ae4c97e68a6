//! Interest of a loan whose terms and status changed, as its field history has them.
//!
//! A change of terms moves the accrual base to the day of the change: interest accrues by the old
//! terms until that day, and by the new ones from then on.

use crate::audit::{Audited, FieldNames};
use crate::loans::account::LoanAccount;
use crate::loans::refusals::LoanError;
use crate::loans::servicing::{Terms, interest};
use crate::loans::snapshots::{LoanSnapshot, TERMS};
use crate::loans::terms::{move_base, terms};
use chrono::NaiveDate;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};
use shared::amounts::Money;
use shared::entity::field_changes::{self, Column};
use shared::entity::{loan_status_codes, loans};
use shared::time::{Clock, Timestamp};

/// Column that an entry changes if it closes a loan or reopens it.
const PAYOFF_DATE: &str = "payoff_date";
/// Column of the status.
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
    /// Reads the changes of a loan, oldest first; those before `since` are left out.
    ///
    /// The terms with which a loan is booked are no change. Nor is a status that an entry sets: while
    /// the entry stands, no principal bears interest, and its reversal restores the accrual base.
    #[expect(clippy::disallowed_methods, reason = "no figure depends on who may see a change")]
    pub(super) async fn read(
        db: &impl ConnectionTrait,
        loan_id: i64,
        clock: Clock,
        since: Option<Timestamp>,
    ) -> Result<Vec<Self>, DbErr> {
        let columns = || TERMS.into_iter().chain([PAYOFF_DATE]);
        let fields = columns().map(|column| FieldNames::of(column).field.clone());
        let mut of_loan = field_changes::Entity::find()
            .filter(Column::LoanId.eq(loan_id))
            .filter(Column::TableName.eq(loans::Model::TABLE))
            .filter(Column::FieldName.is_in(fields));
        if let Some(since) = since {
            of_loan = of_loan.filter(Column::ModifiedDate.gte(since));
        }
        let rows = of_loan.order_by_asc(Column::RowId).all(db).await?;
        let of_requests = rows
            .chunk_by(|a, b| (a.modified_date, &a.request_id) == (b.modified_date, &b.request_id));
        let changes = of_requests.map(|rows| {
            let changed = rows.iter().filter_map(|row| {
                let name = columns().find(|name| FieldNames::of(name).field == row.field_name)?;
                Some(ColumnChange { name, old: row.old_value.clone(), new: row.new_value.clone() })
            });
            let mut changed: Vec<ColumnChange> = changed.collect();
            if changed.iter().any(|column| column.name == STATUS && column.old.is_none()) {
                changed.retain(|column| column.old.is_some());
            }
            if changed.iter().any(|column| column.name == PAYOFF_DATE) {
                changed.retain(|column| ![STATUS, PAYOFF_DATE].contains(&column.name));
            }
            let day = rows.first().map_or(clock.today, |row| clock.day_of(row.modified_date));
            Self { day, columns: changed }
        });
        Ok(changes.filter(|change| !change.columns.is_empty()).collect())
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

/// A loan at a point of its past, which moves on with the changes of its terms.
pub(super) struct AccruingLoan<'a> {
    account: &'a LoanAccount,
    statuses: Vec<loan_status_codes::Model>,
    /// Terms and accrual base at that point.
    pub(super) loan: LoanSnapshot,
}

impl<'a> AccruingLoan<'a> {
    /// Returns a loan at a point of its past. Reads the statuses unless it has today's and will keep
    /// it.
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

    /// Moves on with those of these changes that were made by a day; this principal bore interest all
    /// the time.
    pub(super) fn replay(
        &mut self,
        principal: Money,
        changes: &[TermsChange],
        day: NaiveDate,
    ) -> Result<(), LoanError> {
        for change in changes.iter().filter(|change| change.day <= day) {
            let after = change.apply(&self.loan)?;
            if move_base((&self.loan, self.status(&self.loan)?), (&after, self.status(&after)?)) {
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

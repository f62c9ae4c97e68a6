//! Payments due: what each due date of a loan asked for, up to today, and how much of it is paid.
//! Due rows that postings have not stored yet are computed.

use crate::auth::caller::{Caller, RequestContext};
use crate::loans::account::{LoanAccount, READ_ATTEMPTS};
use crate::loans::lookups::LoanLookups;
use crate::loans::refusals::LoanError;
use crate::loans::servicing::DueRow;
use chrono::NaiveDate;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, QueryFilter, QueryOrder, QuerySelect};
use shared::entity::{loans, payments_due};

/// The due dates asked for.
#[derive(Clone, Copy, Debug)]
pub struct DueDates {
    /// Earliest due date, inclusive.
    pub from: Option<NaiveDate>,
    /// Latest due date, inclusive.
    pub to: Option<NaiveDate>,
    /// Only later due dates than this one.
    pub after: Option<NaiveDate>,
}

/// Returns the due rows up to today of a loan that the caller may see, ascending by due date: at
/// least as many as asked for, if there are as many. If an entry is committed between the statements,
/// they are repeated, at most `READ_ATTEMPTS` times; then the loan counts as locked.
pub async fn list(
    (db, lookups): (&impl ConnectionTrait, &LoanLookups),
    RequestContext { caller, clock }: &RequestContext,
    loan_id: i64,
    dates: DueDates,
    limit: u64,
) -> Result<Vec<DueRow>, LoanError> {
    for _ in 0..READ_ATTEMPTS {
        let account = lookups.account(caller, loan_id).await?;
        let rows = rows_of(db, caller, (&account, clock.today), dates, limit).await?;
        let loan = caller.get::<loans::Entity>(db, loan_id).await?;
        if loan == account.loan {
            return Ok(rows);
        }
    }
    Err(LoanError::Locked(None))
}

async fn rows_of(
    db: &impl ConnectionTrait,
    caller: &Caller,
    (account, today): (&LoanAccount, NaiveDate),
    DueDates { from, to, after }: DueDates,
    limit: u64,
) -> Result<Vec<DueRow>, LoanError> {
    use payments_due::Column::{DueDate, LoanId};
    let mut state = account.state.clone();
    state.create_due_rows(&account.terms, today)?;
    let computed = state.due_rows.into_iter().filter(|row| {
        row.row_id.is_none()
            && from.is_none_or(|from| from <= row.due_date)
            && to.is_none_or(|to| row.due_date <= to)
            && after.is_none_or(|after| after < row.due_date)
    });
    let stored = Condition::all()
        .add(LoanId.eq(account.loan.loan_id))
        .add_option(from.map(|from| DueDate.gte(from)))
        .add_option(to.map(|to| DueDate.lte(to)))
        .add_option(after.map(|after| DueDate.gt(after)));
    let stored = caller
        .find::<payments_due::Entity>()
        .filter(stored)
        .order_by_asc(DueDate)
        .limit(limit)
        .all(db)
        .await?;
    Ok(stored.into_iter().map(DueRow::from).chain(computed).collect())
}

impl From<payments_due::Model> for DueRow {
    fn from(row: payments_due::Model) -> Self {
        Self {
            row_id: Some(row.row_id),
            payment_number: row.payment_number,
            due_date: row.due_date,
            interest_due: row.interest_due,
            principal_due: row.principal_due,
            interest_paid: row.interest_paid,
            principal_paid: row.principal_paid,
        }
    }
}

//! Payments due: the amount due on each due date of a loan up to today, and how much of it is paid.
//! Due rows that postings have not stored yet are computed.

use crate::auth::caller::{Caller, RequestContext};
use crate::auth::visibility::Visible;
use crate::loans::account::{PostedColumns, READ_ATTEMPTS};
use crate::loans::lookups::LoanLookups;
use crate::loans::refusals::LoanError;
use crate::loans::servicing::DueRow;
use chrono::NaiveDate;
use sea_orm::sea_query::{ExprTrait, Order, Query};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, FromQueryResult, IdenStatic, Iterable, JoinType,
};
use shared::entity::{loans, payments_due};

/// The requested due dates.
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
/// least as many as requested, if there are as many. If an entry is committed between the statements,
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
        let (posted, stored) = stored(db, caller, loan_id, dates, limit).await?;
        if posted == Some(PostedColumns::of(&account.loan)) {
            let mut state = account.state.clone();
            state.create_due_rows(&account.terms, clock.today)?;
            let computed = state.due_rows.into_iter();
            let computed =
                computed.filter(|row| row.row_id.is_none() && dates.contain(row.due_date));
            return Ok(stored.into_iter().map(DueRow::from).chain(computed).collect());
        }
    }
    Err(LoanError::Locked(None))
}

/// Reads the stored due rows, together with the loan's columns that entries change with them.
async fn stored(
    db: &impl ConnectionTrait,
    caller: &Caller,
    loan_id: i64,
    DueDates { from, to, after }: DueDates,
    limit: u64,
) -> Result<(Option<PostedColumns>, Vec<payments_due::Model>), DbErr> {
    use payments_due::Column::{DueDate, LoanId};
    let asked_for = Condition::all()
        .add(LoanId.into_expr().equals(loans::Column::LoanId.as_column_ref()))
        .add_option(from.map(|from| DueDate.gte(from)))
        .add_option(to.map(|to| DueDate.lte(to)))
        .add_option(after.map(|after| DueDate.gt(after)));
    let select = Query::select()
        .columns(PostedColumns::COLUMNS.map(|column| column.as_column_ref()))
        .columns(payments_due::Column::iter().map(|column| column.as_column_ref()))
        .from(loans::Entity)
        .join(JoinType::LeftJoin, payments_due::Entity, asked_for)
        .and_where(loans::Column::LoanId.eq(loan_id))
        .cond_where(loans::Entity::visible_to(caller))
        .order_by(DueDate.as_column_ref(), Order::Asc)
        .limit(limit)
        .take();
    let names = PostedColumns::COLUMNS.map(|column| column.as_str());
    let (mut posted, mut due_rows) = (None, Vec::new());
    for row in db.query_all(&select).await? {
        posted = Some(PostedColumns::read(&row, names)?);
        due_rows.extend(payments_due::Model::from_query_result_optional(&row, "")?);
    }
    Ok((posted, due_rows))
}

impl DueDates {
    fn contain(&self, due_date: NaiveDate) -> bool {
        self.from.is_none_or(|from| from <= due_date)
            && self.to.is_none_or(|to| due_date <= to)
            && self.after.is_none_or(|after| after < due_date)
    }
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

//! Search for loans: criteria, their order, and the branches by which they are read.

use super::summary::{LoanSummary, summaries};
use crate::auth::caller::{Caller, RequestContext};
use crate::auth::visibility::branches;
use crate::http::business_day_filter::DAYS_BACK_MAX;
use crate::http::keyset::{self, Keyset, SortKey};
use crate::http::pagination::{List, Page};
use chrono::{NaiveDate, TimeDelta};
use sea_orm::sea_query::{Expr, ExprTrait, IntoIden, Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait};
use shared::database;
use shared::entity::{loan_contacts, loan_status_codes, loans, payments_due};
use shared::problem::Problem;
use shared::time::Timestamp;

/// Most statuses that are read as branches of their own.
const STATUS_BRANCHES_MAX: usize = 16;
const BY_MATURITY: SortKey = SortKey::Date("maturityDate");
const BY_MODIFICATION: SortKey = SortKey::Time("modifiedDate");
/// Column that the database keeps: the time of the last change.
const MODIFIED_DATE: &str = "modified_date";
/// Generated column: the due date of a row that is not fully paid.
const UNPAID_DATE: &str = "unpaid_date";

/// Criteria, all of which a loan must meet.
#[derive(Clone, Debug, Default)]
pub struct LoanSearch {
    pub loan_number: Option<String>,
    /// Its borrower, or a contact linked to it.
    pub contact_id: Option<i64>,
    pub status_code: Option<String>,
    pub group_id: Option<i64>,
    pub portfolio_id: Option<i64>,
    /// Its loan officer or collection officer.
    pub officer_id: Option<i64>,
    /// Whether its status closes it.
    pub closed: Option<bool>,
    /// Whether it is closed and still holds money of the borrower.
    pub holds_money: Option<bool>,
    pub matures_from: Option<NaiveDate>,
    pub matures_to: Option<NaiveDate>,
    /// Earliest time of its last change.
    pub modified_since: Option<Timestamp>,
    /// Minimum age of its oldest unpaid installment.
    pub min_past_due_days: Option<i32>,
}

impl LoanSearch {
    /// Returns a page of the loans that the caller may see.
    pub async fn page(
        &self,
        db: &impl ConnectionTrait,
        context: &RequestContext,
        page: &Page,
        order: Option<&str>,
    ) -> Result<List<LoanSummary>, Problem> {
        let latest_due = self.latest_due(context.clock.today)?;
        let mut keyset = Keyset::new(page, self.sort_key(), order)?;
        let Some(statuses) = self.statuses(db, context).await? else {
            return Ok(page.of_some(Vec::new(), false));
        };
        let days_min = self.min_past_due_days.unwrap_or(i32::MIN);
        // Candidates are decided by the arithmetic: as long as none of a page is past due, the next
        // ones are tried.
        loop {
            let branches = self.branches(&keyset, &context.caller, &statuses, latest_due, db);
            let mut positions = keyset.read(db, branches).await?;
            let more = positions.len() > page.rows_max();
            positions.truncate(page.rows_max());
            let ids = positions.iter().map(|position| position.id).collect();
            let mut found = summaries(db, context, ids).await?;
            let rows = positions.iter().filter_map(|position| {
                let summary = found.remove(&position.id)?;
                let is_late = summary.days_past_due() >= days_min;
                is_late.then(|| (position.cursor(), summary))
            });
            let rows: Vec<_> = rows.collect();
            match positions.pop() {
                Some(last) if rows.is_empty() && more => keyset.continue_after(last),
                _ => return Ok(page.of_some(rows, more)),
            }
        }
    }

    /// Returns the statement that finds the ids of a first page of this many rows, to see how a
    /// database plans it; `None` if no status meets the criteria.
    pub async fn first_statement(
        &self,
        db: &impl ConnectionTrait,
        context: &RequestContext,
        rows_max: u64,
    ) -> Result<Option<SelectStatement>, Problem> {
        let latest_due = self.latest_due(context.clock.today)?;
        let keyset = Keyset::first_page(self.sort_key(), rows_max);
        let Some(statuses) = self.statuses(db, context).await? else { return Ok(None) };
        let branches = self.branches(&keyset, &context.caller, &statuses, latest_due, db);
        Ok(keyset.merge(branches))
    }

    /// What the loans are sorted by: the column of a range, or else the id.
    fn sort_key(&self) -> SortKey {
        if self.min_past_due_days.is_some() {
            SortKey::Date("dueDate")
        } else if self.matures_from.is_some() || self.matures_to.is_some() {
            BY_MATURITY
        } else if self.modified_since.is_some() {
            BY_MODIFICATION
        } else {
            SortKey::Id
        }
    }

    /// Returns the latest date on which the oldest unpaid installment may have been due.
    fn latest_due(&self, today: NaiveDate) -> Result<Option<NaiveDate>, Problem> {
        let Some(days) = self.min_past_due_days else { return Ok(None) };
        if !(1..=DAYS_BACK_MAX).contains(&days) {
            let message = format!("must be a whole number from 1 to {DAYS_BACK_MAX}");
            let problem = Problem::bad_request("a parameter is malformed");
            return Err(problem.field("minPastDueDays", message));
        }
        Ok(today.checked_sub_signed(TimeDelta::days(days.into())))
    }

    /// Returns the statuses that the loans may have, empty if they may have any; `None` if no
    /// status meets the criteria.
    async fn statuses(
        &self,
        db: &impl ConnectionTrait,
        context: &RequestContext,
    ) -> Result<Option<Vec<i64>>, Problem> {
        let must_be_closed = self.holds_money == Some(true);
        if self.status_code.is_none() && self.closed.is_none() && !must_be_closed {
            return Ok(Some(Vec::new()));
        }
        let rows = context.caller.find::<loan_status_codes::Entity>().all(db).await?.into_iter();
        let matching = rows.filter(|row| {
            self.status_code.as_ref().is_none_or(|code| *code == row.code)
                && self.closed.is_none_or(|closed| closed == row.closed_flag)
                && (row.closed_flag || !must_be_closed)
        });
        let ids: Vec<i64> = matching.map(|row| row.status_code_id).collect();
        Ok((!ids.is_empty()).then_some(ids))
    }

    /// Returns the branches of the search: those of the caller's visibility, each split by the
    /// alternatives of criteria that several columns may meet, and by what makes a loan past due.
    fn branches(
        &self,
        keyset: &Keyset,
        caller: &Caller,
        statuses: &[i64],
        latest_due: Option<NaiveDate>,
        db: &impl ConnectionTrait,
    ) -> Vec<SelectStatement> {
        let mut conditions = branches::of_loans(caller);
        let sees_all_officers = conditions.len() == 1;
        if let Some(officer_id) = self.officer_id {
            conditions = split(&conditions, &branches::of_officer(officer_id));
        }
        if let Some(contact_id) = self.contact_id {
            conditions = split(&conditions, &of_contact(contact_id));
        }
        let mut filter = self.filter(sees_all_officers, db);
        let by_status = sees_all_officers && self.sort_key() == SortKey::Id;
        if by_status && (1..=STATUS_BRANCHES_MAX).contains(&statuses.len()) {
            let status = |id: &i64| Condition::all().add(loans::Column::StatusCodeId.eq(*id));
            conditions = split(&conditions, &statuses.iter().map(status).collect::<Vec<_>>());
        } else if !statuses.is_empty() {
            let status = criterion(loans::Column::StatusCodeId, sees_all_officers);
            filter = filter.add(status.is_in(statuses.iter().copied()));
        }
        let parts = conditions.into_iter().flat_map(|condition| {
            let condition = condition.add(filter.clone());
            match latest_due {
                Some(latest) => past_due(&condition, latest),
                None => vec![self.sorted(condition)],
            }
        });
        parts.map(|part| keyset.branch(part.rows, part.key, part.id, db)).collect()
    }

    /// Condition: the loan meets the criteria that a single column decides.
    fn filter(&self, sees_all_officers: bool, db: &impl ConnectionTrait) -> Condition {
        use loans::Column::{LoanGroupId, LoanNumber, MaturityDate, PortfolioId};
        let sort_key = self.sort_key();
        let indexed = |is_sorted: bool| sees_all_officers || is_sorted;
        let group = || criterion(LoanGroupId, sees_all_officers);
        let portfolio = || criterion(PortfolioId, sees_all_officers);
        let matures = || criterion(MaturityDate, indexed(sort_key == BY_MATURITY));
        let modified = || criterion(MODIFIED_DATE, indexed(sort_key == BY_MODIFICATION));
        Condition::all()
            .add_option(self.loan_number.as_ref().map(|number| LoanNumber.eq(number)))
            .add_option(self.group_id.map(|id| group().eq(id)))
            .add_option(self.portfolio_id.map(|id| portfolio().eq(id)))
            .add_option(self.holds_money.map(|wanted| match wanted {
                true => holds_money(),
                false => holds_money().not(),
            }))
            .add_option(self.matures_from.map(|from| matures().gte(from)))
            .add_option(self.matures_to.map(|to| matures().lte(to)))
            .add_option(
                self.modified_since.map(|since| modified().gte(database::literal(db, since))),
            )
    }

    /// Returns the loans that meet a condition, with their sort key.
    fn sorted(&self, condition: Condition) -> Part {
        let key = match self.sort_key() {
            SortKey::Id | SortKey::Text(_) => loans::Column::LoanId.into_expr(),
            SortKey::Date(_) => loans::Column::MaturityDate.into_expr(),
            SortKey::Time(_) => criterion(MODIFIED_DATE, true),
        };
        let rows = Query::select().from(loans::Entity).cond_where(condition).take();
        Part { rows, key, id: loans::Column::LoanId.into_expr() }
    }
}

/// Rows of a branch, their sort key and their id.
struct Part {
    rows: SelectStatement,
    key: Expr,
    id: Expr,
}

fn criterion(column: impl IntoIden, indexed: bool) -> Expr {
    keyset::criterion(Expr::col((loans::Entity, column.into_iden())), indexed)
}

/// Condition: the loan is closed and holds impound or suspense money, which is the borrower's.
fn holds_money() -> Expr {
    use loan_status_codes::Column::{ClosedFlag, StatusCodeId};
    use loans::Column::{CurrentImpoundBalance, CurrentSuspenseBalance};
    let closed = Query::select()
        .column(StatusCodeId)
        .from(loan_status_codes::Entity)
        .and_where(ClosedFlag.eq(true))
        .take();
    let holds = CurrentImpoundBalance.gt(0_i64).or(CurrentSuspenseBalance.gt(0_i64));
    holds.and(loans::Column::StatusCodeId.in_subquery(closed))
}

/// Returns each condition together with each of the alternatives.
fn split(conditions: &[Condition], alternatives: &[Condition]) -> Vec<Condition> {
    let together = |condition: &Condition| {
        let condition = condition.clone();
        alternatives.iter().map(move |other| condition.clone().add(other.clone()))
    };
    conditions.iter().flat_map(together).collect()
}

/// Returns the loans whose borrower is the contact, and the others to which it is linked.
fn of_contact(contact_id: i64) -> [Condition; 2] {
    let linked = Query::select()
        .column(loan_contacts::Column::LoanId)
        .from(loan_contacts::Entity)
        .and_where(loan_contacts::Column::ContactId.eq(contact_id))
        .take();
    [
        Condition::all().add(loans::Column::ContactId.eq(contact_id)),
        Condition::all()
            .add(loans::Column::LoanId.in_subquery(linked))
            .add(loans::Column::ContactId.ne(contact_id)),
    ]
}

/// Returns the loans that may have an installment unpaid since this date or earlier, each once and
/// with the earliest such date: those with an unpaid due row, those whose next due row is not
/// written yet, and open ones past maturity, which may owe interest that no due row holds.
fn past_due(condition: &Condition, latest: NaiveDate) -> Vec<Part> {
    use loans::Column::{ClosedDate, LoanId, MaturityDate, NextDueDate};
    let unpaid_date = || Expr::col((payments_due::Entity, UNPAID_DATE));
    let row_loan_id = || payments_due::Column::LoanId.into_expr();
    let with_row = Query::select()
        .from(payments_due::Entity)
        .inner_join(loans::Entity, LoanId.into_expr().eq(row_loan_id()))
        .cond_where(condition.clone())
        .and_where(unpaid_date().lte(latest))
        .and_where(has_unpaid(|earlier| earlier.lt(unpaid_date())).not())
        .take();
    let without_row = || {
        Query::select()
            .from(loans::Entity)
            .cond_where(condition.clone())
            .and_where(has_unpaid(|date| date.lte(latest)).not())
            .take()
    };
    let to_be_written = without_row().and_where(NextDueDate.lte(latest)).take();
    let matured = without_row()
        .and_where(ClosedDate.is_null())
        .and_where(MaturityDate.lte(latest))
        .and_where(NextDueDate.is_null().or(NextDueDate.gt(latest)))
        .take();
    let id = || LoanId.into_expr();
    vec![
        Part { rows: with_row, key: unpaid_date(), id: row_loan_id() },
        Part { rows: to_be_written, key: NextDueDate.into_expr(), id: id() },
        Part { rows: matured, key: MaturityDate.into_expr(), id: id() },
    ]
}

/// Condition: the loan has an unpaid due row whose date meets a condition.
fn has_unpaid(condition: impl FnOnce(Expr) -> Expr) -> Expr {
    const OTHER: &str = "other_due";
    let loan_id = Expr::col((OTHER, payments_due::Column::LoanId));
    let rows = Query::select()
        .expr(Expr::value(1))
        .from_as(payments_due::Entity, OTHER)
        .and_where(loan_id.eq(loans::Column::LoanId.into_expr()))
        .and_where(condition(Expr::col((OTHER, UNPAID_DATE))))
        .take();
    Expr::exists(rows)
}

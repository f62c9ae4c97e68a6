//! `/loans/{loan_id}/payments-due`: the amount due on each due date.

use super::super::Group;
use crate::http::admission::CoreUser;
use crate::http::pagination::{Cursor, List, Page, invalid_cursor};
use crate::loans::payments_due::{self, DueDates};
use crate::loans::servicing::DueRow;
use crate::state::State;
use chrono::NaiveDate;
use poem::web::Data;
use poem_openapi::param::{Path, Query};
use poem_openapi::{Object, OpenApi};
use shared::amounts::{Money, OutOfRange};
use shared::problem::Problem;
use shared::time::Day;
use shared::{interface_names, operations};
use std::sync::Arc;

/// Amounts due on a due date, and how much of them is paid.
#[interface_names]
#[derive(Debug, Object)]
pub struct PaymentDue {
    /// 1 for the loan's first due date.
    payment_number: i32,
    /// Day on which the installment is due.
    due_date: NaiveDate,
    /// Interest portion.
    interest_due: Money,
    /// Principal portion.
    principal_due: Money,
    /// Interest paid, reduced or settled by a payoff.
    interest_paid: Money,
    /// Principal paid, written off or settled by a payoff.
    principal_paid: Money,
    /// Interest and principal due and not paid.
    unpaid_amount: Money,
    /// Days since the due date; 0 if nothing is unpaid.
    days_past_due: i32,
}

impl PaymentDue {
    fn on(today: NaiveDate, row: &DueRow) -> Result<Self, OutOfRange> {
        Ok(Self {
            payment_number: row.payment_number,
            due_date: row.due_date,
            interest_due: row.interest_due,
            principal_due: row.principal_due,
            interest_paid: row.interest_paid,
            principal_paid: row.principal_paid,
            unpaid_amount: row.unpaid()?,
            days_past_due: row.days_past_due(today)?,
        })
    }
}

/// `/loans/{loan_id}/payments-due`
pub struct PaymentsDue;

#[operations]
#[OpenApi(tag = "Group::Loans")]
impl PaymentsDue {
    /// List a loan's payments due.
    ///
    /// One row for each due date up to today, ordered by due date. Later due dates are in the
    /// loan's schedule. Interest accrued after maturity belongs to no due date: it is part of the
    /// loan's `Total_Past_Due_Balance`.
    #[oai(path = "/loans/:loan_id/payments-due", method = "get")]
    async fn list_payments_due(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        /// Earliest due date, inclusive.
        from: Query<Option<Day>>,
        /// Latest due date, inclusive; not before `from`.
        to: Query<Option<Day>>,
        page: Page,
    ) -> Result<List<PaymentDue>, Problem> {
        let (from, to) = (from.0.map(|Day(from)| from), to.0.map(|Day(to)| to));
        if let (Some(from), Some(to)) = (from, to)
            && to < from
        {
            let message = format!("must not be before {from}, the value of from");
            return Err(Problem::out_of_range("to", message));
        }
        let after = page.after()?.map(|[date]| date.parse::<Day>()).transpose();
        let after = after.map_err(|_| invalid_cursor())?.map(|Day(date)| date);
        let dates = DueDates { from, to, after };
        let (reads, limit) = ((&state.reads, state.loans.as_ref()), page.rows_to_fetch());
        let rows = payments_due::list(reads, &admitted, loan_id.0, dates, limit).await?;
        let rows = page.of(rows, |row| Cursor::new(&[&row.due_date]));
        Ok(rows.try_map(|row| PaymentDue::on(admitted.clock.today, &row))?)
    }
}

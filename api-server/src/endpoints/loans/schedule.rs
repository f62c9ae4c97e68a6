//! `/loans/{loan_id}/schedule`: a loan's installments up to maturity.

use super::super::Group;
use crate::http::admission::CoreUser;
use crate::http::pagination::LIMIT_MAX;
use crate::loans::servicing::amortization::{Amortization, AmortizationRow, RowRange};
use crate::state::State;
use chrono::{Months, NaiveDate};
use poem::web::Data;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use shared::amounts::Money;
use shared::problem::{JsonResult, Problem};
use shared::time::Day;
use shared::{interface_names, operations};
use std::sync::Arc;

/// Latest first day, in years after today: weekly rows up to it are computed at once.
const YEARS_AHEAD_MAX: u32 = 100;

/// Installments of a loan, from today to maturity.
#[interface_names]
#[derive(Debug, Object)]
pub struct LoanInstallments {
    loan_id: i64,
    /// Business day on which the schedule begins.
    as_of_date: NaiveDate,
    /// Late charge balance, which is in no row.
    late_charges: Money,
    /// Fee balance, which is in no row.
    fees: Money,
    /// Interest and principal of the rows.
    total_payments: Money,
    /// Interest of the rows.
    total_interest: Money,
    /// Principal of the rows.
    total_principal: Money,
    /// True if no row follows. False if there are more rows than `limit`, or if the schedule never
    /// ends, because the loan has no maturity date and its installments do not exceed its interest.
    complete_flag: bool,
    /// The installments, ascending by date.
    rows: Vec<ScheduledInstallment>,
}

/// An installment to come.
#[interface_names]
#[derive(Debug, Object)]
pub struct ScheduledInstallment {
    /// Number of the due date, continued from the payments due; 0 for everything that is due or
    /// past due today.
    payment_number: i32,
    /// Due date; today for row 0.
    date: NaiveDate,
    /// Interest and principal together.
    payment: Money,
    /// Principal portion.
    principal: Money,
    /// Interest portion.
    interest: Money,
    /// Principal balance after the payment.
    ending_balance: Money,
}

impl From<&AmortizationRow> for ScheduledInstallment {
    fn from(row: &AmortizationRow) -> Self {
        Self {
            payment_number: row.payment_number,
            date: row.date,
            payment: row.payment,
            principal: row.principal,
            interest: row.interest,
            ending_balance: row.ending_balance,
        }
    }
}

/// `/loans/{loan_id}/schedule`
pub struct LoanSchedule;

#[operations]
#[OpenApi(tag = "Group::Loans")]
impl LoanSchedule {
    /// Get a loan's schedule.
    ///
    /// The installments from today to maturity, if each is paid in full on its due date, nothing
    /// else is posted or drawn, and the loan's status does not change. Rates stored for the future
    /// are taken into account, and what was paid ahead lowers the next installment. Row 0 is what
    /// is due or past due today.
    #[oai(path = "/loans/:loan_id/schedule", method = "get")]
    async fn get_loan_schedule(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        /// Only rows on or after this day, at most 100 years ahead; after today, row 0 is left out.
        from: Query<Option<Day>>,
        /// Maximum number of rows, not counting row 0, 1 to 1000; default 1000.
        limit: Query<Option<i32>>,
    ) -> JsonResult<LoanInstallments> {
        let today = admitted.clock.today;
        let range = row_range(today, from.0, limit.0)?;
        let account = state.loans.account(&admitted.caller, loan_id.0).await?;
        let Amortization { rows, complete } =
            account.state.amortization(&account.terms, today, range)?;
        let sum = |part: fn(&AmortizationRow) -> Money| {
            rows.iter().map(part).try_fold(Money::ZERO, Money::plus)
        };
        Ok(Json(LoanInstallments {
            loan_id: loan_id.0,
            as_of_date: today,
            late_charges: account.state.late_charges,
            fees: account.state.fees,
            total_payments: sum(|row| row.payment)?,
            total_interest: sum(|row| row.interest)?,
            total_principal: sum(|row| row.principal)?,
            complete_flag: complete,
            rows: rows.iter().map(ScheduledInstallment::from).collect(),
        }))
    }
}

fn row_range(today: NaiveDate, from: Option<Day>, limit: Option<i32>) -> Result<RowRange, Problem> {
    let refuse = |parameter: &str, message: String| Err(Problem::out_of_range(parameter, message));
    let from = from.map_or(today, |Day(from)| from);
    let latest = today + Months::new(12 * YEARS_AHEAD_MAX);
    if from > latest {
        let message = format!("must not be after {latest}, {YEARS_AHEAD_MAX} years from today");
        return refuse("from", message);
    }
    let limit = limit.map_or(Ok(LIMIT_MAX), u64::try_from);
    match limit {
        Ok(limit @ 1..=LIMIT_MAX) => Ok(RowRange { from, limit: limit as usize }),
        _ => refuse("limit", format!("must be a whole number from 1 to {LIMIT_MAX}")),
    }
}

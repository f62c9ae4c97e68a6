//! `/status`: status of the core system's batch programs.

use super::Group;
use crate::auth::caller::RequestContext;
use crate::http::admission::CoreUser;
use crate::state::State;
use chrono::NaiveDate;
use poem::web::Data;
use poem_openapi::param::Query;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sea_orm::{ColumnTrait, Condition, DbErr, QueryFilter, QueryOrder, QuerySelect};
use shared::amounts::Money;
use shared::entity::batch_failures;
use shared::entity::batch_runs::{self, BatchKind, BatchState, TriggerType};
use shared::interface_names;
use shared::operations;
use shared::problem::{JsonResult, Problem};
use shared::time::{Day, Timestamp};
use std::sync::Arc;

const FAILURES_MAX: u64 = 100;

/// Status of the latest run of a batch program. If there has been no run: `idle`, with counts of 0.
#[interface_names]
#[derive(Debug, Default, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct BatchStatus {
    /// Id of the run.
    batch_id: Option<i64>,
    /// Business day of the run.
    business_date: Option<NaiveDate>,
    state: BatchState,
    trigger_type: Option<TriggerType>,
    started_date: Option<Timestamp>,
    ended_date: Option<Timestamp>,
    started_by_user_id: Option<i64>,
    /// Number of records to process.
    total: i32,
    /// Number of records processed so far.
    processed: i32,
    /// Number of records processed successfully.
    succeeded: i32,
    /// Number of records that failed.
    failed: i32,
    /// Number of records skipped.
    skipped: i32,
    /// Records processed, as a whole percentage; 100 once nothing is left to do.
    percent_done: i32,
    last_error: Option<String>,
    /// The first 100 failures on loans that the caller may see.
    failures: Vec<BatchFailure>,
    /// ACH only: total amount drawn and paid out.
    amount_total: Option<Money>,
    /// ACH only: number of debit entries.
    debit_count: Option<i32>,
    /// ACH only: number of credit entries.
    credit_count: Option<i32>,
    /// ACH only: number of entries the bank returned.
    returned_count: Option<i32>,
    /// ACH only: name of the file sent to the bank.
    file_name: Option<String>,
    /// Accrual only: total interest accrued.
    interest_accrued_total: Option<Money>,
    /// Accrual only: oldest day for which a loan has not been accrued.
    oldest_unaccrued_date: Option<NaiveDate>,
}

/// A loan on which a batch run failed.
#[interface_names]
#[derive(Debug, Object)]
pub struct BatchFailure {
    loan_id: i64,
    code: String,
    message: String,
}

pub struct Status;

#[operations]
#[OpenApi(tag = "Group::Status")]
impl Status {
    /// Get the status of the latest ACH batch.
    #[oai(path = "/status/ach-batch", method = "get")]
    async fn get_ach_batch_status(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// Only the latest run for this business day.
        business_date: Query<Option<Day>>,
    ) -> JsonResult<BatchStatus> {
        latest(&state, &admitted, BatchKind::Ach, business_date.0).await
    }

    /// Get the status of the latest batch interest accrual.
    #[oai(path = "/status/batch-accrual", method = "get")]
    async fn get_batch_accrual_status(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// Only the latest run for this business day.
        business_date: Query<Option<Day>>,
    ) -> JsonResult<BatchStatus> {
        latest(&state, &admitted, BatchKind::Accrual, business_date.0).await
    }
}

async fn latest(
    state: &State,
    admitted: &RequestContext,
    kind: BatchKind,
    business_date: Option<Day>,
) -> Result<Json<BatchStatus>, Problem> {
    use batch_runs::Column::{BatchId, BusinessDate, Kind};
    let condition = Condition::all()
        .add(Kind.eq(kind))
        .add_option(business_date.map(|Day(day)| BusinessDate.eq(day)));
    let runs = admitted.caller.find::<batch_runs::Entity>().filter(condition);
    match runs.order_by_desc(BatchId).one(&state.reads).await? {
        None => Ok(Json(BatchStatus::default())),
        Some(run) => {
            let failures = failures(state, admitted, run.batch_id).await?;
            Ok(Json(BatchStatus::of(run, failures)))
        }
    }
}

async fn failures(
    state: &State,
    admitted: &RequestContext,
    batch_id: i64,
) -> Result<Vec<BatchFailure>, DbErr> {
    use batch_failures::Column;
    let failures = admitted
        .caller
        .find::<batch_failures::Entity>()
        .filter(Column::BatchId.eq(batch_id))
        .order_by_asc(Column::RowId)
        .limit(FAILURES_MAX)
        .all(&state.reads)
        .await?;
    let to_failure = |batch_failures::Model { loan_id, code, message, .. }| BatchFailure {
        loan_id,
        code,
        message,
    };
    Ok(failures.into_iter().map(to_failure).collect())
}

impl BatchStatus {
    fn of(run: batch_runs::Model, failures: Vec<BatchFailure>) -> Self {
        Self {
            percent_done: percent(&run),
            batch_id: Some(run.batch_id),
            business_date: Some(run.business_date),
            state: run.state,
            trigger_type: Some(run.trigger_type),
            started_date: Some(run.started_date),
            ended_date: run.ended_date,
            started_by_user_id: run.started_by_user_id,
            total: run.total,
            processed: run.processed,
            succeeded: run.succeeded,
            failed: run.failed,
            skipped: run.skipped,
            last_error: run.last_error,
            failures,
            amount_total: run.amount_total,
            debit_count: run.debit_count,
            credit_count: run.credit_count,
            returned_count: run.returned_count,
            file_name: run.file_name,
            interest_accrued_total: run.interest_accrued_total,
            oldest_unaccrued_date: run.oldest_unaccrued_date,
        }
    }
}

/// Percentage of records processed. A run without records is complete once it has ended.
fn percent(run: &batch_runs::Model) -> i32 {
    match run.total {
        0 if run.ended_date.is_some() => 100,
        0 => 0,
        total => (i64::from(run.processed) * 100 / i64::from(total)).clamp(0, 100) as i32,
    }
}

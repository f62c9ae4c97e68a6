//! Runs of the core system's batch programs, written by those programs and read by the service.

use crate::amounts::Money;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

#[shared_macros::table("batch_runs")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub batch_id: i64,
    pub kind: BatchKind,
    pub business_date: Date,
    pub state: BatchState,
    pub trigger_type: TriggerType,
    pub started_date: Timestamp,
    pub ended_date: Option<Timestamp>,
    pub started_by_user_id: Option<i64>,
    /// Number of records to process.
    pub total: i32,
    pub processed: i32,
    pub succeeded: i32,
    pub failed: i32,
    pub skipped: i32,
    pub last_error: Option<String>,
    /// ACH only.
    pub amount_total: Option<Money>,
    /// ACH only.
    pub debit_count: Option<i32>,
    /// ACH only.
    pub credit_count: Option<i32>,
    /// ACH only.
    pub returned_count: Option<i32>,
    /// ACH only.
    pub file_name: Option<String>,
    /// Accrual only.
    pub interest_accrued_total: Option<Money>,
    /// Accrual only.
    pub oldest_unaccrued_date: Option<Date>,
}

text_enum! {
    /// Batch program of a run.
    pub enum BatchKind {
        /// ACH debits and credits.
        Ach,
        /// Interest accrual.
        Accrual,
    }

    /// State of a run.
    #[derive(Default)]
    pub enum BatchState {
        /// There has been no run.
        #[default]
        Idle,
        /// The run is in progress.
        Running,
        /// All records were processed.
        Succeeded,
        /// Some records failed.
        Partial,
        /// The run failed as a whole.
        Failed,
    }

    /// Trigger of a run.
    pub enum TriggerType {
        /// Started by a user.
        Manual,
        /// Started by schedule.
        Schedule,
    }
}

//! Runs of the core system's batch programs. They write the rows; the service reads them.

use crate::amounts::Money;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A row of `batch_runs`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "batch_runs")]
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
    /// Records to be processed.
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

no_relations!();

text_enum! {
    /// Which batch program ran.
    pub enum BatchKind {
        /// Drawing and paying by ACH.
        Ach,
        /// Accruing interest.
        Accrual,
    }

    /// How a run stands.
    pub enum BatchState {
        /// There was none.
        Idle,
        /// It is under way.
        Running,
        /// All records went through.
        Succeeded,
        /// Some records failed.
        Partial,
        /// It came to nothing.
        Failed,
    }

    /// What started a run.
    pub enum TriggerType {
        /// A user.
        Manual,
        /// The time of day.
        Schedule,
    }
}

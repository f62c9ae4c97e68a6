//! Imports under an `Idempotency-Key`, with their progress and outcome. A row is kept as long as
//! its key, and that of an interrupted import until the import is complete.

use crate::time::Timestamp;

#[shared_macros::table("import_runs")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub import_id: i64,
    /// Key of the import's row in `idempotency_records`.
    pub key_hash: String,
    /// SHA-256 of the request's query and body.
    pub body_hash: String,
    pub started_date: Timestamp,
    /// `None` until the import is complete.
    pub committed_flag: Option<bool>,
    pub read_count: i64,
    pub inserted_count: i64,
    pub updated_count: i64,
    pub deleted_count: i64,
    pub failed_count: i64,
}

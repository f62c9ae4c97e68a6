//! Import log: the database record of imports under an `Idempotency-Key`: their progress, from
//! which a repeated request resumes, and their results, from which it is replayed.

use super::report::RecordResult;
use super::results::{ImportResponse, Results, Totals};
use crate::command::idempotency::Claim;
use crate::xml_import::refusals::ImportError;
use poem::http::StatusCode;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Query;
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait,
    NotSet, QueryFilter, QueryOrder, QuerySelect,
};
use shared::database;
use shared::entity::{import_records, import_runs};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

const ROWS_AHEAD: u64 = 10;
const ROWS_PER_SWEEP: u64 = 5_000;

/// The results of one record and of the elements in it.
pub type RecordResults = Vec<RecordResult>;

/// An import with a row in `import_runs`.
pub struct ImportRun<'c> {
    claim: &'c Claim,
    import_id: i64,
}

/// Results of the records that an earlier run has done, in the order of the file.
pub struct DoneRecords<'d> {
    db: &'d DatabaseConnection,
    import_id: i64,
    last_row_id: i64,
    results: VecDeque<(RecordResults, bool)>,
}

impl<'c> ImportRun<'c> {
    /// Finds the unfinished run of a claim, or starts a new one.
    pub async fn begin(db: &DatabaseConnection, claim: &'c Claim) -> Result<Self, ImportError> {
        if let Some(run) = find(db, claim.key_hash()).await? {
            if run.committed_flag.is_none() && run.body_hash == claim.fingerprint() {
                return Ok(Self { claim, import_id: run.import_id });
            }
            // Its stored response has expired, or it did nothing. Either way the key was free for
            // this import.
            delete_run(db, run.import_id).await?;
        }
        use import_runs::Column::*;
        let counts = [ReadCount, InsertedCount, UpdatedCount, DeletedCount, FailedCount];
        let values = [claim.key_hash().into(), claim.fingerprint().into(), database::now(db)];
        let insert = Query::insert()
            .into_table(import_runs::Entity)
            .columns([KeyHash, BodyHash, StartedDate].into_iter().chain(counts))
            .values_panic(values.into_iter().chain(counts.map(|_| 0_i64.into())))
            .take();
        db.execute(&insert).await?;
        let run = find(db, claim.key_hash()).await?;
        let run = run.ok_or_else(|| ImportError::defect("the import run just inserted is gone"))?;
        Ok(Self { claim, import_id: run.import_id })
    }

    /// Renews the claim's lease. Fails once another request has the claim: this import may then
    /// write nothing more.
    pub async fn renew(&self, db: &impl ConnectionTrait) -> Result<(), ImportError> {
        Ok(self.claim.renew(db).await?)
    }

    /// Locks and renews the claim in a transaction that stores results: from its commit on, the key
    /// serves no other request. Fails as [`Self::renew`] does.
    pub async fn mark_begun(&self, tx: &DatabaseTransaction) -> Result<(), ImportError> {
        Ok(self.claim.mark_begun(tx).await?)
    }

    /// How often the lease is renewed: every tenth of its length.
    pub fn renewal_interval(&self) -> Duration {
        Duration::from_secs(self.claim.lease_seconds().unsigned_abs()) / 10
    }

    /// Reads the results of the records that an earlier run has done.
    pub fn done<'d>(&self, db: &'d DatabaseConnection) -> DoneRecords<'d> {
        DoneRecords::new(db, self.import_id)
    }

    /// Stores the results of consecutive records, in the transaction that applies them.
    pub async fn store_results(
        &self,
        tx: &DatabaseTransaction,
        record_index: i64,
        records: &[&RecordResults],
    ) -> Result<(), ImportError> {
        let count = i32::try_from(records.len()).map_err(ImportError::defect)?;
        let result = serde_json::to_string(records).map_err(ImportError::defect)?;
        self.insert(tx, record_index, 0, count, result).await
    }

    /// Stores part of the results of a long record, which is done with its last part.
    pub async fn store_results_part(
        &self,
        tx: &DatabaseTransaction,
        record_index: i64,
        part: i32,
        results: &RecordResults,
        last: bool,
    ) -> Result<(), ImportError> {
        let result = serde_json::to_string(&[results]).map_err(ImportError::defect)?;
        self.insert(tx, record_index, part, i32::from(last), result).await
    }

    async fn insert(
        &self,
        tx: &DatabaseTransaction,
        record_index: i64,
        part: i32,
        record_count: i32,
        result: String,
    ) -> Result<(), ImportError> {
        let row = import_records::ActiveModel {
            row_id: NotSet,
            import_id: Set(self.import_id),
            record_index: Set(record_index),
            record_count: Set(record_count),
            part: Set(part),
            result: Set(result),
        };
        import_records::Entity::insert(row).exec_without_returning(tx).await?;
        Ok(())
    }

    /// Stores the results of a file that is one block, and finishes the run.
    pub async fn finish_block(
        &self,
        tx: &DatabaseTransaction,
        response: &ImportResponse,
    ) -> Result<(), ImportError> {
        let mut parts = response.try_clone().map_err(ImportError::defect)?.into_parts();
        let mut index = 0;
        while let Some(results) = parts.recv().await.transpose()? {
            self.store_results(tx, index, &[&results]).await?;
            index += 1;
        }
        self.finish(tx, response).await
    }

    /// Finishes the run and stores the response, in the import's last transaction.
    pub async fn finish(
        &self,
        tx: &DatabaseTransaction,
        response: &ImportResponse,
    ) -> Result<(), ImportError> {
        use import_runs::Column;
        let Totals { read, inserted, updated, deleted, failed } = response.totals;
        import_runs::Entity::update_many()
            .col_expr(Column::CommittedFlag, response.committed.into())
            .col_expr(Column::ReadCount, read.into())
            .col_expr(Column::InsertedCount, inserted.into())
            .col_expr(Column::UpdatedCount, updated.into())
            .col_expr(Column::DeletedCount, deleted.into())
            .col_expr(Column::FailedCount, failed.into())
            .filter(Column::ImportId.eq(self.import_id))
            .exec(tx)
            .await?;
        Ok(self.claim.complete(tx, StatusCode::OK, "").await?)
    }
}

impl<'d> DoneRecords<'d> {
    fn new(db: &'d DatabaseConnection, import_id: i64) -> Self {
        Self { db, import_id, last_row_id: 0, results: VecDeque::new() }
    }

    /// Returns the results of the next record, or of a part of it (a long one is never in memory as
    /// a whole), and whether this is its last part. `None` after the last record that was done.
    pub async fn next(&mut self) -> Result<Option<(RecordResults, bool)>, ImportError> {
        if self.results.is_empty() {
            self.read_ahead().await?;
        }
        Ok(self.results.pop_front())
    }

    #[expect(clippy::disallowed_methods, reason = "the service's own records")]
    async fn read_ahead(&mut self) -> Result<(), ImportError> {
        use import_records::Column::{ImportId, RowId};
        let rows = import_records::Entity::find()
            .filter(ImportId.eq(self.import_id))
            .filter(RowId.gt(self.last_row_id))
            .order_by_asc(RowId)
            .limit(ROWS_AHEAD);
        for row in rows.all(self.db).await? {
            let records: Vec<RecordResults> =
                serde_json::from_str(&row.result).map_err(ImportError::defect)?;
            let is_last = row.record_count > 0;
            self.results.extend(records.into_iter().map(|results| (results, is_last)));
            self.last_row_id = row.row_id;
        }
        Ok(())
    }
}

/// Returns the response of a finished import exactly as it was first sent; `None` if there is no
/// such import.
pub async fn replay(
    db: &DatabaseConnection,
    key_hash: &str,
    directory: &Path,
) -> Result<Option<ImportResponse>, ImportError> {
    let Some(run) = find(db, key_hash).await? else { return Ok(None) };
    let Some(committed) = run.committed_flag else { return Ok(None) };
    let mut results = Results::new(directory)?;
    let mut done = DoneRecords::new(db, run.import_id);
    while let Some((record_results, _)) = done.next().await? {
        results.add(&record_results).await?;
    }
    results.finish(false, committed).await.map(Some)
}

#[expect(clippy::disallowed_methods, reason = "the service's own records")]
async fn find(
    db: &impl ConnectionTrait,
    key_hash: &str,
) -> Result<Option<import_runs::Model>, DbErr> {
    let runs = import_runs::Entity::find();
    runs.filter(import_runs::Column::KeyHash.eq(key_hash)).one(db).await
}

/// Returns how many records of the unfinished import under this key are done.
#[expect(clippy::disallowed_methods, reason = "the service's own records")]
pub async fn records_done(db: &impl ConnectionTrait, key_hash: &str) -> Result<i64, DbErr> {
    let run = find(db, key_hash).await?.filter(|run| run.committed_flag.is_none());
    let Some(run) = run else { return Ok(0) };
    let last = import_records::Entity::find()
        .filter(import_records::Column::ImportId.eq(run.import_id))
        .order_by_desc(import_records::Column::RowId)
        .one(db)
        .await?;
    Ok(last.map_or(0, |last| last.record_index + i64::from(last.record_count)))
}

/// Deletes the run of an import whose key was released.
pub async fn free(db: &impl ConnectionTrait, key_hash: &str) -> Result<(), DbErr> {
    match find(db, key_hash).await? {
        Some(run) => delete_run(db, run.import_id).await,
        None => Ok(()),
    }
}

/// Deletes a run, a limited number of rows per statement, so that no lock is held for long.
#[expect(clippy::disallowed_methods, reason = "the service's own records")]
async fn delete_run(db: &impl ConnectionTrait, import_id: i64) -> Result<(), DbErr> {
    use import_records::Column::{ImportId, RowId};
    loop {
        let row_ids: Vec<i64> = import_records::Entity::find()
            .select_only()
            .column(RowId)
            .filter(ImportId.eq(import_id))
            .order_by_asc(RowId)
            .limit(ROWS_PER_SWEEP)
            .into_tuple()
            .all(db)
            .await?;
        let Some(last) = row_ids.last() else { break };
        import_records::Entity::delete_many()
            .filter(ImportId.eq(import_id))
            .filter(RowId.lte(*last))
            .exec(db)
            .await?;
    }
    import_runs::Entity::delete_by_id(import_id).exec(db).await.map(drop)
}

/// Deletes the runs whose idempotency records have expired.
#[expect(clippy::disallowed_methods, reason = "the service's own records")]
pub async fn sweep(db: &DatabaseConnection) -> Result<(), DbErr> {
    use shared::entity::idempotency_records as keys;
    let live = Query::select().column(keys::Column::KeyHash).from(keys::Entity).take();
    let expired: Vec<i64> = import_runs::Entity::find()
        .select_only()
        .column(import_runs::Column::ImportId)
        .filter(import_runs::Column::KeyHash.not_in_subquery(live))
        .into_tuple()
        .all(db)
        .await?;
    for import_id in expired {
        delete_run(db, import_id).await?;
    }
    Ok(())
}

//! Import runner. Applies new records in batches and all others one by one, in one transaction or
//! in many.

use super::element_fields::{UpdateMode, update_of};
use super::import_log::{ImportRun, RecordResults};
use super::parse::{Element, Piece, XmlFault};
use super::report::RecordResult;
use super::results::{ImportResponse, Results};
use super::{ElementOutcome, Import, ImportMode};
use crate::command::idempotency::Claim;
use crate::http::import_gate::ClosedGate;
use crate::xml_import::refusals::{ImportError, ImportRefusal};
use sea_orm::{DatabaseConnection, DatabaseTransaction};
use shared::database::{self, Tries, galera};
use std::time::Instant;
use tokio::sync::mpsc::Receiver;
use tokio::sync::watch;

/// Groups of pieces of a file, as they are read.
pub type Pieces = Receiver<Result<Vec<Piece>, XmlFault>>;

/// Applies the records of a file and returns the results of all of them.
pub async fn run(
    db: &DatabaseConnection,
    mut import: Import<'_>,
    mode: ImportMode,
    pieces: Pieces,
    claim: Option<&Claim>,
) -> Result<ImportResponse, ImportError> {
    let run = match claim {
        Some(claim) => Some(ImportRun::begin(db, claim).await?),
        None => None,
    };
    let results = Results::new(&import.directory)?;
    let stop = import.stop.take();
    let runner = Runner {
        db,
        import,
        mode,
        run,
        results,
        pieces: PieceSource { receiver: pieces, buffered: Vec::new().into_iter(), stop },
        record_index: 0,
        failed: false,
        applied: false,
        renewed_at: Instant::now(),
    };
    match mode.test || mode.block {
        true => Box::pin(runner.run_as_block()).await,
        false => Box::pin(runner.run_by_record()).await,
    }
}

struct Runner<'a> {
    db: &'a DatabaseConnection,
    import: Import<'a>,
    mode: ImportMode,
    run: Option<ImportRun<'a>>,
    results: Results,
    pieces: PieceSource,
    /// Index of the next record in the file.
    record_index: i64,
    failed: bool,
    applied: bool,
    renewed_at: Instant,
}

/// The pieces of the file, one by one.
struct PieceSource {
    receiver: Pieces,
    buffered: std::vec::IntoIter<Piece>,
    /// Turns true to end the import before its next record.
    stop: Option<watch::Receiver<bool>>,
}

impl PieceSource {
    async fn next(&mut self) -> Result<Option<Piece>, ImportError> {
        if self.stop.as_ref().is_some_and(|stop| *stop.borrow()) {
            return Err(ImportError::Refused(ImportRefusal::Stopped));
        }
        loop {
            if let Some(piece) = self.buffered.next() {
                return Ok(Some(piece));
            }
            match self.receiver.recv().await {
                Some(pieces) => self.buffered = pieces?.into_iter(),
                None => return Ok(None),
            }
        }
    }
}

/// True for a record that only inserts rows, which can be written in a batch.
fn only_inserts(record: &Element) -> bool {
    fn inserts(element: &Element) -> bool {
        let links = element.name == "Collateral" && element.attribute("CollateralID").is_some();
        update_of(element) == UpdateMode::Insert && !links && element.children.iter().all(inserts)
    }
    matches!(record.name.as_str(), "Contact" | "Loan") && inserts(record)
}

impl Runner<'_> {
    async fn run_as_block(mut self) -> Result<ImportResponse, ImportError> {
        let _closed = self.close_gate();
        let tx = self.import.begin_write(self.db).await?;
        self.apply_all(Some(&tx)).await?;
        let Self { db, import, mode, run, mut results, failed, .. } = self;
        let rolled_back = mode.block && failed;
        if rolled_back {
            results.mark_rolled_back();
        }
        let run = run.filter(|_| !mode.test);
        let response = results.finish(mode.test, !rolled_back && !mode.test).await?;
        let tx = match rolled_back || mode.test {
            true => {
                database::roll_back(tx).await?;
                match run {
                    Some(_) => import.begin_write(db).await?,
                    None => return Ok(response),
                }
            }
            false => tx,
        };
        if let Some(run) = run {
            run.finish_block(&tx, &response).await?;
        }
        database::commit(tx).await?;
        Ok(response)
    }

    /// Closes the gate on SQLite, which has one writer: while a transaction lasts longer than a
    /// record, that is this import.
    fn close_gate(&self) -> Option<ClosedGate> {
        let locks_database = database::is_embedded(self.db);
        locks_database.then(|| self.import.gate.close())
    }

    async fn run_by_record(mut self) -> Result<ImportResponse, ImportError> {
        self.skip_done().await?;
        self.apply_all(None).await?;
        let Self { db, import, run, results, applied, .. } = self;
        let committed = applied || results.totals.read == 0;
        let response = results.finish(false, committed).await?;
        if let Some(run) = run {
            database::retry(async || {
                let tx = import.begin_write(db).await?;
                run.finish(&tx, &response).await?;
                Ok::<_, ImportError>(database::commit(tx).await?)
            })
            .await?;
        }
        Ok(response)
    }

    /// Skips the records that an earlier run has done, and adds their stored results.
    async fn skip_done(&mut self) -> Result<(), ImportError> {
        let Some(mut done) = self.run.as_ref().map(|run| run.done(self.db)) else { return Ok(()) };
        let (mut begins, mut failed) = (true, false);
        while let Some((results, ends)) = done.next().await? {
            self.renew().await?;
            if begins {
                self.skip_record(&results).await?;
            }
            failed |= results.iter().any(RecordResult::fails_its_record);
            self.results.add(&results).await?;
            begins = ends;
            if ends {
                self.failed |= failed;
                self.applied |= !failed;
                failed = false;
                self.record_index += 1;
            }
        }
        Ok(())
    }

    /// Skips the next record, whose first results these are.
    async fn skip_record(&mut self, results: &RecordResults) -> Result<(), ImportError> {
        match self.pieces.next().await? {
            Some(Piece::Record(record)) => self.import.restore_ref(&record, results).await,
            Some(Piece::Opened(_)) => {
                while !matches!(self.pieces.next().await?, None | Some(Piece::Closed)) {}
                Ok(())
            }
            _ => Err(ImportError::defect("more records are stored as done than the file has")),
        }
    }

    /// Applies the remaining records. `outer` is the transaction of the whole file, if it has one.
    async fn apply_all(&mut self, outer: Option<&DatabaseTransaction>) -> Result<(), ImportError> {
        let mut batch = Vec::new();
        while let Some(piece) = self.pieces.next().await? {
            match piece {
                Piece::Record(record) if only_inserts(&record) => batch.push(record),
                other => {
                    self.apply_batch(outer, std::mem::take(&mut batch)).await?;
                    match other {
                        Piece::Record(record) => self.apply_one(outer, &record).await?,
                        Piece::Opened(record) => self.apply_long(outer, &record).await?,
                        Piece::Child(_) | Piece::Closed => {
                            return Err(ImportError::defect("a piece arrived outside a record"));
                        }
                    }
                }
            }
            // The end of a group ends the batch.
            if self.pieces.buffered.len() == 0 {
                self.apply_batch(outer, std::mem::take(&mut batch)).await?;
            }
        }
        self.apply_batch(outer, batch).await
    }

    /// Renews the claim on another connection, for an import in one transaction. On SQLite the
    /// write lock keeps others out instead.
    async fn renew(&mut self) -> Result<(), ImportError> {
        let run = self.run.as_ref();
        let run = run.filter(|_| !database::is_embedded(self.db));
        if let Some(run) = run.filter(|run| self.renewed_at.elapsed() > run.renewal_interval()) {
            database::retry(|| run.renew(self.db)).await?;
            self.renewed_at = Instant::now();
        }
        Ok(())
    }

    /// Begins a transaction that renews and locks the claim.
    async fn begin(&mut self) -> Result<DatabaseTransaction, ImportError> {
        let tx = self.import.begin_write(self.db).await?;
        if let Some(run) = &self.run {
            run.mark_begun(&tx).await?;
        }
        self.import.clock = database::clock(&tx).await?;
        Ok(tx)
    }

    /// Begins the transaction of a long record. It locks the claim only with its last statement:
    /// until then the claim is renewed on another connection, which would wait for this
    /// transaction if it held the row.
    async fn begin_long(&mut self) -> Result<DatabaseTransaction, ImportError> {
        let tx = self.import.begin_write(self.db).await?;
        self.import.clock = database::clock(&tx).await?;
        Ok(tx)
    }

    /// Applies new records as a batch or, if that runs into a conflict or a lock, one by one.
    async fn apply_batch(
        &mut self,
        outer: Option<&DatabaseTransaction>,
        records: Vec<Element>,
    ) -> Result<(), ImportError> {
        if records.is_empty() {
            return Ok(());
        }
        // A cluster has no savepoints, so a failed batch could not be rolled back within the
        // transaction of the file.
        if !outer.is_some_and(galera::is_node) {
            match self.try_batch(outer, &records).await {
                Err(error)
                    if matches!(error, ImportError::Conflict)
                        || outer.is_none() && error.is_blocked() =>
                {
                    self.import.discard_batch();
                }
                outcome => return outcome.map_err(ImportError::at_no_row),
            }
        }
        for record in &records {
            self.apply_one(outer, record).await?;
        }
        Ok(())
    }

    async fn try_batch(
        &mut self,
        outer: Option<&DatabaseTransaction>,
        records: &[Element],
    ) -> Result<(), ImportError> {
        self.import.hash_passwords(records).await?;
        let tx = match outer {
            Some(outer) => {
                self.renew().await?;
                let savepoint = database::begin_part(outer).await?;
                savepoint.ok_or_else(|| ImportError::defect("a batch needs a savepoint"))?
            }
            None => self.begin().await?,
        };
        let outcomes = match self.import.within(&tx).batch(records).await {
            Ok(outcomes) => outcomes,
            Err(error) => {
                let error = database::failed(&tx, error).await;
                // May fail: a deadlock has already rolled back everything, savepoints included.
                let _ = tx.rollback().await;
                return Err(error);
            }
        };
        if let Some(run) = self.run.as_ref().filter(|_| outer.is_none()) {
            let results: Vec<&RecordResults> =
                outcomes.iter().map(|applied| &applied.results).collect();
            run.store_results(&tx, self.record_index, &results).await?;
        }
        database::commit(tx).await?;
        for applied in &outcomes {
            self.add_outcome(applied).await?;
        }
        self.import.store_refs().await
    }

    async fn add_outcome(&mut self, applied: &ElementOutcome) -> Result<(), ImportError> {
        self.record_index += 1;
        self.failed |= applied.failed;
        self.applied |= !applied.failed;
        self.results.add(&applied.results).await
    }

    /// Applies one record, and retries when another transaction blocks it.
    async fn apply_one(
        &mut self,
        outer: Option<&DatabaseTransaction>,
        record: &Element,
    ) -> Result<(), ImportError> {
        let mut tries = Tries::begin();
        let applied = loop {
            let outcome = self.try_one(outer, record).await;
            let retry = outer.is_none() && outcome.as_ref().is_err_and(ImportError::is_blocked);
            if !retry || !tries.another().await {
                break outcome.map_err(ImportError::at_no_row)?;
            }
            self.import.discard_batch();
        };
        self.add_outcome(&applied).await?;
        self.import.store_refs().await
    }

    async fn try_one(
        &mut self,
        outer: Option<&DatabaseTransaction>,
        record: &Element,
    ) -> Result<ElementOutcome, ImportError> {
        self.import.hash_passwords(std::slice::from_ref(record)).await?;
        let Some(outer) = outer else {
            let tx = self.begin().await?;
            let applied = match self.import.within(&tx).record_alone(record).await {
                Ok(applied) => applied,
                Err(error) => return Err(database::failed(&tx, error).await),
            };
            let tx = match applied.failed {
                true => {
                    database::roll_back(tx).await?;
                    self.begin().await?
                }
                false => tx,
            };
            if let Some(run) = &self.run {
                run.store_results(&tx, self.record_index, &[&applied.results]).await?;
            }
            database::commit(tx).await?;
            return Ok(applied);
        };
        self.renew().await?;
        // Without savepoints, what a failed record has written is rolled back with the file.
        let Some(savepoint) = database::begin_part(outer).await? else {
            return self.import.within(outer).record_alone(record).await;
        };
        let applied = self.import.within(&savepoint).record_alone(record).await?;
        match applied.failed {
            true => savepoint.rollback().await?,
            false => database::commit(savepoint).await?,
        }
        Ok(applied)
    }

    /// Applies a record that is too long to hold in memory, all or nothing.
    async fn apply_long(
        &mut self,
        outer: Option<&DatabaseTransaction>,
        head: &Element,
    ) -> Result<(), ImportError> {
        let _closed = outer.is_none().then(|| self.close_gate());
        let inner = match outer {
            Some(outer) => database::begin_part(outer).await?,
            None => Some(self.begin_long().await?),
        };
        let Some(tx) = inner.as_ref().or(outer) else {
            return Err(ImportError::defect("a long record needs a transaction"));
        };
        let mut results = Results::new(&self.import.directory)?;
        let (mut open_record, head_results) = self.import.open_record(head);
        results.add(&head_results).await?;
        while let Some(Piece::Child(child)) = self.pieces.next().await? {
            self.renew().await?;
            let applied = self.import.within(tx).apply_payment(&mut open_record, &child).await;
            results.add(&applied.map_err(ImportError::at_no_row)?).await?;
        }
        let failed = open_record.failed;
        if failed {
            results.mark_rolled_back();
        }
        let own = match (inner, outer) {
            (Some(inner), None) if failed => {
                database::roll_back(inner).await?;
                Some(self.begin_long().await?)
            }
            (Some(inner), Some(_)) => {
                match failed {
                    true => inner.rollback().await?,
                    false => database::commit(inner).await?,
                }
                None
            }
            (own, _) => own,
        };
        self.copy(own.as_ref(), results).await?;
        if let Some(tx) = own {
            if let Some(run) = &self.run {
                run.mark_begun(&tx).await?;
            }
            database::commit(tx).await?;
        }
        self.failed |= failed;
        self.applied |= !failed;
        self.record_index += 1;
        self.import.store_refs().await
    }

    /// Adds the results of a long record to the response, and stores them in `own`, the record's
    /// own transaction, if it has one.
    async fn copy(
        &mut self,
        own: Option<&DatabaseTransaction>,
        results: Results,
    ) -> Result<(), ImportError> {
        let mut parts = results.finish(false, true).await?.into_parts();
        let mut part = 0;
        let mut next = parts.recv().await.transpose()?.unwrap_or_default();
        loop {
            let following = parts.recv().await.transpose()?;
            if let (Some(tx), Some(run)) = (own, &self.run) {
                let last = following.is_none();
                run.store_results_part(tx, self.record_index, part, &next, last).await?;
            }
            self.results.add(&next).await?;
            part += 1;
            match following {
                Some(following) => next = following,
                None => return Ok(()),
            }
        }
    }
}

//! Garbage collection: the sweep that removes orphans, which are objects without a row, left by
//! interrupted uploads and removals.
//!
//! Ages are measured by the store's own time: each sweep writes the object that says which database
//! the store belongs to, see [`lease`](super::lease), and reads the time that the object got.

use super::{DocumentStore, in_one_line, orphans};
use chrono::TimeDelta;
use futures_util::TryStreamExt;
use object_store::Error;
use sea_orm::{DatabaseConnection, DbErr};
use shared::db;
use std::fmt::{self, Display};

/// Minimum age of an orphan to be removed, in hours: the row of a younger one may be about to be
/// written.
pub const ORPHAN_HOURS_MIN: u32 = 24;

/// How far apart the clocks of the store and the database may be.
const CLOCKS_APART_MAX: TimeDelta = TimeDelta::hours(1);

/// Reason why the store and the database could not be compared.
#[derive(Debug)]
pub enum GcError {
    Store(Error),
    Database(DbErr),
    /// The store belongs to another database.
    OtherOwner,
    /// The store's clock and the database's differ.
    Clocks,
    /// The store has no owner, although the database's store has one.
    NoOwner,
}

impl Display for GcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(f, "the object store: {}", in_one_line(error)),
            Self::Database(error) => write!(f, "the database: {error}"),
            Self::OtherOwner => f.write_str(
                "the object store now belongs to another database (this one is a copy, or was \
                 restored from an older dump): nothing is removed; give this database a separate \
                 store, or, if the store belongs to it from now on, run `installer documents \
                 adopt`",
            ),
            Self::Clocks => f.write_str(
                "the clocks of the object store and the database are more than an hour apart: \
                 nothing is removed",
            ),
            Self::NoOwner => f.write_str(
                "this is not the database's object store, which has its name in it: mount it, \
                 correct API_DOCUMENTS, or, if this store belongs to the database from now on, run \
                 `installer documents adopt`",
            ),
        }
    }
}

impl std::error::Error for GcError {}

impl From<Error> for GcError {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl From<DbErr> for GcError {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

/// Result of a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GcReport {
    pub removed: u64,
    /// Objects that could not be removed.
    pub left: u64,
}

impl DocumentStore {
    /// Removes orphans and unfinished uploads that are at least `hours` old. Does nothing if
    /// another server begins a sweep at the same moment.
    pub async fn sweep(&self, db: &DatabaseConnection, hours: u32) -> Result<GcReport, GcError> {
        let Some(now) = self.renew_lease(db).await? else { return Ok(GcReport::default()) };
        if (db::time(db).await?.0 - now).abs() > CLOCKS_APART_MAX {
            return Err(GcError::Clocks);
        }
        let cutoff = now - TimeDelta::hours(i64::from(hours));
        let mut report = GcReport::default();
        let mut orphans = std::pin::pin!(self.orphans(db, Some(cutoff)));
        while let Some(orphans) = orphans.try_next().await? {
            let total = orphans.len() as u64;
            let left = self.remove(orphans.into_iter().map(|orphan| orphan.key).collect()).await;
            report.removed += total - left;
            report.left += left;
        }
        match self.folder.clone() {
            Some(folder) => orphans::remove_unfinished(folder, cutoff, report).await,
            // In a bucket a lifecycle rule removes them.
            None => Ok(report),
        }
    }
}

//! Garbage collection: the sweep that removes orphans, which are objects without a row, left by
//! interrupted uploads and removals.
//!
//! Ages are measured by the store's own time: each sweep writes the object that says which database
//! the store belongs to, see [`lease`](super::lease), and reads the time that the object got.

use super::gc_report::{GcError, GcReport};
use super::{DocumentStore, orphans};
use chrono::TimeDelta;
use futures_util::TryStreamExt;
use sea_orm::DatabaseConnection;
use shared::database;

/// Minimum age of an orphan to be removed, in hours: the row of a younger one may be about to be
/// written.
pub const ORPHAN_HOURS_MIN: u32 = 24;

/// How far apart the clocks of the store and the database may be.
const CLOCKS_APART_MAX: TimeDelta = TimeDelta::hours(1);

impl DocumentStore {
    /// Removes orphans and unfinished uploads that are at least `hours` old. Does nothing if
    /// another server begins a sweep at the same moment.
    pub async fn sweep(&self, db: &DatabaseConnection, hours: u32) -> Result<GcReport, GcError> {
        let Some(now) = self.renew_lease(db).await? else { return Ok(GcReport::default()) };
        if (database::time(db).await?.0 - now).abs() > CLOCKS_APART_MAX {
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

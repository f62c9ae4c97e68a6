//! Objects without a row, of uploads and removals that were cut short, are removed.
//!
//! The store tells what time it is there: each sweep writes the object that says which database the
//! store belongs to, see [`owner`](super::owner), and looks at the time it got.

use super::{DocumentStore, in_one_line, leftovers};
use chrono::TimeDelta;
use futures_util::TryStreamExt;
use object_store::Error;
use sea_orm::{DatabaseConnection, DbErr};
use std::fmt::{self, Display};

/// How old an object without a row is at least when it is removed: its row may be on its way.
pub const ORPHAN_HOURS_MIN: u32 = 24;

/// Why store and database could not be compared.
#[derive(Debug)]
pub enum Fault {
    /// The store could not be asked.
    Store(Error),
    /// The database could not be asked.
    Database(DbErr),
    /// The store belongs to another database.
    OtherOwner,
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(f, "the object store: {}", in_one_line(error)),
            Self::Database(error) => write!(f, "the database: {error}"),
            Self::OtherOwner => f.write_str(
                "the object store has moved on with another database (a copy, or this one was \
                 restored from an older dump): nothing is removed; give this one a store of its \
                 own, or, if the store is this one's from now on, say so with `installer documents \
                 adopt`",
            ),
        }
    }
}

impl std::error::Error for Fault {}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Store(error)
    }
}

impl From<DbErr> for Fault {
    fn from(error: DbErr) -> Self {
        Self::Database(error)
    }
}

/// What a sweep did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Objects that it removed.
    pub removed: u64,
    /// Objects that it should have removed and could not.
    pub left: u64,
}

impl Swept {
    pub(super) fn add(&mut self, of: u64, left: u64) {
        self.removed += of - left;
        self.left += left;
    }
}

impl DocumentStore {
    /// Removes objects that have no row, and unfinished uploads, that are at least so old. Nothing
    /// where another server begins to at the same moment.
    pub async fn sweep(&self, db: &DatabaseConnection, hours: u32) -> Result<Swept, Fault> {
        let Some(now) = self.move_on(db).await? else { return Ok(Swept::default()) };
        let old = now - TimeDelta::hours(i64::from(hours));
        let mut swept = Swept::default();
        let mut orphans = std::pin::pin!(self.orphans(db, Some(old)));
        while let Some(orphans) = orphans.try_next().await? {
            let keys: Vec<String> = orphans.into_iter().map(|orphan| orphan.key).collect();
            swept.add(keys.len() as u64, self.remove(keys).await);
        }
        // In a bucket a lifecycle rule removes them.
        if let Some(folder) = self.folder.clone() {
            leftovers::remove_unfinished(folder, old, &mut swept).await?;
        }
        Ok(swept)
    }
}

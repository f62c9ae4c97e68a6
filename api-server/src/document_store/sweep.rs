//! Objects without a row, of uploads and removals that were cut short, are removed.
//!
//! The store tells what time it is there: each sweep writes an object of its own and looks at the
//! time it got. The same object says which database the store belongs to, so that a server which
//! was pointed at another installation's store by mistake removes nothing.

use super::{DocumentStore, in_one_line, in_time, leftovers};
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt};
use sea_orm::sea_query::Query;
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr};
use shared::entity::settings;
use std::fmt::{self, Display};

/// How old an object without a row is at least when it is removed: its row may be on its way.
pub const ORPHAN_HOURS_MIN: u32 = 24;
/// The object that says whose store it is.
const OWNER: &str = "owner";
/// The setting that names the store of a database.
pub const STORE_ID: &str = "document_store_id";

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
                "the object store belongs to another database: nothing in it is removed; give \
                 this one a store of its own, or delete the object \"owner\" if the store is this \
                 database's",
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
    /// Removes objects that have no row, and unfinished uploads, that are at least so old.
    pub async fn sweep(&self, db: &DatabaseConnection, hours: u32) -> Result<Swept, Fault> {
        let now = self.now(db).await?;
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

    /// Refuses a store that is not there, does not answer or belongs to another database.
    pub async fn check_owner(&self, db: &DatabaseConnection) -> Result<(), Fault> {
        match self.owner().await? {
            Some(owner) if owner != store_id(db).await?.as_bytes() => Err(Fault::OtherOwner),
            Some(_) => Ok(()),
            // A bucket that is not there has no owner either, and cannot be listed.
            None => match in_time(self.objects.list(None).next()).await? {
                Some(Err(error)) => Err(error.into()),
                Some(Ok(_)) | None => Ok(()),
            },
        }
    }

    /// What the store says whose it is; nothing before the first sweep.
    pub(super) async fn owner(&self) -> Result<Option<Bytes>, Error> {
        let path = Path::from(OWNER);
        let read = async { self.objects.get(&path).await?.bytes().await };
        match in_time(read).await? {
            Ok(owner) => Ok(Some(owner)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The store's own time, if the store is this database's.
    async fn now(&self, db: &DatabaseConnection) -> Result<DateTime<Utc>, Fault> {
        let own = store_id(db).await?;
        if self.owner().await?.is_some_and(|owner| owner != own.as_bytes()) {
            return Err(Fault::OtherOwner);
        }
        let path = Path::from(OWNER);
        self.objects.put(&path, Bytes::from(own).into()).await?;
        Ok(self.objects.head(&path).await?.last_modified)
    }
}

/// What the database calls its store.
async fn store_id(db: &DatabaseConnection) -> Result<String, DbErr> {
    let select = Query::select()
        .column(settings::Column::Value)
        .from(settings::Entity)
        .and_where(settings::Column::Name.eq(STORE_ID))
        .take();
    let row = db.query_one(&select).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound(format!("the setting {STORE_ID}")))?;
    row.try_get("", "value")
}

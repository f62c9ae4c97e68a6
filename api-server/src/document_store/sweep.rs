//! Objects without a row, of uploads and removals that were cut short: found and removed.
//!
//! The store tells what time it is there: each sweep writes an object of its own and looks at the
//! time it got. The same object says which database the store belongs to, so that a server which
//! was pointed at another installation's store by mistake removes nothing.

use super::{DocumentStore, key, path};
use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt};
use sea_orm::sea_query::Query;
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr};
use shared::entity::{document_files, settings};
use std::collections::HashSet;
use std::fmt::{self, Display};
use std::path::PathBuf;

/// How old an object without a row is at least when it is removed: its row may be on its way.
pub const ORPHAN_HOURS_MIN: u32 = 24;
/// Objects whose rows are looked for together.
const OBJECTS_AT_ONCE: usize = 500;
/// The object that says whose store it is.
const OWNER: &str = "owner";
/// The setting that names the store of a database.
pub const STORE_ID: &str = "document_store_id";

/// Why objects could not be swept.
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
            Self::Store(error) => write!(f, "the object store: {error}"),
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

impl DocumentStore {
    /// Removes objects that have no row and are at least so old; tells how many.
    pub async fn sweep(&self, db: &DatabaseConnection, hours: u32) -> Result<u64, Fault> {
        let now = self.now(db).await?;
        let old = now - TimeDelta::hours(i64::from(hours));
        let mut removed = self.remove_unfinished(old).await;
        let objects = self.objects.list(None).try_filter_map(|object| async move {
            let aged = object.last_modified <= old;
            Ok(key(&object.location).filter(|_| aged).map(str::to_owned))
        });
        let mut objects = std::pin::pin!(objects.try_chunks(OBJECTS_AT_ONCE));
        while let Some(keys) = objects.next().await {
            let keys = keys.map_err(|error| error.1)?;
            let orphans = without_row(db, keys).await?;
            removed += orphans.len() as u64;
            self.remove(orphans).await;
        }
        Ok(removed)
    }

    /// The keys of all objects that have no row, however young.
    pub async fn orphans(&self, db: &DatabaseConnection) -> Result<Vec<String>, Fault> {
        let objects = self.objects.list(None);
        let keys = objects
            .try_filter_map(|object| async move { Ok(key(&object.location).map(str::to_owned)) });
        let mut keys = std::pin::pin!(keys.try_chunks(OBJECTS_AT_ONCE));
        let mut orphans = Vec::new();
        while let Some(keys) = keys.next().await {
            orphans.extend(without_row(db, keys.map_err(|error| error.1)?).await?);
        }
        Ok(orphans)
    }

    /// The store's own time, if the store is this database's.
    async fn now(&self, db: &DatabaseConnection) -> Result<DateTime<Utc>, Fault> {
        let own = store_id(db).await?;
        let path = Path::from(OWNER);
        match self.objects.get(&path).await {
            Ok(found) => {
                if found.bytes().await? != own.as_bytes() {
                    return Err(Fault::OtherOwner);
                }
            }
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        self.objects.put(&path, Bytes::from(own).into()).await?;
        Ok(self.objects.head(&path).await?.last_modified)
    }

    /// Parts of uploads that never became objects. In a bucket a lifecycle rule removes them.
    async fn remove_unfinished(&self, old: DateTime<Utc>) -> u64 {
        let Some(folder) = self.folder.clone() else { return 0 };
        let removed = tokio::task::spawn_blocking(move || remove_unfinished(folder, old)).await;
        match removed {
            Ok(Ok(removed)) => removed,
            Ok(Err(error)) => {
                tracing::warn!(%error, "unfinished uploads could not be removed");
                0
            }
            Err(error) => {
                tracing::warn!(%error, "unfinished uploads could not be removed");
                0
            }
        }
    }
}

/// Which of these keys no file has.
async fn without_row(db: &DatabaseConnection, keys: Vec<String>) -> Result<Vec<String>, DbErr> {
    use document_files::Column::ObjectKey;
    let select = Query::select()
        .column(ObjectKey)
        .from(document_files::Entity)
        .and_where(ObjectKey.is_in(&keys))
        .take();
    let rows = db.query_all(&select).await?;
    let kept: Result<HashSet<String>, DbErr> =
        rows.iter().map(|row| row.try_get("", "object_key")).collect();
    let kept = kept?;
    Ok(keys.into_iter().filter(|key| !kept.contains(key)).collect())
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

/// The folder's implementation writes an object beside its place first, behind a `#` and a number.
fn remove_unfinished(folder: PathBuf, old: DateTime<Utc>) -> std::io::Result<u64> {
    let mut removed = 0;
    for shelf in std::fs::read_dir(folder)? {
        let shelf = shelf?;
        if !shelf.file_type()?.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(shelf.path())? {
            let file = file?;
            let name = file.file_name().to_string_lossy().into_owned();
            let unfinished = name.split_once('#').is_some_and(|(name, _)| {
                key(&path(name)).is_some()
                    && shelf.file_name() == *name.get(..2).unwrap_or_default()
            });
            // One that is gone was finished meanwhile.
            let Some(modified) = file.metadata().ok().and_then(|data| data.modified().ok()) else {
                continue;
            };
            if unfinished && DateTime::<Utc>::from(modified) <= old {
                std::fs::remove_file(file.path())?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

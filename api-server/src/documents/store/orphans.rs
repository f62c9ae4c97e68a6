//! Orphans and unfinished uploads: what is in the store and belongs to no file.

use super::gc_report::{GcError, GcReport};
use super::{DocumentStore, key, path};
use chrono::{DateTime, Utc};
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt, TryStreamExt, future};
use object_store::path::Path as ObjectPath;
use object_store::{Error, ObjectMeta};
use sea_orm::sea_query::Query;
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr};
use shared::entity::document_files;
use std::collections::HashSet;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const OBJECTS_PER_QUERY: usize = 500;

/// An object without a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Orphan {
    /// Key of the object.
    pub key: String,
    pub size_bytes: u64,
}

/// Uploads that have not become objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// Number of uploads, including those in progress.
    pub uploads: u64,
    /// Total size in bytes.
    pub bytes: u64,
}

impl DocumentStore {
    /// Streams the orphans in batches: all of them, or those no newer than an instant.
    pub fn orphans(
        &self,
        db: &DatabaseConnection,
        cutoff: Option<DateTime<Utc>>,
    ) -> impl Stream<Item = Result<Vec<Orphan>, GcError>> {
        let objects = self.list().try_filter_map(move |object| {
            let is_old = cutoff.is_none_or(|cutoff| object.last_modified <= cutoff);
            let key = key(&object.location).filter(|_| is_old);
            let size_bytes = object.size;
            future::ok(key.map(|key| Orphan { key: key.to_owned(), size_bytes }))
        });
        let batches =
            objects.try_chunks(OBJECTS_PER_QUERY).map_err(|error| GcError::Store(error.1));
        batches.and_then(async |objects| Ok(without_row(db, objects).await?))
    }

    /// Lists the folders of objects. A folder may contain others that cannot be read, such as the
    /// `lost+found` of a disk.
    pub(super) fn list(&self) -> BoxStream<'static, object_store::Result<ObjectMeta>> {
        if self.folder.is_none() {
            return self.objects.list(None);
        }
        let objects = Arc::clone(&self.objects);
        let folders = (0..=u8::MAX).map(|folder| ObjectPath::from(hex::encode([folder])));
        stream::iter(folders).flat_map(move |folder| objects.list(Some(&folder))).boxed()
    }

    /// Counts unfinished uploads. Only a folder shows them.
    pub async fn unfinished(&self) -> Result<Option<Unfinished>, GcError> {
        let Some(folder) = self.folder.clone() else { return Ok(None) };
        let mut found = Unfinished::default();
        let count = move || {
            each_unfinished(&folder, |_, metadata| {
                found.uploads += 1;
                found.bytes += metadata.len();
            })?;
            Ok(Some(found))
        };
        run_blocking(count).await
    }
}

/// Removes unfinished uploads no newer than an instant, and adds them to the report.
pub(super) async fn remove_unfinished(
    folder: PathBuf,
    cutoff: DateTime<Utc>,
    mut report: GcReport,
) -> Result<GcReport, GcError> {
    let remove = move || {
        each_unfinished(&folder, |path, metadata| {
            if metadata.modified().is_ok_and(|modified| DateTime::<Utc>::from(modified) <= cutoff) {
                match std::fs::remove_file(path) {
                    Ok(()) => report.removed += 1,
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => {
                        tracing::warn!(%error, "an unfinished upload is left for the sweep");
                        report.left += 1;
                    }
                }
            }
        })?;
        Ok(report)
    };
    run_blocking(remove).await
}

/// Returns those of these objects that have no row.
async fn without_row(db: &DatabaseConnection, objects: Vec<Orphan>) -> Result<Vec<Orphan>, DbErr> {
    use document_files::Column::ObjectKey;
    let select = Query::select()
        .column(ObjectKey)
        .from(document_files::Entity)
        .and_where(ObjectKey.is_in(objects.iter().map(|object| &object.key)))
        .take();
    let rows = db.query_all(&select).await?;
    let referenced: Result<HashSet<String>, DbErr> =
        rows.iter().map(|row| row.try_get("", "object_key")).collect();
    let referenced = referenced?;
    Ok(objects.into_iter().filter(|object| !referenced.contains(&object.key)).collect())
}

/// Visits the unfinished uploads. The folder's implementation first writes an object next to its
/// place, under its name followed by `#` and a number.
fn each_unfinished(folder: &Path, mut visit: impl FnMut(&Path, &Metadata)) -> io::Result<()> {
    for prefix in (0..=u8::MAX).map(|prefix| hex::encode([prefix])) {
        let files = match std::fs::read_dir(folder.join(&prefix)) {
            Ok(files) => files,
            Err(error) if is_missing_folder(&error) => continue,
            Err(error) => return Err(error),
        };
        for file in files {
            let file = file?;
            let name = file.file_name().to_string_lossy().into_owned();
            let unfinished = name.split_once('#').is_some_and(|(name, _)| {
                key(&path(name)).is_some() && name.get(..2) == Some(&prefix)
            });
            // A missing one was finished or removed in the meantime.
            if unfinished && let Ok(metadata) = file.metadata() {
                visit(&file.path(), &metadata);
            }
        }
    }
    Ok(())
}

fn is_missing_folder(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, GcError> {
    let done = tokio::task::spawn_blocking(work).await.map_err(Error::from)?;
    done.map_err(|error| Error::Generic { store: "folder", source: Box::new(error) }.into())
}

//! Document files, read in full and compared with their rows.

use crate::installation::cli_error::CliError;
use crate::installation::output::count;
use crate::installation::table::printable;
use api_server::documents::store::gc_report::GcError;
use api_server::documents::store::{DocumentStore, Measured};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use indicatif::ProgressBar;
use sea_orm::{
    ColumnTrait, DatabaseConnection, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
};
use serde_json::json;
use shared::entity::document_files::{Column, Entity, Model};
use std::collections::HashSet;
use std::fmt::Display;
use std::time::Duration;

/// Rows read at a time.
const FILES_PER_PAGE: u64 = 500;
/// Files read concurrently.
const FILES_AT_ONCE: usize = 8;
/// How often the progress bar is redrawn.
pub const TICK: Duration = Duration::from_millis(200);

/// Totals of a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct Compared {
    /// Files with a row.
    pub files: u64,
    pub bytes: u64,
    /// Damaged or missing files.
    pub damaged: u64,
}

/// Compares every file, and reports each damaged or missing one, in the order of their rows. A file
/// whose row is gone by the end was removed meanwhile.
pub async fn compare(
    db: &DatabaseConnection,
    store: &DocumentStore,
    mut report: impl FnMut(&Damage) -> Result<(), CliError>,
) -> Result<Compared, CliError> {
    let progress = ProgressBar::new(Entity::find().count(db).await?);
    progress.enable_steady_tick(TICK);
    let mut compared = Compared::default();
    let mut last = i64::MIN;
    loop {
        let files = page(db, last).await?;
        let Some(newest) = files.last() else { break };
        last = newest.file_id;
        let read = stream::iter(files).map(|file| read(store, file));
        let mut read = std::pin::pin!(read.buffer_unordered(FILES_AT_ONCE));
        let mut damages = Vec::new();
        while let Some((bytes, damage)) = read.try_next().await? {
            compared.files += 1;
            compared.bytes += bytes;
            damages.extend(damage);
            progress.inc(1);
        }
        if damages.is_empty() {
            continue;
        }
        damages.sort_unstable_by_key(|damage| damage.file.file_id);
        let present = present(db, &damages).await?;
        for damage in &damages {
            if !present.contains(&damage.file.file_id) {
                compared.files -= 1;
                continue;
            }
            compared.damaged += 1;
            progress.suspend(|| report(damage))?;
        }
    }
    progress.finish_and_clear();
    Ok(compared)
}

async fn page(db: &DatabaseConnection, last: i64) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::FileId.gt(last))
        .order_by_asc(Column::FileId)
        .limit(FILES_PER_PAGE)
        .all(db)
        .await
}

/// Reads a file: the bytes read, and the damage, if any.
async fn read(store: &DocumentStore, file: Model) -> Result<(u64, Option<Damage>), GcError> {
    let found = store.measure(&file.object_key).await?;
    let (bytes, intact) = match &found {
        Measured::Whole { size_bytes, sha256 } => {
            let is_whole = u64::try_from(file.size_bytes) == Ok(*size_bytes);
            (*size_bytes, is_whole && file.sha256 == *sha256)
        }
        Measured::Missing | Measured::Unreadable(_) => (0, false),
    };
    Ok((bytes, (!intact).then_some(Damage { file, found })))
}

/// The files among these that still have a row.
async fn present(db: &DatabaseConnection, damaged: &[Damage]) -> Result<HashSet<i64>, DbErr> {
    let ids = damaged.iter().map(|damage| damage.file.file_id);
    let present: Vec<i64> = Entity::find()
        .select_only()
        .column(Column::FileId)
        .filter(Column::FileId.is_in(ids))
        .into_tuple()
        .all(db)
        .await?;
    Ok(present.into_iter().collect())
}

/// A file that differs from its row.
pub struct Damage {
    /// The row.
    pub file: Model,
    /// What was found instead.
    pub found: Measured,
}

impl Damage {
    /// The damage as text.
    pub fn to_text(&self) -> String {
        let Model { file_id, document_id, size_bytes, sha256, .. } = &self.file;
        let bytes = count(*size_bytes, "byte");
        let (fault, difference) = match &self.found {
            Measured::Missing => ("missing", format!("{bytes}, SHA-256 {sha256}, expected")),
            Measured::Whole { size_bytes, .. } if self.has_wrong_size() => {
                ("wrong size", format!("{bytes} expected, {size_bytes} found"))
            }
            Measured::Whole { sha256: found, .. } => {
                ("wrong hash", format!("SHA-256 {sha256} expected, {found} found"))
            }
            Measured::Unreadable(why) => ("unreadable", one_line(why)),
        };
        let (name, object) = (printable(&self.file.file_name), self.object());
        format!(
            "{fault:<10}  file {file_id} of document {document_id}, {name}, object {object}: \
             {difference}"
        )
    }

    /// The damage as a JSON line.
    pub fn to_json(&self) -> String {
        let Model { file_id, document_id, file_name, size_bytes, sha256, .. } = &self.file;
        let (fault, detail) = match &self.found {
            Measured::Missing => ("missing", None),
            Measured::Whole { size_bytes, .. } if self.has_wrong_size() => {
                ("wrong_size", Some(("found_bytes", json!(size_bytes))))
            }
            Measured::Whole { sha256, .. } => ("wrong_hash", Some(("found_sha256", json!(sha256)))),
            Measured::Unreadable(why) => ("unreadable", Some(("reason", json!(one_line(why))))),
        };
        let mut line = json!({
            "file_id": file_id,
            "document_id": document_id,
            "file_name": file_name,
            "object": self.object(),
            "expected_bytes": size_bytes,
            "expected_sha256": sha256,
            "fault": fault,
        });
        if let Some((name, value)) = detail {
            line[name] = value;
        }
        line.to_string()
    }

    fn has_wrong_size(&self) -> bool {
        let expected = u64::try_from(self.file.size_bytes);
        matches!(&self.found, Measured::Whole { size_bytes, .. } if expected != Ok(*size_bytes))
    }

    fn object(&self) -> String {
        DocumentStore::place(&self.file.object_key)
    }
}

impl From<GcError> for CliError {
    fn from(fault: GcError) -> Self {
        match fault {
            GcError::Database(error) => error.into(),
            fault => Self(one_line(&fault)),
        }
    }
}

/// Collapses white space: a bucket's error response may be a whole document.
pub fn one_line(text: &dyn Display) -> String {
    text.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

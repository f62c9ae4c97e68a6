//! Document files, read in full and compared with their rows.

use crate::installation::cli_error::CliError;
use crate::installation::output::count;
use crate::installation::table::printable;
use api_server::documents::store::gc::GcError;
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
    /// Bytes read.
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
    let (bytes, found) = match store.measure(&file.object_key).await? {
        Measured::Missing => (0, Some(FileDamage::Nothing)),
        Measured::Unreadable(why) => (0, Some(FileDamage::Unreadable(one_line(&why)))),
        Measured::Whole { size_bytes, sha256 } => {
            let found = if i64::try_from(size_bytes) != Ok(file.size_bytes) {
                Some(FileDamage::Size(size_bytes))
            } else {
                (sha256 != file.sha256).then_some(FileDamage::Hash(sha256))
            };
            (size_bytes, found)
        }
    };
    Ok((bytes, found.map(|found| Damage { file, found })))
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
    pub found: FileDamage,
}

/// What was found instead of a file.
pub enum FileDamage {
    /// The object is missing.
    Nothing,
    /// The object has a different length.
    Size(u64),
    /// The object has the right length but different contents: their SHA-256.
    Hash(String),
    /// The object exists but cannot be read: why.
    Unreadable(String),
}

impl Damage {
    /// The damage as text.
    pub fn to_text(&self) -> String {
        let Model { file_id, document_id, size_bytes, sha256, .. } = &self.file;
        let bytes = count(*size_bytes, "byte");
        let (fault, difference) = match &self.found {
            FileDamage::Nothing => ("missing", format!("{bytes}, SHA-256 {sha256}, expected")),
            FileDamage::Size(found) => ("wrong size", format!("{bytes} expected, {found} found")),
            FileDamage::Hash(found) => {
                ("wrong hash", format!("SHA-256 {sha256} expected, {found} found"))
            }
            FileDamage::Unreadable(why) => ("unreadable", why.clone()),
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
        let mut line = json!({
            "file_id": file_id,
            "document_id": document_id,
            "file_name": file_name,
            "object": self.object(),
            "expected_bytes": size_bytes,
            "expected_sha256": sha256,
        });
        match &self.found {
            FileDamage::Nothing => line["fault"] = json!("missing"),
            FileDamage::Size(found) => {
                line["fault"] = json!("wrong_size");
                line["found_bytes"] = json!(found);
            }
            FileDamage::Hash(found) => {
                line["fault"] = json!("wrong_hash");
                line["found_sha256"] = json!(found);
            }
            FileDamage::Unreadable(why) => {
                line["fault"] = json!("unreadable");
                line["reason"] = json!(why);
            }
        }
        line.to_string()
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

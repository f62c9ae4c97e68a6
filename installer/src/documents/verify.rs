//! `installer documents verify`: every file read and compared with its row.

use super::findings::{Damage, Found, Tally, orphan_line, warning_line};
use super::one_line;
use crate::installation::{Refused, print, refuse};
use api_server::documents::document_store::sweep::Fault;
use api_server::documents::document_store::{DocumentStore, Measured};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use indicatif::{ProgressBar, ProgressStyle};
use sea_orm::{
    ColumnTrait, DatabaseConnection, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
};
use shared::entity::document_files::{Column, Entity, Model};
use std::collections::HashSet;
use std::time::Duration;

/// Rows that are read together.
const FILES_PER_PAGE: u64 = 500;
/// Files that are read at the same time.
const FILES_AT_ONCE: usize = 8;
/// Objects without a row that are named; all are counted.
const ORPHANS_SHOWN: u64 = 100;
/// How often the progress shows that it is alive.
const TICK: Duration = Duration::from_millis(200);

/// Compares, prints what it finds at once and the totals in the end, and refuses to call a store
/// sound that is not.
pub async fn run(
    db: &DatabaseConnection,
    store: &DocumentStore,
    json: bool,
) -> Result<(), Refused> {
    match store.check_owner(db).await {
        // So it is after a restore; the files may be sound.
        Err(fault @ Fault::OtherOwner) => print(&warning_line(&one_line(&fault), json))?,
        checked => checked?,
    }
    let mut verification = Verification { db, store, json, kept: None, tally: Tally::default() };
    verification.files().await?;
    verification.leftovers().await?;
    let Verification { tally, .. } = verification;
    print(&if json { tally.to_json() } else { tally.to_text() })?;
    match tally.damaged {
        0 => Ok(()),
        damaged => refuse(format!("{damaged} of {} are damaged or missing", tally.files_text())),
    }
}

/// Compares without printing: how many files there are, and a line for each damaged one.
pub async fn compare(
    db: &DatabaseConnection,
    store: &DocumentStore,
) -> Result<(u64, Vec<String>), Refused> {
    let (kept, tally) = (Some(Vec::new()), Tally::default());
    let mut verification = Verification { db, store, json: false, kept, tally };
    verification.files().await?;
    Ok((verification.tally.files, verification.kept.unwrap_or_default()))
}

struct Verification<'a> {
    db: &'a DatabaseConnection,
    store: &'a DocumentStore,
    json: bool,
    /// Lines that somebody wants in place of having them printed.
    kept: Option<Vec<String>>,
    tally: Tally,
}

impl Verification<'_> {
    async fn files(&mut self) -> Result<(), Refused> {
        let progress = ProgressBar::new(Entity::find().count(self.db).await?);
        progress.enable_steady_tick(TICK);
        let mut last = i64::MIN;
        loop {
            let files = page(self.db, last).await?;
            let Some(newest) = files.last() else { break };
            last = newest.file_id;
            let read = stream::iter(files).map(|file| read(self.store, file));
            let mut read = std::pin::pin!(read.buffer_unordered(FILES_AT_ONCE));
            let mut damaged = Vec::new();
            while let Some((bytes, damage)) = read.try_next().await? {
                self.tally.files += 1;
                self.tally.bytes += bytes;
                damaged.extend(damage);
                progress.inc(1);
            }
            self.report(damaged, &progress).await?;
        }
        progress.finish_and_clear();
        Ok(())
    }

    /// Names files in the order of their rows. One whose row is gone by now was removed meanwhile.
    async fn report(&mut self, mut some: Vec<Damage>, bar: &ProgressBar) -> Result<(), Refused> {
        if some.is_empty() {
            return Ok(());
        }
        some.sort_unstable_by_key(|damage| damage.file.file_id);
        let present = present(self.db, &some).await?;
        for damage in some {
            if !present.contains(&damage.file.file_id) {
                self.tally.files -= 1;
                continue;
            }
            self.tally.damaged += 1;
            let line = if self.json { damage.to_json() } else { damage.to_text() };
            match &mut self.kept {
                Some(kept) => kept.push(line),
                None => bar.suspend(|| print(&line))?,
            }
        }
        Ok(())
    }

    async fn leftovers(&mut self) -> Result<(), Refused> {
        let style =
            ProgressStyle::with_template("{spinner} {elapsed} looking for objects without a row");
        let progress = ProgressBar::new_spinner();
        progress.set_style(style.map_err(|error| Refused(error.to_string()))?);
        progress.enable_steady_tick(TICK);
        let mut orphans = std::pin::pin!(self.store.orphans(self.db, None));
        while let Some(some) = orphans.try_next().await? {
            for orphan in some {
                self.tally.orphans += 1;
                self.tally.orphan_bytes += orphan.size_bytes;
                if self.tally.orphans <= ORPHANS_SHOWN {
                    let line = orphan_line(&orphan, self.json);
                    progress.suspend(|| print(&line))?;
                }
            }
        }
        self.tally.unfinished = self.store.unfinished().await?;
        progress.finish_and_clear();
        Ok(())
    }
}

async fn page(db: &DatabaseConnection, last: i64) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(Column::FileId.gt(last))
        .order_by_asc(Column::FileId)
        .limit(FILES_PER_PAGE)
        .all(db)
        .await
}

/// Bytes that were read, and what is wrong with the file if anything is.
async fn read(store: &DocumentStore, file: Model) -> Result<(u64, Option<Damage>), Fault> {
    let (bytes, found) = match store.measure(&file.object_key).await? {
        Measured::Missing => (0, Some(Found::Nothing)),
        Measured::Unreadable(why) => (0, Some(Found::Unreadable(one_line(&why)))),
        Measured::Whole { size_bytes, sha256 } => {
            let found = if i64::try_from(size_bytes) != Ok(file.size_bytes) {
                Some(Found::Size(size_bytes))
            } else {
                (sha256 != file.sha256).then_some(Found::Hash(sha256))
            };
            (size_bytes, found)
        }
    };
    Ok((bytes, found.map(|found| Damage { file, found })))
}

/// Which of these files still have a row.
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

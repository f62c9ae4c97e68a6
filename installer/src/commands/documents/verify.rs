//! `installer documents verify`: compares every file with its row and prints one line per damaged
//! file, then the totals.

use crate::installation::document_files::{Compared, Damage, TICK, compare, one_line};
use crate::installation::{CliError, count, print, refuse};
use api_server::documents::store::gc_report::GcError;
use api_server::documents::store::{DocumentStore, Orphan, Unfinished};
use futures_util::stream::TryStreamExt;
use indicatif::{ProgressBar, ProgressStyle};
use sea_orm::DatabaseConnection;
use serde_json::json;

/// Objects without a row that are listed; all are counted.
const ORPHANS_SHOWN: u64 = 100;

/// Compares, prints each fault as it is found and the totals at the end, and fails if any file is
/// faulty.
pub(super) async fn run(
    db: &DatabaseConnection,
    store: &DocumentStore,
    json: bool,
) -> Result<(), CliError> {
    match store.check_owner(db).await {
        // The normal state after a restore; the files may be intact.
        Err(fault @ GcError::OtherOwner) => print(&warning_line(&one_line(&fault), json))?,
        checked => checked?,
    }
    let line = |damage: &Damage| if json { damage.to_json() } else { damage.to_text() };
    let compared = compare(db, store, |damage| print(&line(damage))).await?;
    let mut tally = Tally { compared, ..Tally::default() };
    tally.add_leftovers(db, store, json).await?;
    print(&if json { tally.to_json() } else { tally.to_text() })?;
    match compared.damaged {
        0 => Ok(()),
        damaged => refuse(format!("{damaged} of {} are damaged or missing", tally.files_text())),
    }
}

fn orphan_line(orphan: &Orphan, json: bool) -> String {
    let (object, bytes) = (DocumentStore::place(&orphan.key), orphan.size_bytes);
    match json {
        true => json!({"object_without_row": object, "bytes": bytes}).to_string(),
        false => format!("no row      object {object}, {}", count(bytes, "byte")),
    }
}

/// The line for a warning that concerns no single file.
fn warning_line(warning: &str, json: bool) -> String {
    match json {
        true => json!({"warning": warning}).to_string(),
        false => format!("warning     {warning}"),
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    compared: Compared,
    /// Objects without a row.
    orphans: u64,
    /// The size of those objects in bytes.
    orphan_bytes: u64,
    /// Unfinished uploads, if the store shows them.
    unfinished: Option<Unfinished>,
}

impl Tally {
    /// Lists objects without a row, and counts everything that a sweep would remove.
    async fn add_leftovers(
        &mut self,
        db: &DatabaseConnection,
        store: &DocumentStore,
        json: bool,
    ) -> Result<(), CliError> {
        let style =
            ProgressStyle::with_template("{spinner} {elapsed} looking for objects without a row");
        let progress = ProgressBar::new_spinner();
        progress.set_style(style.map_err(|error| CliError(error.to_string()))?);
        progress.enable_steady_tick(TICK);
        let mut orphans = std::pin::pin!(store.orphans(db, None));
        while let Some(page) = orphans.try_next().await? {
            for orphan in page {
                self.orphans += 1;
                self.orphan_bytes += orphan.size_bytes;
                if self.orphans <= ORPHANS_SHOWN {
                    progress.suspend(|| print(&orphan_line(&orphan, json)))?;
                }
            }
        }
        self.unfinished = store.unfinished().await?;
        progress.finish_and_clear();
        Ok(())
    }

    fn files_text(self) -> String {
        count(self.compared.files, "file")
    }

    fn to_text(self) -> String {
        let bytes = |bytes| count(bytes, "byte");
        let mut text = format!(
            "{} compared, {}: {} damaged or missing\n{} without a row, {}, left for the sweep",
            self.files_text(),
            bytes(self.compared.bytes),
            self.compared.damaged,
            count(self.orphans, "object"),
            bytes(self.orphan_bytes),
        );
        if let Some(Unfinished { uploads, bytes: size }) = self.unfinished {
            let uploads = count(uploads, "unfinished upload");
            text.push_str(&format!("\n{uploads}, {}, left for the sweep", bytes(size)));
        }
        text
    }

    fn to_json(self) -> String {
        json!({
            "files": self.compared.files,
            "bytes": self.compared.bytes,
            "damaged": self.compared.damaged,
            "objects_without_row": self.orphans,
            "bytes_without_row": self.orphan_bytes,
            "unfinished_uploads": self.unfinished.map(|unfinished| unfinished.uploads),
            "bytes_unfinished": self.unfinished.map(|unfinished| unfinished.bytes),
        })
        .to_string()
    }
}

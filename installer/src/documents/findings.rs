//! What a verification says: a line for each damaged file, the totals in the end.

use super::counted;
use crate::columns::shown;
use api_server::documents::document_store::{DocumentStore, Orphan, Unfinished};
use serde_json::json;
use shared::entity::document_files::Model;

/// A file that is not what its row says.
pub struct Damage {
    /// The row.
    pub file: Model,
    /// What there is in its place.
    pub found: Found,
}

/// What there is in place of a file.
pub enum Found {
    /// Its object is not there.
    Nothing,
    /// The object has another length.
    Size(u64),
    /// The object has the length, and other bytes: their SHA-256.
    Hash(String),
    /// The object is there and cannot be read: why.
    Unreadable(String),
}

impl Damage {
    /// The line for people.
    pub fn to_text(&self) -> String {
        let Model { file_id, document_id, size_bytes, sha256, .. } = &self.file;
        let (fault, difference) = match &self.found {
            Found::Nothing => {
                ("missing", format!("{size_bytes} bytes, SHA-256 {sha256}, expected"))
            }
            Found::Size(found) => {
                ("wrong size", format!("{size_bytes} bytes expected, {found} found"))
            }
            Found::Hash(found) => {
                ("wrong hash", format!("SHA-256 {sha256} expected, {found} found"))
            }
            Found::Unreadable(why) => ("unreadable", why.clone()),
        };
        let (name, object) = (shown(&self.file.file_name), self.object());
        format!(
            "{fault:<10}  file {file_id} of document {document_id}, {name}, object {object}: \
             {difference}"
        )
    }

    /// The line for programs.
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
            Found::Nothing => line["fault"] = json!("missing"),
            Found::Size(found) => {
                line["fault"] = json!("wrong_size");
                line["found_bytes"] = json!(found);
            }
            Found::Hash(found) => {
                line["fault"] = json!("wrong_hash");
                line["found_sha256"] = json!(found);
            }
            Found::Unreadable(why) => {
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

/// The line of an object that has no row.
pub fn orphan_line(orphan: &Orphan, json: bool) -> String {
    let (object, bytes) = (DocumentStore::place(&orphan.key), orphan.size_bytes);
    match json {
        true => json!({"object_without_row": object, "bytes": bytes}).to_string(),
        false => format!("no row      object {object}, {}", counted(bytes, "byte")),
    }
}

/// The line of what is no fault of any file.
pub fn warning_line(warning: &str, json: bool) -> String {
    match json {
        true => json!({"warning": warning}).to_string(),
        false => format!("warning     {warning}"),
    }
}

/// What was found in all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Files that were compared.
    pub files: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// Files that are damaged or missing.
    pub damaged: u64,
    /// Objects that have no row.
    pub orphans: u64,
    /// Their bytes.
    pub orphan_bytes: u64,
    /// Unfinished uploads, where the store shows them.
    pub unfinished: Option<Unfinished>,
}

impl Tally {
    /// How many files there are.
    pub fn files_text(self) -> String {
        counted(self.files, "file")
    }

    /// Lines for people.
    pub fn to_text(self) -> String {
        let bytes = |bytes| counted(bytes, "byte");
        let mut text = format!(
            "{} compared, {}: {} damaged or missing\n{} without a row, {}, left for the sweep",
            self.files_text(),
            bytes(self.bytes),
            self.damaged,
            counted(self.orphans, "object"),
            bytes(self.orphan_bytes),
        );
        if let Some(Unfinished { uploads, bytes: size }) = self.unfinished {
            let uploads = counted(uploads, "unfinished upload");
            text.push_str(&format!("\n{uploads}, {}, left for the sweep", bytes(size)));
        }
        text
    }

    /// The line for programs.
    pub fn to_json(self) -> String {
        json!({
            "files": self.files,
            "bytes": self.bytes,
            "damaged": self.damaged,
            "objects_without_row": self.orphans,
            "bytes_without_row": self.orphan_bytes,
            "unfinished_uploads": self.unfinished.map(|unfinished| unfinished.uploads),
            "bytes_unfinished": self.unfinished.map(|unfinished| unfinished.bytes),
        })
        .to_string()
    }
}

//! Result spool file of an import: an unnamed temporary file that holds the results until they are
//! sent, so that a response may be larger than memory. It disappears when it is closed.

use super::report::{Action, RecordResult};
use crate::xml_import::refusals::ImportError;
use serde::Serialize;
use serde_json::ser::Formatter;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc::{self, Receiver};

/// Buffer size for the file, in bytes.
const BUFFER_BYTES: usize = 1 << 16;
/// Results per part of a long response.
const RESULTS_PER_PART: usize = 1000;
/// How every response ends.
pub const TAIL: &str = "]}";

/// Counts of elements by action. A dry run counts what it tried; elements rolled back because of a
/// failure count as read only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Elements with an id of their own.
    pub read: i64,
    /// Elements whose row was inserted.
    pub inserted: i64,
    /// Elements whose row was updated.
    pub updated: i64,
    /// Elements whose row was deleted.
    pub deleted: i64,
    /// Elements at fault.
    pub failed: i64,
}

impl Totals {
    fn count(&mut self, action: Action) {
        self.read += 1;
        match action {
            Action::Inserted => self.inserted += 1,
            Action::Updated => self.updated += 1,
            Action::Deleted => self.deleted += 1,
            Action::Failed => self.failed += 1,
            Action::RolledBack => {}
        }
    }
}

/// The results so far.
pub struct Results {
    directory: PathBuf,
    file: tokio::io::BufWriter<tokio::fs::File>,
    /// The counts so far.
    pub totals: Totals,
    /// Everything that succeeded was rolled back after its results were written.
    rolled_back: bool,
}

impl Results {
    /// Creates an empty spool file in this directory.
    pub fn new(directory: &Path) -> Result<Self, ImportError> {
        let file = tempfile::tempfile_in(directory).map_err(ImportError::spool_failed)?;
        let file = tokio::fs::File::from_std(file);
        Ok(Self {
            directory: directory.to_owned(),
            file: tokio::io::BufWriter::with_capacity(BUFFER_BYTES, file),
            totals: Totals::default(),
            rolled_back: false,
        })
    }

    pub async fn add(&mut self, results: &[RecordResult]) -> Result<(), ImportError> {
        let mut lines = Vec::new();
        for result in results {
            write_line(&mut lines, result, self.totals.read == 0).map_err(ImportError::defect)?;
            self.totals.count(result.action);
        }
        self.file.write_all(&lines).await.map_err(ImportError::spool_failed)
    }

    /// Marks everything that succeeded so far as rolled back.
    pub fn mark_rolled_back(&mut self) {
        let Totals { read, failed, .. } = self.totals;
        self.rolled_back = true;
        self.totals = Totals { read, failed, ..Totals::default() };
    }

    /// Returns the response, whose results can be read repeatedly.
    pub async fn finish(
        mut self,
        test: bool,
        committed: bool,
    ) -> Result<ImportResponse, ImportError> {
        self.file.flush().await.map_err(ImportError::spool_failed)?;
        let (totals, rolled_back) = (self.totals, self.rolled_back);
        let file = self.file.into_inner().into_std().await;
        let directory = self.directory;
        let rewritten = tokio::task::spawn_blocking(move || match rolled_back {
            true => roll_back(file, &directory),
            false => Ok(file),
        });
        let file =
            rewritten.await.map_err(ImportError::defect)?.map_err(ImportError::spool_failed)?;
        Ok(ImportResponse { test, committed, totals, file })
    }
}

/// Copies the results to a new file, marked as rolled back.
fn roll_back(file: File, directory: &Path) -> io::Result<File> {
    let mut writer = BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile_in(directory)?);
    let mut first = true;
    for result in results_in(file)? {
        let mut result = result?;
        result.roll_back();
        let mut bytes = Vec::new();
        write_line(&mut bytes, &result, first)?;
        writer.write_all(&bytes)?;
        first = false;
    }
    Ok(writer.into_inner()?)
}

/// Writes a result on a line of its own, as it appears in the response.
fn write_line(bytes: &mut Vec<u8>, result: &RecordResult, first: bool) -> io::Result<()> {
    bytes.extend_from_slice(if first { b"\n  " } else { b",\n  " });
    let mut serializer = serde_json::Serializer::with_formatter(bytes, Spaced);
    Ok(result.serialize(&mut serializer)?)
}

/// Formats JSON on one line, with a space after each comma and colon.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_key<W: Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

/// Reads the results in a file from its start, line by line.
fn results_in(mut file: File) -> io::Result<impl Iterator<Item = io::Result<RecordResult>>> {
    file.seek(SeekFrom::Start(0))?;
    let lines = BufReader::with_capacity(BUFFER_BYTES, file).lines();
    // The first line is empty: each result begins with a line feed.
    Ok(lines.skip(1).map(|line| Ok(serde_json::from_str(line?.trim_end_matches(','))?)))
}

#[derive(Debug)]
pub struct ImportResponse {
    /// True for a dry run (`test=true`): nothing was committed.
    pub test: bool,
    /// False in a dry run, after a rolled-back block, or if every record failed.
    pub committed: bool,
    /// Counts that precede the results.
    pub totals: Totals,
    file: File,
}

impl ImportResponse {
    /// Returns the response up to its results.
    pub fn head(&self) -> String {
        let Self { test, committed, totals, .. } = self;
        let Totals { read, inserted, updated, deleted, failed } = totals;
        format!(
            "{{\"Test\": {test}, \"Committed\": {committed}, \"Read\": {read}, \"Inserted\": \
             {inserted}, \"Updated\": {updated}, \"Deleted\": {deleted}, \"Failed\": {failed}, \
             \"Records\": ["
        )
    }

    /// Duplicates the response. Both share one file position, so only one can be read at a time.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { file: self.file.try_clone()?, ..*self })
    }

    /// Returns the results as they appear between head and tail, positioned at their start.
    pub fn into_file(mut self) -> io::Result<File> {
        self.file.seek(SeekFrom::Start(0))?;
        Ok(self.file)
    }

    /// Reads the results, up to a fixed number at a time.
    pub fn into_parts(self) -> Receiver<Result<Vec<RecordResult>, ImportError>> {
        let (sender, receiver) = mpsc::channel(2);
        tokio::task::spawn_blocking(move || {
            let mut results = match results_in(self.file) {
                Ok(results) => results.peekable(),
                Err(error) => return drop(sender.blocking_send(Err(ImportError::defect(error)))),
            };
            while results.peek().is_some() {
                let part: io::Result<Vec<_>> = results.by_ref().take(RESULTS_PER_PART).collect();
                if sender.blocking_send(part.map_err(ImportError::defect)).is_err() {
                    return;
                }
            }
        });
        receiver
    }
}

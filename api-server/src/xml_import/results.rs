//! The results of an import on their way into its answer: kept in a private file without a name, so
//! that an answer may be longer than memory, and gone with it.

use super::report::{Action, RecordResult};
use crate::xml_import::refusals::ImportError;
use serde::Serialize;
use serde_json::ser::Formatter;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc::{self, Receiver};

/// Bytes that are written to the file at once.
const BUFFER_BYTES: usize = 1 << 16;
/// Results of one part of a long answer.
const RESULTS_PER_PART: usize = 1000;
/// How every answer ends.
pub const TAIL: &str = "]}";

/// How many elements came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub read: i64,
    pub inserted: i64,
    pub updated: i64,
    pub deleted: i64,
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
    totals: Totals,
    /// Everything good was undone after it was written down.
    undone: bool,
}

impl Results {
    /// None yet; the file will be in this folder.
    pub fn new(directory: &Path) -> Result<Self, ImportError> {
        let file = tempfile::tempfile_in(directory).map_err(ImportError::defect)?;
        let file = tokio::fs::File::from_std(file);
        Ok(Self {
            directory: directory.to_owned(),
            file: tokio::io::BufWriter::with_capacity(BUFFER_BYTES, file),
            totals: Totals::default(),
            undone: false,
        })
    }

    /// How many there are of what.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Adds results.
    pub async fn add(&mut self, results: &[RecordResult]) -> Result<(), ImportError> {
        let mut lines = Vec::new();
        for result in results {
            write_line(&mut lines, result, self.totals.read == 0).map_err(ImportError::defect)?;
            self.totals.count(result.action);
        }
        self.file.write_all(&lines).await.map_err(ImportError::defect)
    }

    /// Everything good so far was undone.
    pub fn undo_all(&mut self) {
        let Totals { read, failed, .. } = self.totals;
        self.undone = true;
        self.totals = Totals { read, failed, ..Totals::default() };
    }

    /// The answer, whose results can be read again and again.
    pub async fn finish(mut self, test: bool, committed: bool) -> Result<Answer, ImportError> {
        self.file.flush().await.map_err(ImportError::defect)?;
        let (totals, undone) = (self.totals, self.undone);
        let file = self.file.into_inner().into_std().await;
        let directory = self.directory;
        let rewritten = tokio::task::spawn_blocking(move || match undone {
            true => roll_back(file, &directory),
            false => Ok(file),
        });
        let file = rewritten.await.map_err(ImportError::defect)?.map_err(ImportError::defect)?;
        Ok(Answer { test, committed, totals, file })
    }
}

/// Writes the results again as those of records that were undone.
fn roll_back(mut file: File, directory: &Path) -> io::Result<File> {
    file.seek(SeekFrom::Start(0))?;
    let mut writer = BufWriter::with_capacity(BUFFER_BYTES, tempfile::tempfile_in(directory)?);
    let mut first = true;
    for result in Lines(BufReader::with_capacity(BUFFER_BYTES, file)) {
        let mut result: RecordResult = result?;
        result.roll_back();
        let mut bytes = Vec::new();
        write_line(&mut bytes, &result, first)?;
        writer.write_all(&bytes)?;
        first = false;
    }
    Ok(writer.into_inner()?)
}

/// One result per line, as it stands in the answer.
fn write_line(bytes: &mut Vec<u8>, result: &RecordResult, first: bool) -> io::Result<()> {
    bytes.extend_from_slice(if first { b"\n  " } else { b",\n  " });
    let mut serializer = serde_json::Serializer::with_formatter(bytes, Spaced);
    Ok(result.serialize(&mut serializer)?)
}

/// JSON on one line, with a space behind each comma and colon.
struct Spaced;

impl Formatter for Spaced {
    fn begin_array_value<W: Write + ?Sized>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, to: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { to.write_all(b", ") }
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, to: &mut W) -> io::Result<()> {
        to.write_all(b": ")
    }
}

/// The results in a file, read line by line.
struct Lines<R>(R);

impl<R: BufRead> Iterator for Lines<R> {
    type Item = io::Result<RecordResult>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = String::new();
        loop {
            line.clear();
            match self.0.read_line(&mut line) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
            let text = line.trim().trim_end_matches(',');
            if !text.is_empty() {
                return Some(serde_json::from_str(text).map_err(io::Error::other));
            }
        }
    }
}

/// What an import is answered with.
#[derive(Debug)]
pub struct Answer {
    pub test: bool,
    pub committed: bool,
    pub totals: Totals,
    file: File,
}

impl Answer {
    /// The answer up to its results.
    pub fn head(&self) -> String {
        let Self { test, committed, totals, .. } = self;
        let Totals { read, inserted, updated, deleted, failed } = totals;
        format!(
            "{{\"Test\": {test}, \"Committed\": {committed}, \"Read\": {read}, \"Inserted\": \
             {inserted}, \"Updated\": {updated}, \"Deleted\": {deleted}, \"Failed\": {failed}, \
             \"Records\": ["
        )
    }

    /// The same answer once more. Only one of them can be read at a time.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self { file: self.file.try_clone()?, ..*self })
    }

    /// The results as they stand between head and tail, to be read from their beginning.
    pub fn into_file(mut self) -> io::Result<File> {
        self.file.seek(SeekFrom::Start(0))?;
        Ok(self.file)
    }

    /// The results, some at a time.
    pub fn into_parts(self) -> Receiver<Result<Vec<RecordResult>, ImportError>> {
        let (sender, receiver) = mpsc::channel(2);
        tokio::task::spawn_blocking(move || {
            let mut results = match self.into_file() {
                Ok(file) => Lines(BufReader::with_capacity(BUFFER_BYTES, file)).peekable(),
                Err(error) => return drop(sender.blocking_send(Err(ImportError::defect(error)))),
            };
            while results.peek().is_some() {
                let some: io::Result<Vec<_>> = results.by_ref().take(RESULTS_PER_PART).collect();
                if sender.blocking_send(some.map_err(ImportError::defect)).is_err() {
                    return;
                }
            }
        });
        receiver
    }
}

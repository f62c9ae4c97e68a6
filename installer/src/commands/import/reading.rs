//! The first pass over a file: checks that it is valid, computes its SHA-256, and makes a private
//! copy, so that the data applied is the data checked even if the file changes meanwhile.

use crate::installation::{CliError, refuse};
use api_server::http::operations::XML_BYTES_MAX;
use api_server::xml_import::parse::{self, Element};
use aws_lc_rs::digest;
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;
use tokio::sync::watch;

/// Bytes read or written at a time.
const BUFFER_BYTES: usize = 1 << 18;
/// How often the progress bar is redrawn.
const TICK: Duration = Duration::from_millis(200);
const TOO_LARGE: &str = "import files must not exceed 1 GiB";

/// A file that passed the check.
pub(super) struct Sound {
    /// The private copy, positioned at its start.
    pub file: File,
    pub bytes: u64,
    pub sha256: Vec<u8>,
    /// Its root element, without records.
    pub root: Element,
}

/// Reads a whole file. An invalid file is refused with line and column.
pub(super) async fn check(
    path: &Path,
    directory: &Path,
    stop: watch::Receiver<bool>,
) -> Result<Sound, CliError> {
    let unreadable = |error| CliError(format!("cannot read {}: {error}", path.display()));
    let file = File::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return refuse(format!("{} is a folder", path.display()));
    }
    // The length of a pipe is unknown.
    let bytes = metadata.is_file().then_some(metadata.len());
    if bytes.is_some_and(|bytes| bytes > XML_BYTES_MAX) {
        return refuse(TOO_LARGE);
    }
    let copy = tempfile::tempfile_in(directory).map_err(|error| CliError(spool_fault(&error)))?;
    let bar = progress_bar("checking", bytes)?;
    let input = bar.wrap_read(file);
    let checked = tokio::task::spawn_blocking(move || Copying::new(input, copy, stop).check());
    let checked = checked.await;
    bar.finish_and_clear();
    checked.map_err(|error| CliError(error.to_string()))?
}

/// A progress bar over a file's bytes, on standard error if that is a terminal.
pub(super) fn progress_bar(
    what: &'static str,
    bytes: Option<u64>,
) -> Result<ProgressBar, CliError> {
    let template = match bytes {
        Some(_) => {
            "{msg} {bar:30} {binary_bytes} of {binary_total_bytes}, {binary_bytes_per_sec}, {eta} left"
        }
        None => "{msg} {spinner} {binary_bytes}, {binary_bytes_per_sec}",
    };
    let style = ProgressStyle::with_template(template);
    let bar = bytes.map_or_else(ProgressBar::no_length, ProgressBar::new);
    bar.set_style(style.map_err(|error| CliError(error.to_string()))?);
    bar.set_message(what);
    bar.enable_steady_tick(TICK);
    Ok(bar)
}

fn spool_fault(error: &io::Error) -> String {
    format!("API_SPOOL_DIRECTORY: {error}")
}

/// A reader that writes the private copy on the way.
struct Copying<R> {
    input: R,
    copy: BufWriter<File>,
    context: digest::Context,
    bytes: u64,
    stop: watch::Receiver<bool>,
    /// Why reading stopped, if not because of the XML.
    refused: Option<String>,
}

impl<R: Read> Copying<R> {
    fn new(input: R, copy: File, stop: watch::Receiver<bool>) -> Self {
        Self {
            input,
            copy: BufWriter::with_capacity(BUFFER_BYTES, copy),
            context: digest::Context::new(&digest::SHA256),
            bytes: 0,
            stop,
            refused: None,
        }
    }

    fn check(mut self) -> Result<Sound, CliError> {
        let checked = parse::check(BufReader::with_capacity(BUFFER_BYTES, &mut self));
        if let Some(why) = self.refused {
            return refuse(why);
        }
        let root = checked.map_err(|fault| CliError(fault.to_string()))?;
        let spooled = self.copy.into_inner().map_err(io::IntoInnerError::into_error);
        let rewound = spooled.and_then(|mut file| {
            file.seek(SeekFrom::Start(0))?;
            Ok(file)
        });
        let file = rewound.map_err(|error| CliError(spool_fault(&error)))?;
        Ok(Sound { file, bytes: self.bytes, sha256: self.context.finish().as_ref().to_vec(), root })
    }

    fn refuse(&mut self, why: impl Into<String>) -> io::Error {
        self.refused = Some(why.into());
        io::Error::other("refused")
    }
}

impl<R: Read> Read for Copying<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if *self.stop.borrow() {
            return Err(self.refuse("stopped: nothing was imported"));
        }
        let count = match self.input.read(buffer) {
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                return Err(self.refuse(format!("cannot read the file: {error}")));
            }
            outcome => outcome?,
        };
        self.bytes += count as u64;
        if self.bytes > XML_BYTES_MAX {
            return Err(self.refuse(TOO_LARGE));
        }
        self.context.update(&buffer[..count]);
        match self.copy.write_all(&buffer[..count]) {
            Ok(()) => Ok(count),
            Err(error) => Err(self.refuse(spool_fault(&error))),
        }
    }
}

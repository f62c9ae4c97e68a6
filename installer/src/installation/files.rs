//! Reading and writing files, with error messages that name them.

use shared::text_file;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Reads a text file; without its byte order mark, if it has one.
pub fn read(path: &Path) -> Result<String, String> {
    text_file::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// Writes a file that everyone may read.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Writes a file that only its owner may read.
pub fn write_private(path: &Path, text: &str) -> Result<(), String> {
    let written = || {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        options.open(path)?.write_all(text.as_bytes())
    };
    written().map_err(|error| format!("cannot write {}: {error}", path.display()))
}

//! Text files as people's editors write them.

use std::io::{self, ErrorKind};
use std::path::Path;

/// Byte order mark that some editors put at the beginning of a file.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads a text file; without its byte order mark, if it has one.
pub fn read(path: &Path) -> io::Result<String> {
    let invalid = |_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8");
    String::from_utf8(read_bytes(path)?).map_err(invalid)
}

/// Reads a text file whose encoding does not matter.
pub fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = std::fs::read(path)?;
    if bytes.starts_with(BYTE_ORDER_MARK) {
        bytes.drain(..BYTE_ORDER_MARK.len());
    }
    Ok(bytes)
}

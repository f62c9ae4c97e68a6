//! Bytes of a file: their encoding, the characters that XML allows, and positions.

use super::XmlFault;
use std::io::{BufRead, Chain, Cursor, Read};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A position in the file, from 1. Lines end with `\n`, `\r\n` or a lone `\r`; columns count bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub line: u64,
    pub column: u64,
    after_return: bool,
}

impl Position {
    pub(super) const START: Self = Self { line: 1, column: 1, after_return: false };

    /// Returns the position after these bytes.
    pub(super) fn after(mut self, bytes: &[u8]) -> Self {
        let mut line_start = 0;
        for index in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let after_return = match index.checked_sub(1) {
                Some(before) => bytes[before] == b'\r',
                None => self.after_return,
            };
            if bytes[index] == b'\r' || !after_return {
                self.line += 1;
            }
            self.column = 1;
            line_start = index + 1;
        }
        self.column += (bytes.len() - line_start) as u64;
        if let Some(last) = bytes.last() {
            self.after_return = *last == b'\r';
        }
        self
    }

    pub(super) fn fault(self, message: impl Into<String>) -> XmlFault {
        XmlFault { line: self.line, column: self.column, message: message.into() }
    }
}

/// The bytes of a file after its byte-order mark.
pub(super) type Bytes<R> = Chain<Cursor<Vec<u8>>, R>;

/// Skips the byte-order mark, and refuses other encodings by how a file in them starts.
pub(super) fn open<R: BufRead>(mut input: R) -> Result<Bytes<R>, XmlFault> {
    let at = Position::START;
    let mut start = Vec::new();
    let read = input.by_ref().take(2 * BYTE_ORDER_MARK.len() as u64).read_to_end(&mut start);
    read.map_err(|error| at.fault(format!("the file cannot be read: {error}")))?;
    let is_wide = matches!(
        start[..],
        [0xfe, 0xff, ..]
            | [0xff, 0xfe, ..]
            | [0, b'<', ..]
            | [b'<', 0, ..]
            | [0, 0, 0xfe, 0xff, ..]
            | [0, 0, 0, b'<', ..]
    );
    if is_wide {
        return Err(at.fault("the file is in UTF-16 or UTF-32, but must be in UTF-8"));
    }
    if start.starts_with(BYTE_ORDER_MARK) {
        start.drain(..BYTE_ORDER_MARK.len());
        if start.starts_with(BYTE_ORDER_MARK) {
            return Err(at.fault("the file starts with two byte-order marks"));
        }
    }
    Ok(Cursor::new(start).chain(input))
}

/// Finds the first byte that is not part of legal text, and says what is wrong there. XML 1.0 allows
/// no control characters except tab, line feed and carriage return, and neither U+FFFE nor U+FFFF.
pub(super) fn first_illegal(bytes: &[u8]) -> Option<(usize, String)> {
    let control = |byte: u8| (byte < b' ') & (byte != b'\t') & (byte != b'\n') & (byte != b'\r');
    let not_allowed = |character: u32| format!("the character U+{character:04X} is not allowed");
    let text = std::str::from_utf8(bytes);
    let mut end = text.map_or_else(|error| error.valid_up_to(), str::len);
    let mut wrong = text.err().map(|_| "the bytes here are not valid UTF-8".to_owned());
    // No early exit from the loop, so that it is vectorized.
    if bytes[..end].iter().fold(false, |any, byte| any | control(*byte))
        && let Some(index) = bytes.iter().position(|byte| control(*byte))
    {
        (end, wrong) = (index, Some(not_allowed(bytes[index].into())));
    }
    let noncharacter = memchr::memchr_iter(0xef, &bytes[..end])
        .find(|index| matches!(bytes[*index..], [0xef, 0xbf, 0xbe | 0xbf, ..]));
    match noncharacter {
        Some(index) => Some((index, not_allowed(0xff40 | u32::from(bytes[index + 2])))),
        None => wrong.map(|message| (end, message)),
    }
}

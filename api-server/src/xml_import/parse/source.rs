//! Byte source of the parser: turns bytes into legal text (UTF-8 without control characters), keeps
//! track of the position, and enforces the length limits while reading.

use super::XmlFault;
use super::limits::{Token, TokenLimits};
use std::io::{self, BufRead, ErrorKind, Read};

/// Size of the read buffer, in bytes.
const BUFFER_BYTES: usize = 128 * 1024;
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

/// A file being read.
pub(super) struct XmlSource<R> {
    inner: R,
    buffer: Box<[u8]>,
    /// Index of the next byte to return.
    start: usize,
    /// End of the bytes known to be legal text.
    legal: usize,
    /// End of the bytes read.
    end: usize,
    /// What is wrong with the bytes after the legal text.
    illegal: Option<String>,
    started: bool,
    position: Position,
    offset: u64,
    limits: TokenLimits,
    fault: Option<XmlFault>,
}

impl<R: Read> XmlSource<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner,
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            start: 0,
            legal: 0,
            end: 0,
            illegal: None,
            started: false,
            position: Position::START,
            offset: 0,
            limits: TokenLimits::default(),
            fault: None,
        }
    }

    /// Returns the position of the next byte.
    pub(super) fn position(&self) -> Position {
        self.position
    }

    /// Returns how many bytes have been returned.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Begins a new token here: text, a tag or a comment.
    pub(super) fn begin_token(&mut self) {
        self.limits = TokenLimits::default();
    }

    /// Returns the kind of the current token.
    pub(super) fn token(&self) -> Token {
        self.limits.token()
    }

    /// Takes the fault found here. It is more exact than the error the XML reader reports.
    pub(super) fn take_fault(&mut self) -> Option<XmlFault> {
        self.fault.take()
    }

    fn fail(&mut self, message: impl Into<String>) -> io::Error {
        self.fault.get_or_insert(self.position.fault(message));
        io::Error::other("the file is malformed")
    }

    /// Reads until there is legal text, or to the end of the file.
    fn refill(&mut self) -> io::Result<()> {
        loop {
            if let Some(message) = self.illegal.clone() {
                return Err(self.fail(message));
            }
            self.buffer.copy_within(self.legal..self.end, 0);
            self.end -= self.legal;
            (self.start, self.legal) = (0, 0);
            let ended = !self.read_more()?;
            if !self.started {
                self.begin()?;
            }
            self.validate(ended);
            if self.start < self.legal || (ended && self.illegal.is_none()) {
                return Ok(());
            }
        }
    }

    /// Reads more bytes. False at the end of the file.
    fn read_more(&mut self) -> io::Result<bool> {
        // The bytes that mark the encoding must be in the buffer together.
        let minimum = if self.started { 1 } else { 4 };
        let before = self.end;
        while self.end - before < minimum {
            match self.inner.read(&mut self.buffer[self.end..]) {
                Ok(0) => return Ok(false),
                Ok(count) => self.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.fail(format!("the file cannot be read: {error}"))),
            }
        }
        Ok(true)
    }

    /// Checks the encoding at the start of the file.
    fn begin(&mut self) -> io::Result<()> {
        self.started = true;
        let bytes = &self.buffer[..self.end];
        let wide = |bytes: &[u8]| {
            matches!(bytes, [0xfe, 0xff, ..] | [0xff, 0xfe, ..] | [0, b'<', ..] | [b'<', 0, ..])
                || matches!(bytes, [0, 0, 0xfe, 0xff, ..] | [0, 0, 0, b'<', ..])
        };
        if wide(bytes) {
            return Err(self.fail("the file is in UTF-16 or UTF-32, but must be in UTF-8"));
        }
        if let Some(rest) = bytes.strip_prefix(BYTE_ORDER_MARK) {
            if rest.starts_with(BYTE_ORDER_MARK) {
                return Err(self.fail("the file starts with two byte-order marks"));
            }
            self.start = BYTE_ORDER_MARK.len();
        }
        Ok(())
    }

    /// Determines how far the text is legal.
    fn validate(&mut self, ended: bool) {
        let bytes = &self.buffer[self.start..self.end];
        let mut legal = bytes.len();
        if let Err(error) = std::str::from_utf8(bytes) {
            legal = error.valid_up_to();
            // A character cut off by the end of the buffer is not an error.
            if error.error_len().is_some() || ended {
                self.illegal = Some("the bytes here are not valid UTF-8".to_owned());
            }
        }
        if let Some((index, character)) = first_illegal(&bytes[..legal]) {
            legal = index;
            self.illegal = Some(format!("the character U+{character:04X} is not allowed"));
        }
        self.legal = self.start + legal;
    }
}

/// Finds the first character in valid UTF-8 that XML 1.0 does not allow: control characters except
/// tab, line feed and carriage return, U+FFFE and U+FFFF.
fn first_illegal(bytes: &[u8]) -> Option<(usize, u32)> {
    let control = |byte: u8| (byte < b' ') & (byte != b'\t') & (byte != b'\n') & (byte != b'\r');
    // No early exit from the loop, so that it is vectorized.
    let any_control = bytes.iter().fold(false, |any, byte| any | control(*byte));
    let first_control = match any_control {
        true => bytes.iter().position(|byte| control(*byte)),
        false => None,
    };
    let end = first_control.unwrap_or(bytes.len());
    let noncharacter = memchr::memchr_iter(0xef, &bytes[..end])
        .find(|index| matches!(bytes[*index..], [0xef, 0xbf, 0xbe | 0xbf, ..]));
    match (noncharacter, first_control) {
        (Some(index), _) => Some((index, 0xff40 | u32::from(bytes[index + 2]))),
        (None, Some(index)) => Some((index, u32::from(bytes[index]))),
        (None, None) => None,
    }
}

impl<R: Read> Read for XmlSource<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for XmlSource<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.fault.is_some() {
            return Err(io::Error::other("the file is malformed"));
        }
        if self.start == self.legal {
            self.refill()?;
        }
        Ok(&self.buffer[self.start..self.legal])
    }

    fn consume(&mut self, count: usize) {
        let consumed = &self.buffer[self.start..self.start + count];
        if let Err(fault) = self.limits.follow(self.position, consumed) {
            self.fault.get_or_insert(fault);
        }
        self.position = self.position.after(consumed);
        self.offset += count as u64;
        self.start += count;
    }
}

//! Card numbers in JSON that has not been parsed yet and may turn out to be invalid.

use super::{found_in, found_in_number, is_secret_name};
use memchr::{memchr, memchr2};
use std::borrow::Cow;

/// True if a body contains a card number, as a string, a number or a member name on any level, or a
/// member named like a security code. Up to the point where it stops being JSON, the body is read
/// as a parser reads it, and from there on as well as possible: everything that a parser's error
/// could quote has been searched.
pub fn found_in_json(body: &[u8]) -> bool {
    let mut rest = body;
    while let Some(quote) = memchr(b'"', rest) {
        let (outside, text) = (&rest[..quote], &rest[quote + 1..]);
        let (text, after) = split_text(text);
        rest = after;
        let text = decode(text);
        let is_name = || rest.trim_ascii_start().first() == Some(&b':');
        if found_outside(outside) || found_in(&text) || is_secret_name(&text) && is_name() {
            return true;
        }
    }
    found_outside(rest)
}

/// True if there is a card number outside of strings: in numbers, with fractions and exponents, and
/// in anything that is not JSON.
fn found_outside(bytes: &[u8]) -> bool {
    if !bytes.iter().any(|byte| byte.is_ascii_digit() || !byte.is_ascii()) {
        return false;
    }
    let text = String::from_utf8_lossy(bytes);
    let belongs_to_number =
        |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    found_in(&text) || text.split(|c| !belongs_to_number(c)).any(found_in_number)
}

/// Splits the bytes after a quotation mark into the string up to the next one and the rest.
fn split_text(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut end = 0;
    while let Some(offset) = memchr2(b'"', b'\\', &bytes[end..]) {
        end += offset;
        if bytes[end] == b'"' {
            return (&bytes[..end], &bytes[end + 1..]);
        }
        end = bytes.len().min(end + 2);
    }
    (bytes, &[])
}

/// Decodes a string's escapes. If they are invalid, no parser continues, and the string stays as it
/// is.
fn decode(text: &[u8]) -> Cow<'_, str> {
    if memchr(b'\\', text).is_none() {
        return String::from_utf8_lossy(text);
    }
    let quoted = [b"\"", text, b"\""].concat();
    let decoded = serde_json::from_slice(&quoted).map(Cow::Owned);
    decoded.unwrap_or_else(|_| String::from_utf8_lossy(text))
}

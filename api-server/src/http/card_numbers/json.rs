//! Card numbers in JSON that nobody has read yet, and that may be none in the end.

use super::{found_in, found_in_number, is_secret_name};
use memchr::{memchr, memchr2};
use std::borrow::Cow;

/// True if a body has a card number in it, as a text, a number or the name of a member on any
/// level; or a member named like a security code. Up to the place where it ceases to be JSON it is
/// read as a parser reads it, and behind that as well as it goes: what a parser says of a body has
/// been searched, whatever it quotes.
pub fn found_in_json(body: &[u8]) -> bool {
    let mut rest = body;
    while let Some(quote) = memchr(b'"', rest) {
        let (outside, text) = (&rest[..quote], &rest[quote + 1..]);
        let (text, behind) = split_text(text);
        rest = behind;
        let text = decode(text);
        let is_name = || rest.trim_ascii_start().first() == Some(&b':');
        if found_outside(outside) || found_in(&text) || is_secret_name(&text) && is_name() {
            return true;
        }
    }
    found_outside(rest)
}

/// True if there is a card number in what is outside of texts: numbers, with fractions and
/// exponents, and whatever else is no JSON.
fn found_outside(bytes: &[u8]) -> bool {
    if !bytes.iter().any(|byte| byte.is_ascii_digit() || !byte.is_ascii()) {
        return false;
    }
    let text = String::from_utf8_lossy(bytes);
    let of_number = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    found_in(&text) || text.split(|c| !of_number(c)).any(found_in_number)
}

/// Divides what follows a quotation mark into the text up to the next one and what is behind it.
fn split_text(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut end = 0;
    while let Some(place) = memchr2(b'"', b'\\', &bytes[end..]) {
        end += place;
        if bytes[end] == b'"' {
            return (&bytes[..end], &bytes[end + 1..]);
        }
        end = bytes.len().min(end + 2);
    }
    (bytes, &[])
}

/// A text without its escapes. Where they are wrong, no parser goes on, and the text stays as it
/// is.
fn decode(text: &[u8]) -> Cow<'_, str> {
    if memchr(b'\\', text).is_none() {
        return String::from_utf8_lossy(text);
    }
    let quoted = [b"\"", text, b"\""].concat();
    let decoded = serde_json::from_slice(&quoted).map(Cow::Owned);
    decoded.unwrap_or_else(|_| String::from_utf8_lossy(text))
}

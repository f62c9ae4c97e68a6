//! Detection of card numbers (PANs, primary account numbers). No card number and no security code
//! enters the service: a request with one is refused before any of it is stored, quoted or logged.
//!
//! This module only detects, and masks paths that are shown. In requests about cards,
//! `http/admission.rs` refuses card numbers in the path, the query and the `Idempotency-Key`, and
//! `http/json_body.rs` in the body; `endpoints/gateway/sandbox.rs` refuses them in its form, and
//! `cards/stripe.rs` drops a cardholder name that contains one.
//!
//! A card number is a run of digits that begins with a brand's prefix, has one of the brand's
//! lengths and ends with the check digit. Groups of digits may be separated by spaces and dashes of
//! all kinds and by invisible characters; dots and commas belong to amounts. A group may have
//! leading zeros, because whatever reads a number drops them.
//!
//! UUIDs and hexadecimal hashes do not count, whatever their digits: otherwise one in 2,500 random
//! UUIDs would be refused, and clients use them as `Idempotency-Key`s.
//!
//! The search takes time proportional to the length of its input, whatever the client sends.

mod identifiers;
mod json;
mod run;

pub use json::found_in_json;

use percent_encoding::percent_decode_str;
use run::DigitRun;
use std::borrow::Cow;

/// Names of members and parameters that hold security codes or card numbers, case-folded.
const SECRET_NAMES: [&str; 6] = ["cvv", "cvc", "cid", "securitycode", "cardnumber", "pan"];

/// Replacement for a path segment in responses and logs.
const MASK: &str = "***";

/// True if a text contains a card number.
pub fn found_in(text: &str) -> bool {
    if found_in_number(text.trim()) {
        return true;
    }
    let mut run = DigitRun::default();
    let mut rest = text;
    let mut within_word = false;
    while let Some(c) = rest.chars().next() {
        let identifier = if within_word { None } else { identifiers::length(rest) };
        if let Some(length) = identifier {
            if run.end() {
                return true;
            }
            rest = rest.get(length..).unwrap_or_default();
            within_word = true;
            continue;
        }
        match c {
            '0'..='9' => run.push(c as u8 - b'0'),
            _ if is_separator(c) => run.end_group(),
            _ if run.end() => return true,
            _ => {}
        }
        within_word = c.is_alphanumeric();
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    run.end()
}

/// True for characters allowed between the digits of a number: spaces, line ends, dashes and
/// invisible characters. Outside of ASCII, that is whatever is no letter and no digit, and the letters
/// without a glyph.
fn is_separator(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => c == '-' || c.is_ascii_whitespace() || c.is_ascii_control(),
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' | '\u{30fc}' => true,
        _ => !c.is_alphanumeric(),
    }
}

/// True if one of these names and values, of a query or a form, contains a card number, or if a
/// name is one used for security codes.
pub fn found_in_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> bool {
    let mut pairs = pairs.into_iter();
    pairs.any(|(name, value)| is_secret_name(name) || found_in(name) || found_in(value))
}

/// True if a segment of a path, decoded, contains a card number.
pub fn found_in_path(path: &str) -> bool {
    path.split('/').any(found_in_segment)
}

/// Returns a path in a form that responses and logs may show. On payment gateway paths, including
/// paths that do not exist, segments with card numbers are masked.
pub fn shown_path(path: &str) -> Cow<'_, str> {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    if !decoded.to_ascii_lowercase().contains("gateway") || !found_in_path(path) {
        return Cow::Borrowed(path);
    }
    let mask = |segment| if found_in_segment(segment) { MASK } else { segment };
    Cow::Owned(path.split('/').map(mask).collect::<Vec<_>>().join("/"))
}

fn found_in_segment(segment: &str) -> bool {
    found_in(&percent_decode_str(segment).decode_utf8_lossy())
}

/// True for names used for security codes and card numbers, in any spelling: `security_code`,
/// `SecurityCode`, `CVV2`.
fn is_secret_name(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    let folded: String = letters.flat_map(char::to_lowercase).collect();
    SECRET_NAMES.contains(&folded.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// True if a text is a single decimal number, with a fraction or an exponent, whose whole part is a
/// card number.
fn found_in_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !(whole.bytes().chain(fraction.bytes())).all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let Ok(exponent) = exponent.parse::<i64>() else { return false };
    let zeros = mantissa.bytes().take_while(|byte| matches!(byte, b'0' | b'.'));
    let zeros = zeros.filter(|byte| *byte == b'0').count();
    let length = (whole.len() as i64 - zeros as i64).saturating_add(exponent);
    let digits = whole.bytes().chain(fraction.bytes()).skip(zeros).chain(std::iter::repeat(b'0'));
    match usize::try_from(length) {
        Ok(length @ ..=run::DIGITS_MAX) => is_card_number(digits.take(length)),
        _ => false,
    }
}

fn is_card_number(digits: impl Iterator<Item = u8>) -> bool {
    let mut run = DigitRun::default();
    digits.for_each(|digit| run.push(digit - b'0'));
    run.end()
}

#[cfg(test)]
mod tests;

//! No card number and no security code enters the service: what looks like one is refused before
//! anything of the request is read, kept, quoted or logged.
//!
//! A card number is a run of digits with the first digits and the length of a brand whose last one
//! is the check digit. Between groups of digits there may be spaces and dashes of all kinds, and
//! characters that nobody sees; dots and commas belong to amounts. A group may have zeros in front,
//! because whoever reads a number drops them. Digits of all scripts count.
//!
//! UUIDs and hashes in hexadecimal are none, whatever digits they have: one of 2,500 random UUIDs
//! would be refused, and `Idempotency-Key`s are such.
//!
//! All of this takes time in proportion to what is searched, whoever chose it.

mod identifiers;
mod json;
mod numerals;
mod run;

pub use json::found_in_json;

use percent_encoding::percent_decode_str;
use run::Run;
use std::borrow::Cow;

/// Members and parameters that hold security codes or card numbers, folded.
const SECRET_NAMES: [&str; 6] = ["cvv", "cvc", "cid", "securitycode", "cardnumber", "pan"];

/// What stands in answers and logs for a segment of a path.
const HIDDEN: &str = "***";

/// True if a text has a card number in it.
pub fn found_in(text: &str) -> bool {
    if found_in_number(text.trim()) {
        return true;
    }
    let mut run = Run::default();
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
        match numerals::value(c) {
            Some(value) => run.push(value),
            None if numerals::is_separator(c) => run.end_group(),
            None if run.end() => return true,
            None => {}
        }
        within_word = c.is_alphanumeric();
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    run.end()
}

/// True if one of these names and values, of a query or of a form, has a card number in it, or is
/// named like a security code.
pub fn found_in_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> bool {
    let mut pairs = pairs.into_iter();
    pairs.any(|(name, value)| is_secret_name(name) || found_in(name) || found_in(value))
}

/// True if a segment of a path, decoded, has a card number in it.
pub fn found_in_path(path: &str) -> bool {
    path.split('/').any(found_in_segment)
}

/// A path as answers and logs may have it. On paths of the payment gateway, those included that
/// nothing answers to, segments with card numbers are hidden.
pub fn shown_path(path: &str) -> Cow<'_, str> {
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    if !decoded.to_ascii_lowercase().contains("gateway") || !found_in_path(path) {
        return Cow::Borrowed(path);
    }
    let show = |segment| if found_in_segment(segment) { HIDDEN } else { segment };
    Cow::Owned(path.split('/').map(show).collect::<Vec<_>>().join("/"))
}

fn found_in_segment(segment: &str) -> bool {
    found_in(&percent_decode_str(segment).decode_utf8_lossy())
}

/// True for the names that security codes and card numbers go by, however they are written:
/// `security_code`, `SecurityCode`, `CVV2`.
fn is_secret_name(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    let folded: String = letters.flat_map(char::to_lowercase).collect();
    SECRET_NAMES.contains(&folded.trim_end_matches(|c: char| c.is_ascii_digit()))
}

/// True if a text is nothing but a decimal number, with a fraction or an exponent, whose whole part
/// is a card number; or is one once it is a binary float.
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
    let exactly = match usize::try_from(length) {
        Ok(length @ run::DIGITS_MIN..=run::DIGITS_MAX) => is_number(digits.take(length)),
        _ => false,
    };
    exactly || rounded(text).is_some_and(|whole| is_number(whole.bytes()))
}

fn is_number(digits: impl Iterator<Item = u8>) -> bool {
    let mut run = Run::default();
    digits.for_each(|digit| run.push(digit - b'0'));
    run.end()
}

/// The whole part of the binary float that is nearest to a number, where it is that long.
fn rounded(number: &str) -> Option<String> {
    let value = number.parse::<f64>().ok()?.abs().trunc();
    (1e12..1e19).contains(&value).then(|| format!("{value:.0}"))
}

#[cfg(test)]
mod tests;

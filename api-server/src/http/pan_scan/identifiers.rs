//! Random machine-generated identifiers: their digits mean nothing.

const UUID_LENGTH: usize = 36;
/// Fewest hexadecimal digits of a run that counts as an identifier.
const HASH_LENGTH_MIN: usize = 24;

/// Returns the length of the UUID or hexadecimal hash at the start of a text. It must contain a
/// letter: digits alone may be anything.
pub(super) fn length(text: &str) -> Option<usize> {
    if !text.as_bytes().first()?.is_ascii_hexdigit() {
        return None;
    }
    let hash = || {
        let length = text.bytes().take_while(u8::is_ascii_hexdigit).count();
        (length >= HASH_LENGTH_MIN).then_some(length)
    };
    let length = if is_uuid(text.as_bytes()) { UUID_LENGTH } else { hash()? };
    let (identifier, rest) = text.split_at_checked(length)?;
    let ends = !rest.starts_with(char::is_alphanumeric);
    let random = identifier.contains(|c: char| c.is_ascii_alphabetic());
    (ends && random && !has_number_at_end(identifier)).then_some(length)
}

/// True if a card number was prepended or appended, so that the two look like one word.
fn has_number_at_end(identifier: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let trailing = identifier.bytes().rev().take_while(u8::is_ascii_digit).count();
    let leading = digits(identifier);
    let (first, last) = (identifier.get(..leading), identifier.get(identifier.len() - trailing..));
    [first, last].into_iter().flatten().any(|digits| super::is_card_number(digits.bytes()))
}

/// True if a text begins with a UUID of RFC 9562: its version and variant distinguish it from
/// groups of digits.
fn is_uuid(text: &[u8]) -> bool {
    text.len() >= UUID_LENGTH
        && text.iter().take(UUID_LENGTH).enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            14 => matches!(byte, b'1'..=b'8'),
            19 => matches!(byte, b'8' | b'9' | b'a' | b'b' | b'A' | b'B'),
            _ => byte.is_ascii_hexdigit(),
        })
}

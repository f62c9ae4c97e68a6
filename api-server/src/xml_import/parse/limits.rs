//! Length limits on tags, text and comments. Lengths are those in the file: `&amp;` has five bytes.

use super::source::Position;
use super::{ATTRIBUTES_MAX, TEXT_BYTES_MAX, VALUE_BYTES_MAX, XmlFault};

/// All of a tag except attribute values: names, `=` and white space.
const MARKUP_BYTES_MAX: usize = 64 * 1024;
const END_TAG_BYTES_MAX: usize = 1024;
const DECLARATION_BYTES_MAX: usize = 1024;
const REFERENCE_BYTES_MAX: usize = 32;
/// Length of the delimiters of a CDATA section.
const CDATA_MARKS: usize = "<![CDATA[]]>".len();
/// All values of an element together.
const VALUES_BYTES_MAX: usize = 1024 * 1024;
/// No token within the limits is longer: this is the longest start tag.
pub(super) const TOKEN_BYTES_MAX: usize = MARKUP_BYTES_MAX + VALUES_BYTES_MAX;

const INCOMPLETE_TAG: &str = "the file ends within the tag that starts here";
const INCOMPLETE_REFERENCE: &str = "& must be written as &amp;, or its ; is missing";

/// Checks the length limits of a token that begins at this position. Returns what is wrong with it
/// if it does not end.
pub(super) fn check(token: &[u8], at: Position) -> Result<&'static str, XmlFault> {
    let text = "a text is longer than 1 MiB";
    let (bytes_max, too_long, incomplete) = match token {
        [b'<', b'!', b'-', ..] => (
            TEXT_BYTES_MAX,
            "a comment is longer than 1 MiB",
            "this is not a comment, or its --> is missing",
        ),
        [b'<', b'!', b'[', ..] => (
            TEXT_BYTES_MAX + CDATA_MARKS,
            text,
            "this is not a <![CDATA[…]]> section, or its ]]> is missing",
        ),
        [b'<', b'!', ..] => return Err(at.fault("a document type (DTD) is not allowed")),
        [b'<', b'?', ..] => (
            DECLARATION_BYTES_MAX,
            "this is too long for an XML declaration",
            "the ?> that ends this is missing",
        ),
        [b'<', b'/', ..] => (END_TAG_BYTES_MAX, "an end tag is too long", INCOMPLETE_TAG),
        [b'<', ..] => return check_tag(token, at),
        [b'&', ..] => (REFERENCE_BYTES_MAX, INCOMPLETE_REFERENCE, INCOMPLETE_REFERENCE),
        _ => (TEXT_BYTES_MAX, text, INCOMPLETE_TAG),
    };
    if token.len() > bytes_max { Err(at.fault(too_long)) } else { Ok(incomplete) }
}

fn check_tag(tag: &[u8], at: Position) -> Result<&'static str, XmlFault> {
    let fault = |index, message: &str| Err(at.after(&tag[..index]).fault(message));
    let (mut done, mut values, mut value_bytes) = (0, 0, 0);
    loop {
        let quote = memchr::memchr2(b'"', b'\'', &tag[done..]).map(|length| done + length);
        if quote.map_or(tag.len(), |quote| quote + 1) - value_bytes > MARKUP_BYTES_MAX {
            return fault(0, "a tag is longer than 64 KiB, not counting attribute values");
        }
        let Some(quote) = quote else { return Ok(INCOMPLETE_TAG) };
        values += 1;
        if values > ATTRIBUTES_MAX {
            return fault(quote, &format!("an element has more than {ATTRIBUTES_MAX} attributes"));
        }
        let value = &tag[quote + 1..];
        let end = memchr::memchr2(tag[quote], b'<', value);
        let length = end.unwrap_or(value.len());
        if length > VALUE_BYTES_MAX {
            return fault(quote, "an attribute value is longer than 64 KiB");
        }
        if value_bytes + length > VALUES_BYTES_MAX {
            return fault(
                quote,
                "the attribute values of an element are longer than 1 MiB in total",
            );
        }
        let Some(end) = end else {
            return Ok("the file ends within a value of the tag that starts here");
        };
        if value[end] == b'<' {
            let line = at.after(&tag[..quote]).line;
            let message = format!(
                "< must be written as &lt; in an attribute value, or a quote is missing: the \
                 value starts on line {line}"
            );
            return fault(quote + 1 + end, &message);
        }
        done = quote + 1 + end + 1;
        value_bytes += end + 1;
        if !matches!(tag.get(done), None | Some(b' ' | b'\t' | b'\n' | b'\r' | b'/' | b'>')) {
            return fault(done, "white space is required between attributes");
        }
    }
}

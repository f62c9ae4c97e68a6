//! Follows a tag, a text or a comment while it comes in, and stops it where it is longer than it
//! may be. Lengths are those of what stands in the file: `&amp;` has five bytes.

use super::source::Position;
use super::{ATTRIBUTES_MAX, Fault, TEXT_BYTES_MAX, VALUE_BYTES_MAX};

const COMMENT_BYTES_MAX: usize = TEXT_BYTES_MAX;
/// Names, `=` and white space of a tag: all of it but the values.
const MARKUP_BYTES_MAX: usize = 64 * 1024;
const END_TAG_BYTES_MAX: usize = 1024;
const DECLARATION_BYTES_MAX: usize = 1024;
const REFERENCE_BYTES_MAX: usize = 32;
/// What a section of raw text begins and ends with.
const CDATA_MARKS: usize = "<![CDATA[]]>".len();

/// What is being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Token {
    /// Nothing yet.
    #[default]
    Start,
    /// Text up to the next tag or reference.
    Text,
    /// `&` and what follows.
    Reference,
    /// `<`, and it is not known yet what follows.
    Open,
    /// `<!`, and it is not known yet what follows.
    Exclamation,
    /// A start tag, outside of values.
    Tag,
    /// In the value of an attribute, which ends with this quote.
    Value(u8),
    /// `</`
    EndTag,
    /// `<?`
    Question,
    /// `<!--`
    Comment,
    /// `<![CDATA[`
    RawText,
}

/// The lengths of a token so far.
#[derive(Debug)]
pub struct Limits {
    token: Token,
    begun_at: Position,
    bytes: usize,
    values: usize,
    value_bytes: usize,
    /// Where the value at hand begins, if it does before the bytes at hand.
    value_at: Option<Position>,
    behind_value: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            token: Token::Start,
            begun_at: Position::START,
            bytes: 0,
            values: 0,
            value_bytes: 0,
            value_at: None,
            behind_value: false,
        }
    }
}

/// Bytes of a token, and where they stand.
struct Part<'a> {
    at: Position,
    bytes: &'a [u8],
    /// So many of them are done with.
    done: usize,
    /// The value at hand begins with this one.
    value: usize,
}

impl<'a> Part<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.done..]
    }

    /// Counted only when somebody asks: it means looking at all bytes before.
    fn place(&self, index: usize) -> Position {
        self.at.after(&self.bytes[..index])
    }
}

impl Limits {
    /// What the token is, as far as it is known.
    pub fn token(&self) -> Token {
        self.token
    }

    /// Looks at the next bytes of the token, which stand at this place.
    pub fn follow(&mut self, at: Position, bytes: &[u8]) -> Result<(), Fault> {
        if self.token == Token::Start {
            self.begun_at = at;
        }
        let mut part = Part { at, bytes, done: 0, value: 0 };
        while part.done < bytes.len() {
            match self.token {
                Token::Start | Token::Open | Token::Exclamation => {
                    part.done += self.recognize(bytes[part.done])?;
                }
                Token::Tag => self.follow_tag(&mut part)?,
                Token::Value(quote) => self.follow_value(&mut part, quote)?,
                _ => {
                    self.bytes += part.rest().len();
                    return self.within();
                }
            }
        }
        if matches!(self.token, Token::Value(_)) {
            self.value_at.get_or_insert(part.place(part.value));
        }
        Ok(())
    }

    /// What this byte makes of the token; how many bytes of it are done with.
    fn recognize(&mut self, byte: u8) -> Result<usize, Fault> {
        self.token = match (self.token, byte) {
            (Token::Start, b'<') => Token::Open,
            (Token::Start, b'&') => Token::Reference,
            (Token::Start, _) => Token::Text,
            (Token::Open, b'!') => Token::Exclamation,
            (Token::Open, b'?') => Token::Question,
            (Token::Open, b'/') => Token::EndTag,
            (Token::Open, _) => Token::Tag,
            (_, b'-') => Token::Comment,
            (_, b'[') => Token::RawText,
            _ => return Err(self.begun_at.fault("a document type (DTD) is not allowed")),
        };
        let known = matches!(self.token, Token::Text | Token::Tag);
        self.bytes += usize::from(!known);
        Ok(usize::from(!known))
    }

    fn within(&self) -> Result<(), Fault> {
        let (most, message) = match self.token {
            Token::Text => (TEXT_BYTES_MAX, "a text has more than 1 MiB"),
            Token::RawText => (TEXT_BYTES_MAX + CDATA_MARKS, "a text has more than 1 MiB"),
            Token::Comment => (COMMENT_BYTES_MAX, "a comment has more than 1 MiB"),
            Token::Reference => {
                (REFERENCE_BYTES_MAX, "& stands where &amp; should, or no ; ends it")
            }
            Token::EndTag => (END_TAG_BYTES_MAX, "an end tag is too long"),
            Token::Question => (DECLARATION_BYTES_MAX, "this is too long for an XML declaration"),
            _ => (MARKUP_BYTES_MAX, "a tag has more than 64 KiB besides its values"),
        };
        if self.bytes > most { Err(self.begun_at.fault(message)) } else { Ok(()) }
    }

    fn follow_tag(&mut self, part: &mut Part<'_>) -> Result<(), Fault> {
        let rest = part.rest();
        if self.behind_value && !matches!(rest[0], b' ' | b'\t' | b'\n' | b'\r' | b'/' | b'>') {
            return Err(part.place(part.done).fault("white space must stand between attributes"));
        }
        self.behind_value = false;
        let quote = memchr::memchr2(b'"', b'\'', rest);
        let taken = quote.map_or(rest.len(), |quote| quote + 1);
        self.bytes += taken;
        self.within()?;
        part.done += taken;
        if let Some(quote) = quote {
            part.value = part.done - 1;
            if self.values == ATTRIBUTES_MAX {
                let message = format!("an element has more than {ATTRIBUTES_MAX} attributes");
                return Err(part.place(part.value).fault(message));
            }
            self.values += 1;
            (self.value_at, self.value_bytes) = (None, 0);
            self.token = Token::Value(rest[quote]);
        }
        Ok(())
    }

    fn follow_value(&mut self, part: &mut Part<'_>, quote: u8) -> Result<(), Fault> {
        let rest = part.rest();
        let end = memchr::memchr2(quote, b'<', rest);
        self.value_bytes += end.unwrap_or(rest.len());
        let begun = |part: &Part<'_>| self.value_at.unwrap_or_else(|| part.place(part.value));
        if self.value_bytes > VALUE_BYTES_MAX {
            return Err(begun(part).fault("the value of an attribute has more than 64 KiB"));
        }
        match end {
            None => part.done = part.bytes.len(),
            Some(end) if rest[end] == quote => {
                part.done += end + 1;
                (self.token, self.behind_value) = (Token::Tag, true);
            }
            Some(end) => {
                let line = begun(part).line;
                return Err(part.place(part.done + end).fault(format!(
                    "< stands in a value where &lt; should, or a quote is missing: the value \
                     begins on line {line}"
                )));
            }
        }
        Ok(())
    }
}

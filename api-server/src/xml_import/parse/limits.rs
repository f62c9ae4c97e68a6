//! Length limits on tags, text and comments, enforced while they are read. Lengths are those in the
//! file: `&amp;` has five bytes.

use super::source::Position;
use super::{ATTRIBUTES_MAX, TEXT_BYTES_MAX, VALUE_BYTES_MAX, XmlFault};

const COMMENT_BYTES_MAX: usize = TEXT_BYTES_MAX;
/// All of a tag except attribute values: names, `=` and white space.
const MARKUP_BYTES_MAX: usize = 64 * 1024;
const END_TAG_BYTES_MAX: usize = 1024;
const DECLARATION_BYTES_MAX: usize = 1024;
const REFERENCE_BYTES_MAX: usize = 32;
/// Length of the delimiters of a CDATA section.
const CDATA_MARKS: usize = "<![CDATA[]]>".len();

/// The token being read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Token {
    /// Nothing yet.
    #[default]
    Start,
    /// Text up to the next tag or reference.
    Text,
    /// A reference, from its `&`.
    Reference,
    /// `<`, before the byte that says what it begins.
    Open,
    /// `<!`, before the byte that says what it begins.
    Exclamation,
    /// In a start tag, outside attribute values.
    Tag,
    /// In an attribute value, which ends with this quote.
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

/// The lengths of the current token so far.
#[derive(Debug)]
pub(super) struct TokenLimits {
    token: Token,
    started_at: Position,
    bytes: usize,
    values: usize,
    value_bytes: usize,
    /// Where the current value begins, if that is before the current bytes.
    value_at: Option<Position>,
    after_value: bool,
}

impl Default for TokenLimits {
    fn default() -> Self {
        Self {
            token: Token::Start,
            started_at: Position::START,
            bytes: 0,
            values: 0,
            value_bytes: 0,
            value_at: None,
            after_value: false,
        }
    }
}

/// Bytes of a token, and their position.
struct TokenBytes<'a> {
    at: Position,
    bytes: &'a [u8],
    /// How many of the bytes are processed.
    done: usize,
    /// Index at which the current value begins.
    value: usize,
}

impl<'a> TokenBytes<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.done..]
    }

    /// Computes the position of a byte. Costly, because it scans all bytes before it.
    fn position_of(&self, index: usize) -> Position {
        self.at.after(&self.bytes[..index])
    }
}

impl TokenLimits {
    /// Returns the kind of token, as far as it is recognized.
    pub(super) fn token(&self) -> Token {
        self.token
    }

    /// Processes the next bytes of the token, which begin at this position.
    pub(super) fn follow(&mut self, at: Position, bytes: &[u8]) -> Result<(), XmlFault> {
        if self.token == Token::Start {
            self.started_at = at;
        }
        let mut part = TokenBytes { at, bytes, done: 0, value: 0 };
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
            self.value_at.get_or_insert(part.position_of(part.value));
        }
        Ok(())
    }

    /// Determines the token from the next byte. Returns how many bytes are processed.
    fn recognize(&mut self, byte: u8) -> Result<usize, XmlFault> {
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
            _ => return Err(self.started_at.fault("a document type (DTD) is not allowed")),
        };
        let reprocess = matches!(self.token, Token::Text | Token::Tag);
        self.bytes += usize::from(!reprocess);
        Ok(usize::from(!reprocess))
    }

    fn within(&self) -> Result<(), XmlFault> {
        let (bytes_max, message) = match self.token {
            Token::Text => (TEXT_BYTES_MAX, "a text is longer than 1 MiB"),
            Token::RawText => (TEXT_BYTES_MAX + CDATA_MARKS, "a text is longer than 1 MiB"),
            Token::Comment => (COMMENT_BYTES_MAX, "a comment is longer than 1 MiB"),
            Token::Reference => {
                (REFERENCE_BYTES_MAX, "& must be written as &amp;, or its ; is missing")
            }
            Token::EndTag => (END_TAG_BYTES_MAX, "an end tag is too long"),
            Token::Question => (DECLARATION_BYTES_MAX, "this is too long for an XML declaration"),
            _ => (MARKUP_BYTES_MAX, "a tag is longer than 64 KiB, not counting attribute values"),
        };
        if self.bytes > bytes_max { Err(self.started_at.fault(message)) } else { Ok(()) }
    }

    fn follow_tag(&mut self, part: &mut TokenBytes<'_>) -> Result<(), XmlFault> {
        let rest = part.rest();
        if self.after_value && !matches!(rest[0], b' ' | b'\t' | b'\n' | b'\r' | b'/' | b'>') {
            return Err(part
                .position_of(part.done)
                .fault("white space is required between attributes"));
        }
        self.after_value = false;
        let quote = memchr::memchr2(b'"', b'\'', rest);
        let length = quote.map_or(rest.len(), |quote| quote + 1);
        self.bytes += length;
        self.within()?;
        part.done += length;
        if let Some(quote) = quote {
            part.value = part.done - 1;
            if self.values == ATTRIBUTES_MAX {
                let message = format!("an element has more than {ATTRIBUTES_MAX} attributes");
                return Err(part.position_of(part.value).fault(message));
            }
            self.values += 1;
            (self.value_at, self.value_bytes) = (None, 0);
            self.token = Token::Value(rest[quote]);
        }
        Ok(())
    }

    fn follow_value(&mut self, part: &mut TokenBytes<'_>, quote: u8) -> Result<(), XmlFault> {
        let rest = part.rest();
        let end = memchr::memchr2(quote, b'<', rest);
        self.value_bytes += end.unwrap_or(rest.len());
        let value_start =
            |part: &TokenBytes<'_>| self.value_at.unwrap_or_else(|| part.position_of(part.value));
        if self.value_bytes > VALUE_BYTES_MAX {
            return Err(value_start(part).fault("an attribute value is longer than 64 KiB"));
        }
        match end {
            None => part.done = part.bytes.len(),
            Some(end) if rest[end] == quote => {
                part.done += end + 1;
                (self.token, self.after_value) = (Token::Tag, true);
            }
            Some(end) => {
                let line = value_start(part).line;
                return Err(part.position_of(part.done + end).fault(format!(
                    "< must be written as &lt; in an attribute value, or a quote is missing: the \
                     value starts on line {line}"
                )));
            }
        }
        Ok(())
    }
}

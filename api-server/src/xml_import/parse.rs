//! Streaming parser for import files. Returns records, or a fault with line and column.
//!
//! A file is read twice as a stream. The first pass ([`check`]) proves that the whole file is well
//! formed, so that a malformed file changes nothing; the second ([`Records`]) returns the records
//! one by one, those too large for memory in pieces. Memory use is small whatever the file's size.
//!
//! | | |
//! |---|---|
//! | `source.rs` | UTF-8, characters illegal in XML, lines and columns |
//! | `limits.rs` | the longest tag, text and comment |
//! | `markup.rs` | tags and text; no document type, no entities but the five predefined ones |
//! | here | the nesting of elements |

mod limits;
mod markup;
mod source;
#[cfg(test)]
mod tests;

use self::markup::{MarkupReader, Node, TextNode};
use self::source::Position;
use std::collections::VecDeque;
use std::fmt;
use std::io::BufRead;

pub const ROOT: &str = "Core";
const DEPTH_MAX: usize = 8;
const ATTRIBUTES_MAX: usize = 200;
const VALUE_BYTES_MAX: usize = 64 * 1024;
const TEXT_BYTES_MAX: usize = 1024 * 1024;
/// The record that is returned in pieces if it is large: its elements do not depend on each other.
const IN_PIECES: &str = "Transactions";
/// The most XML between its start and end tags that is returned as a whole.
const WHOLE_BYTES_MAX: u64 = 1024 * 1024;
/// The most XML in any other record, and in an element of the one in pieces.
const HELD_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// The same two limits for the number of elements and attributes: each takes far more memory than
/// the shortest take XML.
const WHOLE_NAMES_MAX: u64 = 64 * 1024;
const HELD_NAMES_MAX: u64 = 64 * 1024;

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlFault {
    /// From 1.
    pub line: u64,
    /// From 1, in bytes: a tab counts as one, a character that takes two bytes in UTF-8 as two.
    pub column: u64,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for XmlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

/// An element with everything in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    pub name: String,
    /// The line on which it starts.
    pub line: u64,
    /// Attributes in order. Names are unique.
    pub attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    /// Text in it, without surrounding white space.
    pub text: String,
    /// Bytes of XML from start to end tag or, for a record in pieces, of its start tag.
    pub bytes: u64,
}

impl Element {
    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(attribute, _)| attribute == name)
            .map(|(_, value)| value.as_str())
    }
}

/// A piece of a file, as handed to the import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A record with everything in it.
    Record(Element),
    /// The start of a record too large to hold in memory. Its elements follow one by one.
    Opened(Element),
    /// An element of the opened record, with everything in it.
    Child(Element),
    /// The end of the opened record.
    Closed,
}

/// Reads a whole file. Returns its root element without children, or the first fault.
pub fn check(input: impl BufRead) -> Result<Element, XmlFault> {
    let mut records = Records::open(input)?;
    while records.next_piece()?.is_some() {}
    Ok(records.root)
}

/// Reader for the top-level records of a file.
pub struct Records<R: BufRead> {
    markup: MarkupReader<R>,
    /// The root element, without its children.
    pub root: Element,
    /// Child elements read before their record turned out to be too large.
    waiting: VecDeque<Element>,
    /// Name and line of the record that is being returned in pieces.
    opened: Option<(String, u64)>,
    ended: bool,
}

impl<R: BufRead> Records<R> {
    /// Reads up to the start tag of the root element.
    pub fn open(input: R) -> Result<Self, XmlFault> {
        let mut markup = MarkupReader::new(input)?;
        let root = find_root(&mut markup)?;
        Ok(Self { markup, root, waiting: VecDeque::new(), opened: None, ended: false })
    }

    /// Returns the next piece, or `None` after the last one. Must not be called after a fault.
    pub fn next_piece(&mut self) -> Result<Option<Piece>, XmlFault> {
        if let Some(child) = self.waiting.pop_front() {
            return Ok(Some(Piece::Child(child)));
        }
        if self.opened.is_some() {
            return self.next_of_opened().map(Some);
        }
        while !self.ended {
            match self.markup.next_node()? {
                Node::Start(element) => return self.record(element).map(Some),
                Node::Text(text) => refuse(&text, "text is not allowed outside a record")?,
                Node::End => self.ended = true,
                Node::Eof => return self.markup.fault("the file ends within the root element"),
            }
        }
        loop {
            match self.markup.next_node()? {
                Node::Eof => return Ok(None),
                Node::Text(text) => refuse(&text, "nothing may follow the root element")?,
                _ => return self.markup.fault("nothing may follow the root element"),
            }
        }
    }

    /// Reads a record to its end, or until it is too large to hold in memory.
    fn record(&mut self, mut record: Element) -> Result<Piece, XmlFault> {
        let (content_start, names) = (self.markup.offset(), self.markup.names);
        let (at, record_start) = (self.markup.at, self.markup.from);
        let mut text = Content::default();
        loop {
            match self.markup.next_node()? {
                Node::Start(child) => record.children.push(self.child(child)?),
                Node::Text(more) => text.push(&self.markup, more)?,
                Node::End => {
                    record.text = text.trimmed();
                    record.bytes = self.markup.offset() - record_start;
                    return Ok(Piece::Record(record));
                }
                Node::Eof => return self.unterminated(&record.name, record.line),
            }
            let (bytes, names) = (self.markup.offset() - content_start, self.markup.names - names);
            if record.name != IN_PIECES {
                if bytes > HELD_BYTES_MAX || names > HELD_NAMES_MAX {
                    return Err(at.fault(TOO_LARGE));
                }
            } else if bytes > WHOLE_BYTES_MAX || names > WHOLE_NAMES_MAX {
                if let Some(at) = text.visible_at {
                    return Err(at.fault(LOOSE_TEXT));
                }
                self.waiting = std::mem::take(&mut record.children).into();
                self.opened = Some((record.name.clone(), record.line));
                return Ok(Piece::Opened(record));
            }
        }
    }

    /// Returns the next piece of a record that is too large to hold in memory.
    fn next_of_opened(&mut self) -> Result<Piece, XmlFault> {
        loop {
            match self.markup.next_node()? {
                Node::Start(child) => return self.child(child).map(Piece::Child),
                Node::Text(text) => refuse(&text, LOOSE_TEXT)?,
                Node::End => {
                    self.opened = None;
                    return Ok(Piece::Closed);
                }
                Node::Eof => {
                    let (name, line) = self.opened.clone().unwrap_or_default();
                    return self.unterminated(&name, line);
                }
            }
        }
    }

    /// Reads an element of a record to its end.
    fn child(&mut self, element: Element) -> Result<Element, XmlFault> {
        let limit = ChildLimit {
            at: self.markup.at,
            bytes: self.markup.from + HELD_BYTES_MAX,
            names: self.markup.names + HELD_NAMES_MAX,
        };
        self.finish(element, 3, &limit)
    }

    /// Reads an element to its end. `depth` is its nesting level; the root has 1.
    fn finish(
        &mut self,
        mut element: Element,
        depth: usize,
        limit: &ChildLimit,
    ) -> Result<Element, XmlFault> {
        if depth > DEPTH_MAX {
            return self.markup.fault(format!("elements nest deeper than {DEPTH_MAX} levels"));
        }
        let start = self.markup.from;
        let mut text = Content::default();
        loop {
            let node = self.markup.next_node()?;
            if self.markup.offset() > limit.bytes || self.markup.names > limit.names {
                return Err(limit.at.fault(TOO_LARGE));
            }
            match node {
                Node::Start(child) => {
                    element.children.push(self.finish(child, depth + 1, limit)?)
                }
                Node::Text(more) => text.push(&self.markup, more)?,
                Node::End => {
                    element.text = text.trimmed();
                    element.bytes = self.markup.offset() - start;
                    return Ok(element);
                }
                Node::Eof => return self.unterminated(&element.name, element.line),
            }
        }
    }

    fn unterminated<T>(&self, name: &str, line: u64) -> Result<T, XmlFault> {
        self.markup
            .fault(format!("the file ends within element {name}, which starts on line {line}"))
    }
}

const TOO_LARGE: &str =
    "an element is larger than 8 MiB, or has more than 65,536 elements and attributes";
const LOOSE_TEXT: &str = "text is not allowed between the elements of a record";

/// The limits within which an element of a record must end.
struct ChildLimit {
    at: Position,
    bytes: u64,
    names: u64,
}

fn find_root(markup: &mut MarkupReader<impl BufRead>) -> Result<Element, XmlFault> {
    loop {
        match markup.next_node()? {
            Node::Start(root) if root.name == ROOT => return Ok(root),
            Node::Start(other) => {
                let message = format!("the root element must be {ROOT}, not {}", other.name);
                return markup.fault(message);
            }
            Node::Text(text) => refuse(&text, "the root element is expected here")?,
            Node::End => return markup.fault("the root element is expected here"),
            Node::Eof => return markup.fault("the file has no root element"),
        }
    }
}

fn refuse(text: &TextNode, message: &str) -> Result<(), XmlFault> {
    text.visible_at.map_or(Ok(()), |at| Err(at.fault(message)))
}

/// The text of an element while it is read.
#[derive(Default)]
struct Content {
    text: String,
    xml_bytes: usize,
    visible_at: Option<Position>,
}

impl Content {
    fn push<R: BufRead>(
        &mut self,
        markup: &MarkupReader<R>,
        more: TextNode,
    ) -> Result<(), XmlFault> {
        // Leading white space is trimmed in the end, so it need not be stored.
        if more.visible_at.is_none() && self.text.is_empty() {
            return Ok(());
        }
        self.xml_bytes += more.xml_bytes;
        if self.xml_bytes > TEXT_BYTES_MAX {
            return markup.fault("a text is longer than 1 MiB");
        }
        self.visible_at = self.visible_at.or(more.visible_at);
        self.text.push_str(&more.content);
        Ok(())
    }

    fn trimmed(self) -> String {
        match self.text.trim() {
            all if all.len() == self.text.len() => self.text,
            part => part.to_owned(),
        }
    }
}

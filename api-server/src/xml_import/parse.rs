//! Text in, records or a fault with line and column out.
//!
//! An import file is read twice as a stream. The first pass ([`check`]) proves that the whole file
//! is sound, so that a malformed file changes nothing; the second ([`Records`]) hands out one
//! top-level record after the other. The parser is hardened: no document type, no entities but the
//! five predefined, no processing instructions, and limits on depth, attributes and lengths.

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::fmt;
use std::io::{self, BufRead};

/// The root element.
pub const ROOT: &str = "Core";
const RAW_LESS_THAN: char = '<';
const DEPTH_MAX: usize = 8;
const ATTRIBUTES_MAX: usize = 200;
const VALUE_BYTES_MAX: usize = 64 * 1024;
const TEXT_BYTES_MAX: usize = 1024 * 1024;
/// One tag or text cannot be longer than all it may hold.
const EVENT_BYTES_MAX: u64 = (ATTRIBUTES_MAX * VALUE_BYTES_MAX) as u64;

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// From 1.
    pub line: u64,
    /// From 1, in bytes.
    pub column: u64,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

/// An element with everything in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// The line it begins on.
    pub line: u64,
    /// Attributes in their order; no name stands twice.
    pub attributes: Vec<(String, String)>,
    /// Elements in it.
    pub children: Vec<Element>,
    /// Text in it, without the white space around it.
    pub text: String,
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Reads a whole file and gives back its root element without children, or the first fault.
pub fn check(input: impl BufRead) -> Result<Element, Fault> {
    let mut records = Records::open(input)?;
    while records.next_record()?.is_some() {}
    Ok(records.root)
}

/// The top-level records of a file, one after the other.
pub struct Records<R: BufRead> {
    reader: Reader<Lines<R>>,
    buffer: Vec<u8>,
    /// The root element, without its children.
    pub root: Element,
    ended: bool,
}

impl<R: BufRead> Records<R> {
    /// Reads up to the root element's start.
    pub fn open(input: R) -> Result<Self, Fault> {
        let mut reader = Reader::from_reader(Lines::new(input));
        let config = reader.config_mut();
        config.check_end_names = true;
        config.expand_empty_elements = true;
        config.check_comments = true;
        let mut records =
            Self { reader, buffer: Vec::new(), root: Element::default(), ended: false };
        records.root = records.find_root()?;
        Ok(records)
    }

    fn find_root(&mut self) -> Result<Element, Fault> {
        loop {
            match self.next_node()? {
                Node::Start(root) if root.name == ROOT => return Ok(root),
                Node::Start(other) => {
                    let message =
                        format!("the root element must be {ROOT}, and this is {}", other.name);
                    return Err(Fault { line: other.line, column: 1, message });
                }
                Node::Text(text) if text.trim().is_empty() => {}
                Node::Text(_) | Node::End => return Err(self.fault("expected the root element")),
                Node::Eof => return Err(self.fault("the file has no root element")),
            }
        }
    }

    /// The next record, or `None` behind the last one.
    pub fn next_record(&mut self) -> Result<Option<Element>, Fault> {
        while !self.ended {
            match self.next_node()? {
                Node::Start(element) => return self.finish(element, 2).map(Some),
                Node::Text(text) if text.trim().is_empty() => {}
                Node::Text(_) => return Err(self.fault("text stands outside of any record")),
                Node::End => self.ended = true,
                Node::Eof => return Err(self.fault("the file ends within the root element")),
            }
        }
        loop {
            match self.next_node()? {
                Node::Eof => return Ok(None),
                Node::Text(text) if text.trim().is_empty() => {}
                _ => return Err(self.fault("something stands behind the root element")),
            }
        }
    }

    /// Reads an element to its end. `depth` is its own, the root being 1.
    fn finish(&mut self, mut element: Element, depth: usize) -> Result<Element, Fault> {
        if depth > DEPTH_MAX {
            return Err(self.fault(format!("elements nest deeper than {DEPTH_MAX}")));
        }
        loop {
            match self.next_node()? {
                Node::Start(child) => {
                    let child = self.finish(child, depth + 1)?;
                    element.children.push(child);
                }
                Node::Text(text) => {
                    if element.text.len() + text.len() > TEXT_BYTES_MAX {
                        return Err(self.fault("a text has more than 1 MiB"));
                    }
                    element.text.push_str(&text);
                }
                Node::End => {
                    element.text = element.text.trim().to_owned();
                    return Ok(element);
                }
                Node::Eof => {
                    let name = &element.name;
                    return Err(self.fault(format!("the file ends within element {name}")));
                }
            }
        }
    }

    fn next_node(&mut self) -> Result<Node, Fault> {
        loop {
            let position = self.reader.get_mut().begin_event();
            self.buffer.clear();
            let event = self.reader.read_event_into(&mut self.buffer);
            let at_start = position.line == 1 && position.column == 1;
            let node = match event {
                Ok(Event::Decl(_)) if !at_start => {
                    Err("an XML declaration stands only at the very start".to_owned())
                }
                Ok(event) => node(event, position.line),
                Err(error) => Err(error.to_string()),
            };
            match node {
                Ok(Some(node)) => return Ok(node),
                Ok(None) => {}
                Err(message) => {
                    let Position { line, column } = position;
                    return Err(Fault { line, column, message });
                }
            }
        }
    }

    fn fault(&mut self, message: impl Into<String>) -> Fault {
        let Position { line, column } = self.reader.get_mut().position();
        Fault { line, column, message: message.into() }
    }
}

/// What the records are made of.
enum Node {
    Start(Element),
    Text(String),
    End,
    Eof,
}

/// What an event means to us: nothing for comments and the declaration.
fn node(event: Event<'_>, line: u64) -> Result<Option<Node>, String> {
    Ok(Some(match event {
        Event::Start(tag) | Event::Empty(tag) => Node::Start(start(&tag, line)?),
        Event::End(_) => Node::End,
        Event::Eof => Node::Eof,
        Event::Text(text) => {
            let text = text.xml_content(XmlVersion::Explicit1_0);
            if text.contains("]]>") {
                return Err("]]> must not stand in text".to_owned());
            }
            Node::Text(legal(text.into())?)
        }
        Event::CData(text) => Node::Text(legal(text.xml_content(XmlVersion::Explicit1_0).into())?),
        Event::GeneralRef(reference) => Node::Text(resolve(&reference)?),
        Event::Comment(_) => return Ok(None),
        Event::Decl(declaration) => {
            let utf8 = match declaration.encoding() {
                None => true,
                Some(encoding) => {
                    encoding.is_ok_and(|encoding| encoding.eq_ignore_ascii_case("utf-8"))
                }
            };
            return if utf8 { Ok(None) } else { Err("the encoding must be UTF-8".to_owned()) };
        }
        Event::PI(_) => return Err("processing instructions are not allowed".to_owned()),
        Event::DocType(_) => return Err("a document type is not allowed".to_owned()),
    }))
}

fn start(tag: &BytesStart<'_>, line: u64) -> Result<Element, String> {
    let name = checked_name(tag.name().as_ref())?;
    if !attributes_apart(tag.attributes_raw()) {
        return Err("white space must stand between attributes".to_owned());
    }
    let mut element = Element { name, line, ..Element::default() };
    for attribute in tag.attributes() {
        if element.attributes.len() == ATTRIBUTES_MAX {
            return Err(format!("an element has more than {ATTRIBUTES_MAX} attributes"));
        }
        let attribute = attribute.map_err(|error| error.to_string())?;
        let name = checked_name(attribute.key.as_ref())?;
        // Not the parser's own words: they quote the value, and it may be a password.
        let value = attribute.normalized_value(XmlVersion::Explicit1_0);
        let value = value.ok().filter(|_| !attribute.value.contains(RAW_LESS_THAN));
        let value = value.ok_or_else(|| {
            format!(
                "attribute {name} holds < or & where &lt; or &amp; should stand, or an entity \
                     that is not one of the five predefined"
            )
        })?;
        if value.len() > VALUE_BYTES_MAX {
            return Err(format!("attribute {name} has more than 64 KiB"));
        }
        let value = legal(value.into())?;
        element.attributes.push((name, value));
    }
    Ok(element)
}

/// A name as XML has them: letters, digits, `_`, `-`, `.` and `:`, not beginning with the latter.
fn checked_name(name: &str) -> Result<String, String> {
    let first = |c: char| c.is_alphabetic() || c == '_' || c == ':';
    let legal = name.starts_with(first)
        && name.chars().all(|c| first(c) || c.is_alphanumeric() || matches!(c, '-' | '.'));
    match legal {
        true => Ok(name.to_owned()),
        false => Err(format!("{name:?} is no name")),
    }
}

/// True if white space follows each attribute value but the last.
fn attributes_apart(text: &str) -> bool {
    let mut quote = None;
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match quote {
            None if matches!(c, '"' | '\'') => quote = Some(c),
            Some(open) if c == open => {
                quote = None;
                let next = characters.peek();
                if next.is_some_and(|next| !next.is_ascii_whitespace() && *next != '/') {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

fn resolve(reference: &BytesRef<'_>) -> Result<String, String> {
    if let Some(character) = reference.resolve_char_ref().map_err(|error| error.to_string())? {
        return legal(character.to_string());
    }
    let name = reference.xml_content(XmlVersion::Explicit1_0);
    let character = match &*name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        other => return Err(format!("the entity {other} is not one of the five predefined")),
    };
    Ok(character.to_owned())
}

/// XML 1.0 has no control characters but tab, line feed and carriage return.
fn legal(text: String) -> Result<String, String> {
    let illegal = |c: char| {
        (c < ' ' && !matches!(c, '\t' | '\n' | '\r')) || matches!(c, '\u{fffe}' | '\u{ffff}')
    };
    match text.chars().find(|c| illegal(*c)) {
        Some(c) => Err(format!("the character U+{:04X} is not allowed", u32::from(c))),
        None => Ok(text),
    }
}

/// A place in the file, from 1.
#[derive(Clone, Copy, Debug)]
struct Position {
    line: u64,
    column: u64,
}

/// Counts lines while it reads, and refuses an event that never ends.
struct Lines<R> {
    inner: R,
    line: u64,
    column: u64,
    event_bytes: u64,
}

impl<R> Lines<R> {
    fn new(inner: R) -> Self {
        Self { inner, line: 1, column: 1, event_bytes: 0 }
    }

    fn position(&self) -> Position {
        Position { line: self.line, column: self.column }
    }

    fn begin_event(&mut self) -> Position {
        self.event_bytes = 0;
        self.position()
    }
}

impl<R: BufRead> io::Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Lines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.event_bytes > EVENT_BYTES_MAX {
            return Err(io::Error::other("a tag or a text is too long"));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        if let Ok(available) = self.inner.fill_buf() {
            let consumed = &available[..count.min(available.len())];
            let newlines = consumed.iter().filter(|byte| **byte == b'\n').count() as u64;
            self.line += newlines;
            match consumed.iter().rposition(|byte| *byte == b'\n') {
                Some(last) => self.column = (consumed.len() - last) as u64,
                None => self.column += consumed.len() as u64,
            }
        }
        self.event_bytes += count as u64;
        self.inner.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Result<Vec<Element>, Fault> {
        let mut records = Records::open(text.as_bytes())?;
        let mut all = Vec::new();
        while let Some(record) = records.next_record()? {
            all.push(record);
        }
        Ok(all)
    }

    #[test]
    fn records_come_with_lines_attributes_children_and_text() {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Core CommitBlock=\"1\">\n  \
                    <!-- a comment -->\n  <Contact A=\"1 &amp; 2\"\n     B='x'>\n    \
                    <Comment>so &lt;b&gt; &#65;<![CDATA[<raw>]]></Comment>\n  </Contact>\n\
                    <Loan/></Core>\n";
        let all = records(text).unwrap();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].name.as_str(), all[0].line), ("Contact", 4));
        assert_eq!(all[0].attribute("A"), Some("1 & 2"));
        assert_eq!(all[0].attribute("B"), Some("x"));
        assert_eq!(
            (all[0].children[0].text.as_str(), all[0].children[0].line),
            ("so <b> A<raw>", 6)
        );
        assert_eq!(all[1].name, "Loan");
        assert_eq!(check(text.as_bytes()).unwrap().attribute("CommitBlock"), Some("1"));
    }

    #[test]
    fn what_is_not_sound_is_refused_with_its_place() {
        let deep = format!("<Core>{}{}</Core>", "<a>".repeat(9), "</a>".repeat(9));
        let wide: String = (0..201).map(|n| format!(" a{n}=''")).collect();
        let long = "x".repeat(VALUE_BYTES_MAX + 1);
        for (text, expected) in [
            ("", "no root"),
            ("<Other/>", "root element must be Core"),
            ("<Core>", "ends within"),
            ("<Core><a></Core>", ""),
            ("<Core></Core><b/>", "behind the root"),
            ("<Core>text</Core>", "outside of any record"),
            ("<Core><a b='1' b='2'/></Core>", ""),
            ("<Core><a b=1/></Core>", ""),
            ("<!DOCTYPE Core><Core/>", "document type"),
            ("<Core><?php echo ?></Core>", "processing instructions"),
            ("<Core><a>&evil;</a></Core>", "evil"),
            ("<Core><a b='&evil;'/></Core>", "five predefined"),
            ("<Core><a b='<'/></Core>", "&lt;"),
            ("<Core><a b='1'c='2'/></Core>", "white space"),
            ("<Core><1a/></Core>", "no name"),
            ("<Core>< /></Core>", ""),
            ("<Core><a>x ]]> y</a></Core>", "]]>"),
            ("<Core><?xml version='1.0'?></Core>", "very start"),
            (" <?xml version='1.0'?><Core/>", "very start"),
            ("<Core><a>&#1;</a></Core>", "U+0001"),
            ("<Core><a>\u{2}</a></Core>", "U+0002"),
            ("<?xml version='1.0' encoding='latin1'?><Core/>", "UTF-8"),
            (&deep, "deeper"),
            (&format!("<Core><a{wide}/></Core>"), "200 attributes"),
            (&format!("<Core><a b='{long}'/></Core>"), "64 KiB"),
        ] {
            let fault = check(text.as_bytes()).unwrap_err();
            assert!(fault.message.contains(expected), "{text:.60}: {fault}");
        }
        let fault = check("<Core>\n  <a>\n  &no;</a></Core>".as_bytes()).unwrap_err();
        assert_eq!((fault.line, fault.column), (3, 3), "{fault}");
        let bad_utf8 = check(&b"<Core><a b='\xff'/></Core>"[..]).unwrap_err();
        assert_eq!(bad_utf8.line, 1);
    }
}

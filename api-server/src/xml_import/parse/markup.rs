//! XML tokenizer for import files: returns start tags, end tags and text, one node at a time.

use super::limits::Token;
use super::source::{Position, XmlSource};
use super::{Element, XmlFault};
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::attributes::{AttrError, Attribute};
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::io::Read;

const XML: XmlVersion = XmlVersion::Explicit1_0;
const NAME_BYTES_MAX: usize = 128;
/// The attribute that declares the namespace of an element.
const NAMESPACE: &str = "xmlns";
/// How many characters of a wrong name a message quotes.
const QUOTED_CHARACTERS_MAX: usize = 40;
/// The buffer shrinks to this size after a long tag.
const BUFFER_BYTES_KEPT: usize = 256 * 1024;

/// A node of a file.
pub(super) enum Node {
    Start(Element),
    Text(TextNode),
    End,
    Eof,
}

/// Text between tags.
pub(super) struct TextNode {
    pub content: String,
    /// Its length in the file, in bytes.
    pub xml_bytes: usize,
    /// Position of its first character that is not white space.
    pub visible_at: Option<Position>,
}

/// The offset from the start of a token, in bytes, and what is wrong there.
type MarkupFault = (usize, String);

fn wrong<T>(offset: usize, message: impl Into<String>) -> Result<T, MarkupFault> {
    Err((offset, message.into()))
}

/// Reads a file node by node.
pub(super) struct MarkupReader<R: Read> {
    reader: Reader<XmlSource<R>>,
    buffer: Vec<u8>,
    at: Position,
    from: u64,
    rooted: bool,
    /// Elements and attributes so far.
    pub names: u64,
}

impl<R: Read> MarkupReader<R> {
    pub(super) fn new(input: R) -> Self {
        let mut reader = Reader::from_reader(XmlSource::new(input));
        let config = reader.config_mut();
        config.check_end_names = true;
        config.expand_empty_elements = true;
        config.check_comments = true;
        let (buffer, at) = (Vec::new(), Position::START);
        Self { reader, buffer, at, from: 0, rooted: false, names: 0 }
    }

    /// Returns how many bytes were read before the last node.
    pub(super) fn from(&self) -> u64 {
        self.from
    }

    /// Returns how many bytes were read.
    pub(super) fn offset(&self) -> u64 {
        self.reader.get_ref().offset()
    }

    /// Returns where the last node begins.
    pub(super) fn at(&self) -> Position {
        self.at
    }

    /// Returns a fault at the last node.
    pub(super) fn fault<T>(&self, message: impl Into<String>) -> Result<T, XmlFault> {
        Err(self.at.fault(message))
    }

    /// Returns the next node. Must not be called after a fault.
    pub(super) fn next_node(&mut self) -> Result<Node, XmlFault> {
        loop {
            self.buffer.clear();
            self.buffer.shrink_to(BUFFER_BYTES_KEPT);
            let source = self.reader.get_mut();
            source.begin_token();
            (self.at, self.from) = (source.position(), source.offset());
            let node = match self.reader.read_event_into(&mut self.buffer) {
                Ok(Event::Start(tag) | Event::Empty(tag)) => {
                    let is_root = !std::mem::replace(&mut self.rooted, true);
                    start(&tag, self.at.line, is_root).map(|element| Some(Node::Start(element)))
                }
                Ok(Event::Decl(_)) if self.from > 0 => {
                    wrong(0, "an XML declaration is allowed only at the very start")
                }
                Ok(event) => other_node(event, self.at),
                Err(error) => Err(reader_fault(error, self.reader.get_ref().token())),
            };
            if let Some(fault) = self.reader.get_mut().take_fault() {
                return Err(fault);
            }
            match node {
                Ok(Some(mut node)) => {
                    self.complete(&mut node);
                    return Ok(node);
                }
                Ok(None) => {}
                Err((offset, message)) => {
                    let before = self.buffer.get(..offset).unwrap_or(&self.buffer);
                    return Err(self.at.after(before).fault(message));
                }
            }
        }
    }

    fn complete(&mut self, node: &mut Node) {
        let bytes = self.offset() - self.from;
        match node {
            Node::Start(element) => {
                element.bytes = bytes;
                self.names += 1 + element.attributes.len() as u64;
            }
            Node::Text(text) => text.xml_bytes = bytes as usize,
            Node::End | Node::Eof => {}
        }
    }
}

/// Turns an event of the XML reader into a node. Comments and the declaration are none.
fn other_node(event: Event<'_>, at: Position) -> Result<Option<Node>, MarkupFault> {
    let text = |content: String, visible_at: Option<Position>| {
        Ok(Some(Node::Text(TextNode { content, xml_bytes: 0, visible_at })))
    };
    match event {
        Event::Text(raw) => {
            if let Some(index) = memchr::memmem::find(raw.as_bytes(), b"]]>") {
                return wrong(index, "]]> is not allowed in text");
            }
            let is_visible = |byte: u8| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            let visible = raw.bytes().position(is_visible);
            let visible_at = visible.map(|index| at.after(&raw.as_bytes()[..index]));
            text(raw.xml_content(XML).into(), visible_at)
        }
        Event::CData(raw) => text(raw.xml_content(XML).into(), Some(at)),
        Event::GeneralRef(reference) => match resolve(&reference) {
            Ok(character) => text(character.into(), Some(at)),
            Err(message) => wrong(0, message),
        },
        Event::End(_) => Ok(Some(Node::End)),
        Event::Eof => Ok(Some(Node::Eof)),
        Event::Decl(declaration) => check_declaration(&declaration).map(|()| None),
        Event::PI(_) => wrong(0, "processing instructions are not allowed"),
        Event::DocType(_) => wrong(0, "a document type (DTD) is not allowed"),
        Event::Comment(_) | Event::Start(_) | Event::Empty(_) => Ok(None),
    }
}

fn start(tag: &BytesStart<'_>, line: u64, is_root: bool) -> Result<Element, MarkupFault> {
    let name = tag.name().into_inner();
    if has_prefix(name).map_err(|message| (1, message))? {
        return wrong(1, "an element must not have a namespace prefix");
    }
    let mut element = Element { name: name.to_owned(), line, ..Element::default() };
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(broken_attribute)?;
        let name = attribute.key.into_inner();
        let offset_of_name = || 1 + offset_in(tag, name);
        let has_prefix = has_prefix(name).map_err(|message| (offset_of_name(), message))?;
        let value = value_of(&attribute).map_err(|(offset, message)| {
            (1 + offset_in(tag, &attribute.value) + offset, message)
        })?;
        if has_prefix || name == NAMESPACE {
            let for_tools = is_for_tools(name, &value, is_root);
            if for_tools.map_err(|message| (offset_of_name(), message.to_owned()))? {
                continue;
            }
        }
        element.attributes.push((name.to_owned(), value));
    }
    Ok(element)
}

/// Returns the offset of a slice within the text it is part of.
fn offset_in(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

fn broken_attribute(error: AttrError) -> MarkupFault {
    // The XML reader's own messages are not used, so that none can ever quote a value.
    match error {
        AttrError::Duplicated(offset, _) => (1 + offset, "this attribute appears twice".to_owned()),
        AttrError::ExpectedEq(offset) => (1 + offset, "= is missing after an attribute".to_owned()),
        AttrError::ExpectedValue(offset)
        | AttrError::UnquotedValue(offset)
        | AttrError::ExpectedQuote(offset, _) => {
            (1 + offset, "an attribute value must be in quotes".to_owned())
        }
    }
}

/// Returns the value of an attribute, with references resolved and white space turned into spaces.
fn value_of(attribute: &Attribute<'_>) -> Result<String, MarkupFault> {
    let raw = attribute.value.as_bytes();
    // Fast path for nearly all values. No early exit from the loop, so that it is vectorized.
    if raw.iter().fold(true, |plain, byte| plain & (*byte >= b' ') & (*byte != b'&')) {
        return Ok(attribute.value.as_ref().to_owned());
    }
    for index in memchr::memchr_iter(b'&', raw) {
        let rest = &attribute.value[index + 1..];
        let reference = rest.split_once(';').map(|(reference, _)| reference);
        if reference.is_none_or(|reference| resolve(reference).is_err()) {
            let message = "& in an attribute value must be written as &amp;, or begin a character \
                           reference or one of the five predefined entities";
            return wrong(index, message);
        }
    }
    let value = attribute.normalized_value(XML);
    value.map(Into::into).map_err(|_| (0, "the attribute value is malformed".to_owned()))
}

/// True for attributes that XML tools put on the root element for namespaces and schemas, which are
/// ignored. Elements of the format are in no namespace.
fn is_for_tools(name: &str, value: &str, is_root: bool) -> Result<bool, &'static str> {
    match name.split_once(':') {
        None if value.is_empty() => Ok(true),
        None => Err("elements must not be in a namespace: leave out xmlns"),
        Some((NAMESPACE, _)) if !is_root => Err("xmlns: is allowed only on the root element"),
        Some(_) => Ok(is_root),
    }
}

/// Checks that this is an XML name: letters, digits, `_`, `-` and `.`, beginning with a letter or
/// `_`. True if it has a prefix, which ends with `:`.
fn has_prefix(name: &str) -> Result<bool, String> {
    if name.len() > NAME_BYTES_MAX {
        return Err(format!("a name is longer than {NAME_BYTES_MAX} bytes"));
    }
    if name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return Ok(false);
    }
    let first = |c: char| c.is_alphabetic() || c == '_';
    let is_valid = |part: &str| {
        part.starts_with(first)
            && part.chars().all(|c| first(c) || c.is_alphanumeric() || matches!(c, '-' | '.'))
    };
    let (prefix, local) = name.split_once(':').unwrap_or(("_", name));
    match is_valid(prefix) && is_valid(local) {
        true => Ok(local.len() < name.len()),
        false => Err("this is not a valid name".to_owned()),
    }
}

/// Resolves the reference between `&` and `;`.
fn resolve(reference: &str) -> Result<char, String> {
    let character = match reference {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        number if number.starts_with('#') => match BytesRef::new(number).resolve_char_ref() {
            Ok(Some(character)) => character,
            _ => return Err("this is not a valid character reference".to_owned()),
        },
        other => {
            let other = shorten(other);
            return Err(format!("the entity {other} is not one of the five predefined ones"));
        }
    };
    let control = character < ' ' && !matches!(character, '\t' | '\n' | '\r');
    if control || matches!(character, '\u{fffe}' | '\u{ffff}') {
        return Err(format!("the character U+{:04X} is not allowed", u32::from(character)));
    }
    Ok(character)
}

/// Checks the XML declaration, `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`. Encoding
/// and standalone are optional.
fn check_declaration(declaration: &BytesDecl<'_>) -> Result<(), MarkupFault> {
    let text = declaration.trim_start_matches("xml");
    let tag = BytesStart::from_content(format!("xml{text}"), 3);
    let mut expected = ["version", "encoding", "standalone"].iter();
    let mut versioned = false;
    for attribute in tag.attributes() {
        let attribute =
            attribute.map_err(|_| (0, "the XML declaration is malformed".to_owned()))?;
        let (name, value) = (attribute.key.into_inner(), attribute.value.as_ref());
        if !expected.any(|next| *next == name) {
            return wrong(0, "the XML declaration is malformed");
        }
        match name {
            "version" if value != "1.0" => return wrong(0, "the XML version must be 1.0"),
            "version" => versioned = true,
            "encoding" if !value.eq_ignore_ascii_case("utf-8") => {
                return wrong(0, "the encoding must be UTF-8");
            }
            "standalone" if !matches!(value, "yes" | "no") => {
                return wrong(0, "standalone must be yes or no");
            }
            _ => {}
        }
    }
    if versioned { Ok(()) } else { wrong(0, "the XML declaration has no version") }
}

/// Turns an error of the XML reader into a message of the import.
fn reader_fault(error: Error, token: Token) -> MarkupFault {
    let message = match error {
        Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
            format!("</{}> is expected here, not </{}>", shorten(&expected), shorten(&found))
        }
        Error::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
            format!("</{}> has no start tag", shorten(&found))
        }
        Error::IllFormed(IllFormedError::DoubleHyphenInComment) => {
            "-- is not allowed in a comment".to_owned()
        }
        _ => match token {
            Token::Reference => "& must be written as &amp;, or its ; is missing",
            Token::Comment => "this is not a comment, or its --> is missing",
            Token::RawText => "this is not a <![CDATA[…]]> section, or its ]]> is missing",
            Token::Exclamation => "a document type (DTD) is not allowed",
            Token::Question => "the ?> that ends this is missing",
            Token::Value(_) => "the file ends within a value of the tag that starts here",
            _ => "the file ends within the tag that starts here",
        }
        .to_owned(),
    };
    (0, message)
}

/// Shortens a name for a message.
fn shorten(name: &str) -> String {
    match name.char_indices().nth(QUOTED_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

//! XML tokenizer for import files: returns start tags, end tags and text, one node at a time.

use super::limits::{self, TOKEN_BYTES_MAX};
use super::source::{self, Bytes, Position};
use super::{ATTRIBUTES_MAX, Element, XmlFault};
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::attributes::{AttrError, Attribute};
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::io::{BufRead, Read, Take};

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
pub(super) struct MarkupReader<R> {
    /// Reads at most the longest token at a time.
    reader: Reader<Take<Bytes<R>>>,
    /// What was read of the current token.
    buffer: Vec<u8>,
    /// Where the last node begins.
    pub at: Position,
    /// How many bytes were read before the last node.
    pub from: u64,
    rooted: bool,
    /// Elements and attributes so far.
    pub names: u64,
}

impl<R: BufRead> MarkupReader<R> {
    pub(super) fn new(input: R) -> Result<Self, XmlFault> {
        let mut reader = Reader::from_reader(source::open(input)?.take(0));
        let config = reader.config_mut();
        config.check_end_names = true;
        config.expand_empty_elements = true;
        config.check_comments = true;
        let (buffer, at) = (Vec::new(), Position::START);
        Ok(Self { reader, buffer, at, from: 0, rooted: false, names: 0 })
    }

    /// Returns how many bytes were read.
    pub(super) fn offset(&self) -> u64 {
        self.reader.buffer_position()
    }

    /// Returns a fault at the last node.
    pub(super) fn fault<T>(&self, message: impl Into<String>) -> Result<T, XmlFault> {
        Err(self.at.fault(message))
    }

    /// Returns the next node. Must not be called after a fault.
    pub(super) fn next_node(&mut self) -> Result<Node, XmlFault> {
        loop {
            self.at = self.at.after(&self.buffer);
            self.from = self.offset();
            self.buffer.clear();
            self.buffer.shrink_to(BUFFER_BYTES_KEPT);
            self.reader.get_mut().set_limit(TOKEN_BYTES_MAX as u64 + 1);
            let node = match self.reader.read_event_into(&mut self.buffer) {
                Ok(Event::Start(tag) | Event::Empty(tag)) => {
                    let is_root = !std::mem::replace(&mut self.rooted, true);
                    Ok(start(&tag, self.at.line, is_root).map(|tag| Some(Node::Start(tag))))
                }
                Ok(Event::Decl(_)) if self.from > 0 => {
                    Ok(wrong(0, "an XML declaration is allowed only at the very start"))
                }
                Ok(event) => Ok(other_node(event, self.at)),
                Err(error) => Err(error),
            };
            let incomplete = self.check_token()?;
            let node = node.unwrap_or_else(|error| self.reader_fault(error, incomplete));
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

    /// Checks the characters and the lengths of what was read of the current token. Returns what is
    /// wrong with it if it does not end.
    fn check_token(&self) -> Result<&'static str, XmlFault> {
        match source::first_illegal(&self.buffer) {
            None => limits::check(&self.buffer, self.at),
            Some((index, message)) => {
                let legal = &self.buffer[..index];
                limits::check(legal, self.at)?;
                Err(self.at.after(legal).fault(message))
            }
        }
    }

    /// Turns an error of the XML reader into a message of the import.
    fn reader_fault<T>(&self, error: Error, incomplete: &str) -> Result<T, MarkupFault> {
        let message = match error {
            Error::Io(error) => {
                return wrong(self.buffer.len(), format!("the file cannot be read: {error}"));
            }
            Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                format!("</{}> is expected here, not </{}>", shorten(&expected), shorten(&found))
            }
            Error::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
                format!("</{}> has no start tag", shorten(&found))
            }
            Error::IllFormed(IllFormedError::DoubleHyphenInComment) => {
                "-- is not allowed in a comment".to_owned()
            }
            _ => incomplete.to_owned(),
        };
        wrong(0, message)
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
    // More attributes are refused by their number.
    for attribute in tag.attributes().take(ATTRIBUTES_MAX) {
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
        match reference.map(|reference| (reference, resolve(reference))) {
            Some((_, Ok(_))) => {}
            Some((number, Err(message))) if number.starts_with('#') => {
                return wrong(index, message);
            }
            _ => {
                let message = "& in an attribute value must be written as &amp;, or begin a \
                               character reference or one of the five predefined entities";
                return wrong(index, message);
            }
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
            _ => return Err(invalid_number(number)),
        },
        other => {
            let other = shorten(other);
            return Err(format!("the entity {other} is not one of the five predefined ones"));
        }
    };
    match source::first_illegal(character.encode_utf8(&mut [0; 4]).as_bytes()) {
        Some((_, message)) => Err(message),
        None => Ok(character),
    }
}

/// Returns what is wrong with the number of a character reference.
fn invalid_number(number: &str) -> String {
    let digits = number.strip_prefix("#x").map(|digits| u32::from_str_radix(digits, 16));
    match digits.unwrap_or_else(|| number[1..].parse()) {
        Ok(half @ 0xd800..=0xdfff) => format!(
            "U+{half:04X} is half of a surrogate pair, not a character: write the whole character, \
             as it is or as one reference, such as &#x1F600;"
        ),
        Ok(number @ 0x11_0000..) => format!("there is no character U+{number:X}"),
        _ => format!("&{}; is not a valid character reference", shorten(number)),
    }
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

fn shorten(name: &str) -> String {
    match name.char_indices().nth(QUOTED_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

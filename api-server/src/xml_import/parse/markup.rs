//! What a file is made of, one thing after the other: starts and ends of elements, and text.

use super::limits::Token;
use super::source::{Position, Source};
use super::{Element, Fault};
use quick_xml::errors::{Error, IllFormedError};
use quick_xml::events::attributes::{AttrError, Attribute};
use quick_xml::events::{BytesDecl, BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::io::Read;

const XML: XmlVersion = XmlVersion::Explicit1_0;
const NAME_BYTES_MAX: usize = 128;
/// Declares the namespace of an element.
const NAMESPACE: &str = "xmlns";
/// So much of a name that is not as it should be is told.
const TOLD_CHARACTERS_MAX: usize = 40;
/// A buffer that has grown beyond this for one long tag is made small again.
const BUFFER_BYTES_KEPT: usize = 256 * 1024;

/// A part of a file.
pub enum Node {
    Start(Element),
    Text(Text),
    End,
    Eof,
}

/// Text between tags.
pub struct Text {
    pub content: String,
    /// The bytes that it takes in the file.
    pub xml_bytes: usize,
    /// Where the first of it is that is no white space.
    pub visible_at: Option<Position>,
}

/// What is wrong with a token, and how many bytes behind its begin.
type Wrong = (usize, String);

fn wrong<T>(offset: usize, message: impl Into<String>) -> Result<T, Wrong> {
    Err((offset, message.into()))
}

/// Reads a file node by node.
pub struct Markup<R: Read> {
    reader: Reader<Source<R>>,
    buffer: Vec<u8>,
    at: Position,
    from: u64,
    rooted: bool,
    /// Elements and attributes so far.
    pub names: u64,
}

impl<R: Read> Markup<R> {
    pub fn new(input: R) -> Self {
        let mut reader = Reader::from_reader(Source::new(input));
        let config = reader.config_mut();
        config.check_end_names = true;
        config.expand_empty_elements = true;
        config.check_comments = true;
        let (buffer, at) = (Vec::new(), Position::START);
        Self { reader, buffer, at, from: 0, rooted: false, names: 0 }
    }

    /// How many bytes were read before the last node.
    pub fn from(&self) -> u64 {
        self.from
    }

    /// How many bytes were read.
    pub fn offset(&self) -> u64 {
        self.reader.get_ref().offset()
    }

    /// Where the last node begins.
    pub fn at(&self) -> Position {
        self.at
    }

    /// A fault of the last node.
    pub fn fault<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(self.at.fault(message))
    }

    /// The next node. Nothing is to be read behind a fault.
    pub fn next_node(&mut self) -> Result<Node, Fault> {
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
                    wrong(0, "an XML declaration stands only at the very start")
                }
                Ok(event) => other_node(event, self.at),
                Err(error) => Err(misread(error, self.reader.get_ref().token())),
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

/// What an event means to us: nothing for comments and the declaration.
fn other_node(event: Event<'_>, at: Position) -> Result<Option<Node>, Wrong> {
    let text = |content: String, visible_at: Option<Position>| {
        Ok(Some(Node::Text(Text { content, xml_bytes: 0, visible_at })))
    };
    match event {
        Event::Text(raw) => {
            if let Some(index) = memchr::memmem::find(raw.as_bytes(), b"]]>") {
                return wrong(index, "]]> must not stand in text");
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

fn start(tag: &BytesStart<'_>, line: u64, is_root: bool) -> Result<Element, Wrong> {
    let name = tag.name().into_inner();
    if has_prefix(name).map_err(|message| (1, message))? {
        return wrong(1, "elements have no namespace prefix here");
    }
    let mut element = Element { name: name.to_owned(), line, ..Element::default() };
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(broken_attribute)?;
        let name = attribute.key.into_inner();
        let place = || 1 + offset_in(tag, name);
        let has_prefix = has_prefix(name).map_err(|message| (place(), message))?;
        let value = value_of(&attribute).map_err(|(offset, message)| {
            (1 + offset_in(tag, &attribute.value) + offset, message)
        })?;
        if has_prefix || name == NAMESPACE {
            let for_tools = is_for_tools(name, &value, is_root);
            if for_tools.map_err(|message| (place(), message.to_owned()))? {
                continue;
            }
        }
        element.attributes.push((name.to_owned(), value));
    }
    Ok(element)
}

/// Where in a text a part of it stands.
fn offset_in(whole: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize)
}

fn broken_attribute(error: AttrError) -> Wrong {
    // Not the reader's own words, so that none of them ever quotes a value.
    match error {
        AttrError::Duplicated(place, _) => (1 + place, "this attribute stands twice".to_owned()),
        AttrError::ExpectedEq(place) => (1 + place, "= is missing behind an attribute".to_owned()),
        AttrError::ExpectedValue(place)
        | AttrError::UnquotedValue(place)
        | AttrError::ExpectedQuote(place, _) => {
            (1 + place, "the value of an attribute must stand in quotes".to_owned())
        }
    }
}

/// The value of an attribute, with references resolved and any white space as spaces.
fn value_of(attribute: &Attribute<'_>) -> Result<String, Wrong> {
    let raw = attribute.value.as_bytes();
    // Nearly all values are of this kind. No way out of the loop: many bytes at a time.
    if raw.iter().fold(true, |plain, byte| plain & (*byte >= b' ') & (*byte != b'&')) {
        return Ok(attribute.value.as_ref().to_owned());
    }
    for index in memchr::memchr_iter(b'&', raw) {
        let behind = &attribute.value[index + 1..];
        let reference = behind.split_once(';').map(|(reference, _)| reference);
        if reference.is_none_or(|reference| resolve(reference).is_err()) {
            let message = "& stands in a value where &amp; should, or what it begins is neither a \
                           character nor one of the five predefined entities";
            return wrong(index, message);
        }
    }
    let value = attribute.normalized_value(XML);
    value.map(Into::into).map_err(|_| (0, "the value of an attribute is not sound".to_owned()))
}

/// True for what XML tools write on the root element about namespaces and schemas: it is left out.
/// No element of ours is in a namespace.
fn is_for_tools(name: &str, value: &str, is_root: bool) -> Result<bool, &'static str> {
    match name.split_once(':') {
        None if value.is_empty() => Ok(true),
        None => Err("elements are in no namespace here: leave out xmlns"),
        Some((NAMESPACE, _)) if !is_root => Err("xmlns: stands only on the root element"),
        Some(_) => Ok(is_root),
    }
}

/// Checks that this is a name as XML has them: letters, digits, `_`, `-` and `.`, beginning with a
/// letter or `_`. True if there is a prefix and a `:` before that.
fn has_prefix(name: &str) -> Result<bool, String> {
    if name.len() > NAME_BYTES_MAX {
        return Err(format!("a name has more than {NAME_BYTES_MAX} bytes"));
    }
    if name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return Ok(false);
    }
    let first = |c: char| c.is_alphabetic() || c == '_';
    let sound = |part: &str| {
        part.starts_with(first)
            && part.chars().all(|c| first(c) || c.is_alphanumeric() || matches!(c, '-' | '.'))
    };
    let (prefix, local) = name.split_once(':').unwrap_or(("_", name));
    match sound(prefix) && sound(local) {
        true => Ok(local.len() < name.len()),
        false => Err("what stands here is no name".to_owned()),
    }
}

/// What `&…;` stands for.
fn resolve(reference: &str) -> Result<char, String> {
    let character = match reference {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        number if number.starts_with('#') => match BytesRef::new(number).resolve_char_ref() {
            Ok(Some(character)) => character,
            _ => return Err("this is no character".to_owned()),
        },
        other => {
            let other = told(other);
            return Err(format!("the entity {other} is not one of the five predefined"));
        }
    };
    let control = character < ' ' && !matches!(character, '\t' | '\n' | '\r');
    if control || matches!(character, '\u{fffe}' | '\u{ffff}') {
        return Err(format!("the character U+{:04X} is not allowed", u32::from(character)));
    }
    Ok(character)
}

/// `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`, of which the latter two may be absent.
fn check_declaration(declaration: &BytesDecl<'_>) -> Result<(), Wrong> {
    let text = declaration.trim_start_matches("xml");
    let tag = BytesStart::from_content(format!("xml{text}"), 3);
    let mut expected = ["version", "encoding", "standalone"].iter();
    let mut versioned = false;
    for attribute in tag.attributes() {
        let attribute =
            attribute.map_err(|_| (0, "the XML declaration is not sound".to_owned()))?;
        let (name, value) = (attribute.key.into_inner(), attribute.value.as_ref());
        if !expected.any(|known| *known == name) {
            return wrong(0, "the XML declaration is not sound");
        }
        match name {
            "version" if value != "1.0" => return wrong(0, "the version of XML must be 1.0"),
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

/// What the reader stumbled over, in our words.
fn misread(error: Error, token: Token) -> Wrong {
    let message = match error {
        Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
            format!("</{}> is expected here, and not </{}>", told(&expected), told(&found))
        }
        Error::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
            format!("</{}> ends what never began", told(&found))
        }
        Error::IllFormed(IllFormedError::DoubleHyphenInComment) => {
            "-- must not stand in a comment".to_owned()
        }
        _ => match token {
            Token::Reference => "& stands where &amp; should, or no ; ends it",
            Token::Comment => "this is no comment, or --> does not end it",
            Token::RawText => "this is no <![CDATA[…]]>, or ]]> does not end it",
            Token::Exclamation => "a document type (DTD) is not allowed",
            Token::Question => "?> does not end what begins here",
            Token::Value(_) => "the file ends within a value of the tag that begins here",
            _ => "the file ends within the tag that begins here",
        }
        .to_owned(),
    };
    (0, message)
}

/// The begin of what cannot be told at length.
fn told(name: &str) -> String {
    match name.char_indices().nth(TOLD_CHARACTERS_MAX) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

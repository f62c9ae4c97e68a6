//! Attribute values of an element, parsed by its shape. An absent attribute leaves its column as it
//! is, `##NULL##` clears it, and all errors are collected before the element fails.

use super::format::{CLEARED, ElementShape, Needed, RowShape, UPDATE_FLAG};
use super::parse::Element;
use super::report::{Level, Message};
use sea_orm::sea_query::ValueType;
use sea_orm::{EntityTrait, ModelTrait, Value};

/// What an element does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UpdateMode {
    Insert,
    /// Changes a row; absent attributes leave their columns unchanged.
    Change,
    Delete,
}

/// Reads an element's `UpdateFlag`; 0, the default, inserts. An invalid flag is reported when the
/// attributes are read.
pub(super) fn update_of(element: &Element) -> UpdateMode {
    match element.attribute(UPDATE_FLAG) {
        Some("1") => UpdateMode::Change,
        Some("2") => UpdateMode::Delete,
        _ => UpdateMode::Insert,
    }
}

/// The attributes of one element.
pub(super) struct ElementFields<'e> {
    pub element: &'e Element,
    shape: &'static ElementShape,
    /// What the element does.
    pub update: UpdateMode,
    /// The attributes given, by index in the shape.
    inputs: Vec<(usize, FieldInput)>,
    messages: Vec<Message>,
    enforce: bool,
}

#[derive(Debug)]
enum FieldInput {
    Value(Value),
    Cleared,
    Invalid,
}

impl<'e> ElementFields<'e> {
    /// Parses the attributes of an element. Unknown names are errors if `enforce` is set, otherwise
    /// warnings.
    pub(super) fn new(element: &'e Element, shape: &'static ElementShape, enforce: bool) -> Self {
        let (inputs, messages) = (Vec::with_capacity(element.attributes.len()), Vec::new());
        let update = update_of(element);
        let mut fields = Self { element, shape, update, inputs, messages, enforce };
        for (name, text) in &element.attributes {
            fields.read(name, text);
        }
        for attribute in &shape.attributes {
            let needed = match attribute.needed {
                Needed::No => false,
                Needed::ToInsert => update == UpdateMode::Insert,
                Needed::Always => true,
            };
            if needed && !fields.has(&attribute.name) {
                fields.missing(&attribute.name);
            }
        }
        if !shape.text && !element.text.is_empty() {
            fields.unknown(element, None, format!("text is not allowed in {}", shape.element));
        }
        // If the shape allows child elements, unknown ones are reported when they are applied.
        if shape.children.is_empty() {
            for child in &element.children {
                let text = format!("unknown element {} in {}", child.name, shape.element);
                fields.unknown(child, None, text);
            }
        }
        fields
    }

    fn read(&mut self, name: &str, text: &str) {
        let Some(index) = self.shape.index_of(name) else {
            return self.unknown(self.element, Some(name), "is an unknown attribute".to_owned());
        };
        let attribute = &self.shape.attributes[index];
        let input = match text {
            CLEARED if attribute.nullable => FieldInput::Cleared,
            CLEARED => {
                self.error(name, "cannot be cleared");
                FieldInput::Invalid
            }
            "" if !attribute.nullable => {
                self.error(name, "must not be empty");
                FieldInput::Invalid
            }
            text => match attribute.kind.read(text) {
                Ok(value) => FieldInput::Value(value),
                Err(message) => {
                    self.error(name, message);
                    FieldInput::Invalid
                }
            },
        };
        self.inputs.push((index, input));
    }

    fn unknown(&mut self, element: &Element, attribute: Option<&str>, message: String) {
        let level = if self.enforce { Level::Error } else { Level::Warning };
        let message = Message { level, ..Message::error(element, attribute, message) };
        self.messages.push(message);
    }

    fn find(&self, name: &str) -> Option<&FieldInput> {
        let index = self.shape.index_of(name)?;
        let mut inputs = self.inputs.iter();
        inputs.find(|(other, _)| *other == index).map(|(_, input)| input)
    }

    /// True if the attribute is present, valid or not.
    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// True if the attribute is `##NULL##`.
    pub(super) fn clears(&self, name: &str) -> bool {
        matches!(self.find(name), Some(FieldInput::Cleared))
    }

    /// Returns the value of the attribute if it is present and valid.
    pub(super) fn get<T: ValueType>(&self, name: &str) -> Option<T> {
        match self.find(name)? {
            FieldInput::Value(value) => T::try_from(value.clone()).ok(),
            FieldInput::Cleared | FieldInput::Invalid => None,
        }
    }

    /// Sets the columns of a row from the attributes present.
    pub(super) fn fill<E: EntityTrait>(&mut self, shape: &'static RowShape<E>, row: &mut E::Model) {
        let mut errors = Vec::new();
        for (index, input) in &self.inputs {
            let Some(column) = shape.column(*index) else { continue };
            let attribute = &shape.attributes[*index];
            let value = match input {
                FieldInput::Invalid => continue,
                FieldInput::Cleared => attribute.kind.null(),
                FieldInput::Value(value) => value.clone(),
            };
            if let Err(error) = row.try_set(column, value) {
                errors.push((&attribute.name, error.to_string()));
            }
        }
        for (name, message) in errors {
            self.error(name, message);
        }
    }

    /// Notes an error in an attribute.
    pub(super) fn error(&mut self, name: &str, message: impl Into<String>) {
        self.messages.push(Message::error(self.element, Some(name), message));
    }

    /// Notes a warning about an attribute.
    pub(super) fn warn(&mut self, name: &str, message: impl Into<String>) {
        let message = Message::error(self.element, Some(name), message);
        self.messages.push(Message { level: Level::Warning, ..message });
    }

    /// Notes an error in the element as a whole.
    pub(super) fn refuse(&mut self, message: impl Into<String>) {
        self.messages.push(Message::error(self.element, None, message));
    }

    /// Notes that a required attribute is missing.
    pub(super) fn missing(&mut self, name: &str) {
        self.error(name, "is required");
    }

    /// Returns the messages so far.
    pub(super) fn messages(&self) -> Vec<Message> {
        self.messages.clone()
    }

    /// True if there are errors.
    pub(super) fn has_errors(&self) -> bool {
        self.messages.iter().any(|message| message.level == Level::Error)
    }

    /// Returns the warnings or, if there are errors, all messages as the error.
    pub(super) fn finish(self) -> Result<Vec<Message>, Vec<Message>> {
        match self.has_errors() {
            true => Err(self.messages),
            false => Ok(self.messages),
        }
    }
}

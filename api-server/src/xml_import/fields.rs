//! The attributes of an element, read into the columns of a row: absent ones leave a column as it
//! is, `##NULL##` clears it, and everything wrong is collected before the element fails.

use super::parse::Element;
use super::report::{Level, Message};
use chrono::NaiveDate;
use sea_orm::ActiveEnum;
use shared::amounts::Money;
use shared::secrecy::Masked;
use shared::time::{Day, NotADay};
use std::collections::BTreeSet;
use std::str::FromStr;

/// Clears a value.
pub const CLEARED: &str = "##NULL##";

/// What an element is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// A new row.
    Insert,
    /// Changes a row; absent attributes stay.
    Change,
    /// The row goes.
    Delete,
}

/// Reads the attributes of one element.
pub struct Fields<'e> {
    element: &'e Element,
    known: BTreeSet<&'static str>,
    messages: Vec<Message>,
    enforce: bool,
}

impl<'e> Fields<'e> {
    /// `enforce`: unknown attributes and elements are errors, else warnings.
    pub fn new(element: &'e Element, enforce: bool) -> Self {
        Self { element, known: BTreeSet::new(), messages: Vec::new(), enforce }
    }

    /// The value of an attribute, if it is there.
    pub fn raw(&mut self, name: &'static str) -> Option<&'e str> {
        self.known.insert(name);
        self.element.attribute(name)
    }

    /// What the element is to do: `UpdateFlag` 0 (the default), 1 or 2.
    pub fn update(&mut self) -> Update {
        match self.raw("UpdateFlag") {
            None | Some("0") => Update::Insert,
            Some("1") => Update::Change,
            Some("2") => Update::Delete,
            Some(other) => {
                self.error("UpdateFlag", format!("must be 0, 1 or 2, not {other:?}"));
                Update::Insert
            }
        }
    }

    /// Notes what is wrong with an attribute.
    pub fn error(&mut self, name: &'static str, message: impl Into<String>) {
        self.messages.push(Message::error(self.element, Some(name), message));
    }

    /// Notes that a required attribute is missing.
    pub fn missing(&mut self, name: &'static str) {
        self.error(name, "is required");
    }

    /// An optional column.
    fn slot<T>(
        &mut self,
        name: &'static str,
        slot: &mut Option<T>,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) {
        match self.raw(name) {
            None => {}
            Some(CLEARED) => *slot = None,
            Some(text) => match read(text) {
                Ok(value) => *slot = Some(value),
                Err(message) => self.error(name, message),
            },
        }
    }

    /// A column that cannot be cleared.
    fn fixed<T>(
        &mut self,
        name: &'static str,
        column: &mut T,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) {
        let mut slot = None;
        self.slot(name, &mut slot, read);
        match slot {
            Some(value) => *column = value,
            None if self.raw(name) == Some(CLEARED) => self.error(name, "cannot be cleared"),
            None => {}
        }
    }

    /// Text of up to so many characters.
    pub fn text(&mut self, name: &'static str, characters_max: usize, slot: &mut Option<String>) {
        self.slot(name, slot, |text| within(text, characters_max));
    }

    /// Text that every row has.
    pub fn fixed_text(&mut self, name: &'static str, characters_max: usize, column: &mut String) {
        self.fixed(name, column, |text| match within(text, characters_max)? {
            text if text.is_empty() => Err("must not be empty".to_owned()),
            text => Ok(text),
        });
    }

    /// Text that is shown masked.
    pub fn masked(&mut self, name: &'static str, characters_max: usize, slot: &mut Option<Masked>) {
        self.slot(name, slot, |text| within(text, characters_max).map(Masked::new));
    }

    /// A date, `YYYY-MM-DD`.
    pub fn date(&mut self, name: &'static str, slot: &mut Option<NaiveDate>) {
        self.slot(name, slot, date);
    }

    /// A date that every row has.
    pub fn fixed_date(&mut self, name: &'static str, column: &mut NaiveDate) {
        self.fixed(name, column, date);
    }

    /// A whole number within limits.
    pub fn int(
        &mut self,
        name: &'static str,
        range: std::ops::RangeInclusive<i32>,
        slot: &mut Option<i32>,
    ) {
        let limits = format!("must be a whole number from {} to {}", range.start(), range.end());
        self.slot(name, slot, |text| {
            text.parse().ok().filter(|number| range.contains(number)).ok_or(limits)
        });
    }

    /// An id.
    pub fn id(&mut self, name: &'static str) -> Option<i64> {
        let mut slot = None;
        self.slot(name, &mut slot, |text| text.parse().map_err(|_| "must be an id".to_owned()));
        slot
    }

    /// `true` or `false`.
    pub fn flag(&mut self, name: &'static str, column: &mut bool) {
        self.fixed(name, column, |text| {
            text.parse().map_err(|_| "must be true or false".to_owned())
        });
    }

    /// One word of a list.
    pub fn choice<T: ActiveEnum<Value = String>>(&mut self, name: &'static str, column: &mut T) {
        self.fixed(name, column, |text| {
            T::try_from_value(&text.to_owned()).map_err(|_| {
                let words: Vec<String> = T::iter().map(|word| word.to_value()).collect();
                format!("must be one of {}", words.join(", "))
            })
        });
    }

    /// A decimal, or anything else with a text form.
    pub fn parsed<T: FromStr<Err: ToString>>(&mut self, name: &'static str, slot: &mut Option<T>) {
        self.slot(name, slot, |text| text.parse().map_err(|error: T::Err| error.to_string()));
    }

    /// A decimal that every row has, or anything else with a text form.
    pub fn fixed_parsed<T: FromStr<Err: ToString>>(&mut self, name: &'static str, column: &mut T) {
        self.fixed(name, column, |text| text.parse().map_err(|error: T::Err| error.to_string()));
    }

    /// An amount to be posted: not negative, in whole cents; absent is zero.
    pub fn opening_balance(&mut self, name: &'static str) -> Money {
        let mut slot: Option<Money> = None;
        self.parsed(name, &mut slot);
        match slot.unwrap_or_default() {
            amount if amount < Money::ZERO || !amount.is_whole_cents() => {
                self.error(name, "must be an amount in whole cents, not negative");
                Money::ZERO
            }
            amount => amount,
        }
    }

    /// Notes attributes and children nobody asked for.
    pub fn note_unknown(&mut self, children: &[&str]) {
        let level = if self.enforce { Level::Error } else { Level::Warning };
        let unknown = self.element.attributes.iter().map(|(name, _)| name.as_str());
        for name in unknown.filter(|name| !self.known.contains(name)) {
            let message = Message::error(self.element, Some(name), "no attribute is called so");
            self.messages.push(Message { level, ..message });
        }
        let unknown = self.element.children.iter();
        for child in unknown.filter(|child| !children.contains(&child.name.as_str())) {
            let text = format!("no element in {} is called {}", self.element.name, child.name);
            self.messages.push(Message { level, ..Message::error(child, None, text) });
        }
    }

    /// What was noted of attributes alone.
    pub fn about_attributes(self) -> Vec<Message> {
        self.messages.into_iter().filter(|message| message.attribute.is_some()).collect()
    }

    /// The warnings, unless there are errors: then all of it as the reason of failure.
    pub fn finish(self) -> Result<Vec<Message>, Vec<Message>> {
        match self.messages.iter().any(|message| message.level == Level::Error) {
            true => Err(self.messages),
            false => Ok(self.messages),
        }
    }
}

fn within(text: &str, characters_max: usize) -> Result<String, String> {
    if text.chars().count() > characters_max {
        return Err(format!("has at most {characters_max} characters"));
    }
    Ok(text.to_owned())
}

fn date(text: &str) -> Result<NaiveDate, String> {
    text.parse().map(|Day(date)| date).map_err(|error: NotADay| error.to_string())
}

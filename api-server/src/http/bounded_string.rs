//! Bounded strings in bodies: the contract states the maximum length, and a longer string is 422.

use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type};
use serde_json::Value;
use shared::problem::InvalidValue;
use std::borrow::Cow;
use std::ops::Deref;

/// Maximum bytes of a text whose characters are not counted.
pub const LONG: usize = 64 * 1024;

/// A string as sent, which should have `MIN` to `MAX` characters. The bound is a rule and is
/// checked in the order of the rules, by [`BoundedString::check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundedString<const MAX: usize, const MIN: usize = 0>(String);

/// A text of up to 64 KiB.
pub type LongString<const MIN: usize = 0> = BoundedString<LONG, MIN>;

impl<const MAX: usize, const MIN: usize> BoundedString<MAX, MIN> {
    /// Fails if the text exceeds its maximum or contains U+0000, which databases refuse.
    pub fn check(&self, field: &str) -> Result<(), InvalidValue> {
        if MAX < LONG { check_text(field, &self.0, MAX) } else { check_long_text(field, &self.0) }
    }

    /// Returns the text as sent, if it is valid.
    pub fn checked(self, field: &str) -> Result<String, InvalidValue> {
        self.check(field).map(|()| self.0)
    }
}

/// Returns the text as sent, if it is present and valid.
pub fn checked<const MAX: usize, const MIN: usize>(
    field: &str,
    text: Option<BoundedString<MAX, MIN>>,
) -> Result<Option<String>, InvalidValue> {
    text.map(|text| text.checked(field)).transpose()
}

/// Fails if the text is present and invalid.
pub fn check<const MAX: usize, const MIN: usize>(
    field: &str,
    text: &Option<BoundedString<MAX, MIN>>,
) -> Result<(), InvalidValue> {
    text.as_ref().map_or(Ok(()), |text| text.check(field))
}

/// Fails if the text has more than this many characters or contains U+0000, which databases refuse.
pub fn check_text(field: &str, text: &str, characters_max: usize) -> Result<(), InvalidValue> {
    if text.contains('\0') {
        return Err(InvalidValue::new(field, "must not contain U+0000"));
    }
    if text.chars().count() > characters_max {
        let message = format!("must have at most {characters_max} characters");
        return Err(InvalidValue::new(field, message));
    }
    Ok(())
}

/// Fails if the text is longer than 64 KiB or contains U+0000, which databases refuse.
pub fn check_long_text(field: &str, text: &str) -> Result<(), InvalidValue> {
    check_text(field, text, LONG)?;
    match text.len() > LONG {
        true => Err(InvalidValue::new(field, "must have at most 64 KiB")),
        false => Ok(()),
    }
}

impl<const MAX: usize, const MIN: usize> Deref for BoundedString<MAX, MIN> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize, const MIN: usize> From<String> for BoundedString<MAX, MIN> {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl<const MAX: usize, const MIN: usize> From<BoundedString<MAX, MIN>> for String {
    fn from(text: BoundedString<MAX, MIN>) -> Self {
        text.0
    }
}

impl<const MAX: usize, const MIN: usize> Type for BoundedString<MAX, MIN> {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "string".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema {
            max_length: Some(MAX),
            min_length: (MIN > 0).then_some(MIN),
            ..MetaSchema::new("string")
        }))
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(self.as_raw_value().into_iter())
    }
}

impl<const MAX: usize, const MIN: usize> ToJSON for BoundedString<MAX, MIN> {
    fn to_json(&self) -> Option<Value> {
        Some(Value::String(self.0.clone()))
    }
}

impl<const MAX: usize, const MIN: usize> ParseFromJSON for BoundedString<MAX, MIN> {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            Some(Value::String(text)) => Ok(Self(text)),
            other => Err(ParseError::expected_type(other.unwrap_or_default())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_counted_in_characters_and_for_long_texts_in_bytes() {
        let short = |text: &str| BoundedString::<3>::from(text.to_owned()).checked("Name").is_ok();
        assert!(short("") && short("\u{10ffff}\u{10ffff}\u{10ffff}"));
        assert!(!short("four") && !short("a\0"));
        let long = |text: &str| LongString::<0>::from(text.to_owned()).checked("Comment").is_ok();
        assert!(long(&"x".repeat(LONG)) && !long(&"x".repeat(LONG + 1)));
        assert!(long(&"\u{e9}".repeat(LONG / 2)) && !long(&"\u{e9}".repeat(LONG / 2 + 1)));
        assert!(!long("a\0"));
    }
}

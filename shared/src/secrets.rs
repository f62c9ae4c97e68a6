//! Masked and secret columns: they are hidden unless code explicitly reveals them.

use poem_openapi::registry::MetaSchema;
use poem_openapi::types::{ParseError, ParseFromJSON, ParseResult, ToJSON};
use sea_orm::DeriveValueType;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;

/// A tax id, identity number or bank account number: all but the last four characters are shown as
/// `*` in every response and log line, unless [`Masked::unmasked`] releases it. Values of up to
/// four characters are all `*`.
#[derive(Clone, PartialEq, Eq, DeriveValueType, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Masked(String);

/// Marks a value that [`Masked::unmasked`] released. No stored value can contain it: the databases
/// reject U+0000 in text, and so does the service.
const RELEASED: char = '\0';

impl Masked {
    /// Wraps a value to be stored.
    pub fn new(clear: impl Into<String>) -> Self {
        Self(clear.into())
    }

    /// Returns the whole value, for storing and comparing; never for a response.
    pub fn clear(&self) -> &str {
        self.0.trim_start_matches(RELEASED)
    }

    /// Returns the same value, shown in full in this response.
    #[must_use]
    pub fn unmasked(self) -> Self {
        Self(format!("{RELEASED}{}", self.clear()))
    }

    /// Returns the value as a response shows it.
    pub fn shown(&self) -> String {
        if self.0.starts_with(RELEASED) {
            return self.clear().to_owned();
        }
        let length = self.0.chars().count();
        let hidden = if length <= 4 { length } else { length - 4 };
        "*".repeat(hidden) + &self.0.chars().skip(hidden).collect::<String>()
    }
}

impl fmt::Debug for Masked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Masked")
    }
}

json_string!(Masked, "string", MetaSchema::new("string"));

impl ToJSON for Masked {
    fn to_json(&self) -> Option<Value> {
        Some(Value::String(self.shown()))
    }
}

impl ParseFromJSON for Masked {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            Some(Value::String(text)) => Ok(Self(text)),
            other => Err(ParseError::expected_type(other.unwrap_or_default())),
        }
    }
}

/// A password hash or the hash of a secret: never in a response, a log or an `Object`.
#[derive(Clone, PartialEq, Eq, DeriveValueType, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value to be stored.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// Returns the value, for verification.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Parses 32-byte keys as settings spell them: `ID:HEX`, separated by commas. An id has at most
/// `id_length_max` letters and digits.
pub fn named_keys(text: &str, id_length_max: usize) -> Result<Vec<(String, Vec<u8>)>, String> {
    let key = |entry: &str| {
        let (id, key) = entry.trim().split_once(':')?;
        let id_ok = (1..=id_length_max).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let bytes = hex::decode(key).ok().filter(|bytes| bytes.len() == 32 && id_ok)?;
        Some((id.to_owned(), bytes))
    };
    let keys = text.split(',').map(key).collect::<Option<Vec<_>>>();
    let keys = keys.ok_or("expected ID:HEX of 32 bytes, separated by commas")?;
    let mut ids: Vec<&str> = keys.iter().map(|(id, _)| id.as_str()).collect();
    ids.sort_unstable();
    if ids.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err("two keys have the same ID".to_owned());
    }
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_but_the_last_four_characters_are_masked() {
        let shown = |text: &str| Masked::new(text).to_json().unwrap();
        assert_eq!(shown("123-45-6789"), "*******6789");
        assert_eq!(shown("6789"), "****");
        assert_eq!(shown("12"), "**");
        assert_eq!(shown("äöüß€"), "*öüß€");
    }

    #[test]
    fn only_a_revealed_value_is_shown_in_full() {
        let tax_id = Masked::new("123-45-6789");
        assert_eq!(tax_id.clone().unmasked().to_json().unwrap(), "123-45-6789");
        assert_eq!(format!("{tax_id:?}"), "Masked");
        assert_eq!(format!("{:?}", Secret::new("hash")), "Secret");
    }
}

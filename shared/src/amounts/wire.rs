//! JSON form of amounts: decimal strings with a pattern. `format: decimal` would make client
//! generators read a number, and a number would pass through a binary float. Other types that are
//! JSON strings use the same macros.

use super::{Accrual, AmountError, Money, Rate};
use poem_openapi::registry::MetaSchema;
use poem_openapi::types::{ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON};
use serde_json::Value;

fn schema(pattern: &str, description: &'static str, example: &str) -> MetaSchema {
    MetaSchema {
        pattern: Some(pattern.to_owned()),
        description: Some(description),
        example: Some(Value::String(example.to_owned())),
        ..MetaSchema::new("string")
    }
}

/// Implements poem-openapi's `Type` for a type that is a string in JSON: its name and its schema.
macro_rules! json_string {
    ($type:ident, $name:expr, $schema:expr) => {
        impl poem_openapi::types::Type for $type {
            const IS_REQUIRED: bool = true;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn schema_ref() -> poem_openapi::registry::MetaSchemaRef {
                poem_openapi::registry::MetaSchemaRef::Inline(Box::new($schema))
            }

            fn as_raw_value(&self) -> Option<&Self> {
                Some(self)
            }

            fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
                Box::new(self.as_raw_value().into_iter())
            }
        }
    };
}

/// Uses the type's text form in JSON, in paths and in queries.
macro_rules! sent_as_text {
    ($type:ident) => {
        impl poem_openapi::types::ToJSON for $type {
            fn to_json(&self) -> Option<serde_json::Value> {
                Some(serde_json::Value::String(self.to_string()))
            }
        }

        impl poem_openapi::types::ParseFromJSON for $type {
            fn parse_from_json(
                value: Option<serde_json::Value>,
            ) -> poem_openapi::types::ParseResult<Self> {
                match value {
                    Some(serde_json::Value::String(text)) => Ok(text.parse::<Self>()?),
                    other => Err(poem_openapi::types::ParseError::expected_type(
                        other.unwrap_or_default(),
                    )),
                }
            }
        }

        impl poem_openapi::types::ParseFromParameter for $type {
            fn parse_from_parameter(text: &str) -> poem_openapi::types::ParseResult<Self> {
                Ok(text.parse::<Self>()?)
            }
        }
    };
}

macro_rules! decimal_string {
    ($type:ident, $pattern:literal, $description:literal, $example:literal) => {
        json_string!($type, stringify!($type), schema($pattern, $description, $example));
        sent_as_text!($type);
    };
}

decimal_string!(
    Money,
    r"^-?[0-9]{1,15}\.[0-9]{2,4}$",
    "An amount in the installation's currency: two decimals, or up to four if stored so.",
    "652.53"
);
decimal_string!(
    Rate,
    r"^-?[0-9]{1,11}\.[0-9]{2,8}$",
    "A rate or percentage, in percent: two to eight decimals.",
    "14.07"
);
decimal_string!(
    Accrual,
    r"^-?[0-9]{1,11}\.[0-9]{8}$",
    "Interest before rounding: eight decimals of the currency unit.",
    "328.30000000"
);

/// An amount as a client posted it: known to be a decimal, not yet validated. Too many decimals and
/// amounts out of range violate a rule (422) rather than make the request malformed (400), so they
/// are checked by [`AmountText::posted`] after parsing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmountText(String);

impl AmountText {
    /// Pattern in the contract: at most two decimals except for trailing zeros, fifteen digits, no
    /// sign. Other decimals are parsed and violate a rule.
    pub const PATTERN: &'static str = r"^0*[0-9]{1,15}(\.[0-9]{1,2}0*)?$";

    /// Returns the amount if it has at most two decimals and is in range.
    pub fn posted(&self) -> Result<Money, AmountError> {
        let money: Money = self.0.parse()?;
        if money.is_whole_cents() { Ok(money) } else { Err(AmountError::TooPrecise) }
    }
}

impl std::str::FromStr for AmountText {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        match text.parse::<Money>() {
            Err(AmountError::Malformed) => Err(AmountError::Malformed),
            _ => Ok(Self(text.to_owned())),
        }
    }
}

impl From<Money> for AmountText {
    fn from(money: Money) -> Self {
        Self(money.to_string())
    }
}

impl Default for AmountText {
    fn default() -> Self {
        Money::ZERO.into()
    }
}

json_string!(
    AmountText,
    "AmountText",
    schema(
        AmountText::PATTERN,
        "An amount in the installation's currency as a decimal string, at most two decimals.",
        "652.53",
    )
);

impl ToJSON for AmountText {
    fn to_json(&self) -> Option<Value> {
        Some(Value::String(self.0.clone()))
    }
}

impl ParseFromJSON for AmountText {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            Some(Value::String(text)) => Ok(text.parse::<Self>()?),
            Some(Value::Number(number)) => {
                Err(ParseError::custom(format!("amounts are strings: \"{number}\", not {number}")))
            }
            other => Err(ParseError::expected_type(other.unwrap_or_default())),
        }
    }
}

impl ParseFromParameter for AmountText {
    fn parse_from_parameter(text: &str) -> ParseResult<Self> {
        Ok(text.parse::<Self>()?)
    }
}

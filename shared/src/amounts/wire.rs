//! How amounts travel in JSON: as decimal strings with a pattern, because `format: decimal` makes
//! client generators read a number, and a number would pass through a binary float.

use super::{Accrual, AmountError, Money, Rate};
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{
    ParseError, ParseFromJSON, ParseFromParameter, ParseResult, ToJSON, Type,
};
use serde_json::Value;
use std::borrow::Cow;

fn schema(pattern: &str, description: &'static str, example: &str) -> MetaSchemaRef {
    MetaSchemaRef::Inline(Box::new(MetaSchema {
        pattern: Some(pattern.to_owned()),
        description: Some(description),
        example: Some(Value::String(example.to_owned())),
        ..MetaSchema::new("string")
    }))
}

macro_rules! wire_type {
    ($name:ident, $pattern:expr, $description:literal, $example:literal) => {
        impl Type for $name {
            const IS_REQUIRED: bool = true;
            type RawValueType = Self;
            type RawElementValueType = Self;

            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn schema_ref() -> MetaSchemaRef {
                schema($pattern, $description, $example)
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

macro_rules! decimal_string {
    ($name:ident, $pattern:literal, $description:literal, $example:literal) => {
        wire_type!($name, $pattern, $description, $example);

        impl ToJSON for $name {
            fn to_json(&self) -> Option<Value> {
                Some(Value::String(self.to_string()))
            }
        }

        impl ParseFromJSON for $name {
            fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
                match value {
                    Some(Value::String(text)) => Ok(text.parse::<Self>()?),
                    other => Err(ParseError::expected_type(other.unwrap_or_default())),
                }
            }
        }

        impl ParseFromParameter for $name {
            fn parse_from_parameter(text: &str) -> ParseResult<Self> {
                Ok(text.parse::<Self>()?)
            }
        }
    };
}

decimal_string!(
    Money,
    r"^-?[0-9]{1,15}\.[0-9]{2,4}$",
    "An amount of the currency: two decimals, up to four where stored so.",
    "652.53"
);
decimal_string!(
    Rate,
    r"^-?[0-9]{1,11}\.[0-9]{2,8}$",
    "A rate or percentage in percent: two to eight decimals.",
    "14.07"
);
decimal_string!(
    Accrual,
    r"^-?[0-9]{1,11}\.[0-9]{8}$",
    "Interest before rounding: eight decimals of the currency unit.",
    "328.30000000"
);

/// An amount as a client posted it: surely a decimal, not yet judged. Too many decimals and
/// amounts out of range break a rule (422) and are no malformed request (400), so they are found
/// by [`AmountText::posted`] after parsing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmountText(String);

impl AmountText {
    /// What the contract says of it: at most two decimals but for zeros, fifteen digits, no sign.
    /// Others are read and break a rule.
    pub const PATTERN: &'static str = r"^0*[0-9]{1,15}(\.[0-9]{1,2}0*)?$";

    /// The amount, if it has at most two decimals and is in range.
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

wire_type!(
    AmountText,
    AmountText::PATTERN,
    "An amount of the currency as a decimal string, at most two decimals.",
    "652.53"
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

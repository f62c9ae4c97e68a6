//! Instants and the business day. The only clock is the database's: see [`crate::db::clock`].

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::{ParseError, ParseFromJSON, ParseResult, ToJSON, Type};
use sea_orm::DeriveValueType;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// An instant in UTC with microseconds; RFC 3339 with `Z` in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, DeriveValueType)]
pub struct Timestamp(pub DateTime<Utc>);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    }
}

impl serde::Serialize for Timestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DateTime::<Utc>::deserialize(deserializer).map(Self)
    }
}

impl Type for Timestamp {
    const IS_REQUIRED: bool = true;
    type RawValueType = Self;
    type RawElementValueType = Self;

    fn name() -> Cow<'static, str> {
        "string_date-time".into()
    }

    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", "date-time")))
    }

    fn as_raw_value(&self) -> Option<&Self> {
        Some(self)
    }

    fn raw_element_iter<'a>(&'a self) -> Box<dyn Iterator<Item = &'a Self> + 'a> {
        Box::new(self.as_raw_value().into_iter())
    }
}

impl ToJSON for Timestamp {
    fn to_json(&self) -> Option<Value> {
        Some(Value::String(self.to_string()))
    }
}

impl ParseFromJSON for Timestamp {
    fn parse_from_json(value: Option<Value>) -> ParseResult<Self> {
        match value {
            Some(Value::String(text)) => Ok(Self(text.parse()?)),
            other => Err(ParseError::expected_type(other.unwrap_or_default())),
        }
    }
}

/// What the database's clock says, and which business day that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The database's time.
    pub now: Timestamp,
    /// That instant's date in the business time zone: "today" in every rule.
    pub today: NaiveDate,
}

impl Clock {
    /// The business day of an instant. A zone nobody knows counts as UTC, the default.
    pub fn new(now: Timestamp, time_zone: Option<&str>) -> Self {
        let zone = time_zone.and_then(|name| name.parse().ok()).unwrap_or(chrono_tz::UTC);
        Self { now, today: now.0.with_timezone(&zone).date_naive() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn today_is_the_date_in_the_business_time_zone() {
        let evening = Timestamp("2026-03-01T03:30:00Z".parse().unwrap());
        let today = |zone| Clock::new(evening, zone).today.to_string();
        assert_eq!(today(None), "2026-03-01");
        assert_eq!(today(Some("America/New_York")), "2026-02-28");
        assert_eq!(today(Some("no such zone")), "2026-03-01");
    }
}

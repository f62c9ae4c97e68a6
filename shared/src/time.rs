//! Instants and business days. The only clock is the database's: see [`crate::database::clock`].

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, SecondsFormat, TimeDelta, Utc};
use chrono_tz::Tz;
use poem_openapi::registry::MetaSchema;
use sea_orm::DeriveValueType;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

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

json_string!(Timestamp, "string_date-time", MetaSchema::new_with_format("string", "date-time"));

sent_as_text!(Timestamp);

/// The text is not an instant that every database stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("must be an instant like 2024-02-15T08:30:00Z, of the years 0001 to 9999")]
pub struct NotAnInstant;

impl FromStr for Timestamp {
    type Err = NotAnInstant;

    fn from_str(text: &str) -> Result<Self, NotAnInstant> {
        let instant: DateTime<Utc> = text.parse().map_err(|_| NotAnInstant)?;
        Some(Self(instant)).filter(|it| (1..=9999).contains(&it.0.year())).ok_or(NotAnInstant)
    }
}

/// A calendar date in a request: exactly `YYYY-MM-DD`, years 0001 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day(pub NaiveDate);

/// The text is not a [`Day`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("must be a date like 2024-02-15")]
pub struct NotADay;

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Day {
    type Err = NotADay;

    fn from_str(text: &str) -> Result<Self, NotADay> {
        let bytes = text.as_bytes();
        let is_well_formed = bytes.len() == 10
            && bytes.iter().enumerate().all(|(index, byte)| match index {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        let date = text.parse().ok().filter(|_| is_well_formed && !text.starts_with("0000"));
        date.map(Self).ok_or(NotADay)
    }
}

json_string!(Day, "string_date", MetaSchema::new_with_format("string", "date"));
sent_as_text!(Day);

/// The database's time, and the business day it falls on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The database's time.
    pub now: Timestamp,
    /// That instant's date in the business time zone: "today" in every rule.
    pub today: NaiveDate,
    /// The business time zone.
    pub zone: Tz,
}

impl Clock {
    /// Returns the business day of an instant. An unknown zone counts as UTC, the default.
    pub fn new(now: Timestamp, time_zone: Option<&str>) -> Self {
        let zone = time_zone.and_then(|name| name.parse().ok()).unwrap_or(Tz::UTC);
        Self { now, today: now.0.with_timezone(&zone).date_naive(), zone }
    }

    /// Returns the business day of an instant.
    pub fn day_of(&self, instant: Timestamp) -> NaiveDate {
        instant.0.with_timezone(&self.zone).date_naive()
    }

    /// Returns when a business day begins: at midnight, or at the first instant after a midnight
    /// that the clocks skip. A day that is skipped entirely begins with the next one.
    pub fn start_of(&self, day: NaiveDate) -> Timestamp {
        let midnight = day.and_time(NaiveTime::MIN);
        let hours = (0..=24).map(|hour| midnight + TimeDelta::hours(hour));
        let start = hours.filter_map(|time| time.and_local_timezone(self.zone).earliest()).next();
        Timestamp(start.map_or(midnight.and_utc(), |start| start.to_utc()))
    }

    /// Returns when the next business day begins; `None` for the last [`Day`], which does not end.
    /// Not every database supports years after 9999, and their text would sort before the others.
    pub fn end_of(&self, day: NaiveDate) -> Option<Timestamp> {
        day.succ_opt().filter(|next| next.year() <= 9999).map(|next| self.start_of(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_exactly_ten_characters() {
        assert!("2024-02-29".parse::<Day>().is_ok());
        for wrong in [
            "2024-2-1",
            "+02026-11-21",
            "-999-01-01",
            "2026- 1-01",
            "2023-02-29",
            "0000-01-01",
            "2024-02-29 ",
            "20240229",
        ] {
            assert_eq!(wrong.parse::<Day>(), Err(NotADay), "{wrong}");
        }
    }

    #[test]
    fn an_instant_is_of_a_year_that_every_database_stores() {
        for instant in ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"] {
            assert!(instant.parse::<Timestamp>().is_ok(), "{instant}");
        }
        for wrong in [
            "-4800-01-01T00:00:00Z",
            "0000-12-31T23:59:59Z",
            "0001-01-01T00:00:00+01:00",
            "9999-12-31T23:59:59-01:00",
            "+12026-01-01T00:00:00Z",
            "2024-02-15",
        ] {
            assert_eq!(wrong.parse::<Timestamp>(), Err(NotAnInstant), "{wrong}");
        }
    }

    #[test]
    fn today_is_the_date_in_the_business_time_zone() {
        let evening = Timestamp("2026-03-01T03:30:00Z".parse().unwrap());
        let today = |zone| Clock::new(evening, zone).today.to_string();
        assert_eq!(today(None), "2026-03-01");
        assert_eq!(today(Some("America/New_York")), "2026-02-28");
        assert_eq!(today(Some("no such zone")), "2026-03-01");
    }

    #[test]
    fn a_business_day_begins_at_midnight_or_the_first_existing_hour() {
        let start = |zone, day: &str| {
            let clock = Clock::new(Timestamp::default(), Some(zone));
            clock.start_of(day.parse().unwrap()).to_string()
        };
        assert_eq!(start("UTC", "2026-03-01"), "2026-03-01T00:00:00Z");
        assert_eq!(start("America/New_York", "2026-03-01"), "2026-03-01T05:00:00Z");
        // On this day the clocks in Santiago went from midnight to one o'clock.
        assert_eq!(start("America/Santiago", "2024-09-08"), "2024-09-08T04:00:00Z");
        // Samoa moved across the date line and skipped this day.
        assert_eq!(start("Pacific/Apia", "2011-12-30"), "2011-12-30T10:00:00Z");
        assert_eq!(start("Pacific/Apia", "2011-12-31"), "2011-12-30T10:00:00Z");
    }

    #[test]
    fn a_business_day_ends_when_the_next_begins_and_the_last_never_ends() {
        let clock = Clock::new(Timestamp::default(), Some("America/New_York"));
        let end = |day: &str| clock.end_of(day.parse().unwrap()).map(|end| end.to_string());
        assert_eq!(end("2026-03-07").as_deref(), Some("2026-03-08T05:00:00Z"));
        assert_eq!(end("2026-03-08").as_deref(), Some("2026-03-09T04:00:00Z"));
        assert_eq!(end("9999-12-31"), None);
    }
}

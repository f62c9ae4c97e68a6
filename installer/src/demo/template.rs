//! The placeholders of the portfolio's files: what depends on the day, or on the copy of a loan.
//!
//! | placeholder | value |
//! |---|---|
//! | `{day}`, `{day -120}`, `{day -10 month -6}` | that many days from today, then months |
//! | `{monthday -10}` | the day of the month of that date |
//! | `{year -1}` | that many years from this one |
//! | `{time -1440}` | that many minutes from now, as this database stores it |
//! | `{money 4.95}`, `{percent 3.25}` | the stored integer |
//! | `{number 7}` | a contact's or loan's number: that of the first fifty, or of a later copy |
//! | `{web password}` | the web users' password |

use chrono::{Datelike, Months, NaiveDate, TimeDelta};
use sea_orm::DbBackend;
use shared::amounts::{Money, Rate};
use shared::time::Clock;

/// What the placeholders depend on.
pub(super) struct Template<'a> {
    pub clock: Clock,
    pub backend: DbBackend,
    /// Added to the numbers of contacts and loans.
    pub number: u32,
    /// The web users' password.
    pub password: &'a str,
}

impl Template<'_> {
    /// Returns the text with a value for each placeholder. Fails on one that has none.
    pub(super) fn fill(&self, text: &str) -> Result<String, String> {
        let mut parts = text.split('{');
        let mut filled = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (placeholder, rest) = part.split_once('}').ok_or("a brace is not closed")?;
            let value = self.value(placeholder);
            filled += &value.ok_or_else(|| format!("{{{placeholder}}} has no value"))?;
            filled += rest;
        }
        Ok(filled)
    }

    fn value(&self, placeholder: &str) -> Option<String> {
        let words: Vec<&str> = placeholder.split(' ').collect();
        Some(match words[..] {
            ["day"] => self.clock.today.to_string(),
            ["day", days] => self.day(days)?.to_string(),
            ["day", "month", months] => months_after(self.clock.today, months)?.to_string(),
            ["day", days, "month", months] => months_after(self.day(days)?, months)?.to_string(),
            ["monthday"] => self.clock.today.day().to_string(),
            ["monthday", days] => self.day(days)?.day().to_string(),
            ["year"] => self.clock.today.year().to_string(),
            ["year", years] => (self.clock.today.year() + years.parse::<i32>().ok()?).to_string(),
            ["time", minutes] => self.time(minutes)?,
            ["money", amount] => amount.parse::<Money>().ok()?.units().to_string(),
            ["percent", rate] => rate.parse::<Rate>().ok()?.units().to_string(),
            ["number", number] => {
                format!("{:06}", number.parse::<u32>().ok()? + self.number)
            }
            ["web", "password"] => escaped(self.password),
            _ => return None,
        })
    }

    fn day(&self, days: &str) -> Option<NaiveDate> {
        Some(self.clock.today + TimeDelta::days(days.parse().ok()?))
    }

    fn time(&self, minutes: &str) -> Option<String> {
        let time = self.clock.now.0 + TimeDelta::minutes(minutes.parse().ok()?);
        Some(match self.backend {
            DbBackend::MySql => time.format("%F %T%.6f").to_string(),
            _ => time.to_rfc3339(),
        })
    }
}

/// A text as the value of an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

fn months_after(date: NaiveDate, months: &str) -> Option<NaiveDate> {
    let months: i32 = months.parse().ok()?;
    match months < 0 {
        true => date.checked_sub_months(Months::new(months.unsigned_abs())),
        false => date.checked_add_months(Months::new(months.unsigned_abs())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::time::Timestamp;

    #[test]
    fn placeholders_count_from_the_day() {
        let today = NaiveDate::from_ymd_opt(2027, 3, 31).unwrap();
        let now = Timestamp(today.and_hms_micro_opt(8, 30, 0, 5).unwrap().and_utc());
        let clock = Clock { now, today, zone: chrono_tz::UTC };
        let template = |backend| Template { clock, backend, number: 50, password: "a<b" };
        let sqlite = template(DbBackend::Sqlite);
        for (text, filled) in [
            ("{day} {day +1}", "2027-03-31 2027-04-01"),
            ("{day -3 month -1} {day month -1}", "2027-02-28 2027-02-28"),
            ("{monthday} {monthday -10}", "31 21"),
            ("{year} {year -6}", "2027 2021"),
            ("{money 4.95} {percent 3.25}", "49500 325000000"),
            ("L-{number 7}", "L-000057"),
            ("{web password}", "a&lt;b"),
            ("{time -60}", "2027-03-31T07:30:00.000005+00:00"),
        ] {
            assert_eq!(sqlite.fill(text).unwrap(), filled);
        }
        let mysql = template(DbBackend::MySql).fill("{time -60}");
        assert_eq!(mysql.unwrap(), "2027-03-31 07:30:00.000005");
        for wrong in ["{day", "{days}", "{day x}", "{}"] {
            assert!(sqlite.fill(wrong).is_err(), "{wrong}");
        }
    }
}

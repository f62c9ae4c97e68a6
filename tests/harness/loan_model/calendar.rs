//! Due dates, and days in months of 30.

use chrono::{Datelike, Days, NaiveDate};
use shared::entity::loans::PaymentPeriod;

/// The schedule of due dates.
#[derive(Clone, Copy, Debug)]
pub struct Calendar {
    pub period: PaymentPeriod,
    pub first: Option<NaiveDate>,
    /// The nominal day of the month.
    pub day: Option<u32>,
    /// The last date, whether or not the period leads to it.
    pub maturity: Option<NaiveDate>,
}

/// A date and, if it belongs to the schedule, the nominal day of a 30-day month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    pub date: NaiveDate,
    /// At most 30.
    pub nominal: Option<u32>,
}

impl Calendar {
    /// The date this many periods after the first one (before it if negative) and its nominal day,
    /// whether or not the loan has matured. `None` for schedules without periods.
    pub fn counted(&self, periods: i64) -> Option<(NaiveDate, u32)> {
        let first = self.first?;
        let day = self.day?;
        let days = |days: i64| {
            let date = first + chrono::TimeDelta::days(days * periods);
            Some((date, date.day().min(30)))
        };
        let months = |months: i64| {
            let (date, nominal) = in_month(month_number(first) + months * periods, day);
            Some((date, nominal.min(30)))
        };
        match self.period {
            PaymentPeriod::None | PaymentPeriod::Maturity => None,
            PaymentPeriod::Weekly => days(7),
            PaymentPeriod::Biweekly => days(14),
            PaymentPeriod::Semimonthly => {
                let early = if day <= 15 { day } else { day.min(30) - 15 };
                let second_half = i64::from(first.day() > 15);
                let halves = month_number(first) * 2 + second_half + periods;
                let nominal = if halves.rem_euclid(2) == 0 { early } else { early + 15 };
                Some(in_month(halves.div_euclid(2), nominal))
            }
            PaymentPeriod::Monthly => months(1),
            PaymentPeriod::Bimonthly => months(2),
            PaymentPeriod::Quarterly => months(3),
            PaymentPeriod::Semiannual => months(6),
            PaymentPeriod::Annual => months(12),
        }
    }

    /// Every due date up to this day, and the next one if there is one.
    pub fn due_dates(&self, up_to: NaiveDate) -> Vec<Day> {
        let mut dates = Vec::new();
        if self.period == PaymentPeriod::Maturity
            && let Some(maturity) = self.maturity
        {
            dates.push(Day { date: maturity, nominal: Some(maturity.day().min(30)) });
        }
        for periods in 0.. {
            let Some((date, nominal)) = self.counted(periods) else { break };
            if let Some(maturity) = self.maturity
                && date >= maturity
            {
                let nominal_maturity = maturity.day().min(30);
                let nominal = if date == maturity { nominal } else { nominal_maturity };
                dates.push(Day { date: maturity, nominal: Some(nominal) });
                break;
            }
            dates.push(Day { date, nominal: Some(nominal) });
            if date > up_to {
                break;
            }
        }
        dates
    }

    /// This date, with its nominal day if it belongs to the schedule counted back from the first
    /// date.
    pub fn counted_back(&self, date: NaiveDate) -> Day {
        for periods in 0.. {
            match self.counted(-periods) {
                Some((counted, nominal)) if counted == date => {
                    return Day { date, nominal: Some(nominal) };
                }
                Some((counted, _)) if counted > date => {}
                _ => break,
            }
        }
        Day { date, nominal: None }
    }
}

/// Days between two dates in 30-day months, by the US method.
///
/// A date with a nominal day before the 30th does not count as a month's end: from an installment
/// due nominally on the 28th of February to the same day of a later year it is a whole number of
/// 360-day years.
pub fn days_of_30(from: Day, to: Day) -> i128 {
    let mut d1 = from.nominal.unwrap_or(from.date.day());
    let mut d2 = to.nominal.unwrap_or(to.date.day());
    let from_month_end = from.nominal.is_none_or(|day| day == 30) && ends_february(from.date);
    if to.nominal.is_none() && from_month_end && ends_february(to.date) {
        d2 = 30;
    }
    if from.nominal.is_none() && ends_february(from.date) {
        d1 = 30;
    }
    if to.nominal.is_none() && d2 == 31 && d1 >= 30 {
        d2 = 30;
    }
    if from.nominal.is_none() && d1 == 31 {
        d1 = 30;
    }
    let months = month_number(to.date) - month_number(from.date);
    i128::from(months * 30 + i64::from(d2) - i64::from(d1))
}

/// The number of the month since the year 0.
fn month_number(date: NaiveDate) -> i64 {
    i64::from(date.year()) * 12 + i64::from(date.month0())
}

/// This day of a month, or its last one; and the nominal day.
fn in_month(number: i64, day: u32) -> (NaiveDate, u32) {
    let (year, month) = (number.div_euclid(12) as i32, number.rem_euclid(12) as u32 + 1);
    let date = (1..=day).rev().find_map(|day| NaiveDate::from_ymd_opt(year, month, day));
    (date.expect("a day of a month"), day)
}

fn ends_february(date: NaiveDate) -> bool {
    date.month() == 2 && (date + Days::new(1)).month() == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn off_schedule(text: &str) -> Day {
        Day { date: text.parse().expect("a date"), nominal: None }
    }

    #[test]
    fn days_between_off_schedule_dates_match_published_ones() {
        for (from, to, days) in [
            ("2024-01-15", "2024-02-15", 30),
            ("2024-01-15", "2024-01-31", 16),
            ("2024-01-31", "2024-02-29", 29),
            ("2024-01-31", "2024-03-31", 60),
            ("2024-02-29", "2024-03-31", 30),
            ("2024-02-29", "2025-02-28", 360),
            ("2023-01-30", "2023-02-28", 28),
        ] {
            assert_eq!(days_of_30(off_schedule(from), off_schedule(to)), days, "{from} {to}");
        }
    }

    #[test]
    fn due_dates_count_as_their_nominal_day() {
        let calendar = |period, first: &str, day| Calendar {
            period,
            first: first.parse().ok(),
            day: Some(day),
            maturity: None,
        };
        let spans = |calendar: Calendar| -> Vec<i128> {
            let dates = calendar.due_dates(calendar.first.expect("a date") + Days::new(20));
            dates.windows(2).map(|pair| days_of_30(pair[0], pair[1])).collect()
        };
        assert_eq!(spans(calendar(PaymentPeriod::Monthly, "2023-01-30", 30))[0], 30);
        assert_eq!(spans(calendar(PaymentPeriod::Semimonthly, "2024-02-29", 30))[..2], [15, 15]);
        assert_eq!(spans(calendar(PaymentPeriod::Weekly, "2024-02-26", 26))[..2], [8, 7]);
        let at_maturity = Day { nominal: Some(28), ..off_schedule("2018-02-28") };
        for (later, days) in [("2019-02-28", 360), ("2020-02-29", 721), ("2022-02-28", 1440)] {
            assert_eq!(days_of_30(at_maturity, off_schedule(later)), days, "{later}");
        }
        let back = calendar(PaymentPeriod::Monthly, "2023-03-28", 28);
        let start = back.counted_back("2023-02-28".parse().expect("a date"));
        assert_eq!(days_of_30(start, back.due_dates(start.date)[0]), 30);
    }
}

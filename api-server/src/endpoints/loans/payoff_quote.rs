//! `/loans/{loan_id}/payoff-quote`: what pays a loan off, day by day.

use super::super::Group;
use crate::http::admission::CoreUser;
use crate::loans::account::refuse_payments;
use crate::loans::journal::earliest_date;
use crate::loans::servicing::payoff::{Payoff, PayoffQuote};
use crate::state::State;
use chrono::{Days, NaiveDate};
use poem::web::Data;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use shared::amounts::{Money, Rate};
use shared::problem::{JsonResult, Problem, ProblemType};
use shared::time::Day;
use shared::{interface_names, operations};
use std::sync::Arc;

const DAYS_MAX: u64 = 62;
/// Latest day that is quoted, in days after today.
const DAYS_AHEAD_MAX: u64 = 366;

/// Payoff quotes of a loan.
#[interface_names]
#[derive(Debug, Object)]
pub struct LoanPayoffQuotes {
    loan_id: i64,
    /// Business day on which the quotes were made.
    as_of_date: NaiveDate,
    /// One quote for each day, ascending.
    quotes: Vec<DailyPayoffQuote>,
}

/// What pays a loan off on a day.
#[interface_names]
#[derive(Debug, Object)]
pub struct DailyPayoffQuote {
    /// Effective date of the payoff.
    date: NaiveDate,
    /// Principal balance.
    principal: Money,
    /// Interest owed up to, but not including, the day.
    interest: Money,
    /// Late charge balance.
    late_charges: Money,
    /// Fee balance.
    fees: Money,
    /// Part of the suspense balance that the payoff uses.
    suspense_applied: Money,
    /// Amount of the payoff: the amounts owed, less the suspense applied.
    payoff_amount: Money,
    /// Interest of the day itself, to eight decimals. For a year basis of 360/360, a day at the end
    /// of a month may add none of it, or up to three times as much.
    per_diem: Rate,
    /// Impound balance after the payoff: the borrower's money, to be disbursed.
    impound_held: Money,
    /// Suspense balance after the payoff: the borrower's money, to be disbursed.
    suspense_held: Money,
}

impl From<PayoffQuote> for DailyPayoffQuote {
    fn from(PayoffQuote { date, payoff, per_diem }: PayoffQuote) -> Self {
        let Payoff {
            principal,
            interest,
            late_charges,
            fees,
            suspense_applied,
            amount,
            impound_held,
            suspense_held,
        } = payoff;
        Self {
            date,
            principal,
            interest,
            late_charges,
            fees,
            suspense_applied,
            payoff_amount: amount,
            per_diem: per_diem.to_rate(),
            impound_held,
            suspense_held,
        }
    }
}

/// `/loans/{loan_id}/payoff-quote`
pub struct PayoffQuotes;

#[operations]
#[OpenApi(tag = "Group::Loans")]
impl PayoffQuotes {
    /// Quote a loan's payoff.
    ///
    /// The amount that a payoff with that effective date takes, if nothing is posted, no charge is
    /// assessed and the loan's status does not change before. Rates stored for the future are taken
    /// into account. At most 62 days, none of them more than 366 days ahead.
    #[oai(path = "/loans/:loan_id/payoff-quote", method = "get")]
    async fn get_payoff_quote(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        /// First day; default: today. Not before the earliest effective date of a payment.
        date: Query<Option<Day>>,
        /// Last day, inclusive; default: the first day.
        through: Query<Option<Day>>,
    ) -> JsonResult<LoanPayoffQuotes> {
        let today = admitted.clock.today;
        let (from, through) = days(today, date.0, through.0)?;
        let account = state.loans.account(&admitted.caller, loan_id.0).await?;
        refuse_payments(&account.status)?;
        let earliest = earliest_date(&account.loan);
        if from < earliest {
            return Err(Problem::new(ProblemType::EffectiveDateTooEarly)
                .detail(format!("the earliest date is {earliest}"))
                .field("date", format!("must not be before {earliest}")));
        }
        let quotes = account.state.payoff_quotes(&account.terms, from, through)?;
        Ok(Json(LoanPayoffQuotes {
            loan_id: loan_id.0,
            as_of_date: today,
            quotes: quotes.into_iter().map(DailyPayoffQuote::from).collect(),
        }))
    }
}

/// Returns the first and the last day to quote.
fn days(
    today: NaiveDate,
    date: Option<Day>,
    through: Option<Day>,
) -> Result<(NaiveDate, NaiveDate), Problem> {
    let refuse = |parameter: &str, message: String| Err(Problem::out_of_range(parameter, message));
    let from = date.map_or(today, |Day(date)| date);
    let to = through.map_or(from, |Day(through)| through);
    let latest = today + Days::new(DAYS_AHEAD_MAX);
    for (parameter, day) in [("date", from), ("through", to)] {
        if day > latest {
            let message = format!("must not be after {latest}, {DAYS_AHEAD_MAX} days from today");
            return refuse(parameter, message);
        }
    }
    if to < from {
        return refuse("through", format!("must not be before {from}, the first day"));
    }
    let last = from + Days::new(DAYS_MAX - 1);
    if to > last {
        return refuse("through", format!("must not be after {last}: {DAYS_MAX} days at most"));
    }
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The days quoted, or the field at fault.
    fn quoted(date: Option<&str>, through: Option<&str>) -> Result<[String; 2], String> {
        let day = |text: Option<&str>| text.map(|text| text.parse().unwrap());
        let today = "2024-01-15".parse().unwrap();
        match days(today, day(date), day(through)) {
            Ok((from, to)) => Ok([from, to].map(|day| day.to_string())),
            Err(problem) => Err(problem.first_field().unwrap().0.to_owned()),
        }
    }

    #[test]
    fn the_default_is_today_alone() {
        assert_eq!(quoted(None, None).unwrap(), ["2024-01-15", "2024-01-15"]);
        assert_eq!(quoted(Some("2024-02-01"), None).unwrap(), ["2024-02-01", "2024-02-01"]);
        assert_eq!(quoted(None, Some("2024-01-17")).unwrap(), ["2024-01-15", "2024-01-17"]);
    }

    #[test]
    fn at_most_62_days_up_to_366_days_ahead_are_quoted() {
        assert!(quoted(Some("2024-01-01"), Some("2024-03-02")).is_ok());
        assert_eq!(quoted(Some("2024-01-01"), Some("2024-03-03")).unwrap_err(), "through");
        assert!(quoted(Some("2025-01-15"), None).is_ok());
        assert_eq!(quoted(Some("2025-01-16"), None).unwrap_err(), "date");
        assert_eq!(quoted(Some("2025-01-15"), Some("2025-01-16")).unwrap_err(), "through");
        assert_eq!(quoted(Some("2024-02-02"), Some("2024-02-01")).unwrap_err(), "through");
        assert_eq!(quoted(Some("9999-12-31"), None).unwrap_err(), "date");
    }
}

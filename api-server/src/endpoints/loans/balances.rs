//! `/loans/{loan_id}/balances`: a loan's balances at the end of a past day.

use super::super::Group;
use crate::auth::privileges::VIEW_TRANSACTIONS;
use crate::http::admission::CoreUser;
use crate::loans::past_balances::{self, AsOf, PastAccount};
use crate::loans::servicing::payoff::Payoff;
use crate::state::State;
use chrono::NaiveDate;
use poem::web::Data;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use shared::amounts::{Money, OutOfRange};
use shared::problem::{JsonResult, Problem, ProblemType};
use shared::time::Day;
use shared::{interface_names, operations};
use std::sync::Arc;

/// Balances of a loan at the end of a day.
#[interface_names]
#[derive(Debug, Object)]
pub struct LoanBalances {
    loan_id: i64,
    /// The day.
    date: NaiveDate,
    /// Day by whose end the entries that count were in the ledger.
    known_on: NaiveDate,
    /// Principal owed.
    principal_balance: Money,
    /// Interest owed up to, but not including, the day.
    interest_balance: Money,
    /// Late charges owed.
    late_charge_balance: Money,
    /// Fees owed.
    fees_balance: Money,
    /// Impound, held for the borrower.
    impound_balance: Money,
    /// Suspense, held for the borrower.
    suspense_balance: Money,
    /// Amount that would have paid the loan off: principal, interest, late charges and fees, less
    /// suspense.
    payoff_balance: Money,
}

impl LoanBalances {
    fn of(account: &PastAccount, AsOf { date, known_on }: AsOf) -> Result<Self, OutOfRange> {
        let PastAccount { loan, terms, state } = account;
        let Payoff { interest, amount, .. } = state.payoff_on(terms, date)?;
        Ok(Self {
            loan_id: loan.loan_id,
            date,
            known_on,
            principal_balance: state.principal,
            interest_balance: interest,
            late_charge_balance: state.late_charges,
            fees_balance: state.fees,
            impound_balance: state.impound,
            suspense_balance: state.suspense,
            payoff_balance: amount,
        })
    }
}

/// `/loans/{loan_id}/balances`
pub struct PastBalances;

#[operations]
#[OpenApi(tag = "Group::Loans")]
impl PastBalances {
    /// Get a loan's balances at the end of a past day.
    ///
    /// Entries with an effective date up to that day count, if they were in the ledger by
    /// `knownOn`. A reversal has the effective date of the entry that it reverses: with today's
    /// knowledge, the balances are those without the entry; with that of an earlier day, they are
    /// as they were read then. All transactions count, also those that the caller may not see.
    /// Interest accrues by the terms and the status of each day, at the rates stored today. A
    /// balance is below zero on the days between a payment's effective date and that of a charge
    /// that it paid. Requires Loan > Transactions > View, too.
    #[oai(path = "/loans/:loan_id/balances", method = "get")]
    async fn get_loan_balances(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        /// The day, up to today, and not before the loan's `Origination_Date`; default: today.
        date: Query<Option<Day>>,
        /// Only entries whose `GL_Date` is not after this day, up to today; default: today.
        #[oai(name = "knownOn")]
        known_on: Query<Option<Day>>,
    ) -> JsonResult<LoanBalances> {
        admitted.caller.require(VIEW_TRANSACTIONS)?;
        let as_of = as_of(admitted.clock.today, date.0, known_on.0)?;
        let account = past_balances::read(&state.reads, &admitted, loan_id.0, as_of).await?;
        let origination = account.loan.origination_date;
        if as_of.date < origination {
            return Err(Problem::new(ProblemType::EffectiveDateTooEarly)
                .detail(format!("the earliest date is {origination}"))
                .field("date", format!("must not be before {origination}")));
        }
        Ok(Json(LoanBalances::of(&account, as_of)?))
    }
}

fn as_of(today: NaiveDate, date: Option<Day>, known_on: Option<Day>) -> Result<AsOf, Problem> {
    let [date, known_on] = [date, known_on].map(|day| day.map_or(today, |Day(day)| day));
    for (parameter, day) in [("date", date), ("knownOn", known_on)] {
        if day > today {
            let message = format!("must not be after {today}, which is today");
            return Err(Problem::out_of_range(parameter, message));
        }
    }
    Ok(AsOf { date, known_on })
}

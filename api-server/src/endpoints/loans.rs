//! `/loans/{loan_id}`: loans.

pub mod transactions;

use super::Group;
use crate::access::CoreUser;
use crate::app::App;
use crate::loan_book::Book;
use chrono::NaiveDate;
use poem::web::Data;
use poem_openapi::param::Path;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use shared::amounts::{Money, OutOfRange, Rate};
use shared::entity::loans;
use shared::problem::Answer;
use std::sync::Arc;

/// A loan as its row stands, and what its figures come to today.
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Loan {
    /// The loan's row.
    #[oai(flatten)]
    row: loans::Model,
    /// The business day the following figures are for.
    #[oai(rename = "As_Of_Date")]
    as_of_date: NaiveDate,
    /// One day's interest, to eight decimals.
    #[oai(rename = "Current_Per_Diem")]
    current_per_diem: Rate,
    /// What pays the loan off today: principal, interest, late charges and fees, less suspense.
    #[oai(rename = "Current_Payoff_Balance")]
    current_payoff_balance: Money,
    /// Unpaid instalments due before today.
    #[oai(rename = "Total_Past_Due_Balance")]
    total_past_due_balance: Money,
    /// The unpaid instalment due today.
    #[oai(rename = "Total_Current_Due_Balance")]
    total_current_due_balance: Money,
    /// Age of the oldest unpaid instalment, in days.
    #[oai(rename = "Days_Past_Due")]
    days_past_due: i32,
}

impl Loan {
    fn on(today: NaiveDate, book: Book) -> Result<Self, OutOfRange> {
        let standing = book.state.standing(&book.terms, today)?;
        let current_interest_rate = book.rate_on(today);
        Ok(Self {
            row: loans::Model { current_interest_rate, ..book.loan },
            as_of_date: today,
            current_per_diem: standing.per_diem.to_rate(),
            current_payoff_balance: standing.payoff,
            total_past_due_balance: standing.past_due,
            total_current_due_balance: standing.current_due,
            days_past_due: standing.days_past_due,
        })
    }
}

/// `/loans`
pub struct Loans;

#[OpenApi(tag = "Group::Loans")]
impl Loans {
    /// A loan.
    ///
    /// Its terms and balances as they stand, and per diem, payoff and past-due figures for today,
    /// the business day of the database's clock. Interest is accrued up to, not including, today.
    #[oai(path = "/loans/:loan_id", method = "get", operation_id = "get_loan")]
    async fn get_loan(
        &self,
        CoreUser(admitted): CoreUser,
        app: Data<&Arc<App>>,
        /// The loan.
        loan_id: Path<i64>,
    ) -> Answer<Loan> {
        let book = Book::read(&app.db, &admitted.caller, loan_id.0).await?;
        Ok(Json(Loan::on(admitted.clock.today, book)?))
    }
}

//! `/loans`: loans.

pub mod balances;
pub mod card_payments;
pub mod collateral;
pub mod comments;
pub mod contacts;
pub mod credit_lines;
pub mod payment_gateway;
pub mod payments_due;
pub mod payoff_quote;
pub mod schedule;
pub mod search;
pub mod summary;
pub mod transactions;

use self::search::LoanSearch;
use self::summary::LoanSummary;
use super::Group;
use crate::audit::{self, history::FieldHistoryFilter};
use crate::auth::caller::Caller;
use crate::auth::privileges::BANK_ACCOUNTS;
use crate::endpoints::documents::field_document_operations;
use crate::http::admission::CoreUser;
use crate::http::pagination::{List, Page};
use crate::loans::account::LoanAccount;
use crate::state::State;
use chrono::NaiveDate;
use poem::web::Data;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sea_orm::{ColumnTrait, QueryFilter};
use shared::amounts::{Money, OutOfRange, Rate};
use shared::entity::{automated_payments, field_changes, loans, recurring_transactions};
use shared::interface_names;
use shared::operations;
use shared::problem::{JsonResult, Problem};
use shared::secrets::Masked;
use shared::time::{Day, Timestamp};
use std::sync::Arc;

/// A loan: its stored terms and balances, and figures calculated for today.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Loan {
    /// The stored loan.
    #[oai(flatten)]
    row: loans::Model,
    /// Business day of the calculated figures.
    as_of_date: NaiveDate,
    /// One day's interest, to eight decimals.
    current_per_diem: Rate,
    /// Amount that pays the loan off today: principal, interest, late charges and fees, less
    /// suspense.
    current_payoff_balance: Money,
    /// Unpaid amount of installments due before today.
    total_past_due_balance: Money,
    /// Unpaid amount of the installment due today.
    total_current_due_balance: Money,
    /// Age of the oldest unpaid installment, in days.
    days_past_due: i32,
}

impl Loan {
    fn on(today: NaiveDate, account: LoanAccount) -> Result<Self, OutOfRange> {
        let standing = account.state.standing(&account.terms, today)?;
        let current_interest_rate = account.terms.rate_on(today);
        Ok(Self {
            row: loans::Model { current_interest_rate, ..account.loan },
            as_of_date: today,
            current_per_diem: standing.per_diem.to_rate(),
            current_payoff_balance: standing.payoff,
            total_past_due_balance: standing.past_due,
            total_current_due_balance: standing.current_due,
            days_past_due: standing.days_past_due,
        })
    }
}

pub struct Loans;

#[operations]
#[OpenApi(tag = "Group::Loans")]
impl Loans {
    /// Find loans.
    ///
    /// Returns the loans that meet all criteria, as summaries. They are ordered by id; with
    /// `minPastDueDays` by the date of the oldest unpaid installment, else with `maturesFrom` or
    /// `maturesTo` by maturity date, else with `modifiedSince` by the time of the last change, and
    /// then by id.
    ///
    /// A page may have fewer rows than `limit` although more follow: the `Link` decides.
    #[oai(path = "/loans", method = "get")]
    async fn list_loans(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// Only the loan with this number.
        loan_number: Query<Option<String>>,
        /// Only loans of this contact, as the borrower or linked to the loan.
        contact_id: Query<Option<i64>>,
        /// Only loans with this status.
        status_code: Query<Option<String>>,
        /// Only loans of this loan group.
        group_id: Query<Option<i64>>,
        /// Only loans of this portfolio.
        portfolio_id: Query<Option<i64>>,
        /// Only loans with this loan officer or collection officer.
        officer_id: Query<Option<i64>>,
        /// Only loans whose status closes them, or only others.
        closed: Query<Option<bool>>,
        /// Only closed loans that hold impound or suspense money, which is the borrower's, or only
        /// others.
        holds_money: Query<Option<bool>>,
        /// Earliest maturity date, inclusive.
        matures_from: Query<Option<Day>>,
        /// Latest maturity date, inclusive.
        matures_to: Query<Option<Day>>,
        /// Only loans changed at this time or later.
        modified_since: Query<Option<Timestamp>>,
        /// Only loans whose oldest unpaid installment has been due for this many days or longer.
        min_past_due_days: Query<Option<i32>>,
        /// `dueDate` with `minPastDueDays`, else `maturityDate` with `maturesFrom` or `maturesTo`, else
        /// `modifiedDate` with `modifiedSince`, else `id`; after `-`, the reverse.
        order: Query<Option<String>>,
        page: Page,
    ) -> Result<List<LoanSummary>, Problem> {
        let search = LoanSearch {
            loan_number: loan_number.0,
            contact_id: contact_id.0,
            status_code: status_code.0,
            group_id: group_id.0,
            portfolio_id: portfolio_id.0,
            officer_id: officer_id.0,
            closed: closed.0,
            holds_money: holds_money.0,
            matures_from: matures_from.0.map(|Day(day)| day),
            matures_to: matures_to.0.map(|Day(day)| day),
            modified_since: modified_since.0,
            min_past_due_days: min_past_due_days.0,
        };
        search.page(&state.reads, &admitted, &page, order.0.as_deref()).await
    }

    /// Get a loan.
    ///
    /// Returns its terms and balances, and per-diem, payoff and past-due figures for today, the
    /// business day according to the database's clock. Interest is accrued up to, but not
    /// including, today.
    #[oai(path = "/loans/:loan_id", method = "get")]
    async fn get_loan(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
    ) -> JsonResult<Loan> {
        let account = state.loans.account(&admitted.caller, loan_id.0).await?;
        Ok(Json(Loan::on(admitted.clock.today, account)?))
    }

    /// List a loan's recurring transactions.
    ///
    /// Charges and credits that recur on the loan, by schedule or by event.
    #[oai(path = "/loans/:loan_id/recurring-transactions", method = "get")]
    async fn list_recurring_transactions(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        page: Page,
    ) -> Result<List<recurring_transactions::Model>, Problem> {
        let caller = &admitted.caller;
        caller.get::<loans::Entity>(&state.reads, loan_id.0).await?;
        let of_loan = recurring_transactions::Column::LoanId.eq(loan_id.0);
        page.by_key(caller.find::<recurring_transactions::Entity>().filter(of_loan), &state.reads)
            .await
    }

    /// Get an automated payment.
    ///
    /// A payment drawn from a bank account or a card without a request to this API.
    #[oai(path = "/loans/automated-payments/:row_id", method = "get")]
    async fn get_automated_payment(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// Automated payment id (`Row_ID`).
        row_id: Path<i64>,
    ) -> JsonResult<automated_payments::Model> {
        let caller = &admitted.caller;
        let row = caller.get::<automated_payments::Entity>(&state.reads, row_id.0).await?;
        Ok(Json(unmask(caller, row)))
    }

    /// List a loan's automated payments.
    ///
    /// Payments drawn from a bank account or a card without a request to this API, whatever their
    /// status.
    #[oai(path = "/loans/:loan_id/automated-payments", method = "get")]
    async fn list_automated_payments(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        page: Page,
    ) -> Result<List<automated_payments::Model>, Problem> {
        let caller = &admitted.caller;
        caller.get::<loans::Entity>(&state.reads, loan_id.0).await?;
        let of_loan = automated_payments::Column::LoanId.eq(loan_id.0);
        let rows = caller.find::<automated_payments::Entity>().filter(of_loan);
        Ok(page.by_key(rows, &state.reads).await?.map(|row| unmask(caller, row)))
    }

    /// List a loan's field history.
    ///
    /// Changes to the loan and to the rows that belong to it. Ordered oldest first. Changes to rows
    /// for which the caller lacks the View privilege are left out.
    #[oai(path = "/loans/:loan_id/field-history", method = "get")]
    async fn list_loan_field_history(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        loan_id: Path<i64>,
        /// Only changes to rows of this table.
        table_name: Query<Option<String>>,
        /// Only changes to this field.
        field_name: Query<Option<String>>,
        /// Earliest business day of `Modified_Date`, inclusive.
        from: Query<Option<Day>>,
        /// Latest business day of `Modified_Date`, inclusive.
        to: Query<Option<Day>>,
        /// Only changes made by this user.
        user_id: Query<Option<i64>>,
        page: Page,
    ) -> Result<List<field_changes::Model>, Problem> {
        admitted.caller.get::<loans::Entity>(&state.reads, loan_id.0).await?;
        let filter = FieldHistoryFilter {
            table_name: table_name.0,
            field_name: field_name.0,
            from: from.0,
            to: to.0,
            user_id: user_id.0,
        };
        let owner = audit::HistoryOwner::Loan(loan_id.0);
        audit::history::list(&state.reads, &admitted, owner, filter, &page).await
    }
}

/// Unmasks the bank account if the caller may view accounts.
fn unmask(caller: &Caller, mut row: automated_payments::Model) -> automated_payments::Model {
    if caller.holds(BANK_ACCOUNTS) {
        row.bank_account_number = row.bank_account_number.map(Masked::unmasked);
    }
    row
}

/// `/loans/{loan_id}/…/documents`
pub struct LoanDocuments;

field_document_operations! {
    LoanDocuments, tag = "Group::Loans", loan_id:
    LoanDetail1, path = "/loans/:loan_id/detail1/:field/documents",
    /// List the documents of a field on a loan's first detail form.
    list_loan_detail1_documents,
    /// Attach a document with one file to a field on a loan's first detail form.
    create_loan_detail1_document;

    LoanDetail2, path = "/loans/:loan_id/detail2/:field/documents",
    /// List the documents of a field on a loan's second detail form.
    list_loan_detail2_documents,
    /// Attach a document with one file to a field on a loan's second detail form.
    create_loan_detail2_document;
}

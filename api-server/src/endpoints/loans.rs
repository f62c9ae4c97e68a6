//! `/loans/{loan_id}`: loans.

pub mod collateral;
pub mod comments;
pub mod credit_lines;
pub mod payment_gateway;
pub mod transactions;

use super::Group;
use crate::audit::{self, listing::Wanted};
use crate::auth::privileges::BANK_ACCOUNTS;
use crate::command::idempotency::CreatedVersion;
use crate::documents::attaching::Upload;
use crate::documents::uploads::FormBody;
use crate::documents::{self, Document, Owner};
use crate::http::admission::CoreUser;
use crate::http::paging::{List, Page};
use crate::loans::loan_book::Book;
use crate::state::State;
use chrono::NaiveDate;
use poem::Request;
use poem::web::Data;
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sea_orm::{ColumnTrait, QueryFilter};
use shared::amounts::{Money, OutOfRange, Rate};
use shared::entity::user_defined_fields::Form;
use shared::entity::{automated_payments, field_changes, loans, recurring_transactions};
use shared::interface_names;
use shared::operations;
use shared::problem::{Answer, Problem};
use shared::secrecy::Masked;
use shared::time::Day;
use std::sync::Arc;

/// A loan as its row stands, and what its figures come to today.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Loan {
    /// The loan's row.
    #[oai(flatten)]
    row: loans::Model,
    /// The business day the following figures are for.
    as_of_date: NaiveDate,
    /// One day's interest, to eight decimals.
    current_per_diem: Rate,
    /// What pays the loan off today: principal, interest, late charges and fees, less suspense.
    current_payoff_balance: Money,
    /// Unpaid instalments due before today.
    total_past_due_balance: Money,
    /// The unpaid instalment due today.
    total_current_due_balance: Money,
    /// Age of the oldest unpaid instalment, in days.
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

#[operations]
#[OpenApi(tag = "Group::Loans")]
impl Loans {
    /// A loan.
    ///
    /// Its terms and balances as they stand, and per diem, payoff and past-due figures for today,
    /// the business day of the database's clock. Interest is accrued up to, not including, today.
    #[oai(path = "/loans/:loan_id", method = "get")]
    async fn get_loan(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The loan.
        loan_id: Path<i64>,
    ) -> Answer<Loan> {
        let book = Book::read(&state.db, &admitted.caller, loan_id.0).await?;
        Ok(Json(Loan::on(admitted.clock.today, book)?))
    }

    /// What a loan is charged or credited again and again.
    #[oai(path = "/loans/:loan_id/recurring-transactions", method = "get")]
    async fn list_recurring_transactions(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The loan.
        loan_id: Path<i64>,
        page: Page,
    ) -> Result<List<recurring_transactions::Model>, Problem> {
        let caller = &admitted.caller;
        caller.get::<loans::Entity>(&state.db, loan_id.0).await?;
        let of_loan = recurring_transactions::Column::LoanId.eq(loan_id.0);
        page.by_key(caller.find::<recurring_transactions::Entity>().filter(of_loan), &state.db)
            .await
    }

    /// A payment that is drawn without anybody sending it.
    #[oai(path = "/loans/automated-payments/:row_id", method = "get")]
    async fn get_automated_payment(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The automated payment.
        row_id: Path<i64>,
    ) -> Answer<automated_payments::Model> {
        let caller = &admitted.caller;
        let mut row = caller.get::<automated_payments::Entity>(&state.db, row_id.0).await?;
        if caller.holds(BANK_ACCOUNTS) {
            row.bank_account_number = row.bank_account_number.map(Masked::unmasked);
        }
        Ok(Json(row))
    }

    /// The field history of a loan: what was changed in it and in the rows that hang on it.
    ///
    /// Oldest first. Changes of rows whose View the caller lacks are left out.
    #[oai(path = "/loans/:loan_id/field-history", method = "get")]
    async fn list_loan_field_history(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The loan.
        loan_id: Path<i64>,
        /// Changes of this table's rows only.
        #[oai(name = "tableName")]
        table_name: Query<Option<String>>,
        /// Changes of this field only.
        #[oai(name = "fieldName")]
        field_name: Query<Option<String>>,
        /// First business day of Modified_Date.
        from: Query<Option<Day>>,
        /// Last business day of Modified_Date.
        to: Query<Option<Day>>,
        /// Changes by this user only.
        #[oai(name = "userId")]
        user_id: Query<Option<i64>>,
        page: Page,
    ) -> Result<List<field_changes::Model>, Problem> {
        admitted.caller.get::<loans::Entity>(&state.db, loan_id.0).await?;
        let wanted = Wanted {
            table_name: table_name.0,
            field_name: field_name.0,
            from: from.0,
            to: to.0,
            user_id: user_id.0,
        };
        let owner = audit::Owner::Loan(loan_id.0);
        audit::listing::list(&state.db, &admitted, owner, wanted, &page).await
    }

    /// The documents of a field of a loan's first detail form.
    ///
    /// The case of the field's name does not matter. A field that is not defined for the form, or
    /// hidden, does not exist; one that holds something else is refused with 422.
    #[oai(path = "/loans/:loan_id/detail1/:field/documents", method = "get")]
    async fn list_loan_detail1_documents(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The loan.
        loan_id: Path<i64>,
        /// The field, `userdef01` to `userdef80` in any letter case.
        field: Path<String>,
        /// This document only.
        #[oai(name = "documentId")]
        document_id: Query<Option<i64>>,
        page: Page,
    ) -> Result<List<Document>, Problem> {
        let (db, caller) = (&state.db, &admitted.caller);
        let owner = Owner::field(db, caller, Form::LoanDetail1, loan_id.0, &field.0).await?;
        documents::list(db, caller, &owner, document_id.0, &page).await
    }

    /// Attaches a document with one file to a field of a loan's first detail form.
    ///
    /// The type of the file is found from its content; a type that is not taken is refused with 415,
    /// a file that is too large with 413. With an `Idempotency-Key` a repeated request gets the
    /// first answer and attaches nothing.
    #[oai(path = "/loans/:loan_id/detail1/:field/documents", method = "post")]
    async fn create_loan_detail1_document(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// The loan.
        loan_id: Path<i64>,
        /// The field, `userdef01` to `userdef80` in any letter case.
        field: Path<String>,
        /// Makes repeating the request safe: 1 to 255 printable ASCII characters.
        #[oai(name = "Idempotency-Key")]
        _idempotency_key: Header<Option<String>>,
        form: FormBody,
    ) -> Result<CreatedVersion<Document>, Problem> {
        let upload = Upload::new(request, admitted.caller, form)?;
        let form = Form::LoanDetail1;
        let owner = Owner::field(&state.db, upload.caller(), form, loan_id.0, &field.0).await?;
        upload.attach(&state.documents, owner).await
    }

    /// The documents of a field of a loan's second detail form.
    ///
    /// The case of the field's name does not matter. A field that is not defined for the form, or
    /// hidden, does not exist; one that holds something else is refused with 422.
    #[oai(path = "/loans/:loan_id/detail2/:field/documents", method = "get")]
    async fn list_loan_detail2_documents(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The loan.
        loan_id: Path<i64>,
        /// The field, `userdef01` to `userdef80` in any letter case.
        field: Path<String>,
        /// This document only.
        #[oai(name = "documentId")]
        document_id: Query<Option<i64>>,
        page: Page,
    ) -> Result<List<Document>, Problem> {
        let (db, caller) = (&state.db, &admitted.caller);
        let owner = Owner::field(db, caller, Form::LoanDetail2, loan_id.0, &field.0).await?;
        documents::list(db, caller, &owner, document_id.0, &page).await
    }

    /// Attaches a document with one file to a field of a loan's second detail form.
    ///
    /// The type of the file is found from its content; a type that is not taken is refused with 415,
    /// a file that is too large with 413. With an `Idempotency-Key` a repeated request gets the
    /// first answer and attaches nothing.
    #[oai(path = "/loans/:loan_id/detail2/:field/documents", method = "post")]
    async fn create_loan_detail2_document(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// The loan.
        loan_id: Path<i64>,
        /// The field, `userdef01` to `userdef80` in any letter case.
        field: Path<String>,
        /// Makes repeating the request safe: 1 to 255 printable ASCII characters.
        #[oai(name = "Idempotency-Key")]
        _idempotency_key: Header<Option<String>>,
        form: FormBody,
    ) -> Result<CreatedVersion<Document>, Problem> {
        let upload = Upload::new(request, admitted.caller, form)?;
        let form = Form::LoanDetail2;
        let owner = Owner::field(&state.db, upload.caller(), form, loan_id.0, &field.0).await?;
        upload.attach(&state.documents, owner).await
    }
}

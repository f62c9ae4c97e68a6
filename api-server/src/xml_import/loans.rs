//! `<Loan>` and what stands in it.

mod children;
mod terms;

use self::terms::{complete_amounts, complete_schedule, loan_terms, schedule_of, with_terms_of};
use super::fields::{CLEARED, Fields, Update};
use super::parse::Element;
use super::report::Action;
use super::{Applied, Codes, Import, Stop, judge, refuse};
use crate::documents;
use crate::entries::{self, Heading, codes};
use crate::history;
use crate::loan_book::Book;
use crate::servicing::State;
use crate::servicing::schedule::Schedule;
use chrono::NaiveDate;
use sea_orm::ActiveValue::NotSet;
use sea_orm::sea_query::Query;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseTransaction, EntityTrait, IntoActiveModel, QueryFilter,
    QuerySelect,
};
use shared::amounts::{Money, Rate};
use shared::entity::loans::YearLength;
use shared::entity::user_defined_fields::Form;
use shared::entity::{
    entities, interest_plans, loan_contacts, loan_groups, loan_interest_rates, loan_snapshots,
    loan_status_codes, loan_transactions, loans, portfolios, risk_ratings,
};
use shared::problem::Problem;

const CHILDREN: [&str; 2] = ["InterestRate", "Relationship"];

/// What a new loan brings with it besides its row.
struct Opening {
    late_charges: Money,
    fees: Money,
    impound: Money,
    suspense: Money,
}

impl Import<'_> {
    /// Books, changes or deletes a loan.
    pub(super) async fn loan(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
    ) -> Result<Applied, Stop> {
        let mut fields = Fields::new(element, self.enforce);
        let update = fields.update();
        let existing = self.find_loan(tx, &mut fields).await?;
        let (action, loan, messages) = match (update, existing) {
            (Update::Insert, None) => {
                let (loan, messages) = self.book_loan(tx, element, fields).await?;
                (Action::Inserted, loan, messages)
            }
            (Update::Insert, Some(_)) => {
                fields.error("LoanNumber", "is taken by another loan");
                return Err(fields.finish().err().unwrap_or_default().into());
            }
            (_, None) => return Err(refuse(element, "no loan has this LoanID or LoanNumber")),
            (Update::Change, Some(row)) => {
                let (loan, messages) = self.change_loan(tx, row.loan_id, fields).await?;
                (Action::Updated, loan, messages)
            }
            (Update::Delete, Some(row)) => return self.delete_loan(tx, element, row).await,
        };
        self.store(element, loan.loan_id);
        let key = Some(loan.loan_number.clone());
        let mut applied = Applied::one(element, action, key, loan.loan_id, messages);
        for child in &element.children {
            let outcome = match child.name.as_str() {
                "InterestRate" => self.interest_rate(tx, child, &loan).await,
                "Relationship" => self.relationship(tx, child, &loan).await,
                _ => continue,
            };
            applied.extend(judge(child, outcome)?);
            if applied.failed {
                break;
            }
        }
        Ok(applied)
    }

    /// The loan of this LoanID or LoanNumber.
    pub(super) async fn find_loan(
        &mut self,
        tx: &DatabaseTransaction,
        fields: &mut Fields<'_>,
    ) -> Result<Option<loans::Model>, Stop> {
        let id = ("LoanID", loans::Column::LoanId);
        let number = ("LoanNumber", loans::Column::LoanNumber);
        self.named::<loans::Entity>(tx, fields, id, number).await
    }

    async fn book_loan(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        mut fields: Fields<'_>,
    ) -> Result<(loans::Model, Vec<super::report::Message>), Stop> {
        let mut loan = loans::Model {
            created_date: self.clock.now,
            current_principal_balance: Money::ZERO,
            status_code_id: self.status_id(tx, "ACTIVE").await?,
            interest_year_denominator: YearLength::D365,
            ..Default::default()
        };
        let required = [
            "LoanNumber",
            "LoanGroupCode",
            "PortfolioCode",
            "OriginationDate",
            "LoanAmount",
            "InterestRate",
        ];
        for name in required {
            if fields.raw(name).is_none() {
                fields.missing(name);
            }
        }
        fields.fixed_text("LoanNumber", 25, &mut loan.loan_number);
        self.borrower(tx, &mut fields, &mut loan).await?;
        self.loan_codes(tx, &mut fields, &mut loan).await?;
        loan_terms(&mut fields, &mut loan);
        fields.fixed_date("OriginationDate", &mut loan.origination_date);
        loan.interest_start_date = loan.origination_date;
        fields.fixed_date("InterestStartDate", &mut loan.interest_start_date);
        loan.original_note_amount = fields.opening_balance("LoanAmount");
        fields.fixed_parsed("InterestRate", &mut loan.starting_interest_rate);
        if loan.starting_interest_rate < Rate::ZERO {
            fields.error("InterestRate", "must not be negative");
        }
        let opening = Opening {
            late_charges: fields.opening_balance("LateChargeBalance"),
            fees: fields.opening_balance("FeesBalance"),
            impound: fields.opening_balance("ImpoundBalance"),
            suspense: fields.opening_balance("SuspenseBalance"),
        };
        fields.raw("StoreRecordID");
        fields.note_unknown(&CHILDREN);
        complete_schedule(&mut fields, &mut loan);
        let messages = fields.finish()?;
        complete_amounts(element, &mut loan, &opening, self.clock.today)?;
        let loan = self.insert_loan(tx, loan, &opening).await?;
        Ok((loan, messages))
    }

    /// The borrower: a contact stored in this file, or one found by id or number.
    async fn borrower(
        &mut self,
        tx: &DatabaseTransaction,
        fields: &mut Fields<'_>,
        loan: &mut loans::Model,
    ) -> Result<(), Stop> {
        match self.contact_reference(tx, fields).await? {
            Some(contact_id) => loan.contact_id = contact_id,
            None => fields.missing("ContactNumber"),
        }
        Ok(())
    }

    /// The contact an element names by GetRecordID, ContactID or ContactNumber.
    async fn contact_reference(
        &mut self,
        tx: &DatabaseTransaction,
        fields: &mut Fields<'_>,
    ) -> Result<Option<i64>, Stop> {
        use shared::entity::contacts::{Column, Entity};
        let stored = fields.raw("GetRecordID");
        let (by_id, number) = (fields.id("ContactID"), fields.raw("ContactNumber"));
        if let Some(name) = stored {
            let contact = self.stored_contact(name);
            if contact.is_none() {
                fields.error("GetRecordID", "no contact above was stored under this name");
            }
            return Ok(contact);
        }
        let contacts = self.caller.find::<Entity>();
        let contacts = match (by_id, number) {
            (Some(id), _) => contacts.filter(Column::ContactId.eq(id)),
            (None, Some(number)) => contacts.filter(Column::ContactNumber.eq(number)),
            (None, None) => return Ok(None),
        };
        let found = contacts.one(tx).await?.map(|contact| contact.contact_id);
        if found.is_none() {
            let name = if by_id.is_some() { "ContactID" } else { "ContactNumber" };
            fields.error(name, "no contact has it");
            return Ok(Some(0));
        }
        Ok(found)
    }

    /// Links to setup rows, by code.
    async fn loan_codes(
        &mut self,
        tx: &DatabaseTransaction,
        fields: &mut Fields<'_>,
        loan: &mut loans::Model,
    ) -> Result<(), Stop> {
        type Status = loan_status_codes::Entity;
        self.code::<loan_groups::Entity>(tx, fields, "LoanGroupCode", &mut loan.loan_group_id)
            .await?;
        self.code::<portfolios::Entity>(tx, fields, "PortfolioCode", &mut loan.portfolio_id)
            .await?;
        self.code::<Status>(tx, fields, "StatusCode", &mut loan.status_code_id).await?;
        let rating = &mut loan.risk_rating_id;
        self.optional_code::<risk_ratings::Entity>(tx, fields, "RiskRatingCode", rating).await?;
        let plan = &mut loan.interest_plan_id;
        self.optional_code::<interest_plans::Entity>(tx, fields, "InterestPlanName", plan).await?;
        let entity = &mut None;
        self.optional_code::<entities::Entity>(tx, fields, "EntityCode", entity).await?;
        fields.text("EntityCode", 25, &mut loan.entity_code);
        fields.text("LoanNickname", 50, &mut loan.loan_nickname);
        fields.text("ContractualJurisdiction", 50, &mut loan.contractual_jurisdiction);
        self.user_field(tx, fields, "LoanOfficerUserName", &mut loan.loan_officer_user_id).await?;
        let collector = &mut loan.collection_officer_user_id;
        self.user_field(tx, fields, "CollectionOfficerUserName", collector).await
    }

    /// The id of a setup row that every loan has.
    async fn code<E: Codes>(
        &mut self,
        tx: &DatabaseTransaction,
        fields: &mut Fields<'_>,
        name: &'static str,
        column: &mut i64,
    ) -> Result<(), Stop> {
        let mut slot = Some(*column);
        self.optional_code::<E>(tx, fields, name, &mut slot).await?;
        match slot {
            Some(id) => *column = id,
            None => fields.error(name, "cannot be cleared"),
        }
        Ok(())
    }

    /// The id of a setup row that a loan may have.
    async fn optional_code<E: Codes>(
        &mut self,
        tx: &DatabaseTransaction,
        fields: &mut Fields<'_>,
        name: &'static str,
        slot: &mut Option<i64>,
    ) -> Result<(), Stop> {
        match fields.raw(name) {
            None => {}
            Some(CLEARED) => *slot = None,
            Some(code) => match self.codes::<E>(tx).await?.get(code) {
                Some(id) => *slot = Some(*id),
                None => fields.error(name, "is unknown or no longer active"),
            },
        }
        Ok(())
    }

    async fn status_id(&mut self, tx: &DatabaseTransaction, code: &str) -> Result<i64, Stop> {
        let codes = self.codes::<loan_status_codes::Entity>(tx).await?;
        let id = codes.get(code).copied();
        id.ok_or_else(|| Stop::Problem(Problem::unknown_code("StatusCode", code)))
    }

    async fn insert_loan(
        &mut self,
        tx: &DatabaseTransaction,
        mut loan: loans::Model,
        opening: &Opening,
    ) -> Result<loans::Model, Stop> {
        let mut active = loan.clone().into_active_model().reset_all();
        active.loan_id = NotSet;
        loan.loan_id = loans::Entity::insert(active).exec(tx).await?.last_insert_id;
        history::record(tx, &self.author, self.clock.now, None, Some(&loan)).await?;
        let rate = loan_interest_rates::Model {
            row_id: 0,
            loan_id: loan.loan_id,
            effective_date: loan.interest_start_date,
            interest_rate: loan.starting_interest_rate,
        };
        self.insert_rate(tx, rate).await?;
        let opening = [
            (codes::ADVANCE, loan.original_note_amount),
            (codes::IMPOUND_PAYMENT, opening.impound),
            (codes::SUSPENSE_PAYMENT, opening.suspense),
            (codes::LATE_CHARGE_ASSESSED, opening.late_charges),
            (codes::FEE_ASSESSED, opening.fees),
        ];
        let heading = Heading {
            loan_id: loan.loan_id,
            author: &self.author,
            clock: self.clock,
            effective_date: loan.origination_date,
        };
        for (code, amount) in opening {
            if amount.is_positive() {
                entries::insert(tx, heading.row(code, amount, Some(amount))?, []).await?;
            }
        }
        Ok(loan)
    }

    /// Changes a loan. What the accrual depends on moves the accrual base to today first, so that
    /// no day's interest changes afterwards.
    async fn change_loan(
        &mut self,
        tx: &DatabaseTransaction,
        loan_id: i64,
        mut fields: Fields<'_>,
    ) -> Result<(loans::Model, Vec<super::report::Message>), Stop> {
        let book = Book::lock(tx, loan_id).await?;
        let mut loan = book.loan.clone();
        fields.fixed_text("LoanNumber", 25, &mut loan.loan_number);
        if let Some(contact_id) = self.contact_reference(tx, &mut fields).await? {
            loan.contact_id = contact_id;
        }
        self.loan_codes(tx, &mut fields, &mut loan).await?;
        // What followed from a term follows from its new value, unless it is given itself.
        if fields.raw("NumberOfPayments").is_some() {
            loan.maturity_date = None;
        }
        if fields.raw("FirstPaymentDate").is_some() {
            loan.payment_day = None;
        }
        loan_terms(&mut fields, &mut loan);
        for name in ["LoanAmount", "OriginationDate", "InterestStartDate", "InterestRate"] {
            if fields.raw(name).is_some() {
                fields.error(name, "is set when a loan is booked and cannot be changed");
            }
        }
        fields.raw("StoreRecordID");
        fields.note_unknown(&CHILDREN);
        if loan.payment_amount.is_none() && book.loan.payment_amount.is_some() {
            fields.error("PaymentAmount", "cannot be cleared: give the new instalment");
        }
        complete_schedule(&mut fields, &mut loan);
        let messages = fields.finish()?;
        let mut state = book.state.clone();
        let moves = schedule_of(&loan) != schedule_of(&book.loan)
            || loan.status_code_id != book.loan.status_code_id
            || (loan.interest_year_numerator, loan.interest_year_denominator)
                != (book.loan.interest_year_numerator, book.loan.interest_year_denominator)
            || loan.payment_amount != book.loan.payment_amount;
        let today = self.clock.today;
        if moves && today >= state.accrual_base_date {
            state.move_base(&book.terms, today)?;
        }
        if schedule_of(&loan) != schedule_of(&book.loan) {
            state.next_due_date = first_without_row(&schedule_of(&loan), &state, today);
        }
        if loan.status_code_id != book.loan.status_code_id {
            let status = self.caller.get::<loan_status_codes::Entity>(tx, loan.status_code_id);
            match status.await?.closed_flag {
                true => state.next_due_date = None,
                false => (loan.payoff_date, loan.closed_date) = (None, None),
            }
        } else if book.status.closed_flag {
            state.next_due_date = None;
        }
        let loan = book
            .save(tx, &self.author, self.clock, &state, |row| *row = with_terms_of(row, &loan))
            .await?;
        Ok((loan, messages))
    }

    async fn delete_loan(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        loan: loans::Model,
    ) -> Result<Applied, Stop> {
        let book = Book::lock(tx, loan.loan_id).await?;
        let entry = self
            .caller
            .find::<loan_transactions::Entity>()
            .filter(loan_transactions::Column::LoanId.eq(loan.loan_id))
            .filter(loan_transactions::Column::TransactionCode.ne(codes::ADVANCE.number))
            .limit(1);
        if entry.one(tx).await?.is_some() {
            return Err(refuse(element, "a loan with transactions besides its advance stays"));
        }
        let loan_id = loan.loan_id;
        let forms = [Form::LoanDetail1, Form::LoanDetail2];
        if documents::are_on_fields_of(tx, &forms, loan_id).await? {
            return Err(refuse(element, "a loan with documents cannot be deleted"));
        }
        let (now, author) = (self.clock.now, self.author.clone());
        for row in self.rates(tx, loan_id).await? {
            history::record(tx, &author, now, Some(&row), None).await?;
        }
        for row in self.links(tx, loan_id).await? {
            history::record(tx, &author, now, Some(&row), None).await?;
        }
        use shared::entity::payments_due;
        loan_interest_rates::Entity::delete_many()
            .filter(loan_interest_rates::Column::LoanId.eq(loan_id))
            .exec(tx)
            .await?;
        loan_contacts::Entity::delete_many()
            .filter(loan_contacts::Column::LoanId.eq(loan_id))
            .exec(tx)
            .await?;
        payments_due::Entity::delete_many()
            .filter(payments_due::Column::LoanId.eq(loan_id))
            .exec(tx)
            .await?;
        let advances = Query::select()
            .column(loan_transactions::Column::TransactionId)
            .from(loan_transactions::Entity)
            .and_where(loan_transactions::Column::LoanId.eq(loan_id))
            .take();
        loan_snapshots::Entity::delete_many()
            .filter(loan_snapshots::Column::TransactionId.in_subquery(advances))
            .exec(tx)
            .await?;
        loan_transactions::Entity::delete_many()
            .filter(loan_transactions::Column::LoanId.eq(loan_id))
            .exec(tx)
            .await?;
        loans::Entity::delete_by_id(loan_id).exec(tx).await?;
        history::record(tx, &author, now, Some(&book.loan), None).await?;
        let key = Some(loan.loan_number);
        Ok(Applied::one(element, Action::Deleted, key, loan_id, Vec::new()))
    }
}

/// The first date of a new schedule that asks for something yet: not before today, and behind
/// every row that was made.
fn first_without_row(schedule: &Schedule, state: &State, today: NaiveDate) -> Option<NaiveDate> {
    let last_row = state.due_rows.iter().map(|row| row.due_date).max();
    let today_is_open = schedule.is_due_date(today) && last_row.is_none_or(|last| last < today);
    let first = if today_is_open { Some(today) } else { schedule.next_after(today) };
    match (first, last_row) {
        (Some(first), Some(last)) if first <= last => schedule.next_after(last),
        _ => first,
    }
}

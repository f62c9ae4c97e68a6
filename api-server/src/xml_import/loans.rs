//! `<Loan>` and its child elements.

pub(super) mod children;
pub(super) mod recurring;

mod booking;
mod deleting;

use self::booking::{complete_amounts, complete_schedule};
use super::element_fields::{ElementFields, UpdateMode};
use super::format::{AttributeKind, ElementShape, Needed, RowShape, attribute, choice};
use super::lookup_cache::NameKind;
use super::parse::Element;
use super::record_refs::RecordRef;
use super::report::{Action, Message};
use super::{ElementOutcome, ImportTransaction, ParentRecord, RecordError, refuse};
use crate::audit::{HasAuditTarget, HistoryOwner};
use crate::documents::comments::CommentParent;
use crate::loans::account::{self, LoanAccount};
use crate::loans::journal::{EntryHeader, codes};
use crate::loans::modifications;
use sea_orm::{ColumnTrait, QueryFilter};
use shared::amounts::{Money, Rate};
use shared::entity::loans::{
    Column, Entity, ExcessHandling, InterestMethod, LoanType, Model, PaymentPeriod, YearLength,
};
use shared::entity::user_defined_fields::Form;
use shared::entity::{
    contacts, entities, interest_plans, loan_groups, loan_interest_rates, loan_status_codes,
    portfolios, risk_ratings, users,
};
use shared::problem::InvalidValue;
use std::sync::LazyLock;

pub(super) static LOAN: LazyLock<RowShape<Entity>> = LazyLock::new(|| {
    let shape = ElementShape::new("Loan")
        .holding(&[
            "Detail1",
            "Detail2",
            "InterestRate",
            "Relationship",
            "CreditLine",
            "RecurringTransaction",
            "AutomatedPayment",
            "Collateral",
            "Comment",
        ])
        .with([
            attribute("StoreRecordID", AttributeKind::Text(255)),
            attribute("LoanID", AttributeKind::Id),
            attribute("GetRecordID", AttributeKind::Text(255)),
            attribute("ContactID", AttributeKind::Id),
            attribute("ContactNumber", AttributeKind::Text(25)),
            attribute("LoanGroupCode", AttributeKind::Text(25)),
            attribute("PortfolioCode", AttributeKind::Text(25)),
            attribute("StatusCode", AttributeKind::Text(25)),
            attribute("RiskRatingCode", AttributeKind::Text(25)).nullable(),
            attribute("InterestPlanName", AttributeKind::Text(50)).nullable(),
            attribute("LoanOfficerUserName", AttributeKind::Text(50)).nullable(),
            attribute("CollectionOfficerUserName", AttributeKind::Text(50)).nullable(),
        ])
        .with(BOOKED_ONCE.map(|(name, kind)| attribute(name, kind)));
    let needed = [
        "LoanNumber",
        "LoanGroupCode",
        "PortfolioCode",
        "OriginationDate",
        "LoanAmount",
        "InterestRate",
    ];
    RowShape::new(shape, columns()).needing(Needed::ToInsert, &needed).also_needing(
        "its borrower by ContactNumber, ContactID or GetRecordID; FirstPaymentDate, and \
         PaymentAmount or NumberOfPayments, unless PaymentPeriod is none or maturity; \
         MaturityDate or FirstPaymentDate if PaymentPeriod is maturity",
    )
});

/// Attributes set when a loan is booked. Afterwards only postings or rate rows change them.
const BOOKED_ONCE: [(&str, AttributeKind); 8] = [
    ("OriginationDate", AttributeKind::Date),
    ("InterestStartDate", AttributeKind::Date),
    ("LoanAmount", AttributeKind::Cents),
    ("InterestRate", AttributeKind::Rate),
    ("LateChargeBalance", AttributeKind::Cents),
    ("FeesBalance", AttributeKind::Cents),
    ("ImpoundBalance", AttributeKind::Cents),
    ("SuspenseBalance", AttributeKind::Cents),
];

fn columns() -> Vec<(Column, AttributeKind)> {
    use AttributeKind::{Date, Int, Text};
    use Column::*;
    vec![
        (LoanNumber, Text(25)),
        (LoanNickname, Text(50)),
        (EntityCode, Text(25)),
        (ContractualJurisdiction, Text(50)),
        (LoanType, choice::<self::LoanType>()),
        (InterestMethod, choice::<self::InterestMethod>()),
        (InterestYearNumerator, choice::<YearLength>()),
        (InterestYearDenominator, choice::<YearLength>()),
        (PaymentPeriod, choice::<self::PaymentPeriod>()),
        (PaymentAmount, AttributeKind::Payment),
        (NumberOfPayments, Int(1..=12_000)),
        (FirstPaymentDate, Date),
        (MaturityDate, Date),
        (PaymentDay, Int(1..=31)),
        (AdvanceDays, Int(0..=366)),
        (PaymentDistribution, AttributeKind::Distribution),
        (ExcessHandling, choice::<self::ExcessHandling>()),
    ]
}

impl ImportTransaction<'_, '_> {
    /// Books, changes or deletes a loan.
    pub(super) async fn loan(
        &mut self,
        element: &Element,
    ) -> Result<(ElementOutcome, ParentRecord), RecordError> {
        let mut fields = ElementFields::new(element, &LOAN, self.enforce);
        let update = fields.update;
        if update == UpdateMode::Insert {
            self.check_new_number(&mut fields, NameKind::Loan).await?;
            let (loan, messages) = self.book_loan(element, fields).await?;
            return Ok(self.loan_outcome(element, Action::Inserted, loan, messages));
        }
        let Some(row) = self.find_loan(&mut fields).await? else {
            return Err(match fields.finish() {
                Err(messages) => messages.into(),
                Ok(_) => refuse(element, "no loan has this LoanID or LoanNumber"),
            });
        };
        if update == UpdateMode::Delete {
            check_same_loan(&mut fields, &row);
            fields.finish()?;
            return Ok((self.delete_loan(element, row).await?, ParentRecord::None));
        }
        let (loan, messages) = self.change_loan(row.loan_id, fields).await?;
        Ok(self.loan_outcome(element, Action::Updated, loan, messages))
    }

    fn loan_outcome(
        &mut self,
        element: &Element,
        action: Action,
        loan: Model,
        messages: Vec<Message>,
    ) -> (ElementOutcome, ParentRecord) {
        self.set_record_ref(element, loan.loan_id);
        let key = Some(loan.loan_number.clone());
        let applied = ElementOutcome::one(element, action, key, loan.loan_id, messages);
        (applied, ParentRecord::Loan(Box::new(loan)))
    }

    /// Applies a child element of a loan.
    pub(super) async fn in_loan(
        &mut self,
        loan: &Model,
        child: &Element,
    ) -> Result<ElementOutcome, RecordError> {
        let loan_id = loan.loan_id;
        match child.name.as_str() {
            "Detail1" => self.form(child, Form::LoanDetail1, loan_id).await,
            "Detail2" => self.form(child, Form::LoanDetail2, loan_id).await,
            "InterestRate" => self.interest_rate(child, loan).await,
            "Relationship" => self.relationship(child, loan).await,
            "CreditLine" => self.credit_line(child, loan_id).await,
            "RecurringTransaction" => self.recurring_transaction(child, loan_id).await,
            "AutomatedPayment" => self.automated_payment(child, loan).await,
            "Collateral" => self.collateral(child, loan_id).await,
            "Comment" => {
                let owners = vec![HistoryOwner::Loan(loan_id)];
                self.comment(child, CommentParent::Loan(loan_id), owners).await
            }
            _ => Ok(self.unknown_element("Loan", child)),
        }
    }

    /// Finds a loan by `LoanID` or else by `LoanNumber`. Notes an error if neither is given.
    pub(super) async fn find_loan(
        &self,
        fields: &mut ElementFields<'_>,
    ) -> Result<Option<Model>, RecordError> {
        let id = fields.get::<i64>("LoanID").map(|id| Column::LoanId.eq(id));
        let number = || fields.get::<String>("LoanNumber");
        let condition = id.or_else(|| number().map(|number| Column::LoanNumber.eq(number)));
        let Some(condition) = condition else {
            if !fields.has("LoanID") && !fields.has("LoanNumber") {
                fields.missing("LoanNumber");
            }
            return Ok(None);
        };
        Ok(self.caller.find::<Entity>().filter(condition).one(self.tx).await?)
    }

    async fn book_loan(
        &mut self,
        element: &Element,
        mut fields: ElementFields<'_>,
    ) -> Result<(Model, Vec<Message>), RecordError> {
        let mut loan = Model {
            loan_id: self.stage.next_placeholder(),
            created_date: self.clock.now,
            current_principal_balance: Money::ZERO,
            status_code_id: self.status_id("ACTIVE").await?,
            interest_year_denominator: YearLength::D365,
            ..Default::default()
        };
        match self.contact_reference(&mut fields).await? {
            Some(contact_id) => loan.contact_id = contact_id,
            None => fields.missing("ContactNumber"),
        }
        self.loan_codes(&mut fields, &mut loan).await?;
        fields.fill(&LOAN, &mut loan);
        if !fields.has("AdvanceDays") {
            loan.advance_days = match loan.payment_period {
                PaymentPeriod::Weekly => 5,
                PaymentPeriod::Biweekly | PaymentPeriod::Semimonthly => 10,
                _ => 21,
            };
        }
        let closed = fields.has("StatusCode") && self.is_closed(loan.status_code_id).await?;
        loan.origination_date = fields.get("OriginationDate").unwrap_or_default();
        loan.interest_start_date = fields.get("InterestStartDate").unwrap_or(loan.origination_date);
        let amount = |name| fields.get::<Money>(name).unwrap_or_default();
        loan.original_note_amount = amount("LoanAmount");
        loan.starting_interest_rate = fields.get::<Rate>("InterestRate").unwrap_or_default();
        loan.current_late_charge_balance = amount("LateChargeBalance");
        loan.current_fees_balance = amount("FeesBalance");
        loan.current_impound_balance = amount("ImpoundBalance");
        loan.current_suspense_balance = amount("SuspenseBalance");
        complete_schedule(&mut fields, &mut loan);
        let messages = fields.finish()?;
        complete_amounts(element, &mut loan, self.clock.today)?;
        if closed {
            loan.next_due_date = None;
        }
        self.stage_loan(&loan)?;
        Ok((loan, messages))
    }

    /// Finds the contact that an element refers to by `GetRecordID`, `ContactID` or
    /// `ContactNumber`. A reference that matches none is noted as an error and returned as id 0.
    async fn contact_reference(
        &mut self,
        fields: &mut ElementFields<'_>,
    ) -> Result<Option<i64>, RecordError> {
        let mut contact = None;
        if let Some(name) = fields.get::<String>("GetRecordID") {
            contact = match self.record_ref(&name).await? {
                Some(RecordRef::Contact(id)) => Some(id),
                _ => {
                    fields.error("GetRecordID", "no earlier contact has this StoreRecordID");
                    Some(0)
                }
            };
        }
        let mut named = Vec::new();
        if let Some(id) = fields.get::<i64>("ContactID") {
            let by_id = contacts::Column::ContactId.eq(id);
            let exists = self.exists::<contacts::Entity>(by_id).await?;
            named.push(("ContactID", exists.then_some(id)));
        }
        if let Some(number) = fields.get::<String>("ContactNumber") {
            named.push(("ContactNumber", self.id_of(NameKind::Contact, &number).await?));
        }
        for (name, id) in named {
            match (id, contact) {
                (None, _) => fields.error(name, "matches no contact"),
                (Some(id), Some(other)) if id != other => {
                    fields.error(name, "names a different contact than the other attributes");
                }
                _ => {}
            }
            contact = contact.or(Some(id.unwrap_or_default()));
        }
        let has_reference =
            ["GetRecordID", "ContactID", "ContactNumber"].iter().any(|n| fields.has(n));
        Ok(contact.or(has_reference.then_some(0)))
    }

    /// Sets the links to setup rows, by code.
    async fn loan_codes(
        &mut self,
        fields: &mut ElementFields<'_>,
        loan: &mut Model,
    ) -> Result<(), RecordError> {
        type Status = loan_status_codes::Entity;
        if let Some(id) = self.code::<loan_groups::Entity>(fields, "LoanGroupCode").await? {
            loan.loan_group_id = id;
        }
        if let Some(id) = self.code::<portfolios::Entity>(fields, "PortfolioCode").await? {
            loan.portfolio_id = id;
        }
        if let Some(id) = self.code::<Status>(fields, "StatusCode").await? {
            loan.status_code_id = id;
        }
        self.code::<entities::Entity>(fields, "EntityCode").await?;
        let rating = &mut loan.risk_rating_id;
        self.optional_code::<risk_ratings::Entity>(fields, "RiskRatingCode", rating).await?;
        let plan = &mut loan.interest_plan_id;
        self.optional_code::<interest_plans::Entity>(fields, "InterestPlanName", plan).await?;
        let officer = &mut loan.loan_officer_user_id;
        self.optional_code::<users::Entity>(fields, "LoanOfficerUserName", officer).await?;
        let officer = &mut loan.collection_officer_user_id;
        self.optional_code::<users::Entity>(fields, "CollectionOfficerUserName", officer).await
    }

    /// True if the status closes a loan. The statuses are read once.
    async fn is_closed(&mut self, status: i64) -> Result<bool, RecordError> {
        if self.closed_statuses.is_none() {
            let closed = self.caller.find::<loan_status_codes::Entity>();
            let closed = closed.filter(loan_status_codes::Column::ClosedFlag.eq(true)).all(self.tx);
            let closed = closed.await?.into_iter().map(|status| status.status_code_id);
            self.closed_statuses = Some(closed.collect());
        }
        Ok(self.closed_statuses.as_ref().is_some_and(|closed| closed.contains(&status)))
    }

    async fn status_id(&mut self, code: &str) -> Result<i64, RecordError> {
        let codes = self.codes::<loan_status_codes::Entity>().await?;
        let id = codes.get(code).copied();
        id.ok_or_else(|| RecordError::from(InvalidValue::unknown_code("StatusCode", code)))
    }

    /// Stages a loan with its first rate and the transactions of its opening balances.
    fn stage_loan(&mut self, loan: &Model) -> Result<(), RecordError> {
        self.add_name(NameKind::Loan, &loan.loan_number, loan.loan_id);
        self.stage.add(loan.clone(), loan.audit_target());
        let rate = loan_interest_rates::Model {
            row_id: self.stage.next_placeholder(),
            loan_id: loan.loan_id,
            effective_date: loan.interest_start_date,
            interest_rate: loan.starting_interest_rate,
        };
        let target = rate.audit_target();
        self.stage.add(rate, target);
        let opening = [
            (codes::ADVANCE, loan.original_note_amount),
            (codes::IMPOUND_PAYMENT, loan.current_impound_balance),
            (codes::SUSPENSE_PAYMENT, loan.current_suspense_balance),
            (codes::LATE_CHARGE_ASSESSED, loan.current_late_charge_balance),
            (codes::FEE_ASSESSED, loan.current_fees_balance),
        ];
        let import = &mut *self.import;
        let header = EntryHeader {
            loan_id: loan.loan_id,
            author: &import.author,
            clock: import.clock,
            effective_date: loan.origination_date,
        };
        for (code, amount) in opening {
            if amount.is_positive() {
                import.stage.transactions.push(header.row(code, amount, Some(amount))?);
            }
        }
        Ok(())
    }

    async fn change_loan(
        &mut self,
        loan_id: i64,
        mut fields: ElementFields<'_>,
    ) -> Result<(Model, Vec<Message>), RecordError> {
        let account = LoanAccount::lock(self.tx, loan_id).await?;
        let mut loan = account.loan.clone();
        fields.fill(&LOAN, &mut loan);
        if let Some(contact_id) = self.contact_reference(&mut fields).await? {
            loan.contact_id = contact_id;
        }
        self.loan_codes(&mut fields, &mut loan).await?;
        // Recompute values derived from a changed term, unless the file sets them too.
        if fields.has("NumberOfPayments") && !fields.has("MaturityDate") {
            loan.maturity_date = None;
        }
        if fields.has("FirstPaymentDate") && !fields.has("PaymentDay") {
            loan.payment_day = None;
        }
        for (name, _) in BOOKED_ONCE {
            if fields.has(name) {
                fields.error(name, "is set when a loan is booked and cannot be changed");
            }
        }
        if loan.payment_amount.is_none() && account.loan.payment_amount.is_some() {
            fields.error("PaymentAmount", "cannot be cleared: supply the new installment");
        }
        complete_schedule(&mut fields, &mut loan);
        let messages = fields.finish()?;
        let status = match loan.status_code_id == account.loan.status_code_id {
            true => account.status.clone(),
            false => {
                self.caller.get::<loan_status_codes::Entity>(self.tx, loan.status_code_id).await?
            }
        };
        let change =
            modifications::modify(&account, &self.author, self.clock.today, loan, &status)?;
        let changes = [change];
        account::save(self.tx, self.clock.now, &changes).await?;
        let [change] = changes;
        Ok((change.after, messages))
    }
}

/// Checks that all references of an element name the same loan, so that the wrong loan is neither
/// posted to nor deleted.
pub(super) fn check_same_loan(fields: &mut ElementFields<'_>, loan: &Model) {
    if fields.get::<i64>("LoanID").is_some_and(|id| id != loan.loan_id) {
        fields.error("LoanID", "names a different loan than the other attributes");
    }
    if fields.get::<String>("LoanNumber").is_some_and(|number| number != loan.loan_number) {
        fields.error("LoanNumber", "names a different loan than the other attributes");
    }
}

//! `<InterestRate>`, `<Relationship>` and `<CreditLine>`: a loan's rates, related contacts and
//! credit lines.

use crate::audit::{AuditTarget, HasAuditTarget, HistoryOwner};
use crate::xml_import::element_fields::{ElementFields, UpdateMode};
use crate::xml_import::format::{AttributeKind, ElementShape, Needed, RowShape, attribute, choice};
use crate::xml_import::parse::Element;
use crate::xml_import::{ElementOutcome, ImportTransaction, RecordError};
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, QueryFilter};
use shared::amounts::Rate;
use shared::entity::credit_lines::{self, DrawUntilType};
use shared::entity::loans::PaymentPeriod;
use shared::entity::relationship_codes::AppliesTo;
use shared::entity::{
    loan_contacts, loan_interest_rates, loan_transactions, loans, transaction_codes,
};
use std::sync::LazyLock;

pub(crate) static INTEREST_RATE: LazyLock<RowShape<loan_interest_rates::Entity>> =
    LazyLock::new(|| {
        use loan_interest_rates::Column::{EffectiveDate, InterestRate};
        let columns = [(EffectiveDate, AttributeKind::Date), (InterestRate, AttributeKind::Rate)];
        RowShape::new(ElementShape::new("InterestRate"), columns)
            .needing(Needed::ToInsert, &["InterestRate"])
            .needing(Needed::Always, &["EffectiveDate"])
    });

pub(crate) static RELATIONSHIP: LazyLock<RowShape<loan_contacts::Entity>> = LazyLock::new(|| {
    use loan_contacts::Column::{RelationshipCode, WebAccessFlag};
    let shape = ElementShape::new("Relationship").with([
        attribute("GetRecordID", AttributeKind::Text(255)),
        attribute("ContactID", AttributeKind::Id),
        attribute("ContactNumber", AttributeKind::Text(25)),
    ]);
    RowShape::new(
        shape,
        [(RelationshipCode, AttributeKind::Text(25)), (WebAccessFlag, AttributeKind::Flag)],
    )
    .needing(Needed::Always, &["RelationshipCode"])
    .also_needing("ContactNumber, ContactID or GetRecordID")
});

pub(crate) static CREDIT_LINE: LazyLock<RowShape<credit_lines::Entity>> = LazyLock::new(|| {
    use AttributeKind::{Amount, Int, Payment, Text};
    use credit_lines::Column::*;
    let columns = [
        (CreditlineId, AttributeKind::Id),
        (Name, Text(50)),
        (Description, Text(255)),
        (TransactionCode, Int(0..=i32::MAX)),
        (CreditLineLimit, Amount),
        (CreditTotalDrawLimit, Amount),
        (MinDrawAmount, Payment),
        (MaxDrawAmount, Payment),
        (MaxNumberOfDraws, Int(0..=i32::MAX)),
        (DrawUntilType, choice::<self::DrawUntilType>()),
        (DrawUntilPeriod, choice::<PaymentPeriod>()),
        (NumberOfPeriods, Int(1..=12_000)),
        (DrawUntilDate, AttributeKind::Date),
        (DrawCount, Int(0..=i32::MAX)),
        (DrawTotal, AttributeKind::Cents),
    ];
    let needed = ["Name", "CreditLineLimit"];
    RowShape::new(ElementShape::new("CreditLine"), columns).needing(Needed::ToInsert, &needed).also_needing(
        "DrawUntilDate if DrawUntilType is fixed_date; DrawUntilPeriod and NumberOfPeriods if it \
         is from_origination or from_first_draw",
    )
});

impl ImportTransaction<'_, '_> {
    /// Inserts, changes or deletes the rate that takes effect on a date. The date must not be
    /// before the accrual base, up to which interest is settled.
    pub(super) async fn interest_rate(
        &mut self,
        element: &Element,
        loan: &loans::Model,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &INTEREST_RATE, self.enforce);
        let mut row = loan_interest_rates::Model {
            row_id: 0,
            loan_id: loan.loan_id,
            effective_date: loan.interest_start_date,
            interest_rate: Rate::ZERO,
        };
        fields.fill(&INTEREST_RATE, &mut row);
        if row.effective_date < loan.accrual_base_date {
            let base = loan.accrual_base_date;
            fields.error("EffectiveDate", format!("must not be before {base}"));
        }
        let (loan_id, date) = (row.loan_id, row.effective_date);
        let before = match loan_id {
            ..0 => self
                .stage
                .find::<loan_interest_rates::Model>(|rate| {
                    rate.loan_id == loan_id && rate.effective_date == date
                })
                .cloned(),
            _ => {
                use loan_interest_rates::Column::{EffectiveDate, LoanId};
                let rates = self.caller.find::<loan_interest_rates::Entity>();
                rates.filter(LoanId.eq(loan_id)).filter(EffectiveDate.eq(date)).one(self.tx).await?
            }
        };
        match (fields.update, &before) {
            (UpdateMode::Insert, None) => row.row_id = self.stage.next_placeholder(),
            (UpdateMode::Insert, Some(_)) => {
                fields.error("EffectiveDate", "the loan already has a rate with this date");
            }
            (UpdateMode::Change | UpdateMode::Delete, None) => {
                fields.error("EffectiveDate", "the loan has no rate with this date");
            }
            (UpdateMode::Change | UpdateMode::Delete, Some(before)) => row.row_id = before.row_id,
        }
        let first = row.effective_date == loan.interest_start_date;
        if fields.update == UpdateMode::Delete && first {
            fields.error("EffectiveDate", "the first rate can be changed but not deleted");
        }
        if fields.update == UpdateMode::Change
            && !fields.has("InterestRate")
            && let Some(before) = &before
        {
            row.interest_rate = before.interest_rate;
        }
        let target = row.audit_target();
        let changed = (fields.update == UpdateMode::Change && first).then_some(row.interest_rate);
        let applied = self.upsert(fields, before, row, target).await?;
        if let Some(rate) = changed {
            let mut before = loan.clone();
            // Read again: earlier elements of the record may have changed the row.
            let stored = self.loan_by_id(loan.loan_id).await?;
            before.starting_interest_rate =
                stored.map(|loan| loan.starting_interest_rate).unwrap_or_default();
            let after = loans::Model { starting_interest_rate: rate, ..before.clone() };
            self.change(&loan.audit_target(), &before, &after).await?;
        }
        Ok(applied)
    }

    /// Links a contact to the loan, changes the link, or removes it.
    pub(super) async fn relationship(
        &mut self,
        element: &Element,
        loan: &loans::Model,
    ) -> Result<ElementOutcome, RecordError> {
        let mut fields = ElementFields::new(element, &RELATIONSHIP, self.enforce);
        let contact_id = self.contact_reference(&mut fields).await?;
        if contact_id.is_none() {
            fields.missing("ContactNumber");
        }
        let code = fields.get::<String>("RelationshipCode");
        // The code is part of the key: only an insert chooses one, which must be active then.
        if fields.update == UpdateMode::Insert
            && let Some(code) = &code
            && !self.relationship_applies(code, AppliesTo::Loan).await?
        {
            fields.error("RelationshipCode", "is unknown, inactive, or not for loans");
        }
        let mut row = loan_contacts::Model {
            row_id: 0,
            loan_id: loan.loan_id,
            contact_id: contact_id.unwrap_or_default(),
            relationship_code: code.unwrap_or_default(),
            web_access_flag: false,
        };
        let before = self.find_link(&row).await?;
        if let Some(before) = &before {
            row = before.clone();
        }
        fields.fill(&RELATIONSHIP, &mut row);
        match (fields.update, &before) {
            (UpdateMode::Insert, None) => row.row_id = self.stage.next_placeholder(),
            (UpdateMode::Insert, Some(_)) => fields.refuse("the relationship already exists"),
            (UpdateMode::Change | UpdateMode::Delete, None) => {
                fields.refuse("no such relationship")
            }
            (UpdateMode::Change | UpdateMode::Delete, Some(_)) => {}
        }
        let target = row.audit_target();
        self.upsert(fields, before, row, target).await
    }

    async fn find_link(
        &mut self,
        sought: &loan_contacts::Model,
    ) -> Result<Option<loan_contacts::Model>, RecordError> {
        let same = |link: &loan_contacts::Model| {
            link.loan_id == sought.loan_id
                && link.contact_id == sought.contact_id
                && link.relationship_code == sought.relationship_code
        };
        if sought.loan_id < 0 {
            return Ok(self.stage.find::<loan_contacts::Model>(same).cloned());
        }
        use loan_contacts::Column::{ContactId, LoanId};
        let links = self.caller.find::<loan_contacts::Entity>();
        let links = links.filter(LoanId.eq(sought.loan_id));
        let links = links.filter(ContactId.eq(sought.contact_id)).all(self.tx).await?;
        Ok(links.into_iter().find(same))
    }

    /// Inserts, changes or deletes a credit line.
    pub(super) async fn credit_line(
        &mut self,
        element: &Element,
        loan_id: i64,
    ) -> Result<ElementOutcome, RecordError> {
        use credit_lines::Column::{CreditlineId, LoanId};
        let mut fields = ElementFields::new(element, &CREDIT_LINE, self.enforce);
        let before = self.own_row(&mut fields, CreditlineId, (LoanId, loan_id)).await?;
        let mut row = before.clone().unwrap_or_else(|| credit_lines::Model {
            creditline_id: self.stage.next_placeholder(),
            loan_id,
            ..Default::default()
        });
        fields.fill(&CREDIT_LINE, &mut row);
        if row.transaction_code != 0 {
            self.check_transaction_code(&mut fields, row.transaction_code).await?;
        }
        if fields.update != UpdateMode::Delete {
            check_line(&mut fields, &row);
        } else if let Some(before) = &before {
            let draws = loan_transactions::Column::CreditlineId.eq(before.creditline_id);
            if self.exists::<loan_transactions::Entity>(draws).await? {
                fields.refuse("a credit line with draws cannot be deleted");
            }
        }
        let target = AuditTarget::of(HistoryOwner::Loan(loan_id), "Loan > Credit Lines");
        self.upsert(fields, before, row, target).await
    }

    /// Checks that new journal entries may use a transaction code.
    pub(super) async fn check_transaction_code(
        &self,
        fields: &mut ElementFields<'_>,
        code: i32,
    ) -> Result<(), RecordError> {
        use transaction_codes::Column::{ActiveFlag, TransactionCode};
        let active = TransactionCode.eq(code).and(ActiveFlag.eq(true));
        if fields.has("TransactionCode")
            && !self.exists::<transaction_codes::Entity>(active).await?
        {
            fields.error("TransactionCode", "is unknown or no longer active");
        }
        Ok(())
    }
}

fn check_line(fields: &mut ElementFields<'_>, line: &credit_lines::Model) {
    let periods = line
        .draw_until_period
        .is_some_and(|period| !matches!(period, PaymentPeriod::None | PaymentPeriod::Maturity));
    match line.draw_until_type {
        DrawUntilType::FixedDate if line.draw_until_date.is_none() => {
            fields.missing("DrawUntilDate");
        }
        DrawUntilType::FromOrigination | DrawUntilType::FromFirstDraw
            if !periods || line.number_of_periods.is_none() =>
        {
            let message = "needs DrawUntilPeriod and NumberOfPeriods";
            fields.error("DrawUntilType", message);
        }
        _ => {}
    }
    if let (Some(least), Some(most)) = (line.min_draw_amount, line.max_draw_amount)
        && least > most
    {
        fields.error("MinDrawAmount", "must not be above MaxDrawAmount");
    }
}

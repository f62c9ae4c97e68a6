//! `<InterestRate>` and `<Relationship>`: elements in a loan with ids of their own.

use crate::history;
use crate::xml_import::fields::{Fields, Update};
use crate::xml_import::parse::Element;
use crate::xml_import::report::Action;
use crate::xml_import::{Applied, Import, Stop, refuse};
use sea_orm::ActiveValue::NotSet;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseTransaction, EntityTrait, IntoActiveModel, QueryFilter,
};
use shared::amounts::Rate;
use shared::entity::{loan_contacts, loan_interest_rates, loans, relationship_codes};

impl Import<'_> {
    pub(super) async fn rates(
        &self,
        tx: &DatabaseTransaction,
        loan_id: i64,
    ) -> Result<Vec<loan_interest_rates::Model>, Stop> {
        let rates = self.caller.find::<loan_interest_rates::Entity>();
        Ok(rates.filter(loan_interest_rates::Column::LoanId.eq(loan_id)).all(tx).await?)
    }

    pub(super) async fn links(
        &self,
        tx: &DatabaseTransaction,
        loan_id: i64,
    ) -> Result<Vec<loan_contacts::Model>, Stop> {
        let links = self.caller.find::<loan_contacts::Entity>();
        Ok(links.filter(loan_contacts::Column::LoanId.eq(loan_id)).all(tx).await?)
    }

    pub(super) async fn insert_rate(
        &self,
        tx: &DatabaseTransaction,
        mut rate: loan_interest_rates::Model,
    ) -> Result<i64, Stop> {
        let mut active = rate.clone().into_active_model().reset_all();
        active.row_id = NotSet;
        let inserted = loan_interest_rates::Entity::insert(active).exec(tx).await?;
        rate.row_id = inserted.last_insert_id;
        history::record(tx, &self.author, self.clock.now, None, Some(&rate)).await?;
        Ok(rate.row_id)
    }

    /// Sets or deletes a rate from a date on, not before the day up to which interest is settled.
    pub(super) async fn interest_rate(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        loan: &loans::Model,
    ) -> Result<Applied, Stop> {
        let mut fields = Fields::new(element, self.enforce);
        let update = fields.update();
        let mut row = loan_interest_rates::Model {
            row_id: 0,
            loan_id: loan.loan_id,
            effective_date: loan.interest_start_date,
            interest_rate: Rate::ZERO,
        };
        if fields.raw("EffectiveDate").is_none() {
            fields.missing("EffectiveDate");
        }
        fields.fixed_date("EffectiveDate", &mut row.effective_date);
        if update != Update::Delete && fields.raw("InterestRate").is_none() {
            fields.missing("InterestRate");
        }
        fields.fixed_parsed("InterestRate", &mut row.interest_rate);
        if row.interest_rate < Rate::ZERO {
            fields.error("InterestRate", "must not be negative");
        }
        if row.effective_date < loan.accrual_base_date {
            let base = loan.accrual_base_date;
            fields.error("EffectiveDate", format!("must not be before {base}"));
        }
        fields.note_unknown(&[]);
        let messages = fields.finish()?;
        let existing = self.rates(tx, loan.loan_id).await?;
        let before = existing.into_iter().find(|rate| rate.effective_date == row.effective_date);
        let (action, row_id) = match (update, before) {
            (Update::Delete, None) => {
                return Err(refuse(element, "the loan has no rate from this date on"));
            }
            (Update::Delete, Some(before)) => {
                loan_interest_rates::Entity::delete_by_id(before.row_id).exec(tx).await?;
                history::record(tx, &self.author, self.clock.now, Some(&before), None).await?;
                (Action::Deleted, before.row_id)
            }
            (Update::Change, None) => {
                return Err(refuse(element, "the loan has no rate from this date on"));
            }
            (Update::Insert, Some(_)) => {
                return Err(refuse(element, "the loan has a rate from this date on already"));
            }
            (Update::Insert, None) => (Action::Inserted, self.insert_rate(tx, row).await?),
            (Update::Change, Some(before)) => {
                row.row_id = before.row_id;
                let active = row.clone().into_active_model().reset_all();
                active.update(tx).await?;
                let now = self.clock.now;
                history::record(tx, &self.author, now, Some(&before), Some(&row)).await?;
                (Action::Updated, row.row_id)
            }
        };
        let key = Some(loan.loan_number.clone());
        Ok(Applied::one(element, action, key, row_id, messages))
    }

    /// Links a contact to the loan, changes the link, or removes it.
    pub(super) async fn relationship(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        loan: &loans::Model,
    ) -> Result<Applied, Stop> {
        let mut fields = Fields::new(element, self.enforce);
        let update = fields.update();
        let contact_id = self.contact_reference(tx, &mut fields).await?;
        let mut row = loan_contacts::Model {
            row_id: 0,
            loan_id: loan.loan_id,
            contact_id: contact_id.unwrap_or_default(),
            relationship_code: String::new(),
            web_access_flag: false,
        };
        if contact_id.is_none() {
            fields.missing("ContactNumber");
        }
        match fields.raw("RelationshipCode") {
            None => fields.missing("RelationshipCode"),
            Some(code) => match self.codes::<relationship_codes::Entity>(tx).await?.get(code) {
                Some(_) => row.relationship_code = code.to_owned(),
                None => fields.error("RelationshipCode", "is unknown, inactive, or not for loans"),
            },
        }
        let existing = self.links(tx, loan.loan_id).await?;
        let before = existing.into_iter().find(|link| {
            link.contact_id == row.contact_id && link.relationship_code == row.relationship_code
        });
        if let Some(before) = &before {
            row = before.clone();
        }
        fields.flag("WebAccessFlag", &mut row.web_access_flag);
        fields.note_unknown(&[]);
        let messages = fields.finish()?;
        let (now, author) = (self.clock.now, &self.author);
        let action = match (update, before) {
            (Update::Delete | Update::Change, None) => {
                return Err(refuse(element, "there is no such link"));
            }
            (Update::Insert, Some(_)) => {
                return Err(refuse(element, "the contact is linked so already"));
            }
            (Update::Delete, Some(before)) => {
                loan_contacts::Entity::delete_by_id(before.row_id).exec(tx).await?;
                history::record(tx, author, now, Some(&before), None).await?;
                Action::Deleted
            }
            (Update::Insert, None) => {
                let mut active = row.clone().into_active_model().reset_all();
                active.row_id = NotSet;
                row.row_id = loan_contacts::Entity::insert(active).exec(tx).await?.last_insert_id;
                history::record(tx, author, now, None, Some(&row)).await?;
                Action::Inserted
            }
            (Update::Change, Some(before)) => {
                row.clone().into_active_model().reset_all().update(tx).await?;
                history::record(tx, author, now, Some(&before), Some(&row)).await?;
                Action::Updated
            }
        };
        let key = Some(loan.loan_number.clone());
        Ok(Applied::one(element, action, key, row.row_id, messages))
    }
}

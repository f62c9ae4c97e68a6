//! `<Contact>` and its child elements.

pub(super) mod addresses;
pub(super) mod credentials;

use super::element_fields::{ElementFields, UpdateMode};
use super::format::{AttributeKind, ElementShape, Needed, RowShape, attribute, choice};
use super::lookup_cache::NameKind;
use super::parse::Element;
use super::report::Action;
use super::{ElementOutcome, ImportTransaction, ParentRecord, RecordError, refuse};
use crate::audit::{self, AuditTarget, HasAuditTarget, HistoryOwner};
use crate::auth::visibility::Visible;
use crate::documents;
use crate::documents::comments::CommentParent;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use shared::entity::contacts::{Column, ContactMethod, Entity, Model};
use shared::entity::user_defined_fields::Form;
use shared::entity::{
    contact_addresses, contact_types, credit_profiles, entities, loan_contacts, loans,
    payment_gateway_tokens, payment_method_sessions, users,
};
use std::sync::LazyLock;

pub(super) static CONTACT: LazyLock<RowShape<Entity>> = LazyLock::new(|| {
    let shape = ElementShape::new("Contact")
        .holding(&["Detail", "Demographics", "Financials", "Address", "Comment", "WebCredentials"])
        .with([
            attribute("StoreRecordID", AttributeKind::Text(255)),
            attribute("ContactID", AttributeKind::Id),
            attribute("ContactTypeCode", AttributeKind::Text(25)),
            attribute("ContactOfficerUserName", AttributeKind::Text(50)).nullable(),
        ]);
    let needed = ["ContactNumber", "ContactTypeCode", "EntityCode"];
    RowShape::new(shape, columns())
        .needing(Needed::ToInsert, &needed)
        .also_needing("LastName1 or Company")
});

fn columns() -> Vec<(Column, AttributeKind)> {
    use AttributeKind::{Date, Text};
    use Column::*;
    vec![
        (ContactNumber, Text(25)),
        (EntityCode, Text(25)),
        (ShortName, Text(20)),
        (Company, Text(80)),
        (Salutation1, Text(10)),
        (FirstName1, Text(20)),
        (MiddleName1, Text(20)),
        (LastName1, Text(40)),
        (Suffix1, Text(5)),
        (FullName1, Text(80)),
        (Title1, Text(25)),
        (BirthDate1, Date),
        (DeceasedDate1, Date),
        (TaxId1, Text(15)),
        (IdType1, Text(25)),
        (IdNumber1, Text(30)),
        (IdIssuer1, Text(40)),
        (IdExpiryDate1, Date),
        (Salutation2, Text(10)),
        (FirstName2, Text(20)),
        (MiddleName2, Text(20)),
        (LastName2, Text(40)),
        (Suffix2, Text(5)),
        (FullName2, Text(80)),
        (Title2, Text(25)),
        (BirthDate2, Date),
        (DeceasedDate2, Date),
        (TaxId2, Text(15)),
        (IdType2, Text(25)),
        (IdNumber2, Text(30)),
        (IdIssuer2, Text(40)),
        (IdExpiryDate2, Date),
        (StreetAddress1, Text(40)),
        (StreetAddress2, Text(40)),
        (City, Text(25)),
        (State, Text(25)),
        (Zip, Text(10)),
        (County, Text(40)),
        (Country, Text(40)),
        (Email, Text(100)),
        (Email2, Text(100)),
        (HomePhone, Text(20)),
        (WorkPhone, Text(20)),
        (MobilePhone, Text(20)),
        (ContactMethod, choice::<self::ContactMethod>()),
    ]
}

fn is_blank(text: Option<&str>) -> bool {
    text.is_none_or(|text| text.trim().is_empty())
}

impl ImportTransaction<'_, '_> {
    /// Inserts, changes or deletes a contact.
    pub(super) async fn contact(
        &mut self,
        element: &Element,
    ) -> Result<(ElementOutcome, ParentRecord), RecordError> {
        let mut fields = ElementFields::new(element, &CONTACT, self.enforce);
        let before = match fields.update {
            UpdateMode::Insert => {
                self.check_new_number(&mut fields, NameKind::Contact).await?;
                None
            }
            UpdateMode::Change => Some(self.find_contact(element, &mut fields).await?),
            UpdateMode::Delete => {
                let row = self.find_contact(element, &mut fields).await?;
                if fields.get::<String>("ContactNumber").is_some_and(|n| n != row.contact_number) {
                    let message = "names a different contact than ContactID";
                    fields.error("ContactNumber", message);
                }
                fields.finish()?;
                return Ok((self.delete_contact(element, row).await?, ParentRecord::None));
            }
        };
        let new = || Model { created_date: self.clock.now, ..Model::default() };
        let mut row = before.clone().unwrap_or_else(new);
        fields.fill(&CONTACT, &mut row);
        self.contact_codes(&mut fields, &mut row).await?;
        if is_blank(row.last_name1.as_deref()) && is_blank(row.company.as_deref()) {
            fields.error("LastName1", "is required when Company is absent");
        }
        let messages = fields.finish()?;
        let action = match before {
            Some(before) => {
                self.keep_previous_address(&before, &row).await?;
                self.change(&row.audit_target(), &before, &row).await?;
                Action::Updated
            }
            None => {
                row.contact_id = self.stage.next_placeholder();
                self.add_name(NameKind::Contact, &row.contact_number, row.contact_id);
                let target = row.audit_target();
                self.stage.add(row.clone(), target);
                Action::Inserted
            }
        };
        self.set_record_ref(element, row.contact_id);
        let key = Some(row.contact_number.clone());
        let applied = ElementOutcome::one(element, action, key, row.contact_id, messages);
        Ok((applied, ParentRecord::Contact(row.contact_id)))
    }

    /// Applies a child element of a contact.
    pub(super) async fn in_contact(
        &mut self,
        contact_id: i64,
        child: &Element,
    ) -> Result<ElementOutcome, RecordError> {
        match child.name.as_str() {
            "Detail" => self.form(child, Form::ContactDetail, contact_id).await,
            "Demographics" => self.form(child, Form::ContactDemographics, contact_id).await,
            "Financials" => self.form(child, Form::ContactFinancials, contact_id).await,
            "Address" => self.address(child, contact_id).await,
            "Comment" => {
                let owners = vec![HistoryOwner::Contact(contact_id)];
                self.comment(child, CommentParent::Contact(contact_id), owners).await
            }
            "WebCredentials" => self.web_credentials(child, contact_id).await,
            _ => Ok(self.unknown_element("Contact", child)),
        }
    }

    /// Finds the contact that an element changes or deletes, by id or else by number.
    async fn find_contact(
        &self,
        element: &Element,
        fields: &mut ElementFields<'_>,
    ) -> Result<Model, RecordError> {
        let contacts = self.caller.find::<Entity>();
        let id = fields.get::<i64>("ContactID").map(|id| Column::ContactId.eq(id));
        let number = || fields.get::<String>("ContactNumber");
        let condition = id.or_else(|| number().map(|number| Column::ContactNumber.eq(number)));
        let Some(condition) = condition else {
            if !fields.has_errors() {
                fields.refuse("ContactID or ContactNumber is required");
            }
            return Err(fields.messages().into());
        };
        let found = contacts.filter(condition).one(self.tx).await?;
        found.ok_or_else(|| refuse(element, "no contact has this ContactID or ContactNumber"))
    }

    /// Checks that a new contact or loan has a number not in use, and no id yet.
    pub(super) async fn check_new_number(
        &mut self,
        fields: &mut ElementFields<'_>,
        kind: NameKind,
    ) -> Result<(), RecordError> {
        let (number_name, id_name, noun) = match kind {
            NameKind::Loan => ("LoanNumber", "LoanID", "loan"),
            NameKind::Contact | NameKind::WebUser | NameKind::NameSkeleton => {
                ("ContactNumber", "ContactID", "contact")
            }
        };
        if fields.has(id_name) {
            fields.error(id_name, "is assigned by the service: leave it out of a new row");
        }
        let Some(number) = fields.get::<String>(number_name) else { return Ok(()) };
        if self.id_of(kind, &number).await?.is_some() {
            fields.error(number_name, format!("is already taken by another {noun}"));
        }
        Ok(())
    }

    async fn contact_codes(
        &mut self,
        fields: &mut ElementFields<'_>,
        row: &mut Model,
    ) -> Result<(), RecordError> {
        if let Some(id) = self.code::<contact_types::Entity>(fields, "ContactTypeCode").await? {
            row.contact_type_id = id;
        }
        self.code::<entities::Entity>(fields, "EntityCode").await?;
        let officer = &mut row.contact_officer_user_id;
        self.optional_code::<users::Entity>(fields, "ContactOfficerUserName", officer).await
    }

    async fn delete_contact(
        &mut self,
        element: &Element,
        row: Model,
    ) -> Result<ElementOutcome, RecordError> {
        let contact_id = row.contact_id;
        // Row lock: adding a document or a card to the contact either commits before this or finds
        // the contact gone.
        self.caller.hold(self.tx, Column::ContactId, contact_id).await?;
        if self.exists::<loans::Entity>(loans::Column::ContactId.eq(contact_id)).await? {
            return Err(refuse(element, "a contact with loans cannot be deleted"));
        }
        let linked = loan_contacts::Column::ContactId.eq(contact_id);
        if self.exists::<loan_contacts::Entity>(linked).await? {
            return Err(refuse(element, "a contact linked to a loan cannot be deleted"));
        }
        let cards = payment_gateway_tokens::Column::ContactId.eq(contact_id);
        if self.exists::<payment_gateway_tokens::Entity>(cards).await? {
            return Err(refuse(element, "a contact with cards, even forgotten, cannot be deleted"));
        }
        self.delete_all(payment_method_sessions::Column::ContactId, contact_id).await?;
        let forms = [Form::ContactDetail, Form::ContactDemographics, Form::ContactFinancials];
        if documents::are_on_fields_of(self.tx, &forms, contact_id).await? {
            return Err(refuse(element, "a contact with documents cannot be deleted"));
        }
        self.delete_web_credentials(contact_id).await?;
        self.remove_comments(CommentParent::Contact(contact_id)).await?;
        self.remove_values(&forms, contact_id).await?;
        let author = self.author.clone();
        let recorded = audit::recording(self.tx, &author, self.clock.now, async |changes| {
            let target = row.audit_target();
            let of_contact = contact_addresses::Column::ContactId;
            self.remove_all(changes, &target, of_contact, contact_id).await?;
            let profiles =
                AuditTarget::of(HistoryOwner::Contact(contact_id), "Contact > Credit Profiles");
            let of_contact = credit_profiles::Column::ContactId;
            self.remove_all(changes, &profiles, of_contact, contact_id).await?;
            Entity::delete_by_id(contact_id).exec(self.tx).await?;
            Ok::<_, RecordError>(changes.add(&target, Some(&row), None)?)
        });
        recorded.await?;
        let key = Some(row.contact_number);
        Ok(ElementOutcome::one(element, Action::Deleted, key, contact_id, Vec::new()))
    }

    /// True if a row matches the condition.
    pub(super) async fn exists<E: Visible>(
        &self,
        condition: sea_orm::sea_query::Expr,
    ) -> Result<bool, RecordError> {
        let rows = self.caller.find::<E>().filter(condition).limit(1);
        Ok(rows.one(self.tx).await?.is_some())
    }
}

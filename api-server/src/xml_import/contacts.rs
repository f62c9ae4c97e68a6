//! `<Contact>` and what stands in it.

use super::fields::{Fields, Update};
use super::parse::Element;
use super::report::{Action, Message};
use super::{Applied, Import, Stop, refuse};
use crate::documents;
use crate::history;
use sea_orm::ActiveValue::NotSet;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DatabaseTransaction, EntityTrait, IntoActiveModel, QueryFilter,
    QuerySelect,
};
use shared::entity::user_defined_fields::Form;
use shared::entity::{contact_types, contacts, entities, loans, users, web_credentials};
use shared::introspection::UserKind;
use shared::passwords::PASSWORD_BYTES_MAX;
use shared::problem::Problem;
use shared::secrecy::Secret;
use shared::sessions;

const CHILDREN: [&str; 1] = ["WebCredentials"];

impl Import<'_> {
    /// Inserts, changes or deletes a contact.
    pub(super) async fn contact(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
    ) -> Result<Applied, Stop> {
        let mut fields = Fields::new(element, self.enforce);
        let update = fields.update();
        let (id, number) = (contacts::Column::ContactId, contacts::Column::ContactNumber);
        let (id, number) = (("ContactID", id), ("ContactNumber", number));
        let existing = self.named::<contacts::Entity>(tx, &mut fields, id, number).await?;
        let row = match (update, existing) {
            (Update::Insert, Some(_)) => {
                fields.error("ContactNumber", "is taken by another contact");
                contacts::Model::default()
            }
            (Update::Insert, None) => {
                contacts::Model { created_date: self.clock.now, ..Default::default() }
            }
            (_, None) => {
                return Err(refuse(element, "no contact has this ContactID or ContactNumber"));
            }
            (Update::Change, Some(row)) => row,
            (Update::Delete, Some(row)) => return self.delete_contact(tx, element, row).await,
        };
        let before = (update == Update::Change).then(|| row.clone());
        let row = self.contact_fields(tx, &mut fields, row, update).await?;
        fields.raw("StoreRecordID");
        fields.note_unknown(&CHILDREN);
        let messages = fields.finish()?;
        let row = self.save_contact(tx, before, row).await?;
        self.store(element, row.contact_id);
        let action = if update == Update::Insert { Action::Inserted } else { Action::Updated };
        let key = Some(row.contact_number.clone());
        let mut applied = Applied::one(element, action, key, row.contact_id, messages);
        for child in element.children.iter().filter(|child| child.name == "WebCredentials") {
            let messages = self.web_credentials(tx, child, row.contact_id).await?;
            applied.add_messages(messages);
        }
        Ok(applied)
    }

    async fn contact_fields(
        &mut self,
        tx: &DatabaseTransaction,
        fields: &mut Fields<'_>,
        mut row: contacts::Model,
        update: Update,
    ) -> Result<contacts::Model, Stop> {
        fields.fixed_text("ContactNumber", 25, &mut row.contact_number);
        if let Some(code) = fields.raw("ContactTypeCode") {
            match self.codes::<contact_types::Entity>(tx).await?.get(code) {
                Some(id) => row.contact_type_id = *id,
                None => fields.error("ContactTypeCode", "is unknown or no longer active"),
            }
        }
        if let Some(code) = fields.raw("EntityCode") {
            match self.codes::<entities::Entity>(tx).await?.get(code) {
                Some(_) => row.entity_code = code.to_owned(),
                None => fields.error("EntityCode", "is unknown or no longer active"),
            }
        }
        self.user_field(tx, fields, "ContactOfficerUserName", &mut row.contact_officer_user_id)
            .await?;
        person_and_address(fields, &mut row);
        if update == Update::Insert {
            for name in ["ContactNumber", "ContactTypeCode", "EntityCode"] {
                if fields.raw(name).is_none() {
                    fields.missing(name);
                }
            }
        }
        if row.last_name1.is_none() && row.company.is_none() {
            fields.error("LastName1", "is required where Company is absent");
        }
        Ok(row)
    }

    /// A user by his name.
    pub(super) async fn user_field(
        &mut self,
        tx: &DatabaseTransaction,
        fields: &mut Fields<'_>,
        name: &'static str,
        slot: &mut Option<i64>,
    ) -> Result<(), Stop> {
        let mut user_name = None;
        fields.text(name, 50, &mut user_name);
        match (fields.raw(name), user_name) {
            (None, _) => {}
            (Some(_), None) => *slot = None,
            (Some(_), Some(user_name)) => {
                match self.codes::<users::Entity>(tx).await?.get(&user_name) {
                    Some(id) => *slot = Some(*id),
                    None => fields.error(name, "no user has this name"),
                }
            }
        }
        Ok(())
    }

    async fn save_contact(
        &mut self,
        tx: &DatabaseTransaction,
        before: Option<contacts::Model>,
        mut row: contacts::Model,
    ) -> Result<contacts::Model, Stop> {
        let mut active = row.clone().into_active_model().reset_all();
        match before {
            Some(_) => {
                contacts::Entity::update_many()
                    .set(active)
                    .filter(contacts::Column::ContactId.eq(row.contact_id))
                    .exec(tx)
                    .await?;
            }
            None => {
                active.contact_id = NotSet;
                row.contact_id = contacts::Entity::insert(active).exec(tx).await?.last_insert_id;
            }
        }
        history::record(tx, &self.author, self.clock.now, before.as_ref(), Some(&row)).await?;
        Ok(row)
    }

    async fn delete_contact(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        row: contacts::Model,
    ) -> Result<Applied, Stop> {
        let loan = self
            .caller
            .find::<loans::Entity>()
            .filter(loans::Column::ContactId.eq(row.contact_id))
            .limit(1);
        if loan.one(tx).await?.is_some() {
            return Err(refuse(element, "a contact with loans cannot be deleted"));
        }
        let linked = self
            .caller
            .find::<shared::entity::loan_contacts::Entity>()
            .filter(shared::entity::loan_contacts::Column::ContactId.eq(row.contact_id))
            .limit(1);
        if linked.one(tx).await?.is_some() {
            return Err(refuse(element, "a contact linked to a loan cannot be deleted"));
        }
        let forms = [Form::ContactDetail, Form::ContactDemographics, Form::ContactFinancials];
        if documents::are_on_fields_of(tx, &forms, row.contact_id).await? {
            return Err(refuse(element, "a contact with documents cannot be deleted"));
        }
        self.delete_web_credentials(tx, row.contact_id).await?;
        contacts::Entity::delete_by_id(row.contact_id).exec(tx).await?;
        history::record(tx, &self.author, self.clock.now, Some(&row), None).await?;
        let key = Some(row.contact_number);
        Ok(Applied::one(element, Action::Deleted, key, row.contact_id, Vec::new()))
    }

    /// Sets, or deletes, how a contact logs in as a web user.
    async fn web_credentials(
        &mut self,
        tx: &DatabaseTransaction,
        element: &Element,
        contact_id: i64,
    ) -> Result<Vec<Message>, Stop> {
        let mut fields = Fields::new(element, self.enforce);
        if fields.update() == Update::Delete {
            self.delete_web_credentials(tx, contact_id).await?;
            return Ok(fields.finish()?);
        }
        let before = self.find_web_credentials(tx, contact_id).await?;
        let mut row = before.clone().unwrap_or_else(|| web_credentials::Model {
            contact_id,
            web_user_name: String::new(),
            web_access_flag: true,
            password_hash: Secret::new(""),
            created_date: self.clock.now,
        });
        fields.fixed_text("WebUserName", 50, &mut row.web_user_name);
        fields.flag("WebAccessFlag", &mut row.web_access_flag);
        let password = fields.raw("Password");
        if before.is_none() {
            for name in ["WebUserName", "Password"] {
                if fields.raw(name).is_none() {
                    fields.missing(name);
                }
            }
        }
        if password.is_some_and(|text| text.is_empty() || text.len() > PASSWORD_BYTES_MAX) {
            fields.error("Password", "must have 1 to 1024 bytes");
        }
        if self.web_user_name_taken(tx, &row).await? {
            fields.error("WebUserName", "is taken by another contact");
        }
        fields.note_unknown(&[]);
        let messages = fields.finish()?;
        if let Some(password) = password {
            let hash = self.passwords.hash(password).await;
            row.password_hash = hash.map_err(|error| Stop::Problem(Problem::internal(error)))?;
        }
        let active = row.clone().into_active_model().reset_all();
        if before.is_none() {
            web_credentials::Entity::insert(active).exec(tx).await?;
        } else {
            web_credentials::Entity::update_many()
                .set(active)
                .filter(web_credentials::Column::ContactId.eq(contact_id))
                .exec(tx)
                .await?;
        }
        // Who loses web access, or gets a new password, is logged out at once and for good.
        if !row.web_access_flag || password.is_some() {
            sessions::end_all(tx, UserKind::Web, contact_id).await?;
        }
        history::record(tx, &self.author, self.clock.now, before.as_ref(), Some(&row)).await?;
        Ok(messages)
    }

    #[expect(clippy::disallowed_methods, reason = "credentials are in nobody's answers")]
    async fn find_web_credentials(
        &self,
        tx: &DatabaseTransaction,
        contact_id: i64,
    ) -> Result<Option<web_credentials::Model>, Stop> {
        Ok(web_credentials::Entity::find_by_id(contact_id).one(tx).await?)
    }

    #[expect(clippy::disallowed_methods, reason = "credentials are in nobody's answers")]
    async fn web_user_name_taken(
        &self,
        tx: &DatabaseTransaction,
        row: &web_credentials::Model,
    ) -> Result<bool, Stop> {
        let others = web_credentials::Entity::find()
            .filter(web_credentials::Column::WebUserName.eq(row.web_user_name.as_str()))
            .filter(web_credentials::Column::ContactId.ne(row.contact_id));
        Ok(others.one(tx).await?.is_some())
    }

    async fn delete_web_credentials(
        &mut self,
        tx: &DatabaseTransaction,
        contact_id: i64,
    ) -> Result<(), Stop> {
        let Some(row) = self.find_web_credentials(tx, contact_id).await? else { return Ok(()) };
        sessions::end_all(tx, UserKind::Web, contact_id).await?;
        web_credentials::Entity::delete_by_id(contact_id).exec(tx).await?;
        history::record(tx, &self.author, self.clock.now, Some(&row), None).await?;
        Ok(())
    }
}

fn person_and_address(fields: &mut Fields<'_>, row: &mut contacts::Model) {
    fields.text("ShortName", 20, &mut row.short_name);
    fields.text("Company", 80, &mut row.company);
    fields.text("Salutation1", 10, &mut row.salutation1);
    fields.text("FirstName1", 20, &mut row.first_name1);
    fields.text("MiddleName1", 20, &mut row.middle_name1);
    fields.text("LastName1", 40, &mut row.last_name1);
    fields.text("Suffix1", 5, &mut row.suffix1);
    fields.text("FullName1", 80, &mut row.full_name1);
    fields.text("Title1", 25, &mut row.title1);
    fields.date("BirthDate1", &mut row.birth_date1);
    fields.date("DeceasedDate1", &mut row.deceased_date1);
    fields.masked("TaxID1", 15, &mut row.tax_id1);
    fields.text("IDType1", 25, &mut row.id_type1);
    fields.masked("IDNumber1", 30, &mut row.id_number1);
    fields.text("IDIssuer1", 40, &mut row.id_issuer1);
    fields.date("IDExpiryDate1", &mut row.id_expiry_date1);
    fields.text("Salutation2", 10, &mut row.salutation2);
    fields.text("FirstName2", 20, &mut row.first_name2);
    fields.text("MiddleName2", 20, &mut row.middle_name2);
    fields.text("LastName2", 40, &mut row.last_name2);
    fields.text("Suffix2", 5, &mut row.suffix2);
    fields.text("FullName2", 80, &mut row.full_name2);
    fields.text("Title2", 25, &mut row.title2);
    fields.date("BirthDate2", &mut row.birth_date2);
    fields.date("DeceasedDate2", &mut row.deceased_date2);
    fields.masked("TaxID2", 15, &mut row.tax_id2);
    fields.text("IDType2", 25, &mut row.id_type2);
    fields.masked("IDNumber2", 30, &mut row.id_number2);
    fields.text("IDIssuer2", 40, &mut row.id_issuer2);
    fields.date("IDExpiryDate2", &mut row.id_expiry_date2);
    fields.text("StreetAddress1", 40, &mut row.street_address1);
    fields.text("StreetAddress2", 40, &mut row.street_address2);
    fields.text("City", 25, &mut row.city);
    fields.text("State", 25, &mut row.state);
    fields.text("Zip", 10, &mut row.zip);
    fields.text("County", 40, &mut row.county);
    fields.text("Country", 40, &mut row.country);
    fields.text("Email", 100, &mut row.email);
    fields.text("Email2", 100, &mut row.email2);
    fields.text("HomePhone", 20, &mut row.home_phone);
    fields.text("WorkPhone", 20, &mut row.work_phone);
    fields.text("MobilePhone", 20, &mut row.mobile_phone);
    fields.choice("ContactMethod", &mut row.contact_method);
}

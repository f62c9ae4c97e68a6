//! `/contacts`: borrowers and other parties to loans.

pub mod comments;
pub mod loans;
pub mod search;
pub mod summary;

use self::search::ContactSearch;
use self::summary::ContactSummary;
use super::Group;
use crate::audit::{self, history::FieldHistoryFilter};
use crate::auth::caller::Caller;
use crate::auth::privileges::TAX_IDS;
use crate::endpoints::documents::field_document_operations;
use crate::http::admission::{AnyUser, CoreUser};
use crate::http::pagination::{List, Page};
use crate::state::State;
use poem::web::Data;
use poem_openapi::param::{Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect,
};
use shared::entity::documents::DocumentOwner;
use shared::entity::user_defined_fields::{self as fields, DataType, Form};
use shared::entity::user_defined_values as values;
use shared::entity::{
    contacts, credit_profiles, documents as stored, field_changes, web_credentials,
};
use shared::interface_names;
use shared::operations;
use shared::problem::{JsonResult, Problem};
use shared::secrets::Masked;
use shared::time::{Day, Timestamp};
use std::collections::HashMap;
use std::sync::Arc;

/// A contact: a person, a couple or a company.
///
/// Tax ids and identity numbers are masked with `*` except for their last four characters, unless
/// the caller holds Contact > Tax ID > View.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Contact {
    /// The stored contact.
    #[oai(flatten)]
    row: contacts::Model,
    /// User name with which the contact logs in as a web user.
    web_user_name: Option<String>,
}

/// A user-defined field of a contact, and its value.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct FieldValue {
    /// Id of the field definition.
    field_id: i64,
    field_name: String,
    label: String,
    data_type: DataType,
    /// Value, in the canonical text form of its data type.
    value: Option<String>,
    /// Number of documents attached to the field that the caller may see.
    document_count: i64,
}

pub struct Contacts;

#[operations]
#[OpenApi(tag = "Group::Contacts")]
impl Contacts {
    /// Find contacts.
    ///
    /// Returns the contacts that meet all criteria, as summaries. They are ordered by id; with
    /// `name` by the name that matches, else with `phone` by its digits from the last one back,
    /// else with `modifiedSince` by the time of the last change, and then by id.
    ///
    /// Names are compared without case and accents.
    #[oai(path = "/contacts", method = "get")]
    async fn list_contacts(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// Only the contact with this number.
        contact_number: Query<Option<String>>,
        /// Only contacts with this e-mail address, in upper or lower case.
        email: Query<Option<String>>,
        /// Only contacts of this type.
        type_id: Query<Option<i64>>,
        /// Only contacts with this tax id, with or without punctuation. Requires Contact > Tax ID >
        /// View.
        tax_id: Query<Option<String>>,
        /// Beginning of a last name, of "last, first", of "first last" or of a company, at least two
        /// letters or digits. Case, accents and kinds of apostrophes do not count.
        name: Query<Option<String>>,
        /// Last digits of a phone number, at least seven; other characters do not count.
        phone: Query<Option<String>>,
        /// Only contacts changed at this time or later.
        modified_since: Query<Option<Timestamp>>,
        /// `name` or `phone` with the parameter of this name, else `modifiedDate` with `modifiedSince`,
        /// else `id`; after `-`, the reverse.
        order: Query<Option<String>>,
        page: Page,
    ) -> Result<List<ContactSummary>, Problem> {
        let search = ContactSearch {
            contact_number: contact_number.0,
            email: email.0,
            type_id: type_id.0,
            tax_id: tax_id.0,
            name: name.0,
            phone: phone.0,
            modified_since: modified_since.0,
        };
        search.page(&state.reads, &admitted.caller, &page, order.0.as_deref()).await
    }

    /// Get a contact.
    #[oai(path = "/contacts/:contact_id", method = "get")]
    async fn get_contact(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        contact_id: Path<i64>,
    ) -> JsonResult<Contact> {
        let credentials = contacts::Entity::belongs_to(web_credentials::Entity)
            .from(contacts::Column::ContactId)
            .to(web_credentials::Column::ContactId);
        let found = admitted
            .caller
            .find::<contacts::Entity>()
            .filter(contacts::Column::ContactId.eq(contact_id.0))
            .join(JoinType::LeftJoin, credentials.into())
            .select_also(web_credentials::Entity)
            .one(&state.reads)
            .await?;
        let (row, credentials) = found.ok_or_else(Problem::not_found)?;
        let row = unmask(&admitted.caller, row);
        Ok(Json(Contact { row, web_user_name: credentials.map(|row| row.web_user_name) }))
    }

    /// List a contact's detail fields and their values.
    ///
    /// One row per field of the form that is not hidden. Borrowers see only their own contact, and
    /// only the fields that are visible on the web.
    #[oai(path = "/contacts/:contact_id/detail", method = "get")]
    async fn list_contact_detail(
        &self,
        AnyUser(admitted): AnyUser,
        state: Data<&Arc<State>>,
        contact_id: Path<i64>,
        page: Page,
    ) -> Result<List<FieldValue>, Problem> {
        let caller = &admitted.caller;
        caller.get::<contacts::Entity>(&state.reads, contact_id.0).await?;
        let shown = caller
            .find::<fields::Entity>()
            .filter(fields::Column::Form.eq(Form::ContactDetail))
            .filter(fields::Column::HiddenFlag.eq(false));
        let shown = page.by_key(shown, &state.reads).await?;
        let mut values = field_values(&state.reads, caller, contact_id.0).await?;
        let counts = document_counts(&state.reads, caller, contact_id.0).await?;
        Ok(shown.map(|field| FieldValue {
            value: values.remove(&field.field_id),
            document_count: counts.get(&field.field_name).copied().unwrap_or(0),
            field_id: field.field_id,
            field_name: field.field_name,
            label: field.label,
            data_type: field.data_type,
        }))
    }

    /// Get a credit bureau report on a contact.
    ///
    /// Each read is logged with the reader and the purpose of the report.
    #[oai(path = "/contacts/credit-profiles/:report_id", method = "get")]
    async fn get_credit_profile(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        report_id: Path<i64>,
    ) -> JsonResult<credit_profiles::Model> {
        let caller = &admitted.caller;
        let report = caller.get::<credit_profiles::Entity>(&state.reads, report_id.0).await?;
        log_read(caller, &report);
        Ok(Json(report))
    }

    /// List the credit bureau reports on a contact.
    ///
    /// Each report listed is logged like a read of it, with the reader and the purpose.
    #[oai(path = "/contacts/:contact_id/credit-profiles", method = "get")]
    async fn list_credit_profiles(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        contact_id: Path<i64>,
        page: Page,
    ) -> Result<List<credit_profiles::Model>, Problem> {
        let caller = &admitted.caller;
        caller.get::<contacts::Entity>(&state.reads, contact_id.0).await?;
        let on_contact = credit_profiles::Column::ContactId.eq(contact_id.0);
        let reports = caller.find::<credit_profiles::Entity>().filter(on_contact);
        let reports = page.by_key(reports, &state.reads).await?;
        reports.rows().iter().for_each(|report| log_read(caller, report));
        Ok(reports)
    }

    /// List a contact's field history.
    ///
    /// Changes to the contact and to the rows that belong to it. Ordered oldest first. Changes to
    /// rows for which the caller lacks the View privilege are left out.
    #[oai(path = "/contacts/:contact_id/field-history", method = "get")]
    async fn list_contact_field_history(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        contact_id: Path<i64>,
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
        admitted.caller.get::<contacts::Entity>(&state.reads, contact_id.0).await?;
        let filter = FieldHistoryFilter {
            table_name: table_name.0,
            field_name: field_name.0,
            from: from.0,
            to: to.0,
            user_id: user_id.0,
        };
        let owner = audit::HistoryOwner::Contact(contact_id.0);
        audit::history::list(&state.reads, &admitted, owner, filter, &page).await
    }
}

/// Logs a read of a credit profile.
fn log_read(caller: &Caller, report: &credit_profiles::Model) {
    tracing::info!(
        reader = caller.subject(),
        report_id = report.report_id,
        purpose = report.purpose_code,
        "credit profile read"
    );
}

/// `/contacts/{contact_id}/…/documents`
pub struct ContactDocuments;

field_document_operations! {
    ContactDocuments, tag = "Group::Contacts", contact_id:
    ContactDemographics, path = "/contacts/:contact_id/demographics/:field/documents",
    /// List the documents of a field on a contact's demographics form.
    list_contact_demographics_documents,
    /// Attach a document with one file to a field on a contact's demographics form.
    create_contact_demographics_document;

    ContactDetail, path = "/contacts/:contact_id/detail/:field/documents",
    /// List the documents of a field on a contact's detail form.
    list_contact_detail_documents,
    /// Attach a document with one file to a field on a contact's detail form.
    create_contact_detail_document;

    ContactFinancials, path = "/contacts/:contact_id/financials/:field/documents",
    /// List the documents of a field on a contact's financials form.
    list_contact_financials_documents,
    /// Attach a document with one file to a field on a contact's financials form.
    create_contact_financials_document;
}

/// Returns the field values of a contact that the caller may see, by field id.
async fn field_values(
    db: &impl ConnectionTrait,
    caller: &Caller,
    contact_id: i64,
) -> Result<HashMap<i64, String>, DbErr> {
    let of_form = fields::Column::Form.eq(Form::ContactDetail);
    let field = values::Entity::belongs_to(fields::Entity)
        .from(values::Column::FieldId)
        .to(fields::Column::FieldId);
    let rows: Vec<(i64, String)> = caller
        .find::<values::Entity>()
        .filter(values::Column::RecordId.eq(contact_id))
        .join(JoinType::InnerJoin, field.into())
        .filter(of_form)
        .select_only()
        .columns([values::Column::FieldId, values::Column::Value])
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().collect())
}

/// Returns the number of documents on a contact's detail fields that the caller may see, by field
/// name.
async fn document_counts(
    db: &impl ConnectionTrait,
    caller: &Caller,
    contact_id: i64,
) -> Result<HashMap<String, i64>, DbErr> {
    use stored::Column::{DocumentId, FieldName, OwnerId, OwnerType};
    let rows: Vec<(Option<String>, i64)> = caller
        .find::<stored::Entity>()
        .filter(OwnerType.eq(DocumentOwner::ContactDetail))
        .filter(OwnerId.eq(contact_id))
        .select_only()
        .column(FieldName)
        .column_as(DocumentId.count(), "count")
        .group_by(FieldName)
        .into_tuple()
        .all(db)
        .await?;
    Ok(rows.into_iter().filter_map(|(field, count)| Some((field?, count))).collect())
}

/// Unmasks tax ids and identity numbers for callers who may see them.
fn unmask(caller: &Caller, row: contacts::Model) -> contacts::Model {
    if !caller.holds(TAX_IDS) {
        return row;
    }
    contacts::Model {
        tax_id1: row.tax_id1.map(Masked::unmasked),
        tax_id2: row.tax_id2.map(Masked::unmasked),
        id_number1: row.id_number1.map(Masked::unmasked),
        id_number2: row.id_number2.map(Masked::unmasked),
        ..row
    }
}

//! Documents attached to comments and to user-defined fields. This file reads them. [`changes`] has
//! the commands that change them, [`attach`] receives their files, [`multipart`] reads forms,
//! [`downloads`] sends files, and [`store`] stores the bytes.

pub mod attach;
pub mod changes;
pub mod comments;
pub mod downloads;
pub mod multipart;
pub mod no_content;
pub mod refusals;
pub mod store;

use crate::audit::{AuditTarget, HistoryOwner};
use crate::auth::caller::Caller;
use crate::auth::privileges::Privilege;
use crate::auth::visibility::records::{FORM_OWNERS, view_of};
use crate::documents::refusals::{DocumentError, DocumentRefusal};
use crate::http::etag::{self, IfNoneMatch, Updated, WithEtag};
use crate::http::pagination::{List, Page};
use poem_openapi::Object;
use sea_orm::sea_query::Query;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Select,
};
use serde_json::{Value, json};
use shared::entity::documents::DocumentOwner;
use shared::entity::user_defined_fields::{self, DataType, Form};
use shared::entity::{contacts, document_files, documents, loans};
use shared::interface_names;
use shared::problem::Problem;
use shared::time::Timestamp;
use std::collections::HashMap;

/// A document and its files.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct Document {
    /// The stored document.
    #[oai(flatten)]
    row: documents::Model,
    /// Same as `Document_ID` if the document is attached to a field; absent for a comment's
    /// document.
    row_id: Option<i64>,
    /// Files of the document.
    files: Vec<DocumentFile>,
    /// Version of the document, required by PUT and DELETE.
    #[oai(rename = "versionHash")]
    version_hash: String,
}

/// A file of a document. Files never change.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct DocumentFile {
    file_id: i64,
    document_id: i64,
    file_name: String,
    /// Media type, detected from the content.
    content_type: String,
    size_bytes: i64,
    /// SHA-256 of the file's bytes, in lower-case hex.
    sha256: String,
    /// Path in this API for downloading the file.
    download_path: String,
    uploaded_by_user_id: i64,
    uploaded_date: Timestamp,
}

impl From<document_files::Model> for DocumentFile {
    fn from(row: document_files::Model) -> Self {
        Self {
            download_path: format!("/files/{}", row.file_id),
            file_id: row.file_id,
            document_id: row.document_id,
            file_name: row.file_name,
            content_type: row.content_type,
            size_bytes: row.size_bytes,
            sha256: row.sha256,
            uploaded_by_user_id: row.uploaded_by_user_id,
            uploaded_date: row.uploaded_date,
        }
    }
}

impl Document {
    fn new(row: documents::Model, files: Vec<document_files::Model>) -> Result<Self, DbErr> {
        Ok(Self {
            version_hash: version(&row, &files)?,
            row_id: row.field_name.is_some().then_some(row.document_id),
            files: files.into_iter().map(DocumentFile::from).collect(),
            row,
        })
    }

    /// Returns the response to a client that already has these versions.
    pub fn versioned(self, if_none_match: &IfNoneMatch) -> WithEtag<Self> {
        let hash = self.version_hash.clone();
        WithEtag::new(self, &hash, if_none_match)
    }

    /// Returns the response to the client that has just changed it.
    pub fn changed(self) -> Updated<Self> {
        let hash = self.version_hash.clone();
        Updated::new(self, &hash)
    }
}

/// Returns the version of a document: a hash of its columns and its files.
fn version(row: &documents::Model, files: &[document_files::Model]) -> Result<String, DbErr> {
    let hashes: Vec<Value> = files.iter().map(|file| json!([file.file_id, file.sha256])).collect();
    etag::hash(row, &[("files", hashes.into())])
}

/// A comment or field to which documents are attached.
#[derive(Clone, Debug)]
pub struct AttachmentOwner {
    kind: DocumentOwner,
    id: i64,
    field: Option<FormField>,
}

/// A field that holds documents.
#[derive(Clone, Debug)]
struct FormField {
    name: String,
    read_only: bool,
}

impl AttachmentOwner {
    /// Returns a comment of this kind, if the caller may see it.
    pub async fn comment(
        db: &impl ConnectionTrait,
        caller: &Caller,
        kind: comments::CommentKind,
        comment_id: i64,
    ) -> Result<Self, DocumentError> {
        comments::get(db, caller, kind, comment_id).await?;
        Ok(Self { kind: kind.owner(), id: comment_id, field: None })
    }

    /// Returns a field of a form of a loan or contact that the caller may see. The field must be
    /// defined and not hidden (404 if not), and hold documents (422 if not). The case of its name
    /// does not matter.
    pub async fn field(
        db: &impl ConnectionTrait,
        caller: &Caller,
        form: Form,
        record_id: i64,
        field: &str,
    ) -> Result<Self, DocumentError> {
        use user_defined_fields::Column::{FieldName, Form as OfForm, HiddenFlag};
        let owner = FORM_OWNERS.into_iter().find(|(_, owner_form)| *owner_form == form);
        let (kind, _) = owner.ok_or(DocumentError::NotFound)?;
        match history_owner(kind, record_id) {
            HistoryOwner::Loan(id) => caller.get::<loans::Entity>(db, id).await.map(drop)?,
            HistoryOwner::Contact(id) => caller.get::<contacts::Entity>(db, id).await.map(drop)?,
        }
        let definition = caller
            .find::<user_defined_fields::Entity>()
            .filter(OfForm.eq(form))
            .filter(FieldName.eq(field.to_ascii_lowercase()))
            .filter(HiddenFlag.eq(false))
            .one(db)
            .await?;
        let definition = definition.ok_or(DocumentError::NotFound)?;
        if definition.data_type != DataType::Document {
            let field = definition.field_name;
            return Err(DocumentError::Refused(DocumentRefusal::FieldNotDocument { field }));
        }
        let field = FormField { name: definition.field_name, read_only: definition.read_only_flag };
        Ok(Self { kind, id: record_id, field: Some(field) })
    }

    fn documents(&self) -> Condition {
        use documents::Column::{FieldName, OwnerId, OwnerType};
        let field = self.field.as_ref().map(|field| FieldName.eq(field.name.as_str()));
        Condition::all().add(OwnerType.eq(self.kind)).add(OwnerId.eq(self.id)).add_option(field)
    }
}

/// Returns a page of an owner's documents, or only the requested one. A document of another owner
/// is a 404.
pub async fn list(
    db: &impl ConnectionTrait,
    caller: &Caller,
    owner: &AttachmentOwner,
    document_id: Option<i64>,
    page: &Page,
) -> Result<List<Document>, Problem> {
    use documents::Column::DocumentId;
    let condition = owner.documents().add_option(document_id.map(|id| DocumentId.eq(id)));
    let rows = page.by_key(caller.find::<documents::Entity>().filter(condition), db).await?;
    if document_id.is_some() && rows.rows().is_empty() {
        return Err(Problem::not_found());
    }
    let (first, last) = rows.span(|row| row.document_id);
    let on_page = Query::select()
        .column(DocumentId)
        .from(documents::Entity)
        .cond_where(owner.documents())
        .and_where(DocumentId.between(first, last))
        .take();
    let files = caller
        .find::<document_files::Entity>()
        .filter(document_files::Column::DocumentId.in_subquery(on_page))
        .order_by_asc(document_files::Column::FileId);
    let mut by_document: HashMap<i64, Vec<document_files::Model>> = HashMap::new();
    for file in files.all(db).await? {
        by_document.entry(file.document_id).or_default().push(file);
    }
    Ok(rows.try_map(|row| {
        let files = by_document.remove(&row.document_id);
        Document::new(row, files.unwrap_or_default())
    })?)
}

/// Returns a document of a field. A comment's document has no path of its own.
pub async fn get(
    db: &impl ConnectionTrait,
    caller: &Caller,
    row_id: i64,
) -> Result<Document, DocumentError> {
    let row = of_field(db, caller, row_id).await?;
    let files = files(caller, row.document_id).order_by_asc(document_files::Column::FileId);
    Ok(Document::new(row, files.all(db).await?)?)
}

/// Returns a page of the files of a field's document.
pub async fn list_files(
    db: &impl ConnectionTrait,
    caller: &Caller,
    row_id: i64,
    page: &Page,
) -> Result<List<DocumentFile>, Problem> {
    of_field(db, caller, row_id).await?;
    Ok(page.by_key(files(caller, row_id), db).await?.map(DocumentFile::from))
}

async fn of_field(
    db: &impl ConnectionTrait,
    caller: &Caller,
    row_id: i64,
) -> Result<documents::Model, DocumentError> {
    let row = caller.get::<documents::Entity>(db, row_id).await?;
    match row.field_name {
        Some(_) => Ok(row),
        None => Err(DocumentError::NotFound),
    }
}

/// True if fields of a loan or contact have documents, whether the caller may see them or not.
#[expect(
    clippy::disallowed_methods,
    reason = "documents count whether the caller sees them or not"
)]
pub async fn are_on_fields_of(
    db: &impl ConnectionTrait,
    forms: &[Form],
    record_id: i64,
) -> Result<bool, DbErr> {
    use documents::Column::{OwnerId, OwnerType};
    let kinds = FORM_OWNERS.into_iter().filter(|(_, form)| forms.contains(form));
    let on_fields = documents::Entity::find()
        .filter(OwnerType.is_in(kinds.map(|(kind, _)| kind)))
        .filter(OwnerId.eq(record_id));
    Ok(on_fields.limit(1).one(db).await?.is_some())
}

/// Returns a document of a field that the caller may change. The caller must be able to see it (404
/// if not) and hold the privilege Change of its form (403 if not).
pub async fn changeable(
    db: &impl ConnectionTrait,
    caller: &Caller,
    row_id: i64,
) -> Result<documents::Model, DocumentError> {
    let document = of_field(db, caller, row_id).await?;
    let Privilege(path, _) = view_of(document.owner_type);
    caller.require(Privilege(path, "Change"))?;
    Ok(document)
}

/// Returns the form that a field's document belongs to.
fn form_of(owner: DocumentOwner) -> Option<Form> {
    FORM_OWNERS.into_iter().find(|(kind, _)| *kind == owner).map(|(_, form)| form)
}

/// Returns the loan or contact whose form has a field.
fn history_owner(form: DocumentOwner, record_id: i64) -> HistoryOwner {
    match form {
        DocumentOwner::LoanDetail1 | DocumentOwner::LoanDetail2 => HistoryOwner::Loan(record_id),
        _ => HistoryOwner::Contact(record_id),
    }
}

/// Returns where the changes of a field's documents are recorded: in the history of its loan or
/// contact.
fn audit_target(form: DocumentOwner, record_id: i64) -> AuditTarget {
    let Privilege(path, _) = view_of(form);
    AuditTarget::of(history_owner(form, record_id), path)
}

fn files(caller: &Caller, document_id: i64) -> Select<document_files::Entity> {
    let of_document = document_files::Column::DocumentId.eq(document_id);
    caller.find::<document_files::Entity>().filter(of_document)
}

//! Commands that change documents, each in one transaction. The comment or the field's document is
//! locked from the check to commit, so that nothing is attached to what is being removed.

use super::{AttachmentOwner, Document, DocumentFile};
use crate::audit::{self, Actor, AuditTarget, Changes, HistoryOwner};
use crate::auth::caller::Caller;
use crate::auth::privileges::Forbidden;
use crate::command::execute::Command;
use crate::command::lock_queues::RowKey;
use crate::documents::comments;
use crate::documents::multipart::{ReceivedForm, UploadedFile};
use crate::documents::refusals::{DocumentError, DocumentRefusal};
use crate::http::bounded_string::{
    BoundedString, LongString, check_long_text, check_text, checked,
};
use crate::http::etag::ExpectedVersion;
use crate::http::json_body::ReadOnlyMembers;
use poem::Request;
use poem_openapi::Object;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Condition, Query};
use sea_orm::{
    ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, NotSet, QueryFilter, QueryOrder,
    QuerySelect,
};
use shared::database::galera;
use shared::entity::field_changes::ChangeSource;
use shared::entity::user_defined_fields;
use shared::entity::{contacts, document_files, documents, loans};
use shared::interface_names;
use shared::problem::InvalidValue;
use shared::telemetry::RequestId;
use shared::time::Clock;

/// Maximum number of files per document: all are shown with it.
const FILES_MAX: usize = 200;

/// The new state of a field's document: members left out are cleared. Read-only members are
/// accepted if they equal those of the document, and change nothing.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct DocumentChange {
    /// Name of the document: not empty, up to 255 characters.
    pub name: BoundedString<255, 1>,
    /// Description of the document, up to 64 KiB.
    pub description: Option<LongString>,
    /// Version to be updated. Required unless `If-Match` specifies it.
    #[oai(rename = "versionHash")]
    pub version_hash: Option<String>,
}

/// User who changes documents.
#[derive(Clone, Debug)]
pub struct DocumentEditor {
    pub caller: Caller,
    /// Author in the history.
    pub author: Actor,
}

impl DocumentEditor {
    /// Returns the editor who sent this request.
    pub fn new(request: &Request, caller: Caller) -> Result<Self, DocumentError> {
        let request_id = request.data::<RequestId>();
        let request_id = request_id.ok_or_else(|| DocumentError::defect("a request has no id"))?;
        Ok(Self { author: Actor::new(&caller, ChangeSource::Api, request_id), caller })
    }

    /// Returns the user's id: columns that name the user are not optional.
    pub(super) fn user_id(&self) -> Result<i64, Forbidden> {
        self.caller.user_id().ok_or(Forbidden::CoreUserOnly)
    }
}

/// A new document with one file.
pub struct AddDocument {
    /// User who adds the document.
    pub editor: DocumentEditor,
    /// Comment or field that the document is attached to.
    pub owner: AttachmentOwner,
    /// Uploaded file, and the texts sent with it.
    pub received: ReceivedForm,
}

impl Command for AddDocument {
    type Answer = Document;
    type Refusal = DocumentRefusal;

    fn rows(&self) -> Vec<RowKey> {
        let on_comment = comments::CommentKind::of(self.owner.kind).is_some();
        on_comment.then_some(RowKey::Comment(self.owner.id)).into_iter().collect()
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Document, DocumentError> {
        let Self { editor, owner, received } = self;
        let target = owner.lock(tx, &editor.caller).await?;
        if owner.field.as_ref().is_some_and(|field| field.read_only) {
            return Err(field_is_read_only());
        }
        check_texts(received)?;
        let name = received.name().unwrap_or(&received.file.name);
        let new = documents::ActiveModel {
            document_id: NotSet,
            owner_type: Set(owner.kind),
            owner_id: Set(owner.id),
            field_name: Set(owner.field.as_ref().map(|field| field.name.clone())),
            name: Set(name.to_owned()),
            description: Set(received.description().map(str::to_owned)),
            created_by_user_id: Set(editor.user_id()?),
            created_date: Set(clock.now),
            modified_by_user_id: Set(None),
            modified_date: Set(None),
        };
        let document = documents::Entity::insert(new).exec_with_returning(tx).await?;
        let file = audit::recording(tx, &editor.author, clock.now, async |changes| {
            changes.add(&target, None, Some(&document))?;
            let file = add_file(tx, editor, clock, document.document_id, received).await?;
            changes.add(&target, None, Some(&file))?;
            Ok::<_, DocumentError>(file)
        });
        let file = file.await?;
        Ok(Document::new(document, vec![file])?)
    }
}

impl AttachmentOwner {
    /// Locks what documents are attached to: it may have been removed while the file was uploaded.
    /// Returns where their changes are recorded.
    async fn lock(
        &self,
        tx: &DatabaseTransaction,
        caller: &Caller,
    ) -> Result<AuditTarget, DocumentError> {
        if let Some(kind) = comments::CommentKind::of(self.kind) {
            let comment = comments::lock(tx, caller, kind, self.id).await?;
            return Ok(comments::audit_target(tx, &comment).await?);
        }
        match super::history_owner(self.kind, self.id) {
            HistoryOwner::Loan(id) => caller.hold(tx, loans::Column::LoanId, id).await?,
            HistoryOwner::Contact(id) => caller.hold(tx, contacts::Column::ContactId, id).await?,
        }
        Ok(super::audit_target(self.kind, self.id))
    }
}

fn check_texts(received: &ReceivedForm) -> Result<(), InvalidValue> {
    check_text("file", &received.file.name, 255)?;
    if let Some(name) = received.name() {
        check_text("name", name, 255)?;
    }
    if let Some(description) = received.description() {
        check_long_text("description", description)?;
    }
    Ok(())
}

fn field_is_read_only() -> DocumentError {
    DocumentError::invalid("field", "is read-only")
}

async fn add_file(
    tx: &DatabaseTransaction,
    editor: &DocumentEditor,
    clock: Clock,
    document_id: i64,
    received: &ReceivedForm,
) -> Result<document_files::Model, DocumentError> {
    let UploadedFile { stored, name, file_type, .. } = &received.file;
    let size_bytes = i64::try_from(stored.size_bytes).map_err(DocumentError::defect)?;
    let file = document_files::ActiveModel {
        file_id: NotSet,
        document_id: Set(document_id),
        file_name: Set(name.clone()),
        content_type: Set(file_type.media_type.to_owned()),
        size_bytes: Set(size_bytes),
        sha256: Set(stored.sha256.clone()),
        object_key: Set(stored.key.clone()),
        uploaded_by_user_id: Set(editor.user_id()?),
        uploaded_date: Set(clock.now),
    };
    Ok(document_files::Entity::insert(file).exec_with_returning(tx).await?)
}

/// Removal of a comment's document. Returns the keys of the objects to be removed.
pub struct RemoveCommentDocument {
    /// User who removes the document.
    pub editor: DocumentEditor,
    /// Comment that the document is attached to.
    pub owner: AttachmentOwner,
    /// Document to be removed; not found unless attached to that comment.
    pub document_id: i64,
}

impl Command for RemoveCommentDocument {
    type Answer = Vec<String>;
    type Refusal = DocumentRefusal;

    fn rows(&self) -> Vec<RowKey> {
        vec![RowKey::Comment(self.owner.id)]
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Vec<String>, DocumentError> {
        let Self { editor, owner, document_id } = self;
        let target = owner.lock(tx, &editor.caller).await?;
        let condition = owner.documents().add(documents::Column::DocumentId.eq(*document_id));
        let document = editor.caller.find::<documents::Entity>().filter(condition).one(tx).await?;
        let document = document.ok_or(DocumentError::NotFound)?;
        let only = documents::Column::DocumentId.eq(document.document_id);
        let removed = audit::recording(tx, &editor.author, clock.now, async |changes| {
            remove(tx, changes, &target, Condition::all().add(only)).await
        });
        Ok(removed.await?)
    }
}

/// Removes all documents of a comment that is being removed.
pub async fn remove_of_comment(
    tx: &DatabaseTransaction,
    changes: &mut Changes<'_>,
    target: &AuditTarget,
    kind: comments::CommentKind,
    comment_id: i64,
) -> Result<Vec<String>, DbErr> {
    let owner = AttachmentOwner { kind: kind.owner(), id: comment_id, field: None };
    remove(tx, changes, target, owner.documents()).await
}

/// Removes these documents and their files, whether the caller may see them or not. Returns the
/// keys of the objects.
#[expect(
    clippy::disallowed_methods,
    reason = "removed with their owner, whether the caller sees them or not"
)]
async fn remove(
    tx: &DatabaseTransaction,
    changes: &mut Changes<'_>,
    target: &AuditTarget,
    condition: Condition,
) -> Result<Vec<String>, DbErr> {
    use document_files::Column::{DocumentId, FileId};
    let of_documents = || {
        let ids = Query::select()
            .column(documents::Column::DocumentId)
            .from(documents::Entity)
            .cond_where(condition.clone())
            .take();
        DocumentId.in_subquery(ids)
    };
    let files = document_files::Entity::find().filter(of_documents()).order_by_asc(FileId);
    let files = files.all(tx).await?;
    for file in &files {
        changes.add(target, Some(file), None)?;
    }
    let removed = documents::Entity::find().filter(condition.clone());
    for document in removed.order_by_asc(documents::Column::DocumentId).all(tx).await? {
        changes.add(target, Some(&document), None)?;
    }
    document_files::Entity::delete_many().filter(of_documents()).exec(tx).await?;
    documents::Entity::delete_many().filter(condition).exec(tx).await?;
    Ok(files.into_iter().map(|file| file.object_key).collect())
}

/// Locks a document of a field, and returns it with its files.
async fn lock(
    tx: &DatabaseTransaction,
    caller: &Caller,
    row_id: i64,
) -> Result<(documents::Model, Vec<document_files::Model>), DocumentError> {
    use documents::Column::{DocumentId, FieldName};
    let document = caller
        .find::<documents::Entity>()
        .filter(DocumentId.eq(row_id))
        .filter(FieldName.is_not_null())
        .lock_exclusive()
        .one(tx)
        .await?;
    let document = document.ok_or(DocumentError::NotFound)?;
    galera::guard_row(tx, "documents", row_id).await?;
    let files = super::files(caller, row_id).order_by_asc(document_files::Column::FileId);
    let files = files.all(tx).await?;
    Ok((document, files))
}

/// Refuses if the field of a document is read-only.
async fn check_field(
    tx: &DatabaseTransaction,
    caller: &Caller,
    document: &documents::Model,
) -> Result<(), DocumentError> {
    use user_defined_fields::Column::{FieldName, Form as OfForm, ReadOnlyFlag};
    let form = super::form_of(document.owner_type);
    let (Some(form), Some(name)) = (form, &document.field_name) else { return Ok(()) };
    let read_only_field = caller
        .find::<user_defined_fields::Entity>()
        .filter(OfForm.eq(form))
        .filter(FieldName.eq(name.as_str()))
        .filter(ReadOnlyFlag.eq(true));
    match read_only_field.one(tx).await? {
        None => Ok(()),
        Some(_) => Err(field_is_read_only()),
    }
}

/// Change of a field's document.
pub struct ChangeDocument {
    /// User who changes the document.
    pub editor: DocumentEditor,
    /// Id of the document, which must be attached to a field.
    pub row_id: i64,
    /// Version that the change is based on.
    pub expected: ExpectedVersion,
    /// New name and description.
    pub new: DocumentChange,
    /// Read-only members of the body: must equal those of the document.
    pub read_only: ReadOnlyMembers,
}

impl Command for ChangeDocument {
    type Answer = Document;
    type Refusal = DocumentRefusal;

    fn rows(&self) -> Vec<RowKey> {
        vec![RowKey::Document(self.row_id)]
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Document, DocumentError> {
        let Self { editor, row_id, expected, new, read_only } = self;
        let (before, files) = lock(tx, &editor.caller, *row_id).await?;
        expected.check(&super::version(&before, &files)?)?;
        read_only.check(&Document::new(before.clone(), files.clone())?)?;
        check_field(tx, &editor.caller, &before).await?;
        if new.name.trim().is_empty() {
            return Err(DocumentError::invalid("Name", "must not be empty"));
        }
        let name = new.name.clone().checked("Name")?;
        let description = checked("Description", new.description.clone())?;
        let mut after = documents::Model { name, description, ..before.clone() };
        if after == before {
            return Ok(Document::new(before, files)?);
        }
        after.modified_by_user_id = Some(editor.user_id()?);
        after.modified_date = Some(clock.now);
        let columns = audit::changed_columns::<_, documents::ActiveModel>(&before, &after);
        if let Some(columns) = columns {
            let by_id = documents::Column::DocumentId.eq(*row_id);
            documents::Entity::update_many().set(columns).filter(by_id).exec(tx).await?;
        }
        let target = super::audit_target(before.owner_type, before.owner_id);
        audit::record_in(&target, tx, &editor.author, clock.now, Some(&before), Some(&after))
            .await?;
        Ok(Document::new(after, files)?)
    }
}

/// Removal of a field's document. Returns the keys of the objects to be removed.
pub struct RemoveDocument {
    /// User who removes the document.
    pub editor: DocumentEditor,
    /// Id of the document, which must be attached to a field.
    pub row_id: i64,
    /// Version to be removed.
    pub expected: ExpectedVersion,
}

impl Command for RemoveDocument {
    type Answer = Vec<String>;
    type Refusal = DocumentRefusal;

    fn rows(&self) -> Vec<RowKey> {
        vec![RowKey::Document(self.row_id)]
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Vec<String>, DocumentError> {
        let Self { editor, row_id, expected } = self;
        let (document, files) = lock(tx, &editor.caller, *row_id).await?;
        expected.check(&super::version(&document, &files)?)?;
        check_field(tx, &editor.caller, &document).await?;
        let only = Condition::all().add(documents::Column::DocumentId.eq(*row_id));
        let removed = audit::recording(tx, &editor.author, clock.now, async |changes| {
            let target = super::audit_target(document.owner_type, document.owner_id);
            remove(tx, changes, &target, only).await
        });
        Ok(removed.await?)
    }
}

/// Addition of a file to a field's document.
pub struct AddFile {
    /// User who adds the file.
    pub editor: DocumentEditor,
    /// Id of the document, which must be attached to a field.
    pub row_id: i64,
    /// Uploaded file. A name or description sent with it is checked, but not stored.
    pub received: ReceivedForm,
}

impl Command for AddFile {
    type Answer = DocumentFile;
    type Refusal = DocumentRefusal;

    fn rows(&self) -> Vec<RowKey> {
        vec![RowKey::Document(self.row_id)]
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<DocumentFile, DocumentError> {
        let Self { editor, row_id, received } = self;
        let (document, files) = lock(tx, &editor.caller, *row_id).await?;
        check_field(tx, &editor.caller, &document).await?;
        check_texts(received)?;
        if files.len() >= FILES_MAX {
            let message = format!("a document can have at most {FILES_MAX} files");
            return Err(DocumentError::invalid("file", message));
        }
        let file = add_file(tx, editor, clock, *row_id, received).await?;
        let target = super::audit_target(document.owner_type, document.owner_id);
        audit::record_in(&target, tx, &editor.author, clock.now, None, Some(&file)).await?;
        Ok(file.into())
    }
}

/// Removal of a file. Returns the key of the object to be removed.
pub struct RemoveFile {
    /// User who removes the file.
    pub editor: DocumentEditor,
    /// Id of the document, which must be attached to a field.
    pub row_id: i64,
    /// File to be removed: one of at least two files of the document.
    pub file_id: i64,
}

impl Command for RemoveFile {
    type Answer = Vec<String>;
    type Refusal = DocumentRefusal;

    fn rows(&self) -> Vec<RowKey> {
        vec![RowKey::Document(self.row_id)]
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Vec<String>, DocumentError> {
        let Self { editor, row_id, file_id } = self;
        let (document, files) = lock(tx, &editor.caller, *row_id).await?;
        let has_others = files.len() > 1;
        let file = files.into_iter().find(|file| file.file_id == *file_id);
        let file = file.ok_or(DocumentError::NotFound)?;
        check_field(tx, &editor.caller, &document).await?;
        if !has_others {
            return Err(DocumentError::Refused(DocumentRefusal::LastFile));
        }
        document_files::Entity::delete_by_id(file.file_id).exec(tx).await?;
        let target = super::audit_target(document.owner_type, document.owner_id);
        audit::record_in(&target, tx, &editor.author, clock.now, Some(&file), None).await?;
        Ok(vec![file.object_key])
    }
}

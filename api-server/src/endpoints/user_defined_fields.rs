//! `/user-defined-fields`: the documents of user-defined fields.

use super::Group;
use crate::command::effects;
use crate::command::idempotency::Created;
use crate::documents::attaching::Upload;
use crate::documents::changes::{
    ChangeDocument, DocumentChange, Editor, RemoveDocument, RemoveFile,
};
use crate::documents::removals::Removed;
use crate::documents::uploads::FormBody;
use crate::documents::{self, Document, DocumentFile};
use crate::http::admission::CoreUser;
use crate::http::paging::{List, Page};
use crate::http::request_body::JsonBody;
use crate::http::versions::{Changed, Expected, Known, Versioned};
use crate::state::State;
use poem::Request;
use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path, Query};
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

/// `/user-defined-fields`
pub struct UserDefinedFields;

#[operations]
#[OpenApi(tag = "Group::Documents")]
impl UserDefinedFields {
    /// A document of a user-defined field.
    ///
    /// Needs the View of the form that owns the field: without it the document does not exist.
    #[oai(path = "/user-defined-fields/documents/:row_id", method = "get")]
    async fn get_document(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The document.
        row_id: Path<i64>,
        known: Known,
    ) -> Result<Versioned<Document>, Problem> {
        let document = documents::get(&state.db, &admitted.caller, row_id.0).await?;
        Ok(document.versioned(&known))
    }

    /// Changes what a document of a user-defined field is called and described as.
    ///
    /// The version to be changed is named by `versionHash`, by `If-Match`, or by both. Where
    /// somebody else changed the document or its files since, nothing is done: 412 for `If-Match`,
    /// else 409. What GET answered with may be sent back whole: a member that cannot be changed here
    /// is 400 where it differs from the document. Needs the View of the form that owns the field
    /// (else 404) and its Change (else 403).
    #[oai(path = "/user-defined-fields/documents/:row_id", method = "put")]
    async fn change_document(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// The document.
        row_id: Path<i64>,
        /// The version to be changed, in quotation marks.
        #[oai(name = "If-Match")]
        _if_match: Header<Option<String>>,
        change: JsonBody<DocumentChange>,
    ) -> Result<Changed<Document>, Problem> {
        let JsonBody { value: new, read_only, .. } = change;
        let row_id = row_id.0;
        let expected = Expected::of(request, new.version_hash.clone())?;
        let editor = Editor::new(request, admitted.caller)?;
        documents::changeable(&state.db, &editor.caller, row_id).await?;
        let change = ChangeDocument { editor, row_id, expected, new, read_only };
        Ok(effects::change(&state.writer, change).await?.changed())
    }

    /// Removes a document of a user-defined field, with its files.
    ///
    /// The version to be removed is named by `versionHash`, by `If-Match`, or by both. Needs the
    /// View of the form that owns the field (else 404) and its Change (else 403).
    #[oai(path = "/user-defined-fields/documents/:row_id", method = "delete")]
    async fn remove_document(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// The document.
        row_id: Path<i64>,
        /// The version to be removed. Required unless `If-Match` names it.
        #[oai(name = "versionHash")]
        version_hash: Query<Option<String>>,
        /// The version to be removed, in quotation marks.
        #[oai(name = "If-Match")]
        _if_match: Header<Option<String>>,
    ) -> Result<Removed, Problem> {
        let expected = Expected::of(request, version_hash.0)?;
        let editor = Editor::new(request, admitted.caller)?;
        let row_id = row_id.0;
        documents::changeable(&state.db, &editor.caller, row_id).await?;
        Removed::of(&state.documents, RemoveDocument { editor, row_id, expected }).await
    }

    /// The files of a user-defined field's document.
    ///
    /// Needs the View of the form that owns the field: without it the document does not exist.
    #[oai(path = "/user-defined-fields/documents/:row_id/files", method = "get")]
    async fn list_document_files(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The document.
        row_id: Path<i64>,
        page: Page,
    ) -> Result<List<DocumentFile>, Problem> {
        documents::list_files(&state.db, &admitted.caller, row_id.0, &page).await
    }

    /// Adds a file to a user-defined field's document.
    ///
    /// The texts `name` and `description` are ignored. The type of the file is found from its
    /// content; a type that is not taken is refused with 415, a file that is too large with 413.
    /// Needs the View of the form that owns the field (else 404) and its Change (else 403). With an
    /// `Idempotency-Key` a repeated request gets the first answer and adds nothing.
    #[oai(path = "/user-defined-fields/documents/:row_id/files", method = "post")]
    async fn create_document_file(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// The document.
        row_id: Path<i64>,
        /// Makes repeating the request safe: 1 to 255 printable ASCII characters.
        #[oai(name = "Idempotency-Key")]
        _idempotency_key: Header<Option<String>>,
        form: FormBody,
    ) -> Result<Created<DocumentFile>, Problem> {
        let upload = Upload::new(request, admitted.caller, form)?;
        documents::changeable(&state.db, upload.caller(), row_id.0).await?;
        upload.add_file(&state.documents, row_id.0).await
    }

    /// Removes a file from a user-defined field's document; its last file stays.
    ///
    /// Needs the View of the form that owns the field (else 404) and its Change (else 403).
    #[oai(path = "/user-defined-fields/documents/:row_id/files", method = "delete")]
    async fn remove_document_file(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// The document.
        row_id: Path<i64>,
        /// The file.
        #[oai(name = "fileId")]
        file_id: Query<i64>,
    ) -> Result<Removed, Problem> {
        let editor = Editor::new(request, admitted.caller)?;
        let row_id = row_id.0;
        documents::changeable(&state.db, &editor.caller, row_id).await?;
        Removed::of(&state.documents, RemoveFile { editor, row_id, file_id: file_id.0 }).await
    }
}

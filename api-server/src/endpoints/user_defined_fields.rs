//! `/user-defined-fields`: documents of user-defined fields.

use super::Group;
use crate::command::execute;
use crate::command::idempotency::Created;
use crate::documents::attach::Upload;
use crate::documents::changes::{
    ChangeDocument, DocumentChange, DocumentEditor, RemoveDocument, RemoveFile,
};
use crate::documents::multipart::FormBody;
use crate::documents::no_content::NoContent;
use crate::documents::{self, Document, DocumentFile};
use crate::http::admission::CoreUser;
use crate::http::etag::{ExpectedVersion, IfNoneMatch, Updated, WithEtag};
use crate::http::json_body::JsonBody;
use crate::http::pagination::{List, Page};
use crate::state::State;
use poem::Request;
use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path, Query};
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

pub struct UserDefinedFields;

#[operations]
#[OpenApi(tag = "Group::Documents")]
impl UserDefinedFields {
    /// Get a user-defined field's document.
    ///
    /// Requires the View privilege on the form that owns the field; without it, the request gets
    /// 404.
    #[oai(path = "/user-defined-fields/documents/:row_id", method = "get")]
    async fn get_document(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// Document id (`Row_ID`).
        row_id: Path<i64>,
        if_none_match: IfNoneMatch,
    ) -> Result<WithEtag<Document>, Problem> {
        let document = documents::get(&state.reads, &admitted.caller, row_id.0).await?;
        Ok(document.versioned(&if_none_match))
    }

    /// Update the name and description of a user-defined field's document.
    ///
    /// Specify the version to be updated in `versionHash`, in `If-Match`, or in both. If the
    /// document or its files have changed since that version, nothing is written, and the request
    /// is refused with 412 for `If-Match`, otherwise with 409. The response to a GET may be sent
    /// back as it is: a read-only member that differs from the stored document is refused with 400.
    /// Requires the View privilege on the form that owns the field (otherwise 404) and its Change
    /// privilege (otherwise 403).
    #[oai(path = "/user-defined-fields/documents/:row_id", method = "put")]
    async fn change_document(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// Document id (`Row_ID`).
        row_id: Path<i64>,
        /// Version to be updated, in quotation marks.
        _if_match: Header<Option<String>>,
        change: JsonBody<DocumentChange>,
    ) -> Result<Updated<Document>, Problem> {
        let JsonBody { value: new, read_only, .. } = change;
        let row_id = row_id.0;
        let expected = ExpectedVersion::of(request, new.version_hash.clone())?;
        let editor = DocumentEditor::new(request, admitted.caller)?;
        documents::changeable(&state.reads, &editor.caller, row_id).await?;
        let change = ChangeDocument { editor, row_id, expected, new, read_only };
        Ok(execute::execute_without_key(&state.executor, change).await?.changed())
    }

    /// Remove a user-defined field's document and its files.
    ///
    /// Specify the version to be removed in `versionHash`, in `If-Match`, or in both. Requires the
    /// View privilege on the form that owns the field (otherwise 404) and its Change privilege
    /// (otherwise 403).
    #[oai(path = "/user-defined-fields/documents/:row_id", method = "delete")]
    async fn remove_document(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// Document id (`Row_ID`).
        row_id: Path<i64>,
        /// Version to be removed. Required unless `If-Match` specifies it.
        version_hash: Query<Option<String>>,
        /// Version to be removed, in quotation marks.
        _if_match: Header<Option<String>>,
    ) -> Result<NoContent, Problem> {
        let expected = ExpectedVersion::of(request, version_hash.0)?;
        let editor = DocumentEditor::new(request, admitted.caller)?;
        let row_id = row_id.0;
        documents::changeable(&state.reads, &editor.caller, row_id).await?;
        NoContent::of(&state.documents, RemoveDocument { editor, row_id, expected }).await
    }

    /// List the files of a user-defined field's document.
    ///
    /// Requires the View privilege on the form that owns the field; without it, the request gets
    /// 404.
    #[oai(path = "/user-defined-fields/documents/:row_id/files", method = "get")]
    async fn list_document_files(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// Document id (`Row_ID`).
        row_id: Path<i64>,
        page: Page,
    ) -> Result<List<DocumentFile>, Problem> {
        documents::list_files(&state.reads, &admitted.caller, row_id.0, &page).await
    }

    /// Add a file to a user-defined field's document.
    ///
    /// The parts `name` and `description` are ignored. The file type is detected from the content:
    /// an unsupported type is refused with 415, and a file that is too large with 413. Requires the
    /// View privilege on the form that owns the field (otherwise 404) and its Change privilege
    /// (otherwise 403). With an `Idempotency-Key`, a repeated request gets the first response and
    /// adds nothing.
    #[oai(path = "/user-defined-fields/documents/:row_id/files", method = "post")]
    async fn create_document_file(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// Document id (`Row_ID`).
        row_id: Path<i64>,
        /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
        _idempotency_key: Header<Option<String>>,
        form: FormBody,
    ) -> Result<Created<DocumentFile>, Problem> {
        let upload = Upload::new(request, admitted.caller, form)?;
        documents::changeable(&state.reads, upload.caller(), row_id.0).await?;
        upload.add_file(&state.documents, row_id.0).await
    }

    /// Remove a file from a user-defined field's document.
    ///
    /// The last file of a document cannot be removed. Requires the View privilege on the form that
    /// owns the field (otherwise 404) and its Change privilege (otherwise 403).
    #[oai(path = "/user-defined-fields/documents/:row_id/files", method = "delete")]
    async fn remove_document_file(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// Document id (`Row_ID`).
        row_id: Path<i64>,
        /// File id.
        file_id: Query<i64>,
    ) -> Result<NoContent, Problem> {
        let editor = DocumentEditor::new(request, admitted.caller)?;
        let row_id = row_id.0;
        documents::changeable(&state.reads, &editor.caller, row_id).await?;
        NoContent::of(&state.documents, RemoveFile { editor, row_id, file_id: file_id.0 }).await
    }
}

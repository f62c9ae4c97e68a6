//! `/contacts/comments`: contact comments and their documents.

use super::super::Group;
use crate::command::idempotency::CreatedVersion;
use crate::documents::attach::Upload;
use crate::documents::changes::{DocumentEditor, RemoveCommentDocument};
use crate::documents::comments::{self, Comment, CommentKind};
use crate::documents::multipart::FormBody;
use crate::documents::no_content::NoContent;
use crate::documents::{self, AttachmentOwner, Document};
use crate::http::admission::CoreUser;
use crate::http::etag::{IfNoneMatch, WithEtag};
use crate::http::pagination::{List, Page};
use crate::state::State;
use poem::Request;
use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path, Query};
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

/// `/contacts/comments`
pub struct ContactComments;

#[operations]
#[OpenApi(tag = "Group::Comments")]
impl ContactComments {
    /// Get a contact comment.
    #[oai(path = "/contacts/comments/:comment_id", method = "get")]
    async fn get_contact_comment(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        comment_id: Path<i64>,
        if_none_match: IfNoneMatch,
    ) -> Result<WithEtag<Comment>, Problem> {
        let comment =
            comments::get(&state.reads, &admitted.caller, CommentKind::Contact, comment_id.0)
                .await?;
        Ok(comment.versioned(&if_none_match))
    }

    /// List the documents of a contact comment.
    #[oai(path = "/contacts/comments/:comment_id/documents", method = "get")]
    async fn list_contact_comment_documents(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        comment_id: Path<i64>,
        /// Only the document with this id; 404 if it is not attached here.
        document_id: Query<Option<i64>>,
        page: Page,
    ) -> Result<List<Document>, Problem> {
        let (db, caller) = (&state.reads, &admitted.caller);
        let owner =
            AttachmentOwner::comment(db, caller, CommentKind::Contact, comment_id.0).await?;
        documents::list(db, caller, &owner, document_id.0, &page).await
    }

    /// Attach a document with one file to a contact comment.
    ///
    /// The file type is detected from the content: an unsupported type is refused with 415, and a
    /// file that is too large with 413. With an `Idempotency-Key`, a repeated request gets the
    /// first response and attaches nothing.
    #[oai(path = "/contacts/comments/:comment_id/documents", method = "post")]
    async fn create_contact_comment_document(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        comment_id: Path<i64>,
        /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
        _idempotency_key: Header<Option<String>>,
        form: FormBody,
    ) -> Result<CreatedVersion<Document>, Problem> {
        let upload = Upload::new(request, admitted.caller, form)?;
        let owner = AttachmentOwner::comment(
            &state.reads,
            upload.caller(),
            CommentKind::Contact,
            comment_id.0,
        )
        .await?;
        upload.attach(&state.documents, owner).await
    }

    /// Remove a document and its files from a contact comment.
    #[oai(path = "/contacts/comments/:comment_id/documents", method = "delete")]
    async fn remove_contact_comment_document(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        comment_id: Path<i64>,
        /// Document id.
        document_id: Query<i64>,
    ) -> Result<NoContent, Problem> {
        let editor = DocumentEditor::new(request, admitted.caller)?;
        let owner = AttachmentOwner::comment(
            &state.reads,
            &editor.caller,
            CommentKind::Contact,
            comment_id.0,
        )
        .await?;
        let removal = RemoveCommentDocument { editor, owner, document_id: document_id.0 };
        NoContent::of(&state.documents, removal).await
    }
}

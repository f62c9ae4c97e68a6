//! `/contacts/comments`: contact comments and their documents.

use super::super::Group;
use crate::documents::comments::{self, Comment, CommentKind};
use crate::endpoints::documents::comment_documents;
use crate::http::admission::CoreUser;
use crate::http::etag::{IfNoneMatch, WithEtag};
use crate::state::State;
use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
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
}

/// `/contacts/comments/…/documents`
pub struct ContactCommentDocuments;

comment_documents! {
    ContactCommentDocuments, Contact, path = "/contacts/comments/:comment_id/documents",
    /// List the documents of a contact comment.
    list_contact_comment_documents,
    /// Attach a document with one file to a contact comment.
    create_contact_comment_document,
    /// Remove a document and its files from a contact comment.
    remove_contact_comment_document
}

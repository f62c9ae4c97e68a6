//! `/loans/comments`: loan comments and their documents.

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

/// `/loans/comments`
pub struct LoanComments;

#[operations]
#[OpenApi(tag = "Group::Comments")]
impl LoanComments {
    /// Get a loan comment.
    #[oai(path = "/loans/comments/:comment_id", method = "get")]
    async fn get_loan_comment(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        comment_id: Path<i64>,
        known: IfNoneMatch,
    ) -> Result<WithEtag<Comment>, Problem> {
        let comment =
            comments::get(&state.reads, &admitted.caller, CommentKind::Loan, comment_id.0).await?;
        Ok(comment.versioned(&known))
    }
}

/// `/loans/comments/…/documents`
pub struct LoanCommentDocuments;

comment_documents! {
    LoanCommentDocuments, Loan, path = "/loans/comments/:comment_id/documents",
    /// List the documents of a loan comment.
    list_loan_comment_documents,
    /// Attach a document with one file to a loan comment.
    create_loan_comment_document,
    /// Remove a document and its files from a loan comment.
    remove_loan_comment_document
}

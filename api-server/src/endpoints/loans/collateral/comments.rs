//! `/loans/collateral/comments`: collateral comments and their documents.

use super::super::super::Group;
use crate::command::execute;
use crate::documents::changes::DocumentEditor;
use crate::documents::comments::changes::{Category, ChangeComment, CommentChange, RemoveComment};
use crate::documents::comments::{self, Comment, CommentKind};
use crate::documents::no_content::NoContent;
use crate::endpoints::documents::comment_operations;
use crate::http::admission::CoreUser;
use crate::http::etag::{ExpectedVersion, IfNoneMatch, Updated, WithEtag};
use crate::http::json_body::JsonBody;
use crate::state::State;
use poem::Request;
use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::{Header, Path, Query};
use shared::operations;
use shared::problem::Problem;
use std::sync::Arc;

/// `/loans/collateral/comments`
pub struct CollateralComments;

#[operations]
#[OpenApi(tag = "Group::Comments")]
impl CollateralComments {
    /// Get a collateral comment.
    #[oai(path = "/loans/collateral/comments/:comment_id", method = "get")]
    async fn get_collateral_comment(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        comment_id: Path<i64>,
        known: IfNoneMatch,
    ) -> Result<WithEtag<Comment>, Problem> {
        let comment =
            comments::get(&state.reads, &admitted.caller, CommentKind::Collateral, comment_id.0)
                .await?;
        Ok(comment.versioned(&known))
    }

    /// Update a collateral comment.
    ///
    /// Replaces the comment. Specify the version to be updated in `versionHash`, in `If-Match`, or
    /// in both. If the comment has changed since that version, nothing is written, and the request
    /// is refused with 412 for `If-Match`, otherwise with 409. The response to a GET may be sent
    /// back as it is: a read-only member that differs from the stored comment is refused with 400.
    #[oai(path = "/loans/collateral/comments/:comment_id", method = "put")]
    async fn change_collateral_comment(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        comment_id: Path<i64>,
        /// Version to be updated, in quotation marks.
        _if_match: Header<Option<String>>,
        change: JsonBody<CommentChange>,
    ) -> Result<Updated<Comment>, Problem> {
        let JsonBody { value: new, read_only, .. } = change;
        let comment_id = comment_id.0;
        let expected = ExpectedVersion::of(request, new.version_hash.clone())?;
        let editor = DocumentEditor::new(request, admitted.caller)?;
        comments::get(&state.reads, &editor.caller, CommentKind::Collateral, comment_id).await?;
        let category =
            Category::find(&state.reads, &editor.caller, new.comment_category_id).await?;
        let kind = CommentKind::Collateral;
        let change = ChangeComment { editor, kind, comment_id, expected, category, new, read_only };
        Ok(execute::execute_without_key(&state.executor, change).await?.changed())
    }

    /// Remove a collateral comment and its documents.
    ///
    /// Specify the version to be removed in `versionHash`, in `If-Match`, or in both.
    #[oai(path = "/loans/collateral/comments/:comment_id", method = "delete")]
    async fn remove_collateral_comment(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        comment_id: Path<i64>,
        /// Version to be removed. Required unless `If-Match` specifies it.
        version_hash: Query<Option<String>>,
        /// Version to be removed, in quotation marks.
        _if_match: Header<Option<String>>,
    ) -> Result<NoContent, Problem> {
        let expected = ExpectedVersion::of(request, version_hash.0)?;
        let editor = DocumentEditor::new(request, admitted.caller)?;
        let (kind, comment_id) = (CommentKind::Collateral, comment_id.0);
        comments::get(&state.reads, &editor.caller, kind, comment_id).await?;
        let removal = RemoveComment { editor, kind, comment_id, expected };
        NoContent::of(&state.documents, removal).await
    }
}

/// `/loans/collateral/comments/…/documents`
pub struct CollateralCommentDocuments;

comment_operations! {
    CollateralCommentDocuments, Collateral;

    record: path = "/loans/collateral/:collateral_id/comments", collateral_id,
    /// List a collateral item's comments.
    list_collateral_comments,
    /// Add a comment to a collateral item.
    create_collateral_comment;

    documents: path = "/loans/collateral/comments/:comment_id/documents",
    /// List the documents of a collateral comment.
    list_collateral_comment_documents,
    /// Attach a document with one file to a collateral comment.
    create_collateral_comment_document,
    /// Remove a document and its files from a collateral comment.
    remove_collateral_comment_document
}

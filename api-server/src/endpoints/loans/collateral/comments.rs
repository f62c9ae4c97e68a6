//! `/loans/collateral/comments`: comments on collateral, and their documents.

use super::super::super::Group;
use crate::access::CoreUser;
use crate::app::App;
use crate::comments::{self, Comment, Kind};
use crate::documents::{self, Document, Owner};
use crate::paging::{List, Page};
use crate::versions::{Known, Versioned};
use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};
use shared::problem::Problem;
use std::sync::Arc;

/// `/loans/collateral/comments`
pub struct CollateralComments;

#[OpenApi(tag = "Group::Comments")]
impl CollateralComments {
    /// A comment on a collateral.
    #[oai(
        path = "/loans/collateral/comments/:comment_id",
        method = "get",
        operation_id = "get_collateral_comment"
    )]
    async fn get_collateral_comment(
        &self,
        CoreUser(admitted): CoreUser,
        app: Data<&Arc<App>>,
        /// The comment.
        comment_id: Path<i64>,
        known: Known,
    ) -> Result<Versioned<Comment>, Problem> {
        let comment =
            comments::get(&app.db, &admitted.caller, Kind::Collateral, comment_id.0).await?;
        Ok(comment.versioned(&known))
    }

    /// The documents of a comment on a collateral.
    #[oai(
        path = "/loans/collateral/comments/:comment_id/documents",
        method = "get",
        operation_id = "list_collateral_comment_documents"
    )]
    async fn list_collateral_comment_documents(
        &self,
        CoreUser(admitted): CoreUser,
        app: Data<&Arc<App>>,
        /// The comment.
        comment_id: Path<i64>,
        /// This document only.
        #[oai(name = "documentId")]
        document_id: Query<Option<i64>>,
        page: Page,
    ) -> Result<List<Document>, Problem> {
        let (db, caller) = (&app.db, &admitted.caller);
        let owner = Owner::comment(db, caller, Kind::Collateral, comment_id.0).await?;
        documents::list(db, caller, &owner, document_id.0, &page).await
    }
}

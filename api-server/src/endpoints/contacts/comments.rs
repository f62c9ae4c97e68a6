//! `/contacts/comments`: comments on contacts, and their documents.

use super::super::Group;
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

/// `/contacts/comments`
pub struct ContactComments;

#[OpenApi(tag = "Group::Comments")]
impl ContactComments {
    /// A comment on a contact.
    #[oai(
        path = "/contacts/comments/:comment_id",
        method = "get",
        operation_id = "get_contact_comment"
    )]
    async fn get_contact_comment(
        &self,
        CoreUser(admitted): CoreUser,
        app: Data<&Arc<App>>,
        /// The comment.
        comment_id: Path<i64>,
        known: Known,
    ) -> Result<Versioned<Comment>, Problem> {
        let comment = comments::get(&app.db, &admitted.caller, Kind::Contact, comment_id.0).await?;
        Ok(comment.versioned(&known))
    }

    /// The documents of a comment on a contact.
    #[oai(
        path = "/contacts/comments/:comment_id/documents",
        method = "get",
        operation_id = "list_contact_comment_documents"
    )]
    async fn list_contact_comment_documents(
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
        let owner = Owner::comment(db, caller, Kind::Contact, comment_id.0).await?;
        documents::list(db, caller, &owner, document_id.0, &page).await
    }
}

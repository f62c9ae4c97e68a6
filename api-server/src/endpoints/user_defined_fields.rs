//! `/user-defined-fields`: the documents of user-defined fields.

use super::Group;
use crate::access::CoreUser;
use crate::app::App;
use crate::documents::{self, Document, DocumentFile};
use crate::paging::{List, Page};
use crate::versions::{Known, Versioned};
use poem::web::Data;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use shared::problem::Problem;
use std::sync::Arc;

/// `/user-defined-fields`
pub struct UserDefinedFields;

#[OpenApi(tag = "Group::Documents")]
impl UserDefinedFields {
    /// A document of a user-defined field.
    ///
    /// Needs the View of the form that owns the field: without it the document does not exist.
    #[oai(
        path = "/user-defined-fields/documents/:row_id",
        method = "get",
        operation_id = "get_document"
    )]
    async fn get_document(
        &self,
        CoreUser(admitted): CoreUser,
        app: Data<&Arc<App>>,
        /// The document.
        row_id: Path<i64>,
        known: Known,
    ) -> Result<Versioned<Document>, Problem> {
        let document = documents::get(&app.db, &admitted.caller, row_id.0).await?;
        Ok(document.versioned(&known))
    }

    /// The files of a user-defined field's document.
    ///
    /// Needs the View of the form that owns the field: without it the document does not exist.
    #[oai(
        path = "/user-defined-fields/documents/:row_id/files",
        method = "get",
        operation_id = "list_document_files"
    )]
    async fn list_document_files(
        &self,
        CoreUser(admitted): CoreUser,
        app: Data<&Arc<App>>,
        /// The document.
        row_id: Path<i64>,
        page: Page,
    ) -> Result<List<DocumentFile>, Problem> {
        documents::list_files(&app.db, &admitted.caller, row_id.0, &page).await
    }
}

//! The history of fields: one row per changed column.

use crate::interface_names;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A column of a row that got another value. A row that was inserted has no old values, one that was
/// deleted no new ones.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "field_changes")]
#[oai(rename = "FieldChange", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    /// Whose history.
    pub loan_id: Option<i64>,
    /// Whose history.
    pub contact_id: Option<i64>,
    /// As it is called in the database.
    pub table_name: String,
    /// The key of the changed row.
    pub record_id: i64,
    pub field_name: String,
    pub field_label: String,
    /// Masked where the caller may not read the value whole.
    pub old_value: Option<String>,
    /// Masked where the caller may not read the value whole.
    pub new_value: Option<String>,
    pub modified_by_user_id: Option<i64>,
    pub modified_by_name: String,
    pub modified_date: Timestamp,
    pub source: ChangeSource,
    pub request_id: String,
    /// Whose View reads the changed row.
    #[oai(skip)]
    pub privilege_path: String,
    /// The category whose trustees read it.
    #[oai(skip)]
    pub comment_category_id: Option<i64>,
    /// The comment that the changed row is, or hangs on.
    #[oai(skip)]
    pub comment_id: Option<i64>,
}

no_relations!();

text_enum! {
    /// Where a change came from.
    pub enum ChangeSource {
        /// A request to the API.
        Api,
        /// An XML import.
        Xml,
        /// The payment gateway.
        Gateway,
        /// A batch program of the core system.
        Batch,
        /// The installer.
        Installer,
    }
}

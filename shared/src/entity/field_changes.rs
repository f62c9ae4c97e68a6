//! Field history: one row per changed column.

use crate::time::Timestamp;

/// A change to one column of a row. An inserted row has no old values, a deleted one no new values.
#[shared_macros::table("field_changes", object = "FieldChange")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    /// Loan whose history the change belongs to.
    pub loan_id: Option<i64>,
    /// Contact whose history the change belongs to.
    pub contact_id: Option<i64>,
    /// Name of the table in the database.
    pub table_name: String,
    /// Key of the changed row.
    pub record_id: i64,
    pub field_name: String,
    pub field_label: String,
    /// Value before the change, masked if the caller may not read it in full.
    pub old_value: Option<String>,
    /// Value after the change, masked if the caller may not read it in full.
    pub new_value: Option<String>,
    pub modified_by_user_id: Option<i64>,
    pub modified_by_name: String,
    pub modified_date: Timestamp,
    pub source: ChangeSource,
    pub request_id: String,
    /// Privilege path whose View is required to read the change.
    #[oai(skip)]
    pub privilege_path: String,
    /// Comment category whose trustees may read the change.
    #[oai(skip)]
    pub comment_category_id: Option<i64>,
    /// Comment that the changed row is, or belongs to.
    #[oai(skip)]
    pub comment_id: Option<i64>,
}

text_enum! {
    /// Origin of a change.
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

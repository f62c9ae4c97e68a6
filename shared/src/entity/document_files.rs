//! Files of documents. They never change.

use crate::time::Timestamp;

#[shared_macros::table("document_files", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub file_id: i64,
    pub document_id: i64,
    pub file_name: String,
    pub content_type: String,
    pub size_bytes: i64,
    /// SHA-256 of the file's bytes, in lower-case hex.
    pub sha256: String,
    /// Key of the object that holds the bytes. It appears in no response.
    pub object_key: String,
    pub uploaded_by_user_id: i64,
    pub uploaded_date: Timestamp,
}

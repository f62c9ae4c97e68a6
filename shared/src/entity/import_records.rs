//! Results of import records, written in the same transaction as the records themselves, so that a
//! repeated import resumes after the last committed one.

/// A row of `import_records`: consecutive records, or a part of a long one.
#[shared_macros::table("import_records")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub import_id: i64,
    /// Position of the first record in the file, from 0.
    pub record_index: i64,
    /// Number of records completed with this row: 0 for every part of a long record but the last.
    pub record_count: i32,
    /// Part of a long record, from 0.
    pub part: i32,
    /// Results: for each record an array of results, as JSON.
    pub result: String,
}

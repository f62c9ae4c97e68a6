//! What came of the records of an import, written in the transaction of the records themselves, so
//! that a repeated import goes on behind the last one.

use sea_orm::entity::prelude::*;

/// A row of `import_records`: neighbouring records, or a part of a long one.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_records")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub import_id: i64,
    /// Place of the first record in the file, from 0.
    pub record_index: i64,
    /// So many records are done with it: 0 for each part of a long record but its last.
    pub record_count: i32,
    /// Of a long record: which part, from 0.
    pub part: i32,
    /// What came of them: for each record an array of results, as JSON.
    pub result: String,
}

no_relations!();

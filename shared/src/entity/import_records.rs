//! How far an import under an `Idempotency-Key` has come: one row per top-level record, written in
//! the record's own transaction, so that a repeated import goes on behind the last one.

use sea_orm::entity::prelude::*;

/// A row of `import_records`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "import_records")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    /// The import's row in `idempotency_records`.
    pub scope_hash: String,
    /// Place of the record in the file, from 0.
    pub record_index: i32,
    /// What came of it: results as JSON.
    pub result: String,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

//! Loans on which a batch run failed.

use sea_orm::entity::prelude::*;

/// A row of `batch_failures`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "batch_failures")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub batch_id: i64,
    pub loan_id: i64,
    pub code: String,
    pub message: String,
}

no_relations!();

//! What `shared::cluster` writes so that nodes of a cluster notice each other: counters that mean
//! nothing, one for each row that was ever guarded. Empty outside of clusters.

use sea_orm::entity::prelude::*;

/// A row of `row_guards`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "row_guards")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub guard_id: i32,
    pub writes: i64,
}

no_relations!();

//! Row guards, which `shared::galera` writes so that nodes of a cluster notice each other:
//! counters without meaning, one for each row ever guarded. Empty outside of clusters.

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

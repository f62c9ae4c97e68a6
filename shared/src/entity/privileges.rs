//! The core system's privileges: a path and a verb, such as `Loan > Payments`, `Add`.

use sea_orm::entity::prelude::*;

/// A row of `privileges`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "privileges")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub privilege_id: i64,
    pub path: String,
    pub verb: String,
}

no_relations!();

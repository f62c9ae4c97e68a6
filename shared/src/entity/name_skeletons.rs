//! What user names that look alike have in common, so that no two users of a kind get such names.

use sea_orm::entity::prelude::*;

/// A row of `name_skeletons`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "name_skeletons")]
pub struct Model {
    /// SHA-256 of the kind of user and the skeleton of the name.
    #[sea_orm(primary_key, auto_increment = false)]
    pub skeleton_hash: String,
    /// Users whose names have it: more than one only if they had them before names were compared.
    pub holders: i32,
}

no_relations!();

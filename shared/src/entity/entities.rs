//! Setup: entity codes, the kinds of persons and organizations.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use shared_macros::interface_names;

/// A kind of person or organization.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "entities")]
#[oai(rename = "Entity", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub entity_code: String,
    pub description: String,
    pub active_flag: bool,
    /// True for a natural person.
    pub person_flag: bool,
}

no_relations!();

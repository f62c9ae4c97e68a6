//! Setup: what kind of person or organization a contact is.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A kind of person or organization.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "entities")]
#[oai(rename = "Entity", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    #[oai(rename = "Entity_Code")]
    pub entity_code: String,
    #[oai(rename = "Description")]
    pub description: String,
    #[oai(rename = "Active_Flag")]
    pub active_flag: bool,
    /// A natural person.
    #[oai(rename = "Person_Flag")]
    pub person_flag: bool,
}

no_relations!();

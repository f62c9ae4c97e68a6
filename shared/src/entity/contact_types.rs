//! Setup: contact types.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use shared_macros::interface_names;

/// A type of contact.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "contact_types")]
#[oai(rename = "ContactType", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub contact_type_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
}

no_relations!();

//! Setup: contact types.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A type of contact.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "contact_types")]
#[oai(rename = "ContactType", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Contact_Type_ID")]
    pub contact_type_id: i64,
    #[oai(rename = "Code")]
    pub code: String,
    #[oai(rename = "Description")]
    pub description: String,
    #[oai(rename = "Active_Flag")]
    pub active_flag: bool,
}

no_relations!();

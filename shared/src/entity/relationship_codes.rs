//! Setup: how contacts relate to loans, to each other and to addresses.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A relationship of a contact to a loan, to another contact, or to an address.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "relationship_codes")]
#[oai(rename = "RelationshipCode", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    #[oai(rename = "Relationship_Code")]
    pub relationship_code: String,
    #[oai(rename = "Description")]
    pub description: String,
    #[oai(rename = "Active_Flag")]
    pub active_flag: bool,
    #[oai(rename = "Applies_To")]
    pub applies_to: AppliesTo,
    /// An address change keeps the old address under this code.
    #[oai(rename = "Auto_Prev_Addr")]
    pub auto_prev_addr: bool,
}

no_relations!();

text_enum! {
    /// What a relationship code is for.
    pub enum AppliesTo {
        /// Between contacts.
        Contact,
        /// Between a contact and a loan.
        Loan,
        /// Between a contact and an address.
        Address,
    }
}

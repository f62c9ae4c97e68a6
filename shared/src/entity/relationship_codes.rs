//! Setup: how contacts relate to loans, to each other and to addresses.

use poem_openapi::{Enum, Object};
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

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

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// What a relationship code is for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, Enum, Serialize, Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum AppliesTo {
    /// Between contacts.
    Contact,
    /// Between a contact and a loan.
    Loan,
    /// Between a contact and an address.
    Address,
}

//! Setup: how contacts relate to loans, to each other and to addresses.

use poem_openapi::Enum;
use sea_orm::entity::prelude::*;

/// A row of `relationship_codes`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "relationship_codes")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub relationship_code: String,
    pub description: String,
    pub active_flag: bool,
    pub applies_to: AppliesTo,
    /// An address change keeps the old address under this code.
    pub auto_prev_addr: bool,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// What a relationship code is for.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    EnumIter,
    DeriveActiveEnum,
    Enum,
    serde::Serialize,
    serde::Deserialize,
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

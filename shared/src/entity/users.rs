//! Core-system users.

use crate::time::Timestamp;
use poem_openapi::Enum;
use sea_orm::entity::prelude::*;

/// A row of `users`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub user_id: i64,
    pub user_name: String,
    pub full_name: String,
    pub email: Option<String>,
    pub status: UserStatus,
    pub admin_flag: bool,
    pub dba_flag: bool,
    pub loan_officer_flag: bool,
    pub collection_officer_flag: bool,
    pub contact_officer_flag: bool,
    pub created_date: Timestamp,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Whether a core-system user may log in.
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
pub enum UserStatus {
    /// May log in.
    Active,
    /// May not log in; the tokens are dead.
    Disabled,
}

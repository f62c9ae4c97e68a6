//! The history of fields: one row per changed column.

use crate::time::Timestamp;
use poem_openapi::Enum;
use sea_orm::entity::prelude::*;

/// A row of `field_changes`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "field_changes")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    /// Whose history.
    pub loan_id: Option<i64>,
    /// Whose history.
    pub contact_id: Option<i64>,
    pub table_name: String,
    pub record_id: String,
    pub field_name: String,
    pub field_label: String,
    pub old_value: Option<String>,
    pub new_value: Option<String>,
    pub modified_by_user_id: Option<i64>,
    pub modified_by_name: String,
    pub modified_date: Timestamp,
    pub source: ChangeSource,
    pub request_id: String,
    /// Whose View reads the changed row.
    pub privilege_path: String,
    pub comment_category_id: Option<i64>,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Where a change came from.
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
pub enum ChangeSource {
    /// A request to the API.
    Api,
    /// An XML import.
    Xml,
    /// The payment gateway.
    Gateway,
    /// A batch program of the core system.
    Batch,
    /// The installer.
    Installer,
}

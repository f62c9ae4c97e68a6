//! Cash drawers of branches.

use crate::amounts::Money;
use crate::time::Timestamp;
use poem_openapi::{Enum, Object};
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A cash drawer.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "cash_drawers")]
#[oai(rename = "CashDrawer", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Drawer_ID")]
    pub drawer_id: i64,
    #[oai(rename = "Name")]
    pub name: String,
    #[oai(rename = "Description")]
    pub description: Option<String>,
    #[oai(rename = "Drawer_Type")]
    pub drawer_type: DrawerType,
    #[oai(rename = "GL_Account")]
    pub gl_account: Option<String>,
    #[oai(rename = "Branch")]
    pub branch: Option<String>,
    #[oai(rename = "Status")]
    pub status: DrawerStatus,
    #[oai(rename = "Cash_Balance")]
    pub cash_balance: Money,
    #[oai(rename = "Check_Balance")]
    pub check_balance: Money,
    #[oai(rename = "Last_Reconciled_Date")]
    pub last_reconciled_date: Option<Timestamp>,
}

/// Joins are written where they are needed.
#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// Who a drawer is for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, Enum, Serialize, Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum DrawerType {
    /// One user at a time.
    Individual,
    /// The branch: no payments.
    Reserve,
}

/// Whether a drawer takes anything.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum, Enum, Serialize, Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[oai(rename_all = "snake_case")]
pub enum DrawerStatus {
    /// It does.
    Open,
    /// It does not.
    Closed,
}

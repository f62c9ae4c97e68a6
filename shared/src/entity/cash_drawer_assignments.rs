//! Who may work with which cash drawer.

use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A user who may work with a cash drawer.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "cash_drawer_assignments")]
#[oai(rename = "DrawerAssignment", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Row_ID")]
    pub row_id: i64,
    #[oai(rename = "Drawer_ID")]
    pub drawer_id: i64,
    #[oai(rename = "User_ID")]
    pub user_id: i64,
    #[oai(rename = "Assigned_Date")]
    pub assigned_date: Timestamp,
    #[oai(rename = "Assigned_By_User_ID")]
    pub assigned_by_user_id: i64,
}

no_relations!();

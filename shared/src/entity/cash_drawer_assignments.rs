//! Users assigned to cash drawers.

use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use shared_macros::interface_names;

/// Assignment of a user to a cash drawer.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "cash_drawer_assignments")]
#[oai(rename = "DrawerAssignment", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub drawer_id: i64,
    pub user_id: i64,
    pub assigned_date: Timestamp,
    pub assigned_by_user_id: i64,
}

no_relations!();

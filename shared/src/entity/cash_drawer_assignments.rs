//! Users assigned to cash drawers.

use crate::time::Timestamp;

/// Assignment of a user to a cash drawer.
#[shared_macros::table("cash_drawer_assignments", object = "DrawerAssignment")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub drawer_id: i64,
    pub user_id: i64,
    pub assigned_date: Timestamp,
    pub assigned_by_user_id: i64,
}

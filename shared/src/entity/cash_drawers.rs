//! Cash drawers of branches.

use crate::amounts::Money;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use shared_macros::interface_names;

/// A cash drawer.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "cash_drawers")]
#[oai(rename = "CashDrawer", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub drawer_id: i64,
    pub name: String,
    pub description: Option<String>,
    pub drawer_type: DrawerType,
    pub gl_account: Option<String>,
    pub branch: Option<String>,
    pub status: DrawerStatus,
    /// Cash in the drawer.
    pub cash_balance: Money,
    /// Checks in the drawer.
    pub check_balance: Money,
    pub last_reconciled_date: Option<Timestamp>,
}

no_relations!();

text_enum! {
    /// Kind of cash drawer.
    pub enum DrawerType {
        /// Used by one user at a time.
        Individual,
        /// Belongs to the branch and takes no payments.
        Reserve,
    }

    /// Status of a cash drawer.
    pub enum DrawerStatus {
        /// Accepts transactions.
        Open,
        /// Accepts no transactions.
        Closed,
    }
}

//! Cash drawers of branches.

use crate::amounts::Money;
use crate::time::Timestamp;

/// A cash drawer.
#[shared_macros::table("cash_drawers", object = "CashDrawer")]
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

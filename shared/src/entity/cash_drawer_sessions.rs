//! Sessions of users with cash drawers.

use crate::amounts::Money;
use crate::time::Timestamp;

/// A session of a user with a cash drawer.
#[shared_macros::table("cash_drawer_sessions", object = "DrawerSession")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub drawer_id: i64,
    pub user_id: i64,
    pub opened_date: Timestamp,
    /// Cash balance when the session was opened.
    pub opening_cash_balance: Money,
    /// End of the session; absent while it is open.
    pub ended_date: Option<Timestamp>,
}

//! Sessions of users with cash drawers.

use crate::amounts::Money;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use shared_macros::interface_names;

/// A session of a user with a cash drawer.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "cash_drawer_sessions")]
#[oai(rename = "DrawerSession", skip_serializing_if_is_none)]
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

no_relations!();

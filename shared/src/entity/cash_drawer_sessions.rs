//! Who works with which cash drawer, and since when.

use crate::amounts::Money;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// The time in which a user works with a cash drawer.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "cash_drawer_sessions")]
#[oai(rename = "DrawerSession", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Row_ID")]
    pub row_id: i64,
    #[oai(rename = "Drawer_ID")]
    pub drawer_id: i64,
    #[oai(rename = "User_ID")]
    pub user_id: i64,
    #[oai(rename = "Opened_Date")]
    pub opened_date: Timestamp,
    #[oai(rename = "Opening_Cash_Balance")]
    pub opening_cash_balance: Money,
    #[oai(rename = "Ended_Date")]
    pub ended_date: Option<Timestamp>,
}

no_relations!();

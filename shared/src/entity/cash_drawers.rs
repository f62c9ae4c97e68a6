//! Cash drawers of branches.

use crate::amounts::Money;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

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

no_relations!();

text_enum! {
    /// Who a drawer is for.
    pub enum DrawerType {
        /// One user at a time.
        Individual,
        /// The branch: no payments.
        Reserve,
    }

    /// Whether a drawer takes anything.
    pub enum DrawerStatus {
        /// It does.
        Open,
        /// It does not.
        Closed,
    }
}

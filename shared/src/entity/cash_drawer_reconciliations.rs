//! Counts of cash drawers.

use crate::amounts::Money;
use crate::lists::Denominations;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A count of a cash drawer, compared with what should be in it.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "cash_drawer_reconciliations")]
#[oai(rename = "Reconciliation", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Reconciliation_ID")]
    pub reconciliation_id: i64,
    #[oai(rename = "Drawer_ID")]
    pub drawer_id: i64,
    #[oai(rename = "User_ID")]
    pub user_id: i64,
    #[oai(rename = "Reconciled_Date")]
    pub reconciled_date: Timestamp,
    #[oai(rename = "Expected_Cash")]
    pub expected_cash: Money,
    #[oai(rename = "Counted_Cash")]
    pub counted_cash: Money,
    #[oai(rename = "Expected_Check")]
    pub expected_check: Money,
    #[oai(rename = "Counted_Check")]
    pub counted_check: Money,
    /// Counted less expected.
    #[oai(rename = "Over_Short_Cash")]
    pub over_short_cash: Money,
    /// Counted less expected.
    #[oai(rename = "Over_Short_Check")]
    pub over_short_check: Money,
    /// How often each note and coin was counted.
    #[oai(rename = "Denominations")]
    pub denominations: Denominations,
    #[oai(rename = "Status")]
    pub status: ReconciliationStatus,
    #[oai(rename = "Comment")]
    pub comment: Option<String>,
}

no_relations!();

text_enum! {
    /// What a count came to.
    pub enum ReconciliationStatus {
        /// What was expected.
        Balanced,
        /// More.
        Over,
        /// Less.
        Short,
        /// More of one tender and less of the other.
        Mixed,
    }
}

//! Counts of cash drawers.

use crate::amounts::Money;
use crate::interface_names;
use crate::lists::Denominations;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// A count of a cash drawer, compared with what should be in it.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "cash_drawer_reconciliations")]
#[oai(rename = "Reconciliation", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub reconciliation_id: i64,
    pub drawer_id: i64,
    pub user_id: i64,
    pub reconciled_date: Timestamp,
    pub expected_cash: Money,
    pub counted_cash: Money,
    pub expected_check: Money,
    pub counted_check: Money,
    /// Counted less expected.
    pub over_short_cash: Money,
    /// Counted less expected.
    pub over_short_check: Money,
    /// How often each note and coin was counted.
    pub denominations: Denominations,
    pub status: ReconciliationStatus,
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

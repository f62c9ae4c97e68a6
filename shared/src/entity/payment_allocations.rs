//! Payment allocations: amounts that transactions paid on due rows.

use crate::amounts::Money;
use sea_orm::entity::prelude::*;

/// A row of `payment_allocations`.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "payment_allocations")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub transaction_id: i64,
    pub payment_due_id: i64,
    pub amount: Money,
}

no_relations!();

//! Payment allocations: amounts that transactions paid on due rows.

use crate::amounts::Money;

#[shared_macros::table("payment_allocations")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub transaction_id: i64,
    pub payment_due_id: i64,
    pub amount: Money,
}

//! Due rows: installments that have fallen due, with the amounts due and paid.

use crate::amounts::Money;
use sea_orm::entity::prelude::*;

#[shared_macros::table("payments_due")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub loan_id: i64,
    pub payment_number: i32,
    pub due_date: Date,
    pub interest_due: Money,
    pub principal_due: Money,
    pub interest_paid: Money,
    pub principal_paid: Money,
}

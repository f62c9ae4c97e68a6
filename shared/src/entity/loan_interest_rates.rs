//! Interest rates of loans, each in effect from its date.

use crate::amounts::Rate;
use sea_orm::entity::prelude::*;

#[shared_macros::table("loan_interest_rates", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub loan_id: i64,
    pub effective_date: Date,
    pub interest_rate: Rate,
}

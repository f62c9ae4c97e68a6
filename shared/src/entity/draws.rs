//! Draws on credit lines: the rows of `loan_transactions` with code 110, with only the columns that
//! borrowers may see too.

use crate::amounts::Money;
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// Transaction code of a draw.
pub const CODE: i32 = 110;

/// A draw on a credit line.
#[shared_macros::table("loan_transactions", object = "Draw")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub transaction_id: i64,
    pub creditline_id: Option<i64>,
    pub loan_id: i64,
    #[oai(skip)]
    pub transaction_code: i32,
    /// Time at which the draw was posted.
    pub transaction_date: Timestamp,
    /// Date on which the draw takes effect.
    pub effective_date: Date,
    #[oai(rename = "Amount")]
    pub transaction_amount: Money,
    #[oai(rename = "Description")]
    pub transaction_description: String,
    pub user_reference: Option<String>,
    pub reversed_flag: bool,
}

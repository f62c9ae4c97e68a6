//! Draws on credit lines: the rows of `loan_transactions` with code 110, as far as a borrower sees
//! them too.

use crate::amounts::Money;
use crate::time::Timestamp;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;

/// The transaction code of a draw.
pub const CODE: i32 = 110;

/// A draw on a credit line.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Object)]
#[sea_orm(table_name = "loan_transactions")]
#[oai(rename = "Draw", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Transaction_ID")]
    pub transaction_id: i64,
    #[oai(rename = "Creditline_ID")]
    pub creditline_id: Option<i64>,
    #[oai(rename = "Loan_ID")]
    pub loan_id: i64,
    #[oai(skip)]
    pub transaction_code: i32,
    /// When it was posted.
    #[oai(rename = "Transaction_Date")]
    pub transaction_date: Timestamp,
    /// The day it counts for.
    #[oai(rename = "Effective_Date")]
    pub effective_date: Date,
    #[oai(rename = "Amount")]
    pub transaction_amount: Money,
    #[oai(rename = "Description")]
    pub transaction_description: String,
    #[oai(rename = "User_Reference")]
    pub user_reference: Option<String>,
    #[oai(rename = "Reversed_Flag")]
    pub reversed_flag: bool,
}

no_relations!();

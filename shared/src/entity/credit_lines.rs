//! Credit lines of revolving and non-revolving loans.

use super::loans::PaymentPeriod;
use crate::amounts::Money;
use sea_orm::entity::prelude::*;

/// A credit line of a loan.
#[shared_macros::table("credit_lines", object = "CreditLine", stored)]
#[derive(Default)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub creditline_id: i64,
    pub loan_id: i64,
    pub name: String,
    pub description: Option<String>,
    /// Transaction code that a sub-line serves; 0 for the main line.
    pub transaction_code: i32,
    /// Limit of the credit line.
    pub credit_line_limit: Money,
    /// Maximum that may ever be drawn on a non-revolving line.
    pub credit_total_draw_limit: Option<Money>,
    pub min_draw_amount: Option<Money>,
    pub max_draw_amount: Option<Money>,
    pub max_number_of_draws: Option<i32>,
    pub draw_until_type: DrawUntilType,
    pub draw_until_period: Option<PaymentPeriod>,
    pub number_of_periods: Option<i32>,
    pub draw_until_date: Option<Date>,
    /// Number of draws so far, reversed ones excluded.
    pub draw_count: i32,
    /// Total drawn so far, reversed draws excluded.
    pub draw_total: Money,
}

text_enum! {
    /// How long draws are allowed.
    #[derive(Default)]
    pub enum DrawUntilType {
        /// Without limit.
        #[default]
        None,
        /// For a number of periods from the origination of the loan.
        FromOrigination,
        /// For a number of periods from the first draw.
        FromFirstDraw,
        /// Until a date.
        FixedDate,
    }
}

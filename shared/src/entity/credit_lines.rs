//! Credit lines of revolving and non-revolving loans.

use super::loans::PaymentPeriod;
use crate::amounts::Money;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A credit line of a loan.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "credit_lines")]
#[oai(rename = "CreditLine", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Creditline_ID")]
    pub creditline_id: i64,
    #[oai(rename = "Loan_ID")]
    pub loan_id: i64,
    #[oai(rename = "Name")]
    pub name: String,
    #[oai(rename = "Description")]
    pub description: Option<String>,
    /// 0: the main line; else the code that a sub-line serves.
    #[oai(rename = "Transaction_Code")]
    pub transaction_code: i32,
    #[oai(rename = "Credit_Line_Limit")]
    pub credit_line_limit: Money,
    /// Of a non-revolving line: the most that may ever be drawn.
    #[oai(rename = "Credit_Total_Draw_Limit")]
    pub credit_total_draw_limit: Option<Money>,
    #[oai(rename = "Min_Draw_Amount")]
    pub min_draw_amount: Option<Money>,
    #[oai(rename = "Max_Draw_Amount")]
    pub max_draw_amount: Option<Money>,
    #[oai(rename = "Max_Number_Of_Draws")]
    pub max_number_of_draws: Option<i32>,
    #[oai(rename = "Draw_Until_Type")]
    pub draw_until_type: DrawUntilType,
    #[oai(rename = "Draw_Until_Period")]
    pub draw_until_period: Option<PaymentPeriod>,
    #[oai(rename = "Number_Of_Periods")]
    pub number_of_periods: Option<i32>,
    #[oai(rename = "Draw_Until_Date")]
    pub draw_until_date: Option<Date>,
    /// Draws so far, reversed ones excluded.
    #[oai(rename = "Draw_Count")]
    pub draw_count: i32,
    /// Drawn so far, reversed draws excluded.
    #[oai(rename = "Draw_Total")]
    pub draw_total: Money,
}

no_relations!();

text_enum! {
    /// How long draws are allowed.
    pub enum DrawUntilType {
        /// For ever.
        None,
        /// For so many periods from the origination of the loan.
        FromOrigination,
        /// For so many periods from the first draw.
        FromFirstDraw,
        /// Until a date.
        FixedDate,
    }
}

//! Collateral that secures loans.

use crate::amounts::{Money, Rate};
use sea_orm::entity::prelude::*;

/// A collateral item that secures one or more loans.
#[shared_macros::table("collaterals", object = "CollateralRecord", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub collateral_id: i64,
    /// Id of the contact that owns it.
    pub contact_id: Option<i64>,
    pub collateral_code: String,
    pub acquisition_date: Option<Date>,
    pub priced_date: Option<Date>,
    pub number_of_units: i32,
    pub price_per_unit: Money,
    /// Percentage of the price that counts toward the value.
    pub percentage_value: Rate,
    /// Units × price × percentage, unless a different value was stored.
    pub net_value: Money,
    pub notes: Option<String>,
}

//! Taxes on collateral.

use crate::amounts::Money;
use sea_orm::entity::prelude::*;

/// A tax on a collateral item.
#[shared_macros::table("collateral_taxes", object = "CollateralTax", stored)]
#[derive(Default)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub collateral_id: i64,
    /// Taxing authority.
    pub authority: String,
    pub parcel_number: Option<String>,
    pub tax_year: i32,
    pub assessed_value: Option<Money>,
    pub tax_amount: Money,
    pub due_date: Date,
    pub paid_date: Option<Date>,
    pub delinquent_flag: bool,
}

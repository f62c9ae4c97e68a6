//! Taxes on collateral.

use crate::amounts::Money;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use shared_macros::interface_names;

/// A tax on a collateral item.
#[interface_names]
#[derive(
    Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object,
)]
#[sea_orm(table_name = "collateral_taxes")]
#[oai(rename = "CollateralTax", skip_serializing_if_is_none)]
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

no_relations!();

//! Taxes on collateral.

use crate::amounts::Money;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A tax on a collateral.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "collateral_taxes")]
#[oai(rename = "CollateralTax", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Row_ID")]
    pub row_id: i64,
    #[oai(rename = "Collateral_ID")]
    pub collateral_id: i64,
    #[oai(rename = "Authority")]
    pub authority: String,
    #[oai(rename = "Parcel_Number")]
    pub parcel_number: Option<String>,
    #[oai(rename = "Tax_Year")]
    pub tax_year: i32,
    #[oai(rename = "Assessed_Value")]
    pub assessed_value: Option<Money>,
    #[oai(rename = "Tax_Amount")]
    pub tax_amount: Money,
    #[oai(rename = "Due_Date")]
    pub due_date: Date,
    #[oai(rename = "Paid_Date")]
    pub paid_date: Option<Date>,
    #[oai(rename = "Delinquent_Flag")]
    pub delinquent_flag: bool,
}

no_relations!();

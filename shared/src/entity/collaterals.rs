//! What secures loans.

use crate::amounts::{Money, Rate};
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// What secures one or more loans.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "collaterals")]
#[oai(rename = "CollateralRecord", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Collateral_ID")]
    pub collateral_id: i64,
    /// Whose it is.
    #[oai(rename = "Contact_ID")]
    pub contact_id: Option<i64>,
    #[oai(rename = "Collateral_Code")]
    pub collateral_code: String,
    #[oai(rename = "Acquisition_Date")]
    pub acquisition_date: Option<Date>,
    #[oai(rename = "Priced_Date")]
    pub priced_date: Option<Date>,
    #[oai(rename = "Number_Of_Units")]
    pub number_of_units: i32,
    #[oai(rename = "Price_Per_Unit")]
    pub price_per_unit: Money,
    /// Percent of the price that counts.
    #[oai(rename = "Percentage_Value")]
    pub percentage_value: Rate,
    /// Units × price × percentage, unless it was stored otherwise.
    #[oai(rename = "Net_Value")]
    pub net_value: Money,
    #[oai(rename = "Notes")]
    pub notes: Option<String>,
}

no_relations!();

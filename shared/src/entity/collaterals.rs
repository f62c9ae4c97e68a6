//! Collateral that secures loans.

use crate::amounts::{Money, Rate};
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use shared_macros::interface_names;

/// A collateral item that secures one or more loans.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "collaterals")]
#[oai(rename = "CollateralRecord", skip_serializing_if_is_none)]
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

no_relations!();

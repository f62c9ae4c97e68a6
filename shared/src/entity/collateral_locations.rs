//! Locations of collateral.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use shared_macros::interface_names;

/// Location of a collateral item.
#[interface_names]
#[derive(
    Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object,
)]
#[sea_orm(table_name = "collateral_locations")]
#[oai(rename = "CollateralLocationRecord", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub collateral_id: i64,
    /// Id of the contact at whose address the item is.
    pub contact_id: Option<i64>,
    pub contact_name: Option<String>,
    pub company_name: Option<String>,
    pub street_address1: Option<String>,
    pub street_address2: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub zip: Option<String>,
    pub county: Option<String>,
    pub country: Option<String>,
    pub phone: Option<String>,
}

no_relations!();

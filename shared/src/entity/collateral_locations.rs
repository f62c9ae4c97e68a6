//! Where collateral is.

use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// Where a collateral is.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object,
)]
#[sea_orm(table_name = "collateral_locations")]
#[oai(rename = "CollateralLocationRecord", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    #[oai(rename = "Collateral_ID")]
    pub collateral_id: i64,
    /// It is at this contact's address.
    #[oai(rename = "Contact_ID")]
    pub contact_id: Option<i64>,
    #[oai(rename = "Contact_Name")]
    pub contact_name: Option<String>,
    #[oai(rename = "Company_Name")]
    pub company_name: Option<String>,
    #[oai(rename = "Street_Address1")]
    pub street_address1: Option<String>,
    #[oai(rename = "Street_Address2")]
    pub street_address2: Option<String>,
    #[oai(rename = "City")]
    pub city: Option<String>,
    #[oai(rename = "State")]
    pub state: Option<String>,
    #[oai(rename = "Zip")]
    pub zip: Option<String>,
    #[oai(rename = "County")]
    pub county: Option<String>,
    #[oai(rename = "Country")]
    pub country: Option<String>,
    #[oai(rename = "Phone")]
    pub phone: Option<String>,
}

no_relations!();

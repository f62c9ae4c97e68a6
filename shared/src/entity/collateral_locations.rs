//! Locations of collateral.

/// Location of a collateral item.
#[shared_macros::table("collateral_locations", object = "CollateralLocationRecord", stored)]
#[derive(Default)]
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

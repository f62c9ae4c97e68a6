//! Further addresses of contacts, including previous ones.

use sea_orm::entity::prelude::*;

#[shared_macros::table("contact_addresses", stored)]
#[derive(Default)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub contact_id: i64,
    pub relationship_code: String,
    pub street_address1: Option<String>,
    pub street_address2: Option<String>,
    pub city: Option<String>,
    pub state: Option<String>,
    pub zip: Option<String>,
    pub county: Option<String>,
    pub country: Option<String>,
    pub from_date: Date,
    pub to_date: Option<Date>,
}

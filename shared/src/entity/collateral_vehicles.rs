//! Collateral that is a vehicle.

use crate::amounts::Money;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// The vehicle that a collateral is.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "collateral_vehicles")]
#[oai(rename = "CollateralVehicle", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    #[oai(rename = "Collateral_ID")]
    pub collateral_id: i64,
    #[oai(rename = "VIN")]
    pub vin: Option<String>,
    #[oai(rename = "Year")]
    pub year: Option<i32>,
    #[oai(rename = "Make")]
    pub make: Option<String>,
    #[oai(rename = "Model")]
    pub model: Option<String>,
    #[oai(rename = "Style")]
    pub style: Option<String>,
    #[oai(rename = "Color")]
    pub color: Option<String>,
    #[oai(rename = "Registered_State")]
    pub registered_state: Option<String>,
    #[oai(rename = "License_Plate")]
    pub license_plate: Option<String>,
    #[oai(rename = "Original_Miles")]
    pub original_miles: Option<i32>,
    #[oai(rename = "Current_Miles")]
    pub current_miles: Option<i32>,
    #[oai(rename = "Title_Type")]
    pub title_type: TitleType,
    #[oai(rename = "Title_Status")]
    pub title_status: TitleStatus,
    #[oai(rename = "Title_Status_Date")]
    pub title_status_date: Option<Date>,
    #[oai(rename = "Title_Number")]
    pub title_number: Option<String>,
    #[oai(rename = "Branded_Title")]
    pub branded_title: BrandedTitle,
    #[oai(rename = "Purchase_Price")]
    pub purchase_price: Option<Money>,
    #[oai(rename = "Current_Value")]
    pub current_value: Option<Money>,
    #[oai(rename = "Valuation_Method")]
    pub valuation_method: Option<String>,
    #[oai(rename = "Valuation_Date")]
    pub valuation_date: Option<Date>,
    #[oai(rename = "Comments")]
    pub comments: Option<String>,
}

no_relations!();

text_enum! {
    /// The form of the title.
    pub enum TitleType {
        /// There is none.
        None,
        /// On paper.
        Paper,
        /// In the state's register.
        Electronic,
        /// A lien statement.
        Lien,
    }

    /// Where the title is on its way to the lender.
    pub enum TitleStatus {
        /// Not with the lender yet.
        NotReceived,
        /// Submitted to the state.
        Submitted,
        /// The lien is noted on it.
        Perfected,
        /// Released to the owner.
        Released,
    }

    /// What the title warns of.
    pub enum BrandedTitle {
        /// Nothing.
        None,
        /// A total loss.
        Salvage,
        /// Water damage.
        Flood,
        /// Rebuilt after a total loss.
        Rebuilt,
        /// Something else.
        Other,
    }
}

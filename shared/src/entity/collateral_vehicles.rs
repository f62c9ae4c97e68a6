//! Vehicles that serve as collateral.

use crate::amounts::Money;
use sea_orm::entity::prelude::*;

/// A vehicle that serves as collateral.
#[shared_macros::table("collateral_vehicles", object = "CollateralVehicle", stored)]
#[derive(Default)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub collateral_id: i64,
    pub vin: Option<String>,
    pub year: Option<i32>,
    pub make: Option<String>,
    pub model: Option<String>,
    pub style: Option<String>,
    pub color: Option<String>,
    pub registered_state: Option<String>,
    pub license_plate: Option<String>,
    pub original_miles: Option<i32>,
    pub current_miles: Option<i32>,
    pub title_type: TitleType,
    pub title_status: TitleStatus,
    pub title_status_date: Option<Date>,
    pub title_number: Option<String>,
    pub branded_title: BrandedTitle,
    pub purchase_price: Option<Money>,
    pub current_value: Option<Money>,
    pub valuation_method: Option<String>,
    pub valuation_date: Option<Date>,
    pub comments: Option<String>,
}

text_enum! {
    /// Form of the title.
    #[derive(Default)]
    pub enum TitleType {
        /// No title.
        #[default]
        None,
        /// Paper title.
        Paper,
        /// Electronic title in the state's register.
        Electronic,
        /// Lien statement.
        Lien,
    }

    /// Status of the title on its way to the lender.
    #[derive(Default)]
    pub enum TitleStatus {
        /// The lender has not received it yet.
        #[default]
        NotReceived,
        /// Submitted to the state.
        Submitted,
        /// The lien is noted on the title.
        Perfected,
        /// Released to the owner.
        Released,
    }

    /// Brand on the title.
    #[derive(Default)]
    pub enum BrandedTitle {
        /// No brand.
        #[default]
        None,
        /// Total loss.
        Salvage,
        /// Water damage.
        Flood,
        /// Rebuilt after a total loss.
        Rebuilt,
        /// Another brand.
        Other,
    }
}

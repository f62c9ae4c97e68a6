//! Descriptions of collateral.

use crate::time::Timestamp;

/// Description of a collateral item.
#[shared_macros::table("collateral_descriptions", object = "CollateralDescription", stored)]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub collateral_id: i64,
    pub description: String,
    pub modified_by_user_id: i64,
    pub modified_date: Timestamp,
}

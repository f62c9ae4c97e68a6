//! Setup: risk ratings.

/// A risk rating.
#[shared_macros::table("risk_ratings", object = "RiskRating")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub risk_rating_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
    /// Rank of the rating; 1 is the best.
    pub rank: i32,
}

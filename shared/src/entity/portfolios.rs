//! Setup: portfolios.

/// A portfolio of loans.
#[shared_macros::table("portfolios", object = "Portfolio")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub portfolio_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
    /// Mask for the portfolio's loan numbers.
    pub number_mask: Option<String>,
}

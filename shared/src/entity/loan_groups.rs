//! Setup: loan groups.

/// A loan group.
#[shared_macros::table("loan_groups", object = "LoanGroup")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub loan_group_id: i64,
    pub code: String,
    pub description: String,
    pub active_flag: bool,
    /// True if loans of the group accept cards.
    pub payment_gateway_flag: bool,
}

//! Setup: payment methods.

/// A payment method.
#[shared_macros::table("payment_methods", object = "PaymentMethod")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub payment_method_id: i64,
    pub payment_method_code: String,
    pub description: String,
    pub active_flag: bool,
    /// True for cash, which requires a cash drawer.
    pub cash_flag: bool,
    /// True for checks, which may go into a cash drawer.
    pub check_flag: bool,
    /// True for the method used if a payment specifies none.
    pub default_flag: bool,
}

//! Convenience fee rules for card payments.

use super::payment_gateway_tokens::BrandType;
use crate::amounts::{Money, Rate};

#[shared_macros::table("convenience_fee_rules")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub rule_id: i64,
    /// Loan group the rule applies to; absent: all groups.
    pub loan_group_id: Option<i64>,
    /// Card brand the rule applies to; absent: all brands.
    pub brand_type: Option<BrandType>,
    pub flat_amount: Money,
    pub percentage: Rate,
    pub minimum_fee: Option<Money>,
    pub maximum_fee: Option<Money>,
    pub active_flag: bool,
}

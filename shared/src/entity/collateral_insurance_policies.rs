//! Insurance policies on collateral.

use crate::amounts::Money;
use sea_orm::entity::prelude::*;

/// An insurance policy on a collateral item.
#[shared_macros::table("collateral_insurance_policies", object = "InsurancePolicy", stored)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub collateral_id: i64,
    pub company: String,
    pub agent_name: Option<String>,
    pub policy_number: String,
    pub coverage_type: CoverageType,
    pub coverage_amount: Option<Money>,
    pub deductible_amount: Option<Money>,
    pub premium_amount: Option<Money>,
    pub effective_date: Option<Date>,
    pub expiration_date: Option<Date>,
    pub cancel_date: Option<Date>,
    /// True if the lender is paid first.
    pub loss_payee_flag: bool,
    /// True if the lender placed the insurance because the borrower had none.
    pub force_placed_flag: bool,
    pub status: PolicyStatus,
}

text_enum! {
    /// Coverage of a policy.
    pub enum CoverageType {
        /// Collision.
        Collision,
        /// Losses other than collision.
        Comprehensive,
        /// Fire and other hazards.
        Hazard,
        /// Flood.
        Flood,
        /// Defects in the title.
        Title,
        /// Other coverage.
        Other,
    }

    /// Status of a policy.
    pub enum PolicyStatus {
        /// In force.
        Active,
        /// Expired.
        Expired,
        /// Canceled.
        Cancelled,
    }
}

//! Insurance policies on collateral.

use crate::amounts::Money;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use shared_macros::interface_names;

/// An insurance policy on a collateral item.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "collateral_insurance_policies")]
#[oai(rename = "InsurancePolicy", skip_serializing_if_is_none)]
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

no_relations!();

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

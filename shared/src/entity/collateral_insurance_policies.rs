//! Insurance of collateral.

use crate::amounts::Money;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// An insurance policy on a collateral.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "collateral_insurance_policies")]
#[oai(rename = "InsurancePolicy", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Row_ID")]
    pub row_id: i64,
    #[oai(rename = "Collateral_ID")]
    pub collateral_id: i64,
    #[oai(rename = "Company")]
    pub company: String,
    #[oai(rename = "Agent_Name")]
    pub agent_name: Option<String>,
    #[oai(rename = "Policy_Number")]
    pub policy_number: String,
    #[oai(rename = "Coverage_Type")]
    pub coverage_type: CoverageType,
    #[oai(rename = "Coverage_Amount")]
    pub coverage_amount: Option<Money>,
    #[oai(rename = "Deductible_Amount")]
    pub deductible_amount: Option<Money>,
    #[oai(rename = "Premium_Amount")]
    pub premium_amount: Option<Money>,
    #[oai(rename = "Effective_Date")]
    pub effective_date: Option<Date>,
    #[oai(rename = "Expiration_Date")]
    pub expiration_date: Option<Date>,
    #[oai(rename = "Cancel_Date")]
    pub cancel_date: Option<Date>,
    /// The lender is paid first.
    #[oai(rename = "Loss_Payee_Flag")]
    pub loss_payee_flag: bool,
    /// The lender placed it, because the borrower had none.
    #[oai(rename = "Force_Placed_Flag")]
    pub force_placed_flag: bool,
    #[oai(rename = "Status")]
    pub status: PolicyStatus,
}

no_relations!();

text_enum! {
    /// What is covered.
    pub enum CoverageType {
        /// Collision.
        Collision,
        /// Everything but collision.
        Comprehensive,
        /// Fire and other hazards.
        Hazard,
        /// Floods.
        Flood,
        /// Defects of the title.
        Title,
        /// Something else.
        Other,
    }

    /// Whether a policy covers.
    pub enum PolicyStatus {
        /// It does.
        Active,
        /// It ran out.
        Expired,
        /// It was cancelled.
        Cancelled,
    }
}

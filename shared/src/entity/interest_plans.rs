//! Setup: interest plans.

use super::loans::{InterestMethod, YearLength};
use crate::amounts::Rate;

/// An interest plan: the initial terms of its loans.
#[shared_macros::table("interest_plans", object = "InterestPlan")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub interest_plan_id: i64,
    pub name: String,
    pub active_flag: bool,
    pub interest_method: InterestMethod,
    /// Year basis: numerator over denominator.
    pub interest_year_numerator: YearLength,
    pub interest_year_denominator: YearLength,
    pub rate_type: RateType,
    /// Initial interest rate, in percent per year.
    pub starting_rate: Rate,
}

text_enum! {
    /// Kind of interest rate.
    pub enum RateType {
        /// The rate is fixed.
        Fixed,
        /// The rate follows an index.
        Variable,
    }
}

//! Loans.

pub use super::payment_distribution::{DistributionItem, PaymentDistribution};
use crate::amounts::{Accrual, Money, Rate};
use crate::time::Timestamp;
use sea_orm::entity::prelude::*;

/// A loan: its terms, its balances and the state of its interest.
#[shared_macros::table("loans", object = "LoanRecord", stored)]
#[derive(Default)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub loan_id: i64,
    /// Unique, human-readable loan number.
    pub loan_number: String,
    /// Id of the borrower.
    pub contact_id: i64,
    /// The borrower's own name for the loan.
    pub loan_nickname: Option<String>,
    pub loan_group_id: i64,
    pub portfolio_id: i64,
    pub status_code_id: i64,
    pub risk_rating_id: Option<i64>,
    pub interest_plan_id: Option<i64>,
    pub entity_code: Option<String>,
    /// Jurisdiction whose law governs the contract.
    pub contractual_jurisdiction: Option<String>,
    pub loan_officer_user_id: Option<i64>,
    pub collection_officer_user_id: Option<i64>,
    pub loan_type: LoanType,
    pub interest_method: InterestMethod,
    pub interest_year_numerator: YearLength,
    pub interest_year_denominator: YearLength,
    /// Initial interest rate, in percent per year.
    pub starting_interest_rate: Rate,
    /// Latest interest rate in effect, in percent per year.
    pub current_interest_rate: Rate,
    pub original_note_amount: Money,
    pub origination_date: Date,
    pub interest_start_date: Date,
    pub payment_period: PaymentPeriod,
    /// Amount of the level installment.
    pub payment_amount: Option<Money>,
    pub number_of_payments: Option<i32>,
    pub first_payment_date: Option<Date>,
    pub next_due_date: Option<Date>,
    pub maturity_date: Option<Date>,
    /// Day of the month on which installments are due, 1 to 31; 31 is always the last day.
    pub payment_day: Option<i32>,
    /// A payment made up to this many days before the next due date counts toward that
    /// installment.
    pub advance_days: i32,
    /// Order in which a payment is allocated.
    pub payment_distribution: PaymentDistribution,
    pub excess_handling: ExcessHandling,
    pub current_principal_balance: Money,
    /// Interest owed as of `Interest_Accrued_Thru_Date`.
    pub current_interest_balance: Money,
    pub current_late_charge_balance: Money,
    pub current_fees_balance: Money,
    /// Impound balance, held for the borrower.
    pub current_impound_balance: Money,
    /// Suspense balance, held for the borrower.
    pub current_suspense_balance: Money,
    pub interest_accrued_thru_date: Date,
    /// Interest accrued since booking, unrounded.
    pub interest_accrued_total: Accrual,
    /// Interest paid, reduced or written off.
    pub interest_settled_total: Money,
    /// Amount already paid toward the next installment.
    pub paid_ahead_amount: Money,
    /// First date of the current accrual.
    pub accrual_base_date: Date,
    /// Interest accrued up to that date.
    pub accrual_base_total: Accrual,
    pub last_payment_date: Option<Date>,
    pub last_payment_amount: Option<Money>,
    pub last_activity_date: Option<Date>,
    pub payoff_date: Option<Date>,
    pub closed_date: Option<Date>,
    pub created_date: Timestamp,
}

text_enum! {
    /// Kind of credit.
    #[derive(Default)]
    pub enum LoanType {
        /// Repaid in installments.
        #[default]
        Term,
        /// Drawn and repaid repeatedly.
        Revolving,
        /// Drawn once, up to its limit.
        NonRevolving,
    }

    /// Method of calculating interest.
    #[derive(Default)]
    pub enum InterestMethod {
        /// Simple interest on the current principal.
        #[default]
        #[sea_orm(string_value = "SI")]
        #[serde(rename = "SI")]
        #[oai(rename = "SI")]
        SI,
    }

    /// Length of a year in an interest calculation: the numerator or denominator of "ACT/365".
    #[derive(Default)]
    pub enum YearLength {
        /// Twelve months of 30 days.
        #[sea_orm(string_value = "360")]
        #[serde(rename = "360")]
        #[oai(rename = "360")]
        D360,
        /// 52 weeks.
        #[sea_orm(string_value = "364")]
        #[serde(rename = "364")]
        #[oai(rename = "364")]
        D364,
        /// A common year.
        #[sea_orm(string_value = "365")]
        #[serde(rename = "365")]
        #[oai(rename = "365")]
        D365,
        /// A leap year.
        #[sea_orm(string_value = "366")]
        #[serde(rename = "366")]
        #[oai(rename = "366")]
        D366,
        /// The number of days in the calendar year.
        #[sea_orm(string_value = "ACT")]
        #[serde(rename = "ACT")]
        #[oai(rename = "ACT")]
        #[default]
        Actual,
    }

    /// Interval between installments.
    #[derive(Default)]
    pub enum PaymentPeriod {
        /// Never.
        None,
        /// Every 7 days.
        Weekly,
        /// Every 14 days.
        Biweekly,
        /// Twice a month.
        Semimonthly,
        /// Every month.
        #[default]
        Monthly,
        /// Every 2 months.
        Bimonthly,
        /// Every 3 months.
        Quarterly,
        /// Every 6 months.
        Semiannual,
        /// Every 12 months.
        Annual,
        /// Once, on the maturity date.
        Maturity,
    }

    /// Handling of money beyond everything that is due.
    #[derive(Default)]
    pub enum ExcessHandling {
        /// Pays principal that has not been billed yet.
        #[default]
        Principal,
        /// Held in suspense.
        Suspense,
        /// The payment is refused.
        Reject,
    }
}

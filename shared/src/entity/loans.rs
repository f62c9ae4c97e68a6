//! Loans.

use super::payment_distribution::PaymentDistribution;
use crate::amounts::{Accrual, Money, Rate};
use crate::time::Timestamp;
use poem_openapi::{Enum, Object};
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A loan: its terms, its balances and where its interest stands.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object,
)]
#[sea_orm(table_name = "loans")]
#[oai(rename = "LoanRecord", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Loan_ID")]
    pub loan_id: i64,
    /// Unique human number.
    #[oai(rename = "Loan_Number")]
    pub loan_number: String,
    /// The borrower.
    #[oai(rename = "Contact_ID")]
    pub contact_id: i64,
    /// The borrower's label for the loan.
    #[oai(rename = "Loan_Nickname")]
    pub loan_nickname: Option<String>,
    #[oai(rename = "Loan_Group_ID")]
    pub loan_group_id: i64,
    #[oai(rename = "Portfolio_ID")]
    pub portfolio_id: i64,
    #[oai(rename = "Status_Code_ID")]
    pub status_code_id: i64,
    #[oai(rename = "Risk_Rating_ID")]
    pub risk_rating_id: Option<i64>,
    #[oai(rename = "Interest_Plan_ID")]
    pub interest_plan_id: Option<i64>,
    #[oai(rename = "Entity_Code")]
    pub entity_code: Option<String>,
    /// Whose law governs the contract.
    #[oai(rename = "ContractualJurisdiction")]
    pub contractual_jurisdiction: Option<String>,
    #[oai(rename = "Loan_Officer_User_ID")]
    pub loan_officer_user_id: Option<i64>,
    #[oai(rename = "Collection_Officer_User_ID")]
    pub collection_officer_user_id: Option<i64>,
    #[oai(rename = "Loan_Type")]
    pub loan_type: LoanType,
    #[oai(rename = "Interest_Method")]
    pub interest_method: InterestMethod,
    #[oai(rename = "Interest_Year_Numerator")]
    pub interest_year_numerator: YearLength,
    #[oai(rename = "Interest_Year_Denominator")]
    pub interest_year_denominator: YearLength,
    /// The first rate, percent a year.
    #[oai(rename = "Starting_Interest_Rate")]
    pub starting_interest_rate: Rate,
    /// The latest rate in effect, percent a year.
    #[oai(rename = "Current_Interest_Rate")]
    pub current_interest_rate: Rate,
    #[oai(rename = "Original_Note_Amount")]
    pub original_note_amount: Money,
    #[oai(rename = "Origination_Date")]
    pub origination_date: Date,
    #[oai(rename = "Interest_Start_Date")]
    pub interest_start_date: Date,
    #[oai(rename = "Payment_Period")]
    pub payment_period: PaymentPeriod,
    /// The level instalment.
    #[oai(rename = "Payment_Amount")]
    pub payment_amount: Option<Money>,
    #[oai(rename = "Number_Of_Payments")]
    pub number_of_payments: Option<i32>,
    #[oai(rename = "First_Payment_Date")]
    pub first_payment_date: Option<Date>,
    #[oai(rename = "Next_Due_Date")]
    pub next_due_date: Option<Date>,
    #[oai(rename = "Maturity_Date")]
    pub maturity_date: Option<Date>,
    /// Day of the month, 1 to 31; 31 keeps month ends.
    #[oai(rename = "Payment_Day")]
    pub payment_day: Option<i32>,
    /// So many days before its due date a payment counts for the next instalment.
    #[oai(rename = "Advance_Days")]
    pub advance_days: i32,
    /// The order in which a payment is spent.
    #[oai(rename = "Payment_Distribution")]
    pub payment_distribution: PaymentDistribution,
    #[oai(rename = "Excess_Handling")]
    pub excess_handling: ExcessHandling,
    #[oai(rename = "Current_Principal_Balance")]
    pub current_principal_balance: Money,
    /// As of Interest_Accrued_Thru_Date.
    #[oai(rename = "Current_Interest_Balance")]
    pub current_interest_balance: Money,
    #[oai(rename = "Current_Late_Charge_Balance")]
    pub current_late_charge_balance: Money,
    #[oai(rename = "Current_Fees_Balance")]
    pub current_fees_balance: Money,
    /// Held for the borrower.
    #[oai(rename = "Current_Impound_Balance")]
    pub current_impound_balance: Money,
    /// Held for the borrower.
    #[oai(rename = "Current_Suspense_Balance")]
    pub current_suspense_balance: Money,
    #[oai(rename = "Interest_Accrued_Thru_Date")]
    pub interest_accrued_thru_date: Date,
    /// Unrounded, since booking.
    #[oai(rename = "Interest_Accrued_Total")]
    pub interest_accrued_total: Accrual,
    /// Interest paid, reduced or written off.
    #[oai(rename = "Interest_Settled_Total")]
    pub interest_settled_total: Money,
    /// Paid toward the next instalment.
    #[oai(rename = "Paid_Ahead_Amount")]
    pub paid_ahead_amount: Money,
    /// Where the current accrual begins.
    #[oai(rename = "Accrual_Base_Date")]
    pub accrual_base_date: Date,
    /// Interest accrued up to that day.
    #[oai(rename = "Accrual_Base_Total")]
    pub accrual_base_total: Accrual,
    #[oai(rename = "Last_Payment_Date")]
    pub last_payment_date: Option<Date>,
    #[oai(rename = "Last_Payment_Amount")]
    pub last_payment_amount: Option<Money>,
    #[oai(rename = "Last_Activity_Date")]
    pub last_activity_date: Option<Date>,
    #[oai(rename = "Payoff_Date")]
    pub payoff_date: Option<Date>,
    #[oai(rename = "Closed_Date")]
    pub closed_date: Option<Date>,
    #[oai(rename = "Created_Date")]
    pub created_date: Timestamp,
}

no_relations!();

text_enum! {
    /// What kind of credit it is.
    #[derive(Default)]
    pub enum LoanType {
        /// Paid back in instalments.
        #[default]
        Term,
        /// Drawn and paid back again.
        Revolving,
        /// Drawn once up to its limit.
        NonRevolving,
    }
}

/// How interest is reckoned.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    EnumIter,
    DeriveActiveEnum,
    Enum,
    serde::Serialize,
    serde::Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))", rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
#[oai(rename_all = "UPPERCASE")]
pub enum InterestMethod {
    /// Simple interest on the current principal.
    #[default]
    SI,
}

/// The length of a year in an interest calculation: the numerator or the denominator of "ACT/365".
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    EnumIter,
    DeriveActiveEnum,
    Enum,
    serde::Serialize,
    serde::Deserialize,
)]
#[sea_orm(rs_type = "String", db_type = "String(StringLen::N(30))")]
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
    /// The days of the calendar year in question.
    #[sea_orm(string_value = "ACT")]
    #[serde(rename = "ACT")]
    #[oai(rename = "ACT")]
    #[default]
    Actual,
}

text_enum! {
    /// How often an instalment is due.
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

    /// What happens to money beyond everything that is due.
    #[derive(Default)]
    pub enum ExcessHandling {
        /// It pays principal that is not billed yet.
        #[default]
        Principal,
        /// It is held in suspense.
        Suspense,
        /// The payment is refused.
        Reject,
    }

    /// One step in the order in which a payment is spent.
    pub enum DistributionItem {
        /// Due rows before the day, oldest first, each its interest, then its principal.
        PastDue,
        /// All unpaid interest of those rows.
        PastDueInterest,
        /// All unpaid principal of those rows.
        PastDuePrincipal,
        /// Unpaid interest of the row due on the day.
        CurrentInterestDue,
        /// Interest owed that no due row holds.
        AccruedInterest,
        /// Unpaid principal of the row due on the day, or the next instalment just before it.
        CurrentPrincipal,
        /// The late charge balance.
        LateCharges,
        /// The fees balance.
        Fees,
        /// Whatever is left; always last.
        Excess,
    }
}

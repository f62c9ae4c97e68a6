//! What a loan is charged or credited again and again.

use super::loans::{PaymentPeriod, YearLength};
use crate::amounts::{Money, Rate};
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A transaction that recurs on a loan.
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "recurring_transactions")]
#[oai(rename = "RecurringTransaction", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    #[oai(rename = "Row_ID")]
    pub row_id: i64,
    #[oai(rename = "Loan_ID")]
    pub loan_id: i64,
    #[oai(rename = "Description")]
    pub description: String,
    #[oai(rename = "Active_Flag")]
    pub active_flag: bool,
    #[oai(rename = "Event_Type")]
    pub event_type: RecurringEventType,
    #[oai(rename = "Event_Start_Date")]
    pub event_start_date: Date,
    #[oai(rename = "Event_Expire_Date")]
    pub event_expire_date: Option<Date>,
    #[oai(rename = "Next_Event_Date")]
    pub next_event_date: Option<Date>,
    /// 0, or 28 to 31: the day of the month that month ends stand for.
    #[oai(rename = "Start_Date_Day_Value")]
    pub start_date_day_value: i32,
    #[oai(rename = "Event_Period")]
    pub event_period: PaymentPeriod,
    /// So many periods from one event to the next.
    #[oai(rename = "Event_Number_Of_Periods")]
    pub event_number_of_periods: i32,
    /// Most events; without it there is no end.
    #[oai(rename = "Event_Max_Repeat")]
    pub event_max_repeat: Option<i32>,
    /// Events so far.
    #[oai(rename = "Event_Count")]
    pub event_count: i32,
    #[oai(rename = "Transaction_Code")]
    pub transaction_code: i32,
    #[oai(rename = "Amount_Type")]
    pub amount_type: RecurringAmountType,
    /// Of a fixed amount.
    #[oai(rename = "Transaction_Amount")]
    pub transaction_amount: Option<Money>,
    /// Percent of the principal a year.
    #[oai(rename = "Annual_Percentage")]
    pub annual_percentage: Option<Rate>,
    /// Year basis of the percentage.
    #[oai(rename = "Numerator")]
    pub numerator: Option<YearLength>,
    /// Year basis of the percentage.
    #[oai(rename = "Denominator")]
    pub denominator: Option<YearLength>,
}

no_relations!();

text_enum! {
    /// What makes the transaction recur.
    pub enum RecurringEventType {
        /// Once, on its date.
        Scheduled,
        /// Every so many periods.
        Periodic,
        /// With each billing.
        Billing,
        /// With each day's accrual.
        DailyAccrual,
        /// After each payment.
        OnPostPayment,
        /// Before each payment.
        OnPrePayment,
    }

    /// How much it is each time.
    pub enum RecurringAmountType {
        /// The same amount.
        Fixed,
        /// A percentage of the principal, by the year basis.
        AnnualPercentOfPrincipal,
    }
}

//! What a loan is charged or credited again and again.

use super::loans::{PaymentPeriod, YearLength};
use crate::amounts::{Money, Rate};
use crate::interface_names;
use poem_openapi::Object;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A transaction that recurs on a loan.
#[interface_names]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, Deserialize, Object)]
#[sea_orm(table_name = "recurring_transactions")]
#[oai(rename = "RecurringTransaction", skip_serializing_if_is_none)]
pub struct Model {
    #[sea_orm(primary_key)]
    pub row_id: i64,
    pub loan_id: i64,
    pub description: String,
    pub active_flag: bool,
    pub event_type: RecurringEventType,
    pub event_start_date: Date,
    pub event_expire_date: Option<Date>,
    pub next_event_date: Option<Date>,
    /// 0, or 28 to 31: the day of the month that month ends stand for.
    pub start_date_day_value: i32,
    pub event_period: PaymentPeriod,
    /// So many periods from one event to the next.
    pub event_number_of_periods: i32,
    /// Most events; without it there is no end.
    pub event_max_repeat: Option<i32>,
    /// Events so far.
    pub event_count: i32,
    pub transaction_code: i32,
    pub amount_type: RecurringAmountType,
    /// Of a fixed amount.
    pub transaction_amount: Option<Money>,
    /// Percent of the principal a year.
    pub annual_percentage: Option<Rate>,
    /// Year basis of the percentage.
    pub numerator: Option<YearLength>,
    /// Year basis of the percentage.
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

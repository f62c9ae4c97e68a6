//! Recurring transactions: charges and credits that recur on a loan.

use super::loans::{PaymentPeriod, YearLength};
use crate::amounts::{Money, Rate};
use sea_orm::entity::prelude::*;

/// A recurring transaction on a loan.
#[shared_macros::table("recurring_transactions", object = "RecurringTransaction", stored)]
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
    /// Day of the month that month-end dates stand for: 28 to 31, or 0.
    pub start_date_day_value: i32,
    pub event_period: PaymentPeriod,
    /// Number of periods from one event to the next.
    pub event_number_of_periods: i32,
    /// Maximum number of events; absent if there is none.
    pub event_max_repeat: Option<i32>,
    /// Number of events so far.
    pub event_count: i32,
    pub transaction_code: i32,
    pub amount_type: RecurringAmountType,
    /// Amount of the transaction, if it is fixed.
    pub transaction_amount: Option<Money>,
    /// Annual percentage of the principal.
    pub annual_percentage: Option<Rate>,
    /// Year basis of the percentage, numerator.
    pub numerator: Option<YearLength>,
    /// Year basis of the percentage, denominator.
    pub denominator: Option<YearLength>,
}

text_enum! {
    /// Event on which the transaction recurs.
    pub enum RecurringEventType {
        /// Once, on its date.
        Scheduled,
        /// At an interval of a number of periods.
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

    /// How the amount of a recurring transaction is determined.
    pub enum RecurringAmountType {
        /// A fixed amount.
        Fixed,
        /// A percentage of the principal, by the year basis.
        AnnualPercentOfPrincipal,
    }
}

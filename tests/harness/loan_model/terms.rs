//! The agreed terms, and the opening balances.

use super::Amount;
use super::calendar::Calendar;
use chrono::NaiveDate;
use shared::entity::loans::{DistributionItem, ExcessHandling, PaymentPeriod, YearLength};

/// The terms of a loan, as in its columns and rate rows.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The numerator of the year basis: 365 in "365/360".
    pub numerator: YearLength,
    /// The denominator of the year basis.
    pub denominator: YearLength,
    /// Each rate, in 1e-8 percent, with the day on which it takes effect; at least one, in order.
    pub rates: Vec<(NaiveDate, i128)>,
    pub origination: NaiveDate,
    /// The first day that accrues interest.
    pub interest_start: NaiveDate,
    pub period: PaymentPeriod,
    /// The level installment.
    pub payment_amount: Option<Amount>,
    /// The number of payments, if no maturity date was given.
    pub number_of_payments: Option<u32>,
    /// The first due date.
    pub first_payment: Option<NaiveDate>,
    /// The last due date.
    pub maturity: Option<NaiveDate>,
    /// The nominal day of the month, 31 for month ends.
    pub payment_day: Option<u32>,
    /// A payment counts toward the next installment from this many days before its due date.
    pub advance_days: i64,
    /// The order in which a payment is allocated.
    pub distribution: Vec<DistributionItem>,
    /// How excess is handled.
    pub excess: ExcessHandling,
    /// The loan's status at booking stops accrual.
    pub stops_accrual: bool,
    /// Days on which a change of status stopped accrual, or let it go on.
    pub accrual_switches: Vec<NaiveDate>,
    /// The loan's status refuses payments.
    pub refuses_payments: bool,
    pub opening: OpeningBalances,
}

/// Balances on the day of booking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpeningBalances {
    pub principal: Amount,
    /// Late charges carried over.
    pub late_charges: Amount,
    /// Fees carried over.
    pub fees: Amount,
    /// Impound money carried over.
    pub impound: Amount,
    /// Suspense money carried over.
    pub suspense: Amount,
}

impl Terms {
    /// The schedule of due dates.
    pub fn calendar(&self) -> Calendar {
        let first = self.first_payment;
        let mut calendar = Calendar {
            period: self.period,
            first,
            day: self.payment_day.or(first.map(|date| chrono::Datelike::day(&date))),
            maturity: self.maturity,
        };
        if let (None, Some(count)) = (self.maturity, self.number_of_payments) {
            calendar.maturity = calendar.counted(i64::from(count) - 1).map(|(date, _)| date);
        }
        calendar
    }

    /// The rate on a day: the latest in effect; the first one before that.
    pub fn rate_on(&self, day: NaiveDate) -> i128 {
        let begun = self.rates.iter().rev().find(|(from, _)| *from <= day);
        begun.unwrap_or(&self.rates[0]).1
    }

    /// True if the loan's status stops accrual on a day.
    pub fn stops_on(&self, day: NaiveDate) -> bool {
        let switches = self.accrual_switches.iter().filter(|switched_on| **switched_on <= day);
        self.stops_accrual == (switches.count() % 2 == 0)
    }

    /// True if the loan's status stops accrual now.
    pub fn stops_now(&self) -> bool {
        self.stops_on(NaiveDate::MAX)
    }

    /// The level installment, or zero if there is none.
    pub fn installment(&self) -> Amount {
        self.payment_amount.unwrap_or(0)
    }
}

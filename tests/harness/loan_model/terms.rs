//! What was agreed with the borrower, and how the loan was booked.

use super::Amount;
use super::calendar::Calendar;
use chrono::NaiveDate;
use shared::entity::loans::{DistributionItem, ExcessHandling, PaymentPeriod, YearLength};

/// The terms of a loan, as columns and rate rows say them.
#[derive(Clone, Debug)]
pub struct Terms {
    /// The first half of the year basis: 365 of "365/360".
    pub numerator: YearLength,
    /// The second half.
    pub denominator: YearLength,
    /// Each rate, in 1e-8 percent, and the day it begins; at least one, in order.
    pub rates: Vec<(NaiveDate, i128)>,
    /// The day of the contract.
    pub origination: NaiveDate,
    /// The first day that earns interest.
    pub interest_start: NaiveDate,
    /// How often an instalment is due.
    pub period: PaymentPeriod,
    /// The level instalment.
    pub payment_amount: Option<Amount>,
    /// How many there are, if nobody said when the last one is due.
    pub number_of_payments: Option<u32>,
    /// The first due date.
    pub first_payment: Option<NaiveDate>,
    /// The last due date.
    pub maturity: Option<NaiveDate>,
    /// The day of the month that is meant, 31 for month ends.
    pub payment_day: Option<u32>,
    /// So many days before its due date a payment counts for the next instalment.
    pub advance_days: i64,
    /// In which order a payment is spent.
    pub distribution: Vec<DistributionItem>,
    /// What becomes of the rest.
    pub excess: ExcessHandling,
    /// The loan's status stops accrual.
    pub stops_accrual: bool,
    /// The loan's status refuses payments.
    pub refuses_payments: bool,
    /// What is on the books on the first day.
    pub opening: Opening,
}

/// Balances on the day of booking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The note amount.
    pub principal: Amount,
    /// Late charges taken over.
    pub late_charges: Amount,
    /// Fees taken over.
    pub fees: Amount,
    /// Impound money taken over.
    pub impound: Amount,
    /// Suspense money taken over.
    pub suspense: Amount,
}

impl Terms {
    /// The dates of the instalments.
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

    /// The rate of a day: the latest that has begun, before the first one the first.
    pub fn rate_on(&self, day: NaiveDate) -> i128 {
        let begun = self.rates.iter().rev().find(|(from, _)| *from <= day);
        begun.unwrap_or(&self.rates[0]).1
    }

    /// The level instalment, nothing where there is none.
    pub fn instalment(&self) -> Amount {
        self.payment_amount.unwrap_or(0)
    }
}

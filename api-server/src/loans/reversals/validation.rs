//! Reversal requests: their members, and the checks that need no database.

use crate::http::bounded_string::{BoundedString, checked};
use crate::loans::journal::codes;
use crate::loans::payments::posted;
use crate::loans::refusals::LoanError;
use chrono::NaiveDate;
use poem_openapi::{Enum, Object};
use shared::amounts::{AmountText, Money};
use shared::entity::loan_transactions;
use shared::interface_names;
use shared::time::Day;

/// Why an entry is reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum ReversalReason {
    /// It was posted in error.
    Error,
    /// The bank returned the payment (not sufficient funds).
    Nsf,
}

/// A reversal to be posted.
#[interface_names]
#[derive(Clone, Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct NewReversal {
    /// `error`: the entry was posted in error. `nsf`: the bank returned the payment.
    pub reason: ReversalReason,
    /// Day on which the bank returned the payment, from its effective date until today; required
    /// with the reason `nsf`, and not allowed otherwise.
    pub returned_date: Option<Day>,
    /// Fee for the returned payment, above zero: a transaction of its own with code 142, effective
    /// on the day of the return. Only with the reason `nsf`.
    pub nsf_fee: Option<AmountText>,
    /// The caller's own reference; default: that of the reversed rows. Up to 100 characters.
    pub user_reference: Option<BoundedString<100>>,
}

/// A reversal that passed the checks that need no database.
#[derive(Clone, Debug, Default)]
pub struct ValidatedReversal {
    /// The return of the payment, if that is why it is reversed.
    pub returned: Option<ReturnedPayment>,
    /// The caller's own reference; `None` keeps that of the reversed rows.
    pub user_reference: Option<String>,
}

/// A payment returned by the bank: it is marked as returned (NSF).
#[derive(Clone, Copy, Debug)]
pub struct ReturnedPayment {
    /// Day of the return.
    pub date: NaiveDate,
    /// Fee for it, assessed on that day.
    pub fee: Option<Money>,
}

impl NewReversal {
    /// Runs the checks that need no database, and returns the validated reversal.
    pub fn validate(self) -> Result<ValidatedReversal, LoanError> {
        let user_reference = checked("User_Reference", self.user_reference)?;
        let fee = self.nsf_fee.as_ref().map(|fee| posted("NSF_Fee", fee)).transpose()?;
        if fee.is_some_and(|fee| !fee.is_positive()) {
            return Err(LoanError::invalid("NSF_Fee", "must be above zero"));
        }
        let returned = match (self.reason, self.returned_date) {
            (ReversalReason::Nsf, Some(Day(date))) => Some(ReturnedPayment { date, fee }),
            (ReversalReason::Nsf, None) => {
                let message = "is required with the reason nsf";
                return Err(LoanError::missing("Returned_Date", message));
            }
            (ReversalReason::Error, None) if fee.is_none() => None,
            (ReversalReason::Error, date) => {
                let field = if date.is_some() { "Returned_Date" } else { "NSF_Fee" };
                return Err(LoanError::invalid(field, "is allowed only with the reason nsf"));
            }
        };
        Ok(ValidatedReversal { returned, user_reference })
    }
}

/// Refuses the return of an entry that is not a payment, or on a day on which it cannot have been
/// returned.
pub(super) fn check_returned(
    first: &loan_transactions::Model,
    date: NaiveDate,
    today: NaiveDate,
) -> Result<(), LoanError> {
    if first.transaction_code != codes::PAYMENT_TOTAL.number {
        return Err(LoanError::invalid("Reason", "nsf: only payments can be returned"));
    }
    let from = first.effective_date;
    match (from..=today).contains(&date) {
        true => Ok(()),
        false => {
            let message = format!("must be between {from} and {today}");
            Err(LoanError::invalid("Returned_Date", message))
        }
    }
}

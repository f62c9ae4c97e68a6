//! Terms of an imported loan. Fills in what they leave open, and refuses terms that contradict each
//! other.

use crate::loans::servicing::schedule::{self, LAST_YEAR, Schedule};
use crate::loans::servicing::{RateStep, Terms, interest};
use crate::loans::terms::schedule_of;
use crate::xml_import::element_fields::ElementFields;
use crate::xml_import::parse::Element;
use crate::xml_import::{RecordError, refuse};
use chrono::{Datelike, Days, NaiveDate};
use shared::entity::loans;
use shared::entity::loans::PaymentPeriod;

/// Fills in the day of the month and the maturity date if the schedule leaves them open, and notes
/// terms that it forbids.
pub(super) fn complete_schedule(fields: &mut ElementFields<'_>, loan: &mut loans::Model) {
    match (loan.payment_period, loan.first_payment_date) {
        (PaymentPeriod::None, _) => return,
        (PaymentPeriod::Maturity, first) => {
            loan.maturity_date = loan.maturity_date.or(first);
            loan.first_payment_date = first.or(loan.maturity_date);
            if loan.maturity_date.is_none() {
                fields.missing("MaturityDate");
            }
            return;
        }
        (_, None) => return fields.missing("FirstPaymentDate"),
        (_, Some(first)) => {
            loan.payment_day = loan.payment_day.or(Some(first.day() as i32));
            if first < loan.interest_start_date {
                fields.error("FirstPaymentDate", "must not be before interest starts");
            }
        }
    }
    if loan.payment_amount.is_none() && loan.number_of_payments.is_none() {
        fields.error("PaymentAmount", "is required when NumberOfPayments is absent");
    }
    let open_ended = Schedule { maturity_date: None, ..schedule_of(loan) };
    if !loan.first_payment_date.is_some_and(|first| open_ended.is_due_date(first)) {
        fields.error("FirstPaymentDate", "must be a due date of the schedule");
    }
    if loan.maturity_date.is_none() {
        let payments = loan.number_of_payments.and_then(|count| u32::try_from(count).ok());
        loan.maturity_date = payments.and_then(|count| open_ended.nth(count));
    }
    if loan.maturity_date.is_some_and(|date| date.year() > LAST_YEAR) {
        fields.error("NumberOfPayments", format!("must not run past the year {LAST_YEAR}"));
    }
    if loan.maturity_date < loan.first_payment_date && loan.maturity_date.is_some() {
        fields.error("MaturityDate", "must not be before the first payment date");
    }
}

/// Sets the principal, the accrual base, the first due date and, if none is given, the level
/// installment.
pub(super) fn complete_amounts(
    element: &Element,
    loan: &mut loans::Model,
    today: NaiveDate,
) -> Result<(), RecordError> {
    loan.current_interest_rate = loan.starting_interest_rate;
    loan.current_principal_balance = loan.original_note_amount;
    loan.accrual_base_date = loan.origination_date.min(loan.interest_start_date);
    loan.interest_accrued_thru_date = loan.accrual_base_date;
    loan.last_activity_date = Some(loan.origination_date);
    let schedule = schedule_of(loan);
    loan.next_due_date = schedule.first();
    let rate =
        RateStep { effective_date: loan.interest_start_date, rate: loan.starting_interest_rate };
    let terms = Terms {
        numerator: loan.interest_year_numerator,
        denominator: loan.interest_year_denominator,
        rates: vec![rate],
        interest_start_date: loan.interest_start_date,
        schedule,
        payment_amount: None,
        advance_days: loan.advance_days,
        accrues: true,
    };
    let (principal, start) = (loan.original_note_amount, loan.interest_start_date);
    let horizon = today.max(start).max(loan.maturity_date.unwrap_or(start)) + Days::new(366);
    if interest::accrue(&terms, principal, start, horizon).is_err() {
        return Err(refuse(element, "the interest on these terms is too large to be stored"));
    }
    let payments = loan.number_of_payments.and_then(|count| u32::try_from(count).ok());
    let (None, Some(payments)) = (loan.payment_amount, payments) else { return Ok(()) };
    if matches!(loan.payment_period, PaymentPeriod::None | PaymentPeriod::Maturity) {
        return Ok(());
    }
    match schedule::level_installment(&terms, principal, payments) {
        Ok(amount) => loan.payment_amount = Some(amount),
        Err(_) => return Err(refuse(element, "no level installment pays this loan off")),
    }
    Ok(())
}

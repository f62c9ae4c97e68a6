//! How large is a level instalment?

use crate::loans::servicing::Terms;
use crate::loans::servicing::interest::InterestFactor;
use rust_decimal::{Decimal, RoundingStrategy};
use shared::amounts::{Accrual, Money, OutOfRange};

/// The smallest amount in cents which, paid on each of so many due dates, leaves a last payment
/// that is not the larger one.
///
/// Found by trying amounts on the loan's own schedule, rates and day count, with the interest of
/// each period unrounded. Over whole periods of 360/360 it is therefore the annuity
/// P × i ÷ (1 − (1 + i)^−n), rounded up to the cent. The count ends at maturity where that comes
/// first; without a due date the instalment is zero.
///
/// # Errors
/// [`OutOfRange`] when no amount that can be stored pays the loan back.
pub fn level_instalment(
    terms: &Terms,
    principal: Money,
    payments: u32,
) -> Result<Money, OutOfRange> {
    let factors = interest_factors(terms, payments)?;
    if factors.is_empty() {
        return Ok(Money::ZERO);
    }
    let principal = Decimal::new(principal.units(), Money::DECIMALS);
    // Whoever pays all on the first date has no larger last payment.
    let all_at_once = last_payment(&factors[..1], principal, Decimal::ZERO).ok_or(OutOfRange)?;
    let mut enough = cents_rounded_up(all_at_once)?;
    let mut too_little = -1;
    while enough - too_little > 1 {
        let cents = too_little + (enough - too_little) / 2;
        // Interest that runs out of range comes from paying too little.
        let suffices = last_payment(&factors, principal, Decimal::new(cents, 2))
            .is_some_and(|last| last <= Decimal::new(cents, 2));
        if suffices {
            enough = cents;
        } else {
            too_little = cents;
        }
    }
    Money::from_cents(enough)
}

/// The interest on one unit of principal from each due date to the next.
fn interest_factors(terms: &Terms, payments: u32) -> Result<Vec<Decimal>, OutOfRange> {
    let due_dates = (1..=payments).map_while(|n| terms.schedule.nth(n));
    let mut from = terms.interest_start_date;
    let mut factors = Vec::new();
    for due_date in due_dates {
        factors.push(InterestFactor::between(terms, from, due_date)?.to_decimal()?);
        from = due_date;
    }
    Ok(factors)
}

/// What is owed on the last due date when the instalment is paid on every date before it; none
/// when that is beyond all range.
fn last_payment(
    interest_factors: &[Decimal],
    principal: Decimal,
    instalment: Decimal,
) -> Option<Decimal> {
    let (mut principal, mut interest) = (principal, Decimal::ZERO);
    for (index, factor) in interest_factors.iter().enumerate() {
        if index > 0 {
            let interest_paid = interest.min(instalment);
            interest -= interest_paid;
            principal = (principal - (instalment - interest_paid)).max(Decimal::ZERO);
        }
        interest = interest.checked_add(principal.checked_mul(*factor)?)?;
    }
    // The digits beyond are those that a division by 360 cannot finish.
    let precision = Accrual::DECIMALS;
    let strategy = RoundingStrategy::MidpointAwayFromZero;
    Some(principal.checked_add(interest)?.round_dp_with_strategy(precision, strategy))
}

fn cents_rounded_up(amount: Decimal) -> Result<i64, OutOfRange> {
    let cents = amount.checked_mul(Decimal::ONE_HUNDRED).ok_or(OutOfRange)?.ceil();
    i64::try_from(cents).map_err(|_| OutOfRange)
}

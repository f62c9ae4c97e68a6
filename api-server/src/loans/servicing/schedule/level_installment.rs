//! Level installments: the equal amount per due date that pays a loan back.

use crate::loans::servicing::Terms;
use crate::loans::servicing::interest::InterestFactor;
use rust_decimal::{Decimal, RoundingStrategy};
use shared::amounts::{Accrual, Money, OutOfRange};

/// Returns the smallest amount in cents that, paid on each of `payments` due dates, leaves a last
/// payment no larger than the others.
///
/// Found by bisection on the loan's own schedule, rates and day count, with the interest of each
/// period unrounded. Over whole periods of 360/360 this is therefore the annuity, P × i ÷ (1 − (1 +
/// i)^−n), rounded up to the cent. The count ends at maturity if that comes first; without a due
/// date the installment is zero.
///
/// # Errors
/// [`OutOfRange`] if no amount that can be stored pays the loan back.
pub fn level_installment(
    terms: &Terms,
    principal: Money,
    payments: u32,
) -> Result<Money, OutOfRange> {
    let factors = interest_factors(terms, payments)?;
    if factors.is_empty() {
        return Ok(Money::ZERO);
    }
    let principal = Decimal::new(principal.units(), Money::DECIMALS);
    // Upper bound: if everything is paid on the first date, the last payment is not larger.
    let all_at_once = last_payment(&factors[..1], principal, Decimal::ZERO).ok_or(OutOfRange)?;
    let mut enough = cents_rounded_up(all_at_once)?;
    let mut too_little = -1;
    while enough - too_little > 1 {
        let cents = too_little + (enough - too_little) / 2;
        // Interest runs out of range only if the installment is too small.
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

/// Returns the interest on one unit of principal from each due date to the next.
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

/// Returns the amount owed on the last due date if the installment is paid on every date before it;
/// `None` if it is out of range.
fn last_payment(
    interest_factors: &[Decimal],
    principal: Decimal,
    installment: Decimal,
) -> Option<Decimal> {
    let (mut principal, mut interest) = (principal, Decimal::ZERO);
    for (index, factor) in interest_factors.iter().enumerate() {
        if index > 0 {
            let interest_paid = interest.min(installment);
            interest -= interest_paid;
            principal = (principal - (installment - interest_paid)).max(Decimal::ZERO);
        }
        interest = interest.checked_add(principal.checked_mul(*factor)?)?;
    }
    // Further digits come only from divisions that do not terminate, such as by 360.
    let precision = Accrual::DECIMALS;
    let strategy = RoundingStrategy::MidpointAwayFromZero;
    Some(principal.checked_add(interest)?.round_dp_with_strategy(precision, strategy))
}

fn cents_rounded_up(amount: Decimal) -> Result<i64, OutOfRange> {
    let cents = amount.checked_mul(Decimal::ONE_HUNDRED).ok_or(OutOfRange)?.ceil();
    i64::try_from(cents).map_err(|_| OutOfRange)
}

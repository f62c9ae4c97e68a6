//! Balances of a loan at the end of a past day, as they were known on that day or a later one.
//!
//! A row counts if it is effective by the first day and its `GL_Date` is not after the second: a
//! reversal has the effective date of the entry that it reverses, but the `GL_Date` of its own
//! posting. Every balance but interest is the sum of the rows that count, including those that the
//! caller may not see.
//!
//! Interest accrues from the accrual base as the last counted entry that moved it left it. That base
//! is in the snapshot before the next entry or, if there is none, in the loan's row. Two events
//! replace the base before it gets into a snapshot: a reversal of the last entry, and a change of
//! terms or status, which moves the base past the day. Then interest is computed from the snapshot
//! before the last entry, or from the loan's booking. Terms and status are those of each day: what
//! changed them later is read from the field history.

mod accrual;
mod rows;

use self::accrual::{AccruingLoan, TermsChange};
use self::rows::{BaseEntry, CountedRows};
use crate::auth::caller::RequestContext;
use crate::loans::account::LoanAccount;
use crate::loans::refusals::LoanError;
use crate::loans::servicing::{LoanState, Terms};
use crate::loans::snapshots::LoanSnapshot;
use chrono::NaiveDate;
use sea_orm::ConnectionTrait;
use shared::amounts::{Accrual, Money};
use shared::entity::loan_transactions::BalanceName;
use shared::entity::loans;
use shared::time::Clock;

/// The day whose balances are requested.
#[derive(Clone, Copy, Debug)]
pub struct AsOf {
    /// Entries effective by this day count.
    pub date: NaiveDate,
    /// Of those, the ones in the ledger by this day.
    pub known_on: NaiveDate,
}

/// A loan at the end of a past day. The due rows are left out.
pub struct PastAccount {
    pub loan: loans::Model,
    /// Terms by which interest accrued then.
    pub terms: Terms,
    /// Balances and accrual base then.
    pub state: LoanState,
}

/// Reads a loan as it was on a day that is not before its origination; 404 if the caller may not
/// see it.
///
/// Entries may be committed between the statements. Whatever follows the last entry that counts is
/// read before the loan and after it, so that the base of the loan is used only if it is the one
/// that this entry left.
pub async fn read(
    db: &impl ConnectionTrait,
    RequestContext { caller, clock }: &RequestContext,
    loan_id: i64,
    as_of: AsOf,
) -> Result<PastAccount, LoanError> {
    let counted = CountedRows::read(db, caller, loan_id, as_of).await?;
    let accounts = LoanAccount::read(db, caller, vec![loan_id]).await?;
    let account = accounts.into_values().next().ok_or(LoanError::NotFound)??;
    let mut entries = BaseEntry::read_from(db, loan_id, counted.last_entry).await?.into_iter();
    let last = counted.last_entry.and_then(|_| entries.next());
    let next = entries.next();
    let balance = |name| counted.balance(name);
    let principal = balance(BalanceName::Principal);
    let base = base_on(db, &account, principal, (last, next), (*clock, as_of.date)).await?;
    let state = LoanState {
        principal,
        late_charges: balance(BalanceName::LateCharge),
        fees: balance(BalanceName::Fees),
        impound: balance(BalanceName::Impound),
        suspense: balance(BalanceName::Suspense),
        interest_settled_total: Money::ZERO.minus(balance(BalanceName::Interest))?,
        accrual_base_date: base.loan.accrual_base_date,
        accrual_base_total: base.loan.accrual_base_total,
        due_rows: Vec::new(),
        ..account.state.clone()
    };
    Ok(PastAccount { loan: account.loan.clone(), terms: base.terms()?, state })
}

/// Returns the loan with the base from which interest accrued at the end of a day, after the last
/// entry that counts for it. `next` is the entry posted after that one, whether it counts or not.
async fn base_on<'a>(
    db: &impl ConnectionTrait,
    account: &'a LoanAccount,
    principal: Money,
    (last, next): (Option<BaseEntry>, Option<BaseEntry>),
    (clock, day): (Clock, NaiveDate),
) -> Result<AccruingLoan<'a>, LoanError> {
    let loan = &account.loan;
    let later = next.as_ref().map_or_else(|| LoanSnapshot::of(loan), |next| next.before.clone());
    let is_undone = last
        .as_ref()
        .and_then(|last| last.reversal)
        .is_some_and(|reversal| next.as_ref().is_none_or(|next| reversal < next.transaction_id));
    if !is_undone && later.accrual_base_date <= day {
        let changes = match next.map(|next| next.posted) {
            Some(posted) if clock.day_of(posted) <= day => {
                TermsChange::read(db, loan.loan_id, clock, (Some(posted), None)).await?
            }
            _ => Vec::new(),
        };
        let mut base = AccruingLoan::new(db, account, later, &changes).await?;
        base.replay(principal, &changes, day)?;
        return Ok(base);
    }
    let since = last.as_ref().map(|last| last.posted);
    // Without a last entry, the day is before the base that the next one found.
    let until = next.map(|next| next.posted).filter(|_| last.is_none());
    let changes = TermsChange::read(db, loan.loan_id, clock, (since, until)).await?;
    let before = match &last {
        Some(last) => last.before.clone(),
        None => {
            let undone = changes.iter().rev().try_fold(later, |it, change| change.undo(&it));
            let mut booked = undone?;
            booked.accrual_base_date = loan.origination_date.min(loan.interest_start_date);
            booked.accrual_base_total = Accrual::ZERO;
            booked
        }
    };
    let mut base = AccruingLoan::new(db, account, before, &changes).await?;
    if let Some(last) = &last {
        base.advance(principal.minus(last.principal)?, last.effective_date)?;
    }
    base.replay(principal, &changes, day)?;
    Ok(base)
}

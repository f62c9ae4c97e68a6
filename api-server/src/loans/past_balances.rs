//! Balances of a loan at the end of a past day, as they were known on that day or a later one.
//!
//! A row counts if it is effective by the first day and its `GL_Date` is not after the second: a
//! reversal has the effective date of the entry that it reverses, but the `GL_Date` of its own
//! posting. Every balance but interest is the sum of the rows that count, whoever may see them.
//!
//! Interest accrues from the base that the last entry left which counts and moved it. The snapshot
//! before the next entry has that base, or the loan itself if there is no next entry. Two events
//! replace the base before it gets into a snapshot: a reversal of the last entry, and a change of
//! terms or status, which moves the base past the day. Then interest is computed from the snapshot
//! before the last entry, or from the loan's booking.

mod rows;

use self::rows::{BaseEntry, CountedRows};
use crate::auth::caller::Caller;
use crate::loans::account::{self, LoanAccount};
use crate::loans::refusals::LoanError;
use crate::loans::servicing::{LoanState, Terms, interest};
use chrono::NaiveDate;
use sea_orm::{ConnectionTrait, EntityTrait};
use shared::amounts::{Accrual, Money, OutOfRange};
use shared::entity::loan_transactions::BalanceName;
use shared::entity::{loan_status_codes, loans};

/// The day whose balances are asked for.
#[derive(Clone, Copy, Debug)]
pub struct AsOf {
    /// Entries effective by this day count.
    pub date: NaiveDate,
    /// Of those, the ones in the ledger by this day.
    pub known_on: NaiveDate,
}

/// A loan at the end of a past day. The due rows are left out.
pub struct PastAccount {
    /// The loan today.
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
    caller: &Caller,
    loan_id: i64,
    as_of: AsOf,
) -> Result<PastAccount, LoanError> {
    let counted = CountedRows::read(db, loan_id, as_of).await?;
    let accounts = LoanAccount::read(db, caller, vec![loan_id]).await?;
    let account = accounts.into_values().next().ok_or(LoanError::NotFound)??;
    let mut entries = BaseEntry::read_from(db, loan_id, counted.last_entry).await?.into_iter();
    let last = counted.last_entry.and_then(|_| entries.next());
    let next = entries.next();
    let balance = |name| counted.balance(name);
    let principal = balance(BalanceName::Principal);
    let base = base_on(db, &account, principal, (last, next), as_of.date).await?;
    let state = LoanState {
        principal,
        late_charges: balance(BalanceName::LateCharge),
        fees: balance(BalanceName::Fees),
        impound: balance(BalanceName::Impound),
        suspense: balance(BalanceName::Suspense),
        interest_settled_total: Money::ZERO.minus(balance(BalanceName::Interest))?,
        accrual_base_date: base.date,
        accrual_base_total: base.total,
        due_rows: Vec::new(),
        ..account.state.clone()
    };
    Ok(PastAccount { loan: account.loan.clone(), terms: base.terms, state })
}

/// An accrual base, and the terms by which interest accrues from it.
struct AccrualBase {
    terms: Terms,
    date: NaiveDate,
    total: Accrual,
}

impl AccrualBase {
    /// Returns the base in the columns of a loan.
    async fn of(
        db: &impl ConnectionTrait,
        account: &LoanAccount,
        loan: &loans::Model,
    ) -> Result<Self, LoanError> {
        let status = status(db, account, loan.status_code_id).await?;
        Ok(Self {
            terms: account::terms(loan, &status, account.terms.rates.clone()),
            date: loan.accrual_base_date,
            total: loan.accrual_base_total,
        })
    }

    /// Moves the base to a later day; this principal bore interest until then.
    fn advance(&mut self, principal: Money, to: NaiveDate) -> Result<(), OutOfRange> {
        let accrued = interest::accrue(&self.terms, principal, self.date, to)?;
        self.total = self.total.plus(accrued)?;
        self.date = self.date.max(to);
        Ok(())
    }
}

/// Returns the base from which interest accrued at the end of a day, after the last entry that
/// counts for it. `next` is the entry posted after that one, whether it counts or not.
async fn base_on(
    db: &impl ConnectionTrait,
    account: &LoanAccount,
    principal: Money,
    (last, next): (Option<BaseEntry>, Option<BaseEntry>),
    day: NaiveDate,
) -> Result<AccrualBase, LoanError> {
    let loan = &account.loan;
    let later = next.as_ref().map_or(loan.clone(), |next| next.before.restored(loan));
    let is_undone = last
        .as_ref()
        .and_then(|last| last.reversal)
        .is_some_and(|reversal| next.as_ref().is_none_or(|next| reversal < next.transaction_id));
    if !is_undone && later.accrual_base_date <= day {
        return AccrualBase::of(db, account, &later).await;
    }
    let before = match &last {
        Some(last) => last.before.restored(loan),
        None => loans::Model {
            accrual_base_date: loan.origination_date.min(loan.interest_start_date),
            accrual_base_total: Accrual::ZERO,
            ..later.clone()
        },
    };
    let mut base = AccrualBase::of(db, account, &before).await?;
    // Whether interest accrued until a change of status shows only in what accrued.
    base.terms.accrues |= !is_undone;
    if let Some(last) = &last {
        base.advance(principal.minus(last.principal)?, last.effective_date)?;
    }
    base.advance(principal, day)?;
    if !is_undone {
        base.total = base.total.min(later.accrual_base_total);
    }
    Ok(base)
}

/// Returns a status.
#[expect(clippy::disallowed_methods, reason = "everyone may see the statuses")]
async fn status(
    db: &impl ConnectionTrait,
    account: &LoanAccount,
    status_code_id: i64,
) -> Result<loan_status_codes::Model, LoanError> {
    if status_code_id == account.status.status_code_id {
        return Ok(account.status.clone());
    }
    let status = loan_status_codes::Entity::find_by_id(status_code_id).one(db).await?;
    status.ok_or_else(|| LoanError::defect("a loan has no status"))
}

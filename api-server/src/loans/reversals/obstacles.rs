//! What stands in the way of a reversal: the entry is not one that can be reversed, something came
//! after it, or a balance was spent.

use super::{RowReversal, balance};
use crate::loans::account::{self, LoanAccount, PAID_OFF, refuse_if_closed};
use crate::loans::journal::codes;
use crate::loans::refusals::{BlockingEntry, LoanError, LoanRefusal, ReversalObstacle};
use crate::loans::servicing::LoanState;
use crate::loans::snapshots::LoanSnapshot;
use crate::loans::terms::accrues;
use chrono::NaiveDate;
use sea_orm::sea_query::Query;
use sea_orm::{
    ColumnTrait, Condition, DatabaseTransaction, DbErr, EntityTrait, QueryFilter, QueryOrder,
};
use shared::amounts::Money;
use shared::entity::loan_transactions::{self, BalanceName};
use shared::entity::{loan_snapshots, transaction_codes};

/// Balances that are sums of rows, in the order in which they are checked.
const BALANCES: [BalanceName; 5] = [
    BalanceName::Principal,
    BalanceName::LateCharge,
    BalanceName::Fees,
    BalanceName::Impound,
    BalanceName::Suspense,
];

/// Returns the error for an entry that cannot be reversed.
pub(super) fn refuse(
    obstacle: ReversalObstacle,
    blocked_by: Option<&loan_transactions::Model>,
) -> LoanError {
    let blocked_by = blocked_by.map(|row| BlockingEntry {
        reference: row.transaction_reference_no,
        code: row.transaction_code,
    });
    LoanError::Refused(LoanRefusal::NotReversible { obstacle, blocked_by })
}

/// Refuses what is no entry, is itself a reversal, or is reversed already. `first` is the first row
/// with this id or reference number.
#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole, hidden rows too")]
pub(super) async fn check_entry(
    tx: &DatabaseTransaction,
    first: &loan_transactions::Model,
    reference: i64,
) -> Result<(), LoanError> {
    if first.transaction_reference_no != reference {
        let obstacle = ReversalObstacle::RowOfEntry(first.transaction_reference_no);
        return Err(refuse(obstacle, None));
    }
    if first.transaction_code % 2 == 1 {
        return Err(refuse(ReversalObstacle::IsReversal, None));
    }
    if !first.reversed_flag {
        return Ok(());
    }
    let reversal = match first.reversal_transaction_id {
        Some(id) => loan_transactions::Entity::find_by_id(id).one(tx).await?,
        None => None,
    };
    Err(refuse(ReversalObstacle::AlreadyReversed, reversal.as_ref()))
}

/// Returns the snapshot of the loan before the entry, or `None` if the entry did not move the
/// accrual base. Refuses an entry that was not the last to move it and, if the loan is closed, one
/// that neither closed it nor paid out money held for the borrower.
#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole, hidden rows too")]
pub(super) async fn prior_state(
    tx: &DatabaseTransaction,
    account: &LoanAccount,
    first: &loan_transactions::Model,
    reversals: &[RowReversal<'_>],
) -> Result<Option<LoanSnapshot>, LoanError> {
    let snapshot = loan_snapshots::Entity::find_by_id(first.transaction_id).one(tx).await?;
    let Some(snapshot) = snapshot else {
        let moves_base = |name| matches!(name, BalanceName::Principal | BalanceName::Interest);
        let is_payment = first.transaction_code == codes::PAYMENT_TOTAL.number;
        if is_payment
            || reversals.iter().any(|reversal| reversal.row.balance_name.is_some_and(moves_base))
        {
            return Err(refuse(ReversalObstacle::NoSnapshot, None));
        }
        if !codes::PAYS_OUT.contains(&first.transaction_code) {
            refuse_closed(tx, account).await?;
        }
        return Ok(None);
    };
    let prior = LoanSnapshot::read(snapshot.prior_state).map_err(LoanError::defect)?;
    let latest = latest_to_move_base(tx, first.loan_id).await?;
    if let Some(later) = latest.filter(|latest| latest.transaction_id > first.transaction_id) {
        return Err(refuse(ReversalObstacle::Followed, Some(&later)));
    }
    // Only reversing the entry that closed a loan reopens it.
    let closed_it = closed_by_entry(account, &prior);
    if account.loan.accrual_base_date != first.effective_date
        || !prior.has_same_terms(&account.loan)
        || !(closed_it
            || accrues(&account::status(tx, prior.status_code_id).await?)
                == accrues(&account.status))
    {
        return Err(refuse(ReversalObstacle::TermsChanged, None));
    }
    if !closed_it {
        refuse_if_closed(&account.status)?;
    }
    Ok(Some(prior))
}

/// Refuses if the loan is closed, and names the entry that paid it off.
async fn refuse_closed(tx: &DatabaseTransaction, account: &LoanAccount) -> Result<(), LoanError> {
    let Err(closed) = refuse_if_closed(&account.status) else { return Ok(()) };
    if account.loan.payoff_date.is_none() || account.status.code != PAID_OFF {
        return Err(closed);
    }
    let payoff = latest_to_move_base(tx, account.loan.loan_id).await?;
    Err(refuse(ReversalObstacle::PaidOff, payoff.as_ref()))
}

/// Returns the first row of the latest entry that moved the accrual base and is not reversed.
#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole, hidden rows too")]
async fn latest_to_move_base(
    tx: &DatabaseTransaction,
    loan_id: i64,
) -> Result<Option<loan_transactions::Model>, DbErr> {
    use loan_transactions::Column::{LoanId, ReversedFlag, TransactionId};
    let snapshots = Query::select()
        .column(loan_snapshots::Column::TransactionId)
        .from(loan_snapshots::Entity)
        .take();
    loan_transactions::Entity::find()
        .filter(LoanId.eq(loan_id))
        .filter(ReversedFlag.eq(false))
        .filter(TransactionId.in_subquery(snapshots))
        .order_by_desc(TransactionId)
        .one(tx)
        .await
}

/// Returns the effective date of the entry posted last, except this one, that is not reversed.
#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole, hidden rows too")]
pub(super) async fn latest_other_activity(
    tx: &DatabaseTransaction,
    first: &loan_transactions::Model,
) -> Result<Option<NaiveDate>, DbErr> {
    use loan_transactions::Column as C;
    let others = loan_transactions::Entity::find()
        .filter(C::LoanId.eq(first.loan_id))
        .filter(C::ReversedFlag.eq(false))
        .filter(C::TransactionReferenceNo.ne(first.transaction_reference_no));
    let latest = others.order_by_desc(C::TransactionId).one(tx).await?;
    Ok(latest.map(|row| row.effective_date))
}

/// True if the loan is still closed as the entry left it: its status has not been changed since.
pub(super) fn closed_by_entry(account: &LoanAccount, prior: &LoanSnapshot) -> bool {
    let paid_off_since = account.loan.payoff_date.is_some() && prior.payoff_date.is_none();
    paid_off_since && account.status.code == PAID_OFF
}

/// Refuses if a balance without the entry is below zero, and names the latest entry that lowered
/// it.
pub(super) async fn check_balances(
    tx: &DatabaseTransaction,
    without: &mut LoanState,
    entry: &[loan_transactions::Model],
) -> Result<(), LoanError> {
    let negative = BALANCES.into_iter().find(|name| *balance(without, *name) < Money::ZERO);
    let (Some(name), Some(first)) = (negative, entry.first()) else { return Ok(()) };
    let spent_by = latest_to_lower(tx, first, name).await?;
    Err(refuse(ReversalObstacle::Spent(name), spent_by.as_ref()))
}

/// Returns the latest row that lowered a balance and is not reversed, of entries other than this
/// one.
#[expect(clippy::disallowed_methods, reason = "an entry is reversed whole, hidden rows too")]
async fn latest_to_lower(
    tx: &DatabaseTransaction,
    first: &loan_transactions::Model,
    name: BalanceName,
) -> Result<Option<loan_transactions::Model>, DbErr> {
    use loan_transactions::Column as C;
    let lowering = Query::select()
        .column(transaction_codes::Column::TransactionCode)
        .from(transaction_codes::Entity)
        .and_where(transaction_codes::Column::Sign.lt(0))
        .take();
    let of_balance = Condition::all()
        .add(C::LoanId.eq(first.loan_id))
        .add(C::BalanceName.eq(name))
        .add(C::ReversedFlag.eq(false))
        .add(C::TransactionReferenceNo.ne(first.transaction_reference_no))
        .add(C::TransactionCode.in_subquery(lowering));
    let rows = loan_transactions::Entity::find().filter(of_balance);
    rows.order_by_desc(C::TransactionId).one(tx).await
}

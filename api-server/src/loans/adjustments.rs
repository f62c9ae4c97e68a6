//! Adjustments: advances and draws, charges, waivers, reductions, write-offs, disbursements. No
//! operation of the API posts them yet; the core system's batch programs and the demo portfolio do.

use crate::audit::{self, Actor};
use crate::loans::account::{LoanAccount, refuse_if_closed};
use crate::loans::journal::codes::{self, Code};
use crate::loans::journal::{self, Entry, EntryHeader};
use crate::loans::refusals::{LoanError, LoanRefusal};
use crate::loans::servicing::adjustment::{self, AdjustmentKind};
use chrono::NaiveDate;
use sea_orm::{ColumnTrait, DatabaseTransaction, EntityTrait, QueryFilter, QuerySelect};
use shared::amounts::Money;
use shared::entity::{credit_lines, loan_transactions};
use shared::time::Clock;

/// A posting other than a payment that moves a balance of a loan.
#[derive(Clone, Debug)]
pub struct NewAdjustment {
    /// Kind of adjustment.
    pub kind: AdjustmentKind,
    /// Amount, above zero.
    pub amount: Money,
    /// Effective date.
    pub effective_date: NaiveDate,
    /// Credit line of a draw.
    pub creditline_id: Option<i64>,
    /// The caller's own reference.
    pub user_reference: Option<String>,
}

/// Returns the transaction code of an adjustment.
pub const fn code(kind: AdjustmentKind) -> Code {
    match kind {
        AdjustmentKind::Advance => codes::ADVANCE,
        AdjustmentKind::Draw => codes::DRAW,
        AdjustmentKind::LateCharge => codes::LATE_CHARGE_ASSESSED,
        AdjustmentKind::Fee => codes::FEE_ASSESSED,
        AdjustmentKind::InterestReduction => codes::INTEREST_REDUCTION,
        AdjustmentKind::PrincipalWriteOff => codes::PRINCIPAL_WRITE_OFF,
        AdjustmentKind::ImpoundDisbursement => codes::IMPOUND_DISBURSEMENT,
        AdjustmentKind::LateChargeWaived => codes::LATE_CHARGE_WAIVED,
        AdjustmentKind::FeeWaived => codes::FEE_WAIVED,
    }
}

/// Posts an adjustment. Returns its row. The caller commits.
pub async fn post(
    tx: &DatabaseTransaction,
    author: &Actor,
    clock: Clock,
    loan_id: i64,
    new: &NewAdjustment,
) -> Result<loan_transactions::Model, LoanError> {
    let account = LoanAccount::lock(tx, loan_id).await?;
    refuse_if_closed(&account.status)?;
    let NewAdjustment { kind, amount, effective_date, .. } = *new;
    if (kind == AdjustmentKind::Draw) != new.creditline_id.is_some() {
        return Err(LoanError::invalid(
            "Creditline_ID",
            "is required for a draw, and not allowed otherwise",
        ));
    }
    journal::check_date(&account, effective_date, clock.today, kind.moves_base())?;
    let adjusted = adjustment::post(&account.terms, &account.state, kind, amount, effective_date)
        .map_err(|refusal| LoanRefusal::of_amount(refusal, amount))?;
    if !adjusted.is_balanced(&account.state, kind, amount) {
        return Err(LoanError::defect(
            "an adjustment is out of balance: not exactly its own balance moved by its amount",
        ));
    }
    let header = EntryHeader { loan_id, author, clock, effective_date };
    let row = loan_transactions::Model {
        creditline_id: new.creditline_id,
        user_reference: new.user_reference.clone(),
        ..header.row(code(kind), amount, Some(adjusted.balance_after))?
    };
    let change = account.changed(author, &adjusted.after, |loan| {
        loan.last_activity_date = Some(effective_date);
    })?;
    let due_row_parts = adjusted.due_row_parts;
    let entry = Entry { rows: vec![row], change, due_row_parts, moves_base: kind.moves_base() };
    let rows = journal::write(tx, clock.now, vec![entry]).await?;
    if let Some(creditline_id) = new.creditline_id {
        count_draw(tx, author, clock, (loan_id, creditline_id), (1, amount)).await?;
    }
    let row = rows.into_iter().flatten().next();
    row.ok_or_else(|| LoanError::defect("an adjustment has no row"))
}

/// Adds draws, and the amount drawn, to a credit line of the loan, under the line's row lock.
/// Negative values take them back.
#[expect(clippy::disallowed_methods, reason = "a draw counts on its line, visible or not")]
pub(crate) async fn count_draw(
    tx: &DatabaseTransaction,
    author: &Actor,
    clock: Clock,
    (loan_id, creditline_id): (i64, i64),
    (count, amount): (i32, Money),
) -> Result<(), LoanError> {
    use credit_lines::Column::{CreditlineId, DrawCount, DrawTotal, LoanId};
    let line = credit_lines::Entity::find_by_id(creditline_id)
        .filter(LoanId.eq(loan_id))
        .lock_exclusive()
        .one(tx)
        .await?;
    let before = line
        .ok_or_else(|| LoanError::invalid("Creditline_ID", "is not a credit line of the loan"))?;
    let after = credit_lines::Model {
        draw_count: before.draw_count.saturating_add(count),
        draw_total: before.draw_total.plus(amount)?,
        ..before.clone()
    };
    credit_lines::Entity::update_many()
        .col_expr(DrawCount, after.draw_count.into())
        .col_expr(DrawTotal, after.draw_total.into())
        .filter(CreditlineId.eq(creditline_id))
        .exec(tx)
        .await?;
    audit::record(tx, author, clock.now, Some(&before), Some(&after)).await?;
    Ok(())
}

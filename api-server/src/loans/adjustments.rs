//! Adjustments: advances and draws, charges, waivers, reductions, write-offs, disbursements.

mod command;
mod validation;

pub use self::command::PostAdjustment;
pub use self::validation::{NewAdjustment, RequestedKind, ValidatedAdjustment};

use crate::audit::Actor;
use crate::loans::account::{LoanAccount, refuse_if_closed};
use crate::loans::credit_lines::{CreditLineChange, LockedCreditLine};
use crate::loans::journal::codes::{self, Code};
use crate::loans::journal::{self, Entry, EntryHeader};
use crate::loans::refusals::{LoanError, LoanRefusal};
use crate::loans::servicing::adjustment::{self, AdjustmentKind};
use sea_orm::DatabaseTransaction;
use shared::entity::loan_transactions;
use shared::time::Clock;

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
        AdjustmentKind::SuspenseDisbursement => codes::SUSPENSE_DISBURSEMENT,
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
    new: &ValidatedAdjustment,
) -> Result<loan_transactions::Model, LoanError> {
    let account = LoanAccount::lock(tx, loan_id).await?;
    let line = match new.creditline_id {
        Some(creditline_id) => Some(LockedCreditLine::lock(tx, loan_id, creditline_id).await?),
        None => None,
    };
    let entry = entry(&account, author, clock, new, line.as_ref())?;
    let rows = journal::write(tx, clock.now, vec![entry]).await?;
    let row = rows.into_iter().flatten().next();
    row.ok_or_else(|| LoanError::defect("an adjustment has no row"))
}

/// Checks an adjustment on a locked account, and on the locked credit line of a draw. Returns its
/// entry.
pub(super) fn entry<'a>(
    account: &LoanAccount,
    author: &'a Actor,
    clock: Clock,
    new: &ValidatedAdjustment,
    line: Option<&LockedCreditLine>,
) -> Result<Entry<'a>, LoanError> {
    let ValidatedAdjustment { kind, amount, .. } = *new;
    let effective_date = new.effective_date.unwrap_or(clock.today);
    if !kind.pays_out() {
        refuse_if_closed(&account.status)?;
    }
    journal::check_date(account, effective_date, clock.today, kind.moves_base())?;
    let adjusted = adjustment::post(&account.terms, &account.state, kind, amount, effective_date)
        .map_err(|refusal| LoanRefusal::of_amount(refusal, amount))?;
    if !adjusted.is_balanced(&account.state, kind, amount) {
        return Err(LoanError::defect(
            "an adjustment is out of balance: not exactly its own balance moved by its amount",
        ));
    }
    let credit_line = match line {
        Some(line) => {
            line.check_draw(account, amount, effective_date)?;
            Some(CreditLineChange::drawn(&line.row, amount)?)
        }
        None => None,
    };
    let header = EntryHeader { loan_id: account.loan.loan_id, author, clock, effective_date };
    let row = loan_transactions::Model {
        creditline_id: new.creditline_id,
        user_reference: new.user_reference.clone(),
        ..header.row(code(kind), amount, Some(adjusted.balance_after))?
    };
    let change = account.changed(author, &adjusted.after, |loan| {
        loan.last_activity_date = Some(effective_date);
    })?;
    let due_row_parts = adjusted.due_row_parts;
    let moves_base = kind.moves_base();
    Ok(Entry { rows: vec![row], change, due_row_parts, moves_base, credit_line })
}

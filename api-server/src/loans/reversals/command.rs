//! The command that reverses an entry.

use super::{NewReversal, ValidatedReversal, reverse};
use crate::audit::Actor;
use crate::auth::caller::Caller;
use crate::auth::privileges::Forbidden;
use crate::command::execute::Command;
use crate::command::failure::LockedRow;
use crate::command::lock_queues::RowKey;
use crate::loans::journal::codes;
use crate::loans::lookups::{LoanLookups, VisibleCodes};
use crate::loans::payments::EntryRows;
use crate::loans::refusals::{LoanError, LoanRefusal};
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseTransaction, QueryFilter};
use shared::entity::loan_transactions;
use shared::time::Clock;
use std::sync::Arc;

pub struct ReverseEntry {
    author: Actor,
    loan_id: i64,
    reference: i64,
    /// The drawer that a payment went into.
    drawer_id: Option<i64>,
    reversal: Result<ValidatedReversal, LoanError>,
    visible_codes: Arc<VisibleCodes>,
}

impl ReverseEntry {
    /// Checks that the caller may see the loan and the transaction (404 if not), and may post with
    /// the codes of its reversal and of the fee (403 if not).
    pub async fn admit(
        db: &impl ConnectionTrait,
        loans: &LoanLookups,
        caller: &Caller,
        author: Actor,
        (loan_id, reference): (i64, i64),
        new: NewReversal,
    ) -> Result<Self, LoanError> {
        use loan_transactions::Column::{LoanId, TransactionId};
        let visible_codes = loans.visible_codes(caller, loan_id).await?;
        let row = caller.find::<loan_transactions::Entity>().filter(LoanId.eq(loan_id));
        let row = row.filter(TransactionId.eq(reference)).one(db).await?;
        let row = row.ok_or(LoanError::NotFound)?;
        let code = row.transaction_code;
        let reversal_code = (code % 2 == 0).then_some(code + 1);
        let fee_code = new.nsf_fee.as_ref().map(|_| codes::FEE_ASSESSED.number);
        for code in reversal_code.into_iter().chain(fee_code) {
            if !visible_codes.contain(code) {
                return Err(Forbidden::TransactionCode(code).into());
            }
        }
        let (drawer_id, reversal) = (row.cash_drawer_id, new.validate());
        Ok(Self { author, loan_id, reference, drawer_id, reversal, visible_codes })
    }

    /// Returns the same error without the entry that it names, if the caller may not see that.
    fn without_hidden(&self, error: LoanError) -> LoanError {
        match error {
            LoanError::Refused(LoanRefusal::NotReversible { obstacle, blocked_by }) => {
                let blocked_by = blocked_by.filter(|entry| self.visible_codes.contain(entry.code));
                LoanError::Refused(LoanRefusal::NotReversible { obstacle, blocked_by })
            }
            error => error,
        }
    }
}

impl Command for ReverseEntry {
    type Answer = EntryRows;
    type Refusal = LoanRefusal;

    const LOCKED: Option<LockedRow> = Some(LockedRow::Loan);
    const LOCKS_ROWS: bool = true;

    fn rows(&self) -> Vec<RowKey> {
        let drawer = self.drawer_id.map(RowKey::Drawer);
        [RowKey::Loan(self.loan_id)].into_iter().chain(drawer).collect()
    }

    async fn apply(&self, tx: &DatabaseTransaction, clock: Clock) -> Result<EntryRows, LoanError> {
        let Self { author, loan_id, reference, .. } = self;
        let reversal = self.reversal.as_ref().map_err(LoanError::clone)?;
        let rows = reverse(tx, author, clock, *loan_id, *reference, reversal).await;
        let rows = rows.map_err(|error| self.without_hidden(error))?;
        Ok(self.visible_codes.of_rows(rows))
    }
}

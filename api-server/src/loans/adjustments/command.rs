//! The command that posts an adjustment.

use super::{NewAdjustment, ValidatedAdjustment, post};
use crate::audit::Actor;
use crate::auth::caller::Caller;
use crate::auth::privileges::BACKDATE_PAYMENTS;
use crate::command::execute::Command;
use crate::command::failure::LockedRow;
use crate::command::lock_queues::RowKey;
use crate::loans::lookups::VisibleCodes;
use crate::loans::payments::EntryRows;
use crate::loans::refusals::{LoanError, LoanRefusal};
use sea_orm::DatabaseTransaction;
use shared::time::{Clock, Day};
use std::sync::Arc;

pub struct PostAdjustment {
    caller: Caller,
    author: Actor,
    loan_id: i64,
    adjustment: Result<ValidatedAdjustment, LoanError>,
    effective_date: Option<Day>,
    visible_codes: Arc<VisibleCodes>,
}

impl PostAdjustment {
    /// Returns the command that posts an adjustment whose row has this author. `visible_codes` are
    /// those of the rows that the response may contain.
    pub fn new(
        caller: Caller,
        author: Actor,
        loan_id: i64,
        new: NewAdjustment,
        visible_codes: Arc<VisibleCodes>,
    ) -> Self {
        let (effective_date, adjustment) = (new.effective_date, new.validate());
        Self { caller, author, loan_id, adjustment, effective_date, visible_codes }
    }
}

impl Command for PostAdjustment {
    type Answer = EntryRows;
    type Refusal = LoanRefusal;

    const LOCKED: Option<LockedRow> = Some(LockedRow::Loan);
    const LOCKS_ROWS: bool = true;

    fn rows(&self) -> Vec<RowKey> {
        vec![RowKey::Loan(self.loan_id)]
    }

    async fn apply(&self, tx: &DatabaseTransaction, clock: Clock) -> Result<EntryRows, LoanError> {
        // It depends on today, so the stored response of an earlier day comes first.
        if self.effective_date.is_some_and(|Day(date)| date < clock.today) {
            self.caller.require(BACKDATE_PAYMENTS)?;
        }
        let adjustment = self.adjustment.as_ref().map_err(LoanError::clone)?;
        let row = post(tx, &self.author, clock, self.loan_id, adjustment).await?;
        Ok(self.visible_codes.of_rows(vec![row]))
    }
}

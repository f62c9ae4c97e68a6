//! The command that posts an adjustment.

use super::{NewAdjustment, post};
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
    pub caller: Caller,
    /// Author of the rows.
    pub author: Actor,
    pub loan_id: i64,
    /// The request.
    pub new: NewAdjustment,
    /// Codes of the rows that the response may contain.
    pub visible_codes: Arc<VisibleCodes>,
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
        if self.new.effective_date.is_some_and(|Day(date)| date < clock.today) {
            self.caller.require(BACKDATE_PAYMENTS)?;
        }
        let new = self.new.clone().validate(clock.today)?;
        let row = post(tx, &self.author, clock, self.loan_id, &new).await?;
        Ok(self.visible_codes.of_rows(vec![row]))
    }
}

//! The command that posts a payment.

use super::{EntryRows, LoanPayment, LockedLoans, NewPayment, ValidatedPayment, post, post_all};
use crate::audit::Actor;
use crate::auth::caller::Caller;
use crate::auth::privileges::BACKDATE_PAYMENTS;
use crate::command::execute::{Command, ExecutionMode};
use crate::command::failure::LockedRow;
use crate::command::group_commit::{GroupCommand, GroupCommit, GroupResult};
use crate::command::idempotency::Replayable;
use crate::command::lock_queues::RowKey;
use crate::loans::account::LoanAccount;
use crate::loans::lookups::VisibleCodes;
use crate::loans::refusals::{LoanError, LoanRefusal};
use chrono::NaiveDate;
use sea_orm::{ConnectionTrait, DatabaseTransaction};
use shared::database::batch::WriteBatch;
use shared::entity::loans;
use shared::time::{Clock, Day};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub struct PostPayment {
    pub caller: Caller,
    /// Author of the rows.
    pub author: Actor,
    pub loan_id: i64,
    /// The request.
    pub new: NewPayment,
    /// The cash drawer to wait for: the one in the request, unless the caller may not see it. A wait
    /// would tell that it exists.
    pub drawer_id: Option<i64>,
    /// Codes of the rows that the response may contain.
    pub visible_codes: Arc<VisibleCodes>,
}

impl PostPayment {
    /// Posts the payment, in a transaction shared with others if it names no cash drawer.
    pub async fn execute(
        self,
        group: &Arc<GroupCommit<Self>>,
        mode: ExecutionMode,
    ) -> Result<Replayable<EntryRows, true>, LoanError> {
        let may_share = self.may_share();
        group.execute(self, mode, may_share).await
    }

    /// True if it names no cash drawer.
    pub(super) fn may_share(&self) -> bool {
        self.new.cash_drawer_id.is_none()
    }

    /// Checks the request, and the privilege that depends on today: after the key was looked up, so
    /// that a request repeated after midnight gets its stored response.
    fn validated(&self, today: NaiveDate) -> Result<ValidatedPayment, LoanError> {
        if self.new.effective_date.is_some_and(|Day(date)| date < today) {
            self.caller.require(BACKDATE_PAYMENTS)?;
        }
        self.new.clone().validate()
    }
}

impl Command for PostPayment {
    type Answer = EntryRows;
    type Refusal = LoanRefusal;

    const LOCKED: Option<LockedRow> = Some(LockedRow::Loan);
    const LOCKS_ROWS: bool = true;

    fn rows(&self) -> Vec<RowKey> {
        let drawer = self.drawer_id.map(RowKey::Drawer);
        [RowKey::Loan(self.loan_id)].into_iter().chain(drawer).collect()
    }

    async fn apply(&self, tx: &DatabaseTransaction, clock: Clock) -> Result<EntryRows, LoanError> {
        let payment = self.validated(clock.today)?;
        let rows = post(tx, &self.caller, &self.author, clock, self.loan_id, &payment).await?;
        Ok(self.visible_codes.of_rows(rows))
    }
}

impl GroupCommand for PostPayment {
    type Locked = BTreeMap<i64, loans::Model>;
    type Read = LockedLoans;

    async fn lock_available(
        tx: &DatabaseTransaction,
        commands: &[&Self],
    ) -> Result<Self::Locked, LoanError> {
        let loan_ids: BTreeSet<i64> = commands.iter().map(|command| command.loan_id).collect();
        let loans = LoanAccount::lock_available(tx, loan_ids.into_iter().collect()).await?;
        Ok(loans.into_iter().map(|loan| (loan.loan_id, loan)).collect())
    }

    fn is_locked(&self, locked: &Self::Locked) -> bool {
        locked.contains_key(&self.loan_id)
    }

    async fn read(
        db: &impl ConnectionTrait,
        locked: Self::Locked,
        commands: &[&Self],
    ) -> Result<LockedLoans, LoanError> {
        let payments: Vec<_> = commands.iter().map(|it| (it.loan_id, &it.new)).collect();
        LockedLoans::read(db, locked.into_values().collect(), &payments).await
    }

    async fn apply_all(
        tx: &DatabaseTransaction,
        writes: &mut WriteBatch,
        clock: Clock,
        loans: LockedLoans,
        commands: &[&Self],
    ) -> GroupResult<Self> {
        let validated = commands.iter().map(|command| command.validated(clock.today));
        let validated: Vec<_> = validated.collect();
        let valid = commands.iter().zip(&validated).filter_map(|(command, payment)| {
            let PostPayment { caller, author, loan_id, .. } = command;
            let payment = payment.as_ref().ok()?;
            Some(LoanPayment { caller, author, loan_id: *loan_id, payment })
        });
        let valid: Vec<_> = valid.collect();
        let mut outcomes = post_all(tx, writes, clock, loans, &valid).await?.into_iter();
        let outcomes = commands.iter().zip(&validated).map(|(command, payment)| match payment {
            Err(error) => Some(Err(error.clone())),
            Ok(_) => outcomes
                .next()?
                .map(|posted| posted.map(|rows| command.visible_codes.of_rows(rows))),
        });
        Ok(outcomes.collect())
    }
}

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
    caller: Caller,
    author: Actor,
    loan_id: i64,
    payment: Result<ValidatedPayment, LoanError>,
    // Also of a payment that is refused.
    effective_date: Option<Day>,
    names_drawer: bool,
    /// The cash drawer to wait for.
    drawer_id: Option<i64>,
    visible_codes: Arc<VisibleCodes>,
}

impl PostPayment {
    /// Returns the command that posts a payment whose rows have this author. `visible_codes` are those
    /// of the rows that the response may contain. `drawers` are those that the caller may see: a wait
    /// for another would tell that it exists.
    pub fn new(
        caller: Caller,
        author: Actor,
        loan_id: i64,
        new: NewPayment,
        drawers: &BTreeSet<i64>,
        visible_codes: Arc<VisibleCodes>,
    ) -> Self {
        let (effective_date, names_drawer) = (new.effective_date, new.cash_drawer_id.is_some());
        let drawer_id = new.cash_drawer_id.filter(|id| drawers.contains(id));
        let payment = new.validate();
        Self {
            caller,
            author,
            loan_id,
            payment,
            effective_date,
            names_drawer,
            drawer_id,
            visible_codes,
        }
    }

    /// Posts the payment, in a transaction shared with others if it names no cash drawer.
    pub async fn execute(
        self,
        group: &Arc<GroupCommit<Self>>,
        mode: ExecutionMode,
    ) -> Result<Replayable<EntryRows, true>, LoanError> {
        let may_share = self.may_share();
        group.execute(self, mode, may_share).await
    }

    pub(super) fn may_share(&self) -> bool {
        !self.names_drawer
    }

    /// Returns the payment, or why it is refused. Called after the key was looked up: a privilege depends
    /// on today, and a request repeated after midnight must still get its stored response.
    fn payment(&self, today: NaiveDate) -> Result<&ValidatedPayment, LoanError> {
        if self.effective_date.is_some_and(|Day(date)| date < today) {
            self.caller.require(BACKDATE_PAYMENTS)?;
        }
        self.payment.as_ref().map_err(LoanError::clone)
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
        let payment = self.payment(clock.today)?;
        let rows = post(tx, &self.caller, &self.author, clock, self.loan_id, payment).await?;
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
        let payments = commands.iter().filter_map(|it| {
            let payment = it.payment.as_ref().ok()?;
            Some((it.loan_id, payment.request()))
        });
        let payments: Vec<_> = payments.collect();
        LockedLoans::read(db, locked.into_values().collect(), &payments).await
    }

    async fn apply_all(
        tx: &DatabaseTransaction,
        writes: &mut WriteBatch,
        clock: Clock,
        loans: LockedLoans,
        commands: &[&Self],
    ) -> GroupResult<Self> {
        let payments = commands.iter().map(|command| command.payment(clock.today));
        let payments: Vec<_> = payments.collect();
        let valid = commands.iter().zip(&payments).filter_map(|(command, payment)| {
            let PostPayment { caller, author, loan_id, .. } = command;
            let payment = payment.as_ref().copied().ok()?;
            Some(LoanPayment { caller, author, loan_id: *loan_id, payment })
        });
        let valid: Vec<_> = valid.collect();
        let mut outcomes = post_all(tx, writes, clock, loans, &valid).await?.into_iter();
        let outcomes = commands.iter().zip(&payments).map(|(command, payment)| match payment {
            Err(error) => Some(Err(error.clone())),
            Ok(_) => outcomes
                .next()?
                .map(|posted| posted.map(|rows| command.visible_codes.of_rows(rows))),
        });
        Ok(outcomes.collect())
    }
}

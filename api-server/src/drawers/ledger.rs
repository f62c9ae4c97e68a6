//! Drawer ledger: the rows of a drawer and its balances, which always change together.

use super::{Drawer, DrawerError, DrawerRefusal};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, DatabaseTransaction, DbErr, EntityTrait, QueryFilter};
use shared::amounts::{Money, OutOfRange};
use shared::entity::cash_drawer_transactions::{self as entries, DrawerTransactionType, Tender};
use shared::entity::{cash_drawer_sessions, cash_drawers};
use shared::time::Timestamp;

/// Money that moves into or out of a drawer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Movement {
    pub(super) transaction_type: DrawerTransactionType,
    pub(super) tender: Tender,
    /// Positive: into the drawer; negative: out of it.
    pub(super) amount: Money,
    pub(super) now: Timestamp,
}

/// Returns the amount with the opposite sign.
pub(super) fn negated(amount: Money) -> Result<Money, OutOfRange> {
    Money::ZERO.minus(amount)
}

impl Drawer {
    /// Returns the drawer's balance of a tender.
    pub(super) fn balance(&self, tender: Tender) -> Money {
        match tender {
            Tender::Cash => self.row.cash_balance,
            Tender::Check => self.row.check_balance,
        }
    }

    /// Enters a row with the balance after it. Returns the row's id. `row` holds the columns that
    /// the movement does not set.
    pub(super) async fn enter(
        &mut self,
        tx: &DatabaseTransaction,
        movement: Movement,
        row: entries::ActiveModel,
    ) -> Result<i64, DrawerError> {
        let Movement { transaction_type, tender, amount, now } = movement;
        let held = self.balance(tender);
        let after = held.plus(amount)?;
        if after < Money::ZERO {
            // The request that reverses a payment has no member Amount.
            let is_amount = transaction_type != DrawerTransactionType::PaymentReversal;
            return Err(DrawerError::Refused(DrawerRefusal::Negative { held, tender, is_amount }));
        }
        if self.becomes_active {
            self.open_session(tx, now).await?;
        }
        let row = entries::ActiveModel {
            drawer_id: Set(self.row.drawer_id),
            transaction_type: Set(transaction_type),
            tender: Set(tender),
            amount: Set(amount),
            resulting_balance: Set(after),
            user_id: Set(self.user_id),
            transaction_date: Set(now),
            ..row
        };
        let inserted = entries::Entity::insert(row).exec(tx).await?;
        let (column, balance) = match tender {
            Tender::Cash => (cash_drawers::Column::CashBalance, &mut self.row.cash_balance),
            Tender::Check => (cash_drawers::Column::CheckBalance, &mut self.row.check_balance),
        };
        *balance = after;
        cash_drawers::Entity::update_many()
            .col_expr(column, Expr::value(after))
            .filter(cash_drawers::Column::DrawerId.eq(self.row.drawer_id))
            .exec(tx)
            .await?;
        Ok(inserted.last_insert_id)
    }

    /// Makes the user who enters rows the active user, with the current cash balance as the opening
    /// balance.
    async fn open_session(
        &mut self,
        tx: &DatabaseTransaction,
        now: Timestamp,
    ) -> Result<(), DbErr> {
        let session = cash_drawer_sessions::ActiveModel {
            drawer_id: Set(self.row.drawer_id),
            user_id: Set(self.user_id),
            opened_date: Set(now),
            opening_cash_balance: Set(self.row.cash_balance),
            ..Default::default()
        };
        cash_drawer_sessions::Entity::insert(session).exec_without_returning(tx).await?;
        (self.active, self.becomes_active) = (true, false);
        Ok(())
    }

    /// Ends the active user's session.
    pub(super) async fn end_session(
        &mut self,
        tx: &DatabaseTransaction,
        now: Timestamp,
    ) -> Result<(), DbErr> {
        use cash_drawer_sessions::Column::{DrawerId, EndedDate};
        cash_drawer_sessions::Entity::update_many()
            .col_expr(EndedDate, Expr::value(now))
            .filter(DrawerId.eq(self.row.drawer_id))
            .filter(EndedDate.is_null())
            .exec(tx)
            .await?;
        self.active = false;
        Ok(())
    }
}

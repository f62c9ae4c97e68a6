//! Cash drawers: who may enter transactions into them, and the rows and balances that result.
//!
//! One writer per drawer: a command locks the drawer's row before it reads the balances, and holds
//! the lock until commit. Lock order: first the loan, then drawers in ascending order of id. A
//! balance is the sum of the drawer's rows, and no row may bring it below zero.
//!
//! | Drawer | Who may enter rows |
//! |---|---|
//! | closed | no one |
//! | reserve | users assigned to it, holders of Supervise |
//! | individual, no active user | the same; an assigned user who enters a row becomes active |
//! | individual, with an active user | that user, and holders of Supervise |
//!
//! A holder of Supervise who is assigned to a drawer becomes active like any assigned user; one who
//! is not assigned never does. A row entered by one user never ends another user's session.
//! Counting a drawer does not open a session: only entering a row does.

mod counts;
mod ledger;
mod payments;
mod postings;
mod refusals;

pub use self::counts::{Count, NewDenomination, NewReconciliation, reconcile};
pub use self::payments::{for_payment, reverse_payment, takes_payment};
pub use self::postings::{
    NewDrawerTransaction, NewDrawerTransactionType, ValidatedTransaction, post,
};
pub use self::refusals::{DrawerError, DrawerRefusal};

use crate::auth::caller::Caller;
use crate::auth::privileges::{Forbidden, SUPERVISE_DRAWERS};
use crate::command::failure::LockedRow;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, DatabaseTransaction, DbErr, EntityTrait, QuerySelect};
use shared::entity::cash_drawers::{DrawerStatus, DrawerType};
use shared::entity::{cash_drawer_assignments, cash_drawer_sessions, cash_drawers};

/// A drawer under its row lock, and a user who may enter rows into it.
#[derive(Clone, Debug)]
pub struct Drawer {
    row: cash_drawers::Model,
    /// User who enters rows.
    user_id: i64,
    /// True if this is the active user.
    active: bool,
    /// True if this user becomes active by entering the first row.
    becomes_active: bool,
}

impl Drawer {
    /// Id of the drawer.
    pub fn id(&self) -> i64 {
        self.row.drawer_id
    }

    /// Locks a drawer that the caller may see, and checks that the caller may enter rows into it.
    async fn lock(
        tx: &DatabaseTransaction,
        caller: &Caller,
        drawer_id: i64,
    ) -> Result<Self, DrawerError> {
        let row = lock_row(tx, drawer_id).await?.ok_or(DrawerError::NotFound)?;
        Self::usable(tx, caller, row).await
    }

    /// Checks that the caller may enter rows into a locked drawer.
    async fn usable(
        tx: &DatabaseTransaction,
        caller: &Caller,
        row: cash_drawers::Model,
    ) -> Result<Self, DrawerError> {
        let user_id = caller.user_id().ok_or(Forbidden::CoreUserOnly)?;
        if row.status == DrawerStatus::Closed {
            return Err(DrawerRefusal::not_usable("the drawer is closed"));
        }
        let DrawerAccess { assigned, active_users } = DrawerAccess::read(tx, &row, user_id).await?;
        let supervises = caller.holds(SUPERVISE_DRAWERS);
        if !assigned && !supervises {
            return Err(DrawerRefusal::not_usable("the drawer is not assigned to the caller"));
        }
        let individual = row.drawer_type == DrawerType::Individual;
        let active = active_users.contains(&user_id);
        let in_use = individual && !active && !active_users.is_empty();
        if in_use && !supervises {
            return Err(DrawerError::Refused(DrawerRefusal::InUse));
        }
        let becomes_active = individual && assigned && active_users.is_empty();
        Ok(Self { row, user_id, active, becomes_active })
    }
}

/// Whether a user is assigned to a drawer, and which users are active on it.
struct DrawerAccess {
    assigned: bool,
    active_users: Vec<i64>,
}

impl DrawerAccess {
    /// Reads both in a separate statement after the lock: a statement that waits for the lock would
    /// still show the sessions from before the wait.
    async fn read(
        tx: &DatabaseTransaction,
        drawer: &cash_drawers::Model,
        user_id: i64,
    ) -> Result<Self, DbErr> {
        use cash_drawer_assignments::Column as Assignment;
        use cash_drawer_sessions::Column as Session;
        let key = || Expr::col((cash_drawers::Entity, cash_drawers::Column::DrawerId));
        let own = Assignment::DrawerId.into_expr().eq(key());
        let open = Session::DrawerId.into_expr().eq(key());
        let select = Query::select()
            .expr_as(Assignment::RowId.into_expr(), "assignment")
            .expr_as(Session::UserId.into_expr(), "active_user")
            .from(cash_drawers::Entity)
            .left_join(cash_drawer_assignments::Entity, own.and(Assignment::UserId.eq(user_id)))
            .left_join(cash_drawer_sessions::Entity, open.and(Session::EndedDate.is_null()))
            .and_where(cash_drawers::Column::DrawerId.eq(drawer.drawer_id))
            .take();
        let mut access = Self { assigned: false, active_users: Vec::new() };
        for row in tx.query_all(&select).await? {
            access.assigned |= row.try_get::<Option<i64>>("", "assignment")?.is_some();
            access.active_users.extend(row.try_get::<Option<i64>>("", "active_user")?);
        }
        Ok(access)
    }
}

/// Locks a drawer's row, regardless of the caller: visibility must have been checked before.
#[expect(clippy::disallowed_methods, reason = "the target of a transfer may be any drawer")]
async fn lock_row(
    tx: &DatabaseTransaction,
    drawer_id: i64,
) -> Result<Option<cash_drawers::Model>, DrawerError> {
    let row = cash_drawers::Entity::find_by_id(drawer_id).lock_exclusive().one(tx).await;
    row.map_err(|error| DrawerError::from(error).at(Some(LockedRow::Drawer)))
}

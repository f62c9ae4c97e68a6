//! `/cash-drawers`: branch cash drawers, their users, transactions and reconciliations.

use super::Group;
use crate::auth::caller::{Caller, RequestContext};
use crate::command::execute::{self, Command, ExecutionMode};
use crate::command::failure::LockedRow;
use crate::command::idempotency::{Created, IdempotencyScope};
use crate::command::lock_queues::RowKey;
use crate::drawers::{
    self, Count, DrawerError, DrawerRefusal, NewDrawerTransaction, NewReconciliation,
    ValidatedTransaction,
};
use crate::http::admission::CoreUser;
use crate::http::business_day_filter;
use crate::http::json_body::JsonBody;
use crate::http::pagination::{List, Page};
use crate::state::State;
use poem::Request;
use poem::web::Data;
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sea_orm::sea_query::{Query as Sql, SelectStatement};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DatabaseTransaction, DbErr, QueryFilter, QuerySelect,
};
use shared::entity::{
    cash_drawer_assignments, cash_drawer_reconciliations, cash_drawer_sessions,
    cash_drawer_transactions, cash_drawers, users,
};
use shared::interface_names;
use shared::operations;
use shared::problem::{InvalidValue, JsonResult, Problem};
use shared::time::{Clock, Day};
use std::collections::HashMap;
use std::sync::Arc;

/// A reconciliation, as sent in the response and as stored for a retry.
type CountResponse = Created<cash_drawer_reconciliations::Model>;

/// The rows of a transaction, as sent in the response and as stored for a retry.
type TransactionResponse = Created<Vec<cash_drawer_transactions::Model>>;

/// A user assigned to a cash drawer.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct DrawerAssignedUser {
    /// The stored assignment.
    #[oai(flatten)]
    row: cash_drawer_assignments::Model,
    /// Name with which the user logs in.
    user_name: Option<String>,
}

/// A user who is working with a cash drawer.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct DrawerActiveUser {
    /// The stored session.
    #[oai(flatten)]
    row: cash_drawer_sessions::Model,
    /// Name with which the user logs in.
    user_name: Option<String>,
}

pub struct CashDrawers;

#[operations]
#[OpenApi(tag = "Group::CashDrawers")]
impl CashDrawers {
    /// List the cash drawers.
    ///
    /// Callers see the drawers they are assigned to; holders of Cash Drawer > Supervise see all.
    #[oai(path = "/cash-drawers", method = "get")]
    async fn list_drawers(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<cash_drawers::Model>, Problem> {
        page.by_key(admitted.caller.find::<cash_drawers::Entity>(), &state.reads).await
    }

    /// Get a cash drawer.
    #[oai(path = "/cash-drawers/:drawer_id", method = "get")]
    async fn get_drawer(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        drawer_id: Path<i64>,
    ) -> JsonResult<cash_drawers::Model> {
        Ok(Json(admitted.caller.get::<cash_drawers::Entity>(&state.reads, drawer_id.0).await?))
    }

    /// List the users who are working with a cash drawer.
    #[oai(path = "/cash-drawers/:drawer_id/active-users", method = "get")]
    async fn list_drawer_active_users(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        drawer_id: Path<i64>,
        page: Page,
    ) -> Result<List<DrawerActiveUser>, Problem> {
        use cash_drawer_sessions::Column::{DrawerId, EndedDate, UserId};
        let caller = &admitted.caller;
        caller.get::<cash_drawers::Entity>(&state.reads, drawer_id.0).await?;
        let open = Condition::all().add(DrawerId.eq(drawer_id.0)).add(EndedDate.is_null());
        let users = Sql::select()
            .column(UserId)
            .from(cash_drawer_sessions::Entity)
            .cond_where(open.clone())
            .take();
        let sessions = caller.find::<cash_drawer_sessions::Entity>().filter(open);
        let sessions = page.by_key(sessions, &state.reads).await?;
        let names = user_names(&state.reads, caller, users).await?;
        Ok(sessions
            .map(|row| DrawerActiveUser { user_name: names.get(&row.user_id).cloned(), row }))
    }

    /// List the users assigned to a cash drawer.
    #[oai(path = "/cash-drawers/:drawer_id/assigned-users", method = "get")]
    async fn list_drawer_assigned_users(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        drawer_id: Path<i64>,
        page: Page,
    ) -> Result<List<DrawerAssignedUser>, Problem> {
        use cash_drawer_assignments::Column::{DrawerId, UserId};
        let caller = &admitted.caller;
        caller.get::<cash_drawers::Entity>(&state.reads, drawer_id.0).await?;
        let users = Sql::select()
            .column(UserId)
            .from(cash_drawer_assignments::Entity)
            .and_where(DrawerId.eq(drawer_id.0))
            .take();
        let assigned = caller.find::<cash_drawer_assignments::Entity>();
        let assigned = page.by_key(assigned.filter(DrawerId.eq(drawer_id.0)), &state.reads).await?;
        let names = user_names(&state.reads, caller, users).await?;
        Ok(assigned
            .map(|row| DrawerAssignedUser { user_name: names.get(&row.user_id).cloned(), row }))
    }

    /// List a cash drawer's reconciliations.
    #[oai(path = "/cash-drawers/:drawer_id/reconciliations", method = "get")]
    async fn list_reconciliations(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        drawer_id: Path<i64>,
        page: Page,
    ) -> Result<List<cash_drawer_reconciliations::Model>, Problem> {
        let caller = &admitted.caller;
        caller.get::<cash_drawers::Entity>(&state.reads, drawer_id.0).await?;
        let of_drawer = cash_drawer_reconciliations::Column::DrawerId.eq(drawer_id.0);
        let reconciliations =
            caller.find::<cash_drawer_reconciliations::Entity>().filter(of_drawer);
        page.by_key(reconciliations, &state.reads).await
    }

    /// Reconcile a cash drawer.
    ///
    /// The counted amounts become the drawer's balances: for each tender, a difference is posted as
    /// a transaction of the type `over_short`. All transactions that no earlier count covers get
    /// the id of this count and can no longer change. Any user who may enter transactions into a
    /// drawer may also count it.
    ///
    /// Requests that write to a drawer run one at a time: one that waits longer than three seconds
    /// is refused with 423 and may be retried. With an `Idempotency-Key`, a repeated request gets
    /// the first response and counts nothing.
    #[oai(path = "/cash-drawers/:drawer_id/reconciliations", method = "post")]
    async fn reconcile_drawer(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        drawer_id: Path<i64>,
        /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
        _idempotency_key: Header<Option<String>>,
        reconciliation: JsonBody<NewReconciliation>,
    ) -> Result<CountResponse, Problem> {
        let (caller, drawer_id) = (admitted.caller, drawer_id.0);
        let scope = IdempotencyScope::of(request, &caller, &[&reconciliation.bytes])?;
        caller.get::<cash_drawers::Entity>(&state.reads, drawer_id).await?;
        let command = CountDrawer { caller, drawer_id, count: reconciliation.value.count() };
        Ok(Created(execute::execute(&state.executor, command, ExecutionMode::Commit(scope)).await?))
    }

    /// List a cash drawer's transactions.
    #[oai(path = "/cash-drawers/:drawer_id/transactions", method = "get")]
    async fn list_drawer_transactions(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        drawer_id: Path<i64>,
        /// Earliest business day of `Transaction_Date`, inclusive.
        from: Query<Option<Day>>,
        /// Latest business day of `Transaction_Date`, inclusive.
        to: Query<Option<Day>>,
        page: Page,
    ) -> Result<List<cash_drawer_transactions::Model>, Problem> {
        use cash_drawer_transactions::Column::{DrawerId, TransactionDate};
        let RequestContext { caller, clock } = &admitted;
        caller.get::<cash_drawers::Entity>(&state.reads, drawer_id.0).await?;
        let days = business_day_filter::within(&state.reads, clock, TransactionDate, from.0, to.0);
        let condition = Condition::all().add(DrawerId.eq(drawer_id.0)).add(days);
        let transactions = caller.find::<cash_drawer_transactions::Entity>().filter(condition);
        page.by_key(transactions, &state.reads).await
    }

    /// Post a cash-drawer transaction.
    ///
    /// For money put into a drawer or taken out of it, other than payments. Returns the
    /// transactions created, in drawers that the caller may see: a transfer takes money out of this
    /// drawer and puts it into the target drawer. The first assigned user to enter a transaction
    /// into an individual drawer becomes its active user; from then on, all other users except
    /// holders of Supervise are refused, until a count with `Close_Drawer`.
    ///
    /// Requests that write to a drawer run one at a time: one that waits longer than three seconds
    /// is refused with 423 and may be retried. With an `Idempotency-Key`, a repeated request gets
    /// the first response and enters nothing.
    #[oai(path = "/cash-drawers/:drawer_id/transactions", method = "post")]
    async fn post_drawer_transaction(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        drawer_id: Path<i64>,
        /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
        _idempotency_key: Header<Option<String>>,
        transaction: JsonBody<NewDrawerTransaction>,
    ) -> Result<TransactionResponse, Problem> {
        let (caller, drawer_id) = (admitted.caller, drawer_id.0);
        let scope = IdempotencyScope::of(request, &caller, &[&transaction.bytes])?;
        let drawer = caller.get::<cash_drawers::Entity>(&state.reads, drawer_id).await?;
        transaction.value.check_rights(&state.reads, &caller, &drawer).await?;
        let rows = transaction.value.drawers(drawer_id).into_iter().map(RowKey::Drawer).collect();
        let transaction = transaction.value.validate();
        let command = PostDrawerTransaction { caller, drawer_id, rows, transaction };
        Ok(Created(execute::execute(&state.executor, command, ExecutionMode::Commit(scope)).await?))
    }
}

struct CountDrawer {
    caller: Caller,
    drawer_id: i64,
    count: Result<Count, InvalidValue>,
}

impl Command for CountDrawer {
    type Answer = cash_drawer_reconciliations::Model;
    type Refusal = DrawerRefusal;

    const LOCKED: Option<LockedRow> = Some(LockedRow::Drawer);

    fn rows(&self) -> Vec<RowKey> {
        vec![RowKey::Drawer(self.drawer_id)]
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Self::Answer, DrawerError> {
        let count = self.count.as_ref().map_err(InvalidValue::clone)?;
        drawers::reconcile(tx, &self.caller, clock.now, self.drawer_id, count).await
    }
}

struct PostDrawerTransaction {
    caller: Caller,
    drawer_id: i64,
    rows: Vec<RowKey>,
    transaction: Result<ValidatedTransaction, InvalidValue>,
}

impl Command for PostDrawerTransaction {
    type Answer = Vec<cash_drawer_transactions::Model>;
    type Refusal = DrawerRefusal;

    const LOCKED: Option<LockedRow> = Some(LockedRow::Drawer);

    fn rows(&self) -> Vec<RowKey> {
        self.rows.clone()
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Self::Answer, DrawerError> {
        let transaction = self.transaction.as_ref().map_err(InvalidValue::clone)?;
        drawers::post(tx, &self.caller, clock.now, self.drawer_id, transaction).await
    }
}

/// Returns the names of these users, by id.
async fn user_names(
    db: &impl ConnectionTrait,
    caller: &Caller,
    user_ids: SelectStatement,
) -> Result<HashMap<i64, String>, DbErr> {
    let users = caller.find::<users::Entity>().filter(users::Column::UserId.in_subquery(user_ids));
    let names = users.select_only().columns([users::Column::UserId, users::Column::UserName]);
    let names: Vec<(i64, String)> = names.into_tuple().all(db).await?;
    Ok(names.into_iter().collect())
}

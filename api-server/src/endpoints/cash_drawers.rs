//! `/cash-drawers`: the drawers of branches, who works with them, what moved and how it was counted.

use super::Group;
use crate::auth::caller::{Admitted, Caller};
use crate::command::effects::{self, Effect, Keeping};
use crate::command::failure::LockedRow;
use crate::command::idempotency::{Created, Scope};
use crate::command::turns::Row;
use crate::drawers::{self, NewDrawerTransaction, NewReconciliation};
use crate::drawers::{DrawerError, DrawerRefusal};
use crate::http::admission::CoreUser;
use crate::http::business_days;
use crate::http::paging::{List, Page};
use crate::http::request_body::JsonBody;
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
use shared::problem::{Answer, Problem};
use shared::time::{Clock, Day};
use std::collections::HashMap;
use std::sync::Arc;

/// A count, as it is answered and kept.
type Counted = Created<cash_drawer_reconciliations::Model>;

/// The rows of a transaction, as they are answered and kept.
type Entered = Created<Vec<cash_drawer_transactions::Model>>;

/// A user who may work with a cash drawer.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct DrawerAssignedUser {
    /// The assignment's row.
    #[oai(flatten)]
    row: cash_drawer_assignments::Model,
    /// What the user logs in with.
    user_name: Option<String>,
}

/// A user who is working with a cash drawer.
#[interface_names]
#[derive(Debug, Object)]
#[oai(skip_serializing_if_is_none)]
pub struct DrawerActiveUser {
    /// The session's row.
    #[oai(flatten)]
    row: cash_drawer_sessions::Model,
    /// What the user logs in with.
    user_name: Option<String>,
}

/// `/cash-drawers`
pub struct CashDrawers;

#[operations]
#[OpenApi(tag = "Group::CashDrawers")]
impl CashDrawers {
    /// The cash drawers that the caller is assigned to; holders of Cash Drawer > Supervise see all.
    #[oai(path = "/cash-drawers", method = "get")]
    async fn list_drawers(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        page: Page,
    ) -> Result<List<cash_drawers::Model>, Problem> {
        page.by_key(admitted.caller.find::<cash_drawers::Entity>(), &state.db).await
    }

    /// A cash drawer.
    #[oai(path = "/cash-drawers/:drawer_id", method = "get")]
    async fn get_drawer(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The drawer.
        drawer_id: Path<i64>,
    ) -> Answer<cash_drawers::Model> {
        Ok(Json(admitted.caller.get::<cash_drawers::Entity>(&state.db, drawer_id.0).await?))
    }

    /// Who is working with a drawer now.
    #[oai(path = "/cash-drawers/:drawer_id/active-users", method = "get")]
    async fn list_drawer_active_users(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The drawer.
        drawer_id: Path<i64>,
        page: Page,
    ) -> Result<List<DrawerActiveUser>, Problem> {
        use cash_drawer_sessions::Column::{DrawerId, EndedDate, UserId};
        let caller = &admitted.caller;
        caller.get::<cash_drawers::Entity>(&state.db, drawer_id.0).await?;
        let open = Condition::all().add(DrawerId.eq(drawer_id.0)).add(EndedDate.is_null());
        let users = Sql::select()
            .column(UserId)
            .from(cash_drawer_sessions::Entity)
            .cond_where(open.clone())
            .take();
        let sessions = caller.find::<cash_drawer_sessions::Entity>().filter(open);
        let sessions = page.by_key(sessions, &state.db).await?;
        let names = user_names(&state.db, caller, users).await?;
        Ok(sessions
            .map(|row| DrawerActiveUser { user_name: names.get(&row.user_id).cloned(), row }))
    }

    /// Who may work with a drawer.
    #[oai(path = "/cash-drawers/:drawer_id/assigned-users", method = "get")]
    async fn list_drawer_assigned_users(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The drawer.
        drawer_id: Path<i64>,
        page: Page,
    ) -> Result<List<DrawerAssignedUser>, Problem> {
        use cash_drawer_assignments::Column::{DrawerId, UserId};
        let caller = &admitted.caller;
        caller.get::<cash_drawers::Entity>(&state.db, drawer_id.0).await?;
        let users = Sql::select()
            .column(UserId)
            .from(cash_drawer_assignments::Entity)
            .and_where(DrawerId.eq(drawer_id.0))
            .take();
        let assigned = caller.find::<cash_drawer_assignments::Entity>();
        let assigned = page.by_key(assigned.filter(DrawerId.eq(drawer_id.0)), &state.db).await?;
        let names = user_names(&state.db, caller, users).await?;
        Ok(assigned
            .map(|row| DrawerAssignedUser { user_name: names.get(&row.user_id).cloned(), row }))
    }

    /// The counts of a drawer.
    #[oai(path = "/cash-drawers/:drawer_id/reconciliations", method = "get")]
    async fn list_reconciliations(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The drawer.
        drawer_id: Path<i64>,
        page: Page,
    ) -> Result<List<cash_drawer_reconciliations::Model>, Problem> {
        let caller = &admitted.caller;
        caller.get::<cash_drawers::Entity>(&state.db, drawer_id.0).await?;
        let of_drawer = cash_drawer_reconciliations::Column::DrawerId.eq(drawer_id.0);
        let counts = caller.find::<cash_drawer_reconciliations::Entity>().filter(of_drawer);
        page.by_key(counts, &state.db).await
    }

    /// Counts a drawer.
    ///
    /// What was counted becomes its balances: a difference is entered as a transaction over_short
    /// of its tender. All transactions that no count named before get the number of this one, and
    /// never change again. Whoever may enter transactions into a drawer may count it.
    ///
    /// One request at a time works on a drawer; one that waits for longer than three seconds is
    /// refused with 423 and may be sent again. With an `Idempotency-Key` a repeated request gets
    /// the first answer and counts nothing.
    #[oai(path = "/cash-drawers/:drawer_id/reconciliations", method = "post")]
    async fn reconcile_drawer(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// The drawer.
        drawer_id: Path<i64>,
        /// Makes repeating the request safe: 1 to 255 printable ASCII characters.
        #[oai(name = "Idempotency-Key")]
        _idempotency_key: Header<Option<String>>,
        reconciliation: JsonBody<NewReconciliation>,
    ) -> Result<Counted, Problem> {
        let (caller, drawer_id) = (admitted.caller, drawer_id.0);
        let scope = Scope::of(request, &caller, &[&reconciliation.bytes])?;
        caller.get::<cash_drawers::Entity>(&state.db, drawer_id).await?;
        let counting = Counting { caller, drawer_id, new: reconciliation.value };
        Ok(Created(effects::carry_out(&state.writer, counting, Keeping::Kept(scope)).await?))
    }

    /// What went into and out of a drawer.
    #[oai(path = "/cash-drawers/:drawer_id/transactions", method = "get")]
    async fn list_drawer_transactions(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        /// The drawer.
        drawer_id: Path<i64>,
        /// First business day of Transaction_Date.
        from: Query<Option<Day>>,
        /// Last business day of Transaction_Date.
        to: Query<Option<Day>>,
        page: Page,
    ) -> Result<List<cash_drawer_transactions::Model>, Problem> {
        use cash_drawer_transactions::Column::{DrawerId, TransactionDate};
        let Admitted { caller, clock } = &admitted;
        caller.get::<cash_drawers::Entity>(&state.db, drawer_id.0).await?;
        let days = business_days::within(&state.db, clock, TransactionDate, from.0, to.0);
        let wanted = Condition::all().add(DrawerId.eq(drawer_id.0)).add(days);
        let moved = caller.find::<cash_drawer_transactions::Entity>().filter(wanted);
        page.by_key(moved, &state.db).await
    }

    /// Enters what goes into a drawer or out of it, but for payments.
    ///
    /// Answers with the transactions it created, in drawers that the caller may see: a transfer
    /// takes out of this drawer and puts into the other one. The first assigned user who enters a
    /// transaction into an individual drawer becomes its active user; from then on everyone else
    /// but holders of Supervise is refused, until a count with Close_Drawer.
    ///
    /// One request at a time works on a drawer; one that waits for longer than three seconds is
    /// refused with 423 and may be sent again. With an `Idempotency-Key` a repeated request gets
    /// the first answer and enters nothing.
    #[oai(path = "/cash-drawers/:drawer_id/transactions", method = "post")]
    async fn post_drawer_transaction(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// The drawer.
        drawer_id: Path<i64>,
        /// Makes repeating the request safe: 1 to 255 printable ASCII characters.
        #[oai(name = "Idempotency-Key")]
        _idempotency_key: Header<Option<String>>,
        transaction: JsonBody<NewDrawerTransaction>,
    ) -> Result<Entered, Problem> {
        let (caller, drawer_id) = (admitted.caller, drawer_id.0);
        let scope = Scope::of(request, &caller, &[&transaction.bytes])?;
        let drawer = caller.get::<cash_drawers::Entity>(&state.db, drawer_id).await?;
        transaction.value.check_rights(&state.db, &caller, &drawer).await?;
        let posting = Posting { caller, drawer_id, new: transaction.value };
        Ok(Created(effects::carry_out(&state.writer, posting, Keeping::Kept(scope)).await?))
    }
}

/// A count that was let in.
struct Counting {
    caller: Caller,
    drawer_id: i64,
    new: NewReconciliation,
}

impl Effect for Counting {
    type Answer = cash_drawer_reconciliations::Model;
    type Rule = DrawerRefusal;

    const LOCKED: Option<LockedRow> = Some(LockedRow::Drawer);

    fn rows(&self) -> Vec<Row> {
        vec![Row::Drawer(self.drawer_id)]
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Self::Answer, DrawerError> {
        let count = self.new.clone().count()?;
        drawers::reconcile(tx, &self.caller, clock.now, self.drawer_id, &count).await
    }
}

/// A transaction that was let in.
struct Posting {
    caller: Caller,
    drawer_id: i64,
    new: NewDrawerTransaction,
}

impl Effect for Posting {
    type Answer = Vec<cash_drawer_transactions::Model>;
    type Rule = DrawerRefusal;

    const LOCKED: Option<LockedRow> = Some(LockedRow::Drawer);

    fn rows(&self) -> Vec<Row> {
        self.new.drawers(self.drawer_id).map(Row::Drawer).collect()
    }

    async fn apply(
        &self,
        tx: &DatabaseTransaction,
        clock: Clock,
    ) -> Result<Self::Answer, DrawerError> {
        let order = self.new.clone().order()?;
        drawers::post(tx, &self.caller, clock.now, self.drawer_id, &order).await
    }
}

/// The names of these users, by id.
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

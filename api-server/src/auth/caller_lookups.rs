//! Privileges of callers and the database's clock, in batches: one statement answers all requests
//! that arrived while the previous one was running ([`Coalesced`]).

use crate::auth::privileges::Grants;
use sea_orm::sea_query::{Expr, ExprTrait, JoinType, Query, SelectStatement, UnionType};
use sea_orm::{ConnectionTrait, DbErr, QueryResult};
use shared::database;
use shared::database::coalesced::{BatchLimits, Coalesced, Unanswered, padded};
use shared::database::reads::ReadPool;
use shared::entity::{group_members, privilege_grants, privileges};
use shared::problem::{Problem, ProblemType};
use shared::time::Clock;
use std::collections::HashMap;
use std::sync::Arc;

const CALLERS_MAX: usize = 64;

/// The database's clock, and the grants of a core user if they were asked for.
#[derive(Clone, Debug)]
pub struct CallerState {
    /// The database's time.
    pub clock: Clock,
    /// The user's own grants and those of their groups.
    pub grants: Arc<Grants>,
}

/// Looks callers up in batches.
pub struct CallerLookups(Coalesced<Option<i64>, Result<CallerState, DbErr>>);

impl CallerLookups {
    /// Returns the look-ups in this database.
    pub fn new(db: ReadPool) -> Self {
        Self(Coalesced::new(BatchLimits::of_reads(CALLERS_MAX), move |user_ids| {
            let db = db.clone();
            async move { answer(&db, &user_ids).await }
        }))
    }

    /// Returns the clock, and the grants of this core user if one is given.
    pub async fn find(&self, user_id: Option<i64>) -> Result<CallerState, Problem> {
        let unanswered = |unanswered: Unanswered| {
            let problem = Problem::new(ProblemType::DatabaseUnavailable);
            problem.detail(unanswered.to_string())
        };
        Ok(self.0.ask(user_id).await.map_err(unanswered)??)
    }
}

async fn answer(db: &ReadPool, user_ids: &[Option<i64>]) -> Vec<Result<CallerState, DbErr>> {
    match read(db, user_ids).await {
        Ok((clock, mut grants)) => {
            let state = |user_id: &Option<i64>| {
                let grants = user_id.and_then(|user_id| grants.remove(&user_id));
                Ok(CallerState { clock, grants: Arc::new(grants.unwrap_or_default()) })
            };
            user_ids.iter().map(state).collect()
        }
        Err(error) => vec![Err(error); user_ids.len()],
    }
}

/// Reads the clock and the grants by user.
async fn read(
    db: &ReadPool,
    user_ids: &[Option<i64>],
) -> Result<(Clock, HashMap<i64, Grants>), DbErr> {
    let one = Query::select().expr_as(Expr::value(1), "one").take();
    let mut select = Query::select()
        .expr_as(database::now(db), "now")
        .expr_as(database::business_time_zone(), "time_zone")
        .from_subquery(one, "one")
        .take();
    let user_ids: Vec<i64> = user_ids.iter().copied().flatten().collect();
    let with_grants = !user_ids.is_empty();
    if with_grants {
        join_grants(&mut select, padded(user_ids));
    }
    let rows = db.query_all(&select).await?;
    let first = rows.first().ok_or_else(|| DbErr::RecordNotFound("the clock".to_owned()))?;
    let time_zone: Option<String> = first.try_get_by_index(1)?;
    let clock = Clock::new(first.try_get_by_index(0)?, time_zone.as_deref());
    let grants = if with_grants { read_grants(&rows)? } else { HashMap::new() };
    Ok((clock, grants))
}

/// Joins the users' grants to a statement that returns one row: columns `user_id`, `path` and
/// `verb`, NULL if nothing is granted.
fn join_grants(select: &mut SelectStatement, user_ids: Vec<i64>) {
    use privilege_grants::Column::{GroupId, PrivilegeId, UserId};
    let grant = |column| Expr::col((privilege_grants::Entity, column));
    let member = |column| Expr::col((group_members::Entity, column));
    let through_groups = Query::select()
        .expr(member(group_members::Column::UserId))
        .expr(grant(PrivilegeId))
        .from(group_members::Entity)
        .inner_join(
            privilege_grants::Entity,
            grant(GroupId).eq(member(group_members::Column::GroupId)),
        )
        .and_where(member(group_members::Column::UserId).is_in(user_ids.iter().copied()))
        .take();
    let granted = Query::select()
        .column(UserId)
        .column(PrivilegeId)
        .from(privilege_grants::Entity)
        .and_where(Expr::col(UserId).is_in(user_ids))
        .union(UnionType::All, through_groups)
        .take();
    select
        .column(("granted", UserId))
        .column((privileges::Entity, privileges::Column::Path))
        .column((privileges::Entity, privileges::Column::Verb))
        .join_subquery(JoinType::LeftJoin, granted, "granted", Expr::value(true))
        .left_join(
            privileges::Entity,
            Expr::col((privileges::Entity, privileges::Column::PrivilegeId))
                .equals(("granted", PrivilegeId)),
        );
}

/// Reads the grants from the rows of such a statement.
fn read_grants(rows: &[QueryResult]) -> Result<HashMap<i64, Grants>, DbErr> {
    let mut grants: HashMap<i64, Grants> = HashMap::new();
    for row in rows {
        let user_id: Option<i64> = row.try_get_by_index(2)?;
        let path: Option<String> = row.try_get_by_index(3)?;
        let verb: Option<String> = row.try_get_by_index(4)?;
        if let Some(user_id) = user_id {
            grants.entry(user_id).or_default().extend(path.zip(verb));
        }
    }
    Ok(grants)
}

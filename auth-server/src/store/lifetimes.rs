//! Lifetimes of tokens and sessions, in database time.
//!
//! A token is live if its creation time plus its lifetime is later than the database's current
//! time, evaluated in one SQL statement; one created a minute or more ahead of it, while the clock was
//! wrong, is not live. The process's clock is never used, and API calls do not prolong anything.
//!
//! | | access token | session without a refresh | session, refreshed or not |
//! |---|---|---|---|
//! | core user | `AUTH_CORE_TOKEN_LIFETIME_SECONDS`, at most 12 minutes | `AUTH_CORE_IDLE_SECONDS` | `AUTH_CORE_SESSION_SECONDS` |
//! | web user | the core system's Web Inactivity Timeout, read at each check | the same | `AUTH_WEB_SESSION_SECONDS` |
//!
//! A browser's log-in has the same caps as a session.

use crate::store::Store;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColIdx, ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, QueryResult};
use shared::database;
use shared::database::coalesced::{BatchLimits, Coalesced};
use shared::entity::settings;
use shared::introspection::UserKind;

/// Name of the core system's setting, a number of minutes from 1 to 10,080 (a week).
pub const WEB_INACTIVITY_TIMEOUT: &str = "web_inactivity_timeout";

/// Lifetime of a web user's token in seconds, as an SQL expression: NULL, so that no token is live,
/// if the setting is missing or not a valid number of minutes.
pub fn web_lifetime_seconds(db: &impl ConnectionTrait) -> Expr {
    let minutes = database::digits_as_integer(db, "value");
    let seconds = format!("CASE WHEN {minutes} BETWEEN 1 AND 10080 THEN 60 * {minutes} END");
    let setting = Query::select()
        .expr(Expr::cust(seconds))
        .from(settings::Entity)
        .and_where(settings::Column::Name.eq(WEB_INACTIVITY_TIMEOUT))
        .take();
    Expr::SubQuery(None, Box::new(setting.into()))
}

/// Returns the queries for the lifetime of web users' tokens; concurrent ones share one.
pub fn web_lifetimes(db: DatabaseConnection) -> Coalesced<(), Result<Option<i64>, DbErr>> {
    Coalesced::new(BatchLimits::of_reads(1), move |_| {
        let db = db.clone();
        async move { vec![web_lifetime(&db).await] }
    })
}

/// Returns the lifetime of a web user's token in seconds; `None` if the setting is missing or not a
/// valid number of minutes.
pub async fn web_lifetime(db: &impl ConnectionTrait) -> Result<Option<i64>, DbErr> {
    let seconds = web_lifetime_seconds(db);
    let row = db.query_one(&Query::select().expr_as(seconds, "seconds").take()).await?;
    row.map_or(Ok(None), |row| seconds_of(&row, "seconds"))
}

/// Reads a count of seconds, whatever integer width the database returns.
pub fn seconds_of(row: &QueryResult, column: impl ColIdx) -> Result<Option<i64>, DbErr> {
    let seconds = row.try_get_by::<Option<i64>, _>(column);
    seconds.or_else(|_| Ok(row.try_get_by::<Option<i32>, _>(column)?.map(i64::from)))
}

/// How far ahead of the database's clock a creation time may be: clocks are corrected.
const AHEAD_SECONDS_MAX: i64 = 60;

/// True while a token created at this time is live.
pub fn alive(db: &impl ConnectionTrait, created: Expr, lifetime_seconds: Expr) -> Expr {
    let ahead = database::seconds_from_now(db, AHEAD_SECONDS_MAX);
    created.clone().gt(database::seconds_ago(db, lifetime_seconds)).and(created.lt(ahead))
}

/// True once a token created at this time has expired.
pub fn expired(db: &impl ConnectionTrait, created: Expr, lifetime_seconds: Expr) -> Expr {
    created.lte(database::seconds_ago(db, lifetime_seconds))
}

/// Lifetimes from the settings. The Web Inactivity Timeout is in the database instead.
#[derive(Clone, Copy, Debug)]
pub struct Lifetimes {
    /// Lifetime of a core user's access token.
    pub core_token_seconds: u64,
    /// Idle cap of a core user's session.
    pub core_idle_seconds: u64,
    /// Absolute cap of a core user's session.
    pub core_session_seconds: u64,
    /// Absolute cap of a web user's session.
    pub web_session_seconds: u64,
}

/// True while a session, or a browser's log-in, is within both its idle and its absolute cap.
pub fn within_caps(store: &Store, kind: UserKind, began: Expr, used: Expr) -> Expr {
    let seconds = |seconds: u64| Expr::value(seconds as i64);
    let (idle, absolute) = match kind {
        UserKind::Core => {
            (seconds(store.lifetimes.core_idle_seconds), store.lifetimes.core_session_seconds)
        }
        UserKind::Web => (web_lifetime_seconds(&store.db), store.lifetimes.web_session_seconds),
    };
    alive(&store.db, began, seconds(absolute)).and(alive(&store.db, used, idle))
}

//! How long a token lives, in database time.
//!
//! A token is alive if its creation time plus its lifetime lies after the database's now, in one
//! SQL statement with that statement's own time. The process's clock decides nothing, and a call
//! does not prolong anything.
//!
//! | | access token | a session without a refresh | a session, refreshed or not |
//! |---|---|---|---|
//! | core-system user | `AUTH_CORE_TOKEN_LIFETIME_SECONDS`, at most 12 minutes | `AUTH_CORE_IDLE_SECONDS` | `AUTH_CORE_SESSION_SECONDS` |
//! | web user | the core system's Web Inactivity Timeout, read at each question | the same | `AUTH_WEB_SESSION_SECONDS` |
//!
//! A browser in which somebody is logged in obeys the caps of a session.

use crate::store::Store;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, DbBackend};
use shared::db;
use shared::entity::settings;
use shared::introspection::UserKind;

/// The name of the core system's setting, a number of minutes from 1 to 1440.
pub const WEB_INACTIVITY_TIMEOUT: &str = "web_inactivity_timeout";

/// The lifetime of a web user's token in seconds, as an expression: NULL, so that no token is
/// alive, where the setting is missing or no number of minutes.
pub fn web_lifetime_seconds(backend: DbBackend) -> Expr {
    // A text that is no number must not reach the cast: PostgreSQL fails the whole statement.
    let minutes = match backend {
        DbBackend::Postgres => "CASE WHEN value ~ '^[0-9]{1,4}$' THEN CAST(value AS integer) END",
        DbBackend::MySql => "CASE WHEN value REGEXP '^[0-9]{1,4}$' THEN CAST(value AS signed) END",
        _ => {
            "CASE WHEN value NOT GLOB '*[^0-9]*' AND length(value) BETWEEN 1 AND 4 \
             THEN CAST(value AS integer) END"
        }
    };
    let seconds = format!("CASE WHEN {minutes} BETWEEN 1 AND 1440 THEN 60 * {minutes} END");
    let setting = Query::select()
        .expr(Expr::cust(seconds))
        .from(settings::Entity)
        .and_where(settings::Column::Name.eq(WEB_INACTIVITY_TIMEOUT))
        .take();
    Expr::SubQuery(None, Box::new(setting.into()))
}

/// True while a token created then is alive.
pub fn alive(backend: DbBackend, created: Expr, lifetime_seconds: Expr) -> Expr {
    created.gt(db::seconds_ago(backend, lifetime_seconds))
}

/// True once it no longer is.
pub fn expired(backend: DbBackend, created: Expr, lifetime_seconds: Expr) -> Expr {
    created.lte(db::seconds_ago(backend, lifetime_seconds))
}

/// How long tokens and sessions live; the Web Inactivity Timeout is not in it, but in the database.
#[derive(Clone, Copy, Debug)]
pub struct Lifetimes {
    /// The access token of a core-system user.
    pub core_token_seconds: u64,
    /// The session of a core-system user who refreshes nothing.
    pub core_idle_seconds: u64,
    /// Any session of a core-system user: a working day.
    pub core_session_seconds: u64,
    /// Any session of a web user.
    pub web_session_seconds: u64,
}

/// True while a session, or a browser's log-in, has passed neither its idle nor its absolute cap.
pub fn within_caps(
    store: &Store,
    backend: DbBackend,
    kind: UserKind,
    began: Expr,
    used: Expr,
) -> Expr {
    let seconds = |seconds: u64| Expr::value(seconds as i64);
    let (idle, absolute) = match kind {
        UserKind::Core => {
            (seconds(store.lifetimes.core_idle_seconds), store.lifetimes.core_session_seconds)
        }
        UserKind::Web => (web_lifetime_seconds(backend), store.lifetimes.web_session_seconds),
    };
    alive(backend, began, seconds(absolute)).and(alive(backend, used, idle))
}

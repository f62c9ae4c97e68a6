//! The database's clock, in SQL and as a reading.

use super::clock_guard;
use crate::time::{Clock, Timestamp};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, RuntimeErr};

/// SQL for SQLite's text form of an instant: exactly what the driver writes for one with
/// milliseconds, so that each instant has one text and texts sort by time.
pub(super) fn sqlite_instant(modifier: &str) -> String {
    format!("replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'{modifier}), '.000+', '+')")
}

/// Returns the database's time as an SQL expression: the time of the statement, not of the
/// transaction.
pub fn now(db: &impl ConnectionTrait) -> Expr {
    match db.get_database_backend() {
        DbBackend::Postgres => Expr::cust("clock_timestamp()"),
        DbBackend::MySql => Expr::cust("utc_timestamp(6)"),
        _ => Expr::cust(sqlite_instant("")),
    }
}

/// Returns the database's time this many seconds from now as an SQL expression.
pub fn seconds_from_now(db: &impl ConnectionTrait, seconds: i64) -> Expr {
    seconds_ago(db, Expr::value(-seconds))
}

/// Returns the database's time this many seconds ago as an SQL expression. The seconds may be an
/// expression; if they are NULL, so is the result. A literal must be an `i64`: the driver caches
/// prepared statements by text, and the same text with an `i32` would be sent four bytes where the
/// prepared statement expects eight.
pub fn seconds_ago(db: &impl ConnectionTrait, seconds: Expr) -> Expr {
    match db.get_database_backend() {
        DbBackend::Postgres => {
            Expr::cust_with_exprs("(clock_timestamp() - make_interval(secs => $1))", [seconds])
        }
        DbBackend::MySql => {
            Expr::cust_with_exprs("(utc_timestamp(6) - interval ? second)", [seconds])
        }
        _ => {
            let shifted = sqlite_instant(", (-(?)) || ' seconds'");
            Expr::cust_with_exprs(shifted, [seconds])
        }
    }
}

/// Name of the setting with the business time zone (an IANA name; default UTC).
pub const BUSINESS_TIME_ZONE: &str = "business_time_zone";

/// Returns the business time zone as a subquery, to be selected with other columns.
pub fn business_time_zone() -> Expr {
    use crate::entity::settings::{Column, Entity};
    let setting = Query::select()
        .column(Column::Value)
        .from(Entity)
        .and_where(Expr::col(Column::Name).eq(BUSINESS_TIME_ZONE))
        .take();
    Expr::SubQuery(None, Box::new(setting.into()))
}

/// Reads the database's time and the business day it falls on; an error if the time cannot be right.
pub async fn clock(db: &impl ConnectionTrait) -> Result<Clock, DbErr> {
    let (now, time_zone) = clock_reading(db).await?;
    match clock_guard::find_fault(db, now).await? {
        Some(fault) => Err(DbErr::Conn(RuntimeErr::Internal(fault))),
        None => Ok(Clock::new(now, time_zone.as_deref())),
    }
}

/// Reads the database's time and the name of the business time zone.
pub async fn clock_reading(
    db: &impl ConnectionTrait,
) -> Result<(Timestamp, Option<String>), DbErr> {
    let select =
        Query::select().expr_as(now(db), "now").expr_as(business_time_zone(), "time_zone").take();
    let row = db.query_one(&select).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("the database's clock".to_owned()))?;
    Ok((row.try_get("", "now")?, row.try_get("", "time_zone")?))
}

/// Reads the database's time.
pub async fn time(db: &impl ConnectionTrait) -> Result<Timestamp, DbErr> {
    Ok(clock(db).await?.now)
}

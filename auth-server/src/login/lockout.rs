//! Lockout: password guessing is slowed down, then stopped. Failures are counted in the database,
//! by its clock, so all replicas share one count.
//!
//! | failures of an account | effect on the next attempt |
//! |---|---|
//! | 1 to 4 | none |
//! | 5 to 9 | waits 0.1, 0.2, 0.4, 0.8, 1.6 s, counted from the last failure |
//! | 10 or more | for half an hour every attempt looks like a wrong password, even with the right one |
//!
//! Unknown user names are counted the same way. Attempts during the half hour count too, and so
//! prolong it: otherwise the right password would be answered sooner than a wrong one. The count is
//! cleared when the user logs in, or half an hour after the last failure. In addition, each source
//! network has a limit of failed log-ins per half hour, and one of failed client authentications;
//! beyond it, it gets 429. The address of a client that passes passwords on is that of all its users:
//! failures through it do not count against its network, but it is slowed down.

use crate::http::client_address::ClientAddress;
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DbErr, EntityTrait, FromQueryResult,
};
use shared::database::{self, batch};
use shared::entity::log_in_failures::{self, Column, Entity};
use shared::time::Timestamp;
use std::time::Duration;

/// Failures after which an account is locked.
pub const FAILURES_MAX: i32 = 10;
/// How long an account stays locked, and how long failures count.
const LOCK_SECONDS: i64 = 30 * 60;
/// The same as a duration.
pub const LOCK_TIME: Duration = Duration::from_secs(LOCK_SECONDS as u64);
/// The first failure that delays the next attempt, and by how much.
const FIRST_SLOW_FAILURE: i32 = 5;
const FIRST_DELAY: Duration = Duration::from_millis(100);

/// The source network has failed too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    pub retry_after_seconds: i64,
}

#[derive(FromQueryResult)]
struct Count {
    subject: String,
    failures: i32,
    first_failure_date: Timestamp,
    last_failure_date: Timestamp,
    now: Timestamp,
}

/// Admits a log-in attempt: immediately, after the delay that its account has incurred, or not at
/// all because of its source network, if that is the user's own.
pub async fn admit(
    db: &DatabaseConnection,
    source_failures_max: i32,
    source: Option<&ClientAddress>,
    account: &str,
) -> Result<Option<TooMany>, DbErr> {
    let network = source.map(|source| log_in_failures::source(&source.network()));
    let keys: Vec<&str> = [account].into_iter().chain(network.as_deref()).collect();
    let counts = database::once_more(|| counts(db, &keys)).await?;
    let find = |subject: &str| counts.iter().find(|count| count.subject == subject);
    let of_network = network.as_deref().and_then(find);
    if let Some(too_many) = of_network.and_then(|count| check_source(source_failures_max, count)) {
        return Ok(Some(too_many));
    }
    if let Some(count) = find(account) {
        let elapsed = (count.now.0 - count.last_failure_date.0).to_std().unwrap_or_default();
        let wait = delay(count.failures).saturating_sub(elapsed);
        // Even a zero sleep lasts until the timer's next tick.
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
    }
    Ok(None)
}

/// Returns how long the attempt after this many failures waits, counted from the last failure.
fn delay(failures: i32) -> Duration {
    match failures {
        FIRST_SLOW_FAILURE..FAILURES_MAX => FIRST_DELAY * (1 << (failures - FIRST_SLOW_FAILURE)),
        _ => Duration::ZERO,
    }
}

/// Counts a failed client authentication of the source network, unless it has failed too often.
pub async fn count_client(
    source_failures_max: i32,
    tx: &impl ConnectionTrait,
    source: &ClientAddress,
) -> Result<Option<TooMany>, DbErr> {
    let network = log_in_failures::clients_of(&source.network());
    let counts = counts(tx, &[&network]).await?;
    match counts.first().and_then(|count| check_source(source_failures_max, count)) {
        None => count(tx, &network, Column::FirstFailureDate).await.map(|()| None),
        too_many => Ok(too_many),
    }
}

fn check_source(source_failures_max: i32, count: &Count) -> Option<TooMany> {
    let age = (count.now.0 - count.first_failure_date.0).num_seconds();
    let exceeded = count.failures >= source_failures_max && age < LOCK_SECONDS;
    exceeded.then(|| TooMany { retry_after_seconds: Ord::max(LOCK_SECONDS - age, 1) })
}

async fn counts(db: &impl ConnectionTrait, subjects: &[&str]) -> Result<Vec<Count>, DbErr> {
    let select = Query::select()
        .columns([
            Column::Subject,
            Column::Failures,
            Column::FirstFailureDate,
            Column::LastFailureDate,
        ])
        .expr_as(database::now(db), "now")
        .from(Entity)
        .and_where(Column::Subject.is_in(subjects.iter().copied()))
        .take();
    let rows = db.query_all(&select).await?;
    rows.iter().map(|row| Count::from_query_result(row, "")).collect()
}

/// True while an account is locked.
pub async fn locked(tx: &impl ConnectionTrait, account: &str) -> Result<bool, DbErr> {
    let select = Query::select()
        .column(Column::Failures)
        .from(Entity)
        .and_where(Column::Subject.eq(account))
        .and_where(Column::Failures.gte(FAILURES_MAX))
        .and_where(Column::LastFailureDate.into_expr().gt(half_an_hour_ago(tx)))
        .take();
    Ok(tx.query_one(&select).await?.is_some())
}

/// Counts a failed log-in; returns the new count.
pub async fn count_account(tx: &impl ConnectionTrait, account: &str) -> Result<i32, DbErr> {
    count(tx, account, Column::LastFailureDate).await?;
    let select = Query::select()
        .column(Column::Failures)
        .from(Entity)
        .and_where(Column::Subject.eq(account))
        .take();
    let row = tx.query_one(&select).await?;
    row.map_or(Ok(1), |row| row.try_get("", "failures"))
}

/// Counts a failed log-in of the source network.
pub async fn count_source(tx: &impl ConnectionTrait, source: &ClientAddress) -> Result<(), DbErr> {
    count(tx, &log_in_failures::source(&source.network()), Column::FirstFailureDate).await
}

/// One upsert. `since` is the date from which the half hour runs; after it, counting starts again.
async fn count(tx: &impl ConnectionTrait, subject: &str, since: Column) -> Result<(), DbErr> {
    let now = database::now(tx);
    let stored = |column: Column| Expr::col((Entity, column));
    let restarts = || stored(since).lte(half_an_hour_ago(tx));
    let failures =
        CaseStatement::new().case(restarts(), 1).finally(stored(Column::Failures).add(1));
    let first_failure_date = CaseStatement::new()
        .case(restarts(), now.clone())
        .finally(stored(Column::FirstFailureDate));
    // MariaDB assigns from left to right and reads values it has already assigned, so the count
    // comes first and the date that its condition reads comes last.
    let on_conflict = sea_orm::sea_query::OnConflict::column(Column::Subject)
        .value(Column::Failures, failures)
        .value(Column::FirstFailureDate, first_failure_date)
        .value(Column::LastFailureDate, now.clone())
        .to_owned();
    let mut insert = batch::insert_values(
        Entity,
        [
            (Column::Subject, subject.into()),
            (Column::Failures, 1.into()),
            (Column::FirstFailureDate, now.clone()),
            (Column::LastFailureDate, now),
        ],
    );
    tx.execute(insert.on_conflict(on_conflict)).await.map(drop)
}

/// Clears the failures of an account.
pub async fn clear(tx: &impl ConnectionTrait, account: &str) -> Result<(), DbErr> {
    Entity::delete_by_id(account).exec(tx).await.map(drop)
}

/// Removes expired counts.
pub async fn sweep(db: &impl ConnectionTrait) -> Result<u64, DbErr> {
    let delete = Query::delete()
        .from_table(Entity)
        .and_where(Column::LastFailureDate.into_expr().lte(half_an_hour_ago(db)))
        .take();
    Ok(db.execute(&delete).await?.rows_affected())
}

fn half_an_hour_ago(db: &impl ConnectionTrait) -> Expr {
    database::seconds_ago(db, Expr::value(LOCK_SECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_from_the_fifth_failure_and_a_locked_account_responds_at_once() {
        let milliseconds: Vec<_> = (3..=11).map(|n| delay(n).as_millis()).collect();
        assert_eq!(milliseconds, [0, 0, 100, 200, 400, 800, 1600, 0, 0]);
    }
}

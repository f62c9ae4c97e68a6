//! The database: connecting, its clock, writing transactions, and what its errors mean.
//!
//! | | SQLite | PostgreSQL | MariaDB |
//! |---|---|---|---|
//! | a writing transaction | `BEGIN IMMEDIATE` | read committed | read committed |
//! | a lock is waited for | 3 s (`busy_timeout`) | 3 s (`lock_timeout`) | 3 s (`innodb_lock_wait_timeout`) |
//! | timestamps | text, see [`now`] | `timestamptz` | `datetime(6)` in UTC |
//!
//! What several MariaDB servers in one cluster need besides is in [`crate::cluster`].
//!
//! The process's own clock decides nothing: whatever expires is judged by [`now`] in SQL.

use crate::cluster;
use crate::random::random_bytes;
use crate::time::{Clock, Timestamp};
use prometheus_client::metrics::counter::Counter;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::sqlx::pool::PoolConnectionMetadata;
use sea_orm::sqlx::{self, Connection, Executor};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend,
    DbErr, RuntimeErr, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use std::future::Future;
use std::str::FromStr;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::time::Instant;

/// How long a lock is waited for before the request is told to come again.
const LOCK_WAIT: Duration = Duration::from_secs(3);
/// How long a request waits for a free connection.
const ACQUIRE_WAIT: Duration = Duration::from_secs(5);
/// A connection idle for longer is tried out before it is used: after a restart of the database no
/// request meets a dead one, and a busy connection is not slowed down.
const IDLE_TRUSTED: Duration = Duration::from_secs(1);
/// One idle for longer is replaced unasked: a firewall may have forgotten it, and would let the
/// question go unanswered.
const IDLE_MAX: Duration = Duration::from_secs(10 * 60);
/// The age at which a connection is replaced.
const AGE_MAX: Duration = Duration::from_secs(30 * 60);

/// Connects to `sqlite://…`, `postgres://…` or `mysql://…` (also for MariaDB).
///
/// `create` makes a missing SQLite file; the servers never do, so that a mistyped path is an error
/// and no empty database.
pub async fn connect(
    url: &str,
    connections_max: u32,
    create: bool,
) -> Result<DatabaseConnection, DbErr> {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections_max)
        .acquire_timeout(ACQUIRE_WAIT)
        .connect_timeout(ACQUIRE_WAIT)
        .sqlx_logging(false)
        // A server starts before its database does, and says so in its readiness.
        .connect_lazy(true)
        .test_before_acquire(false)
        // See `is_good` instead: with either of these SQLx 0.9.0 starts a task that may, seldom,
        // spin for ever (its issue 3645).
        .idle_timeout(None)
        .max_lifetime(None)
        .map_sqlx_postgres_before_acquire(|it, metadata| Box::pin(is_good(it, metadata)))
        .map_sqlx_mysql_before_acquire(|it, metadata| Box::pin(is_good(it, metadata)))
        .map_sqlx_sqlite_before_acquire(|it, metadata| Box::pin(is_good(it, metadata)));
    let lock_wait_ms = LOCK_WAIT.as_millis().to_string();
    options.map_sqlx_postgres_opts(move |postgres| {
        postgres.options([("lock_timeout", lock_wait_ms.as_str())])
    });
    options.map_sqlx_mysql_pool_opts(|pool| {
        pool.after_connect(|connection, _| {
            Box::pin(async move {
                let seconds = LOCK_WAIT.as_secs();
                let session = format!(
                    "SET SESSION innodb_lock_wait_timeout = {seconds}, \
                     SESSION tx_isolation = 'READ-COMMITTED'"
                );
                connection.execute(sqlx::AssertSqlSafe(session)).await?;
                cluster::join(connection).await
            })
        })
    });
    options.map_sqlx_sqlite_opts(move |sqlite| {
        use sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
        sqlite
            .create_if_missing(create)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(LOCK_WAIT)
            .foreign_keys(true)
    });
    Database::connect(options).await
}

/// Whether a connection is used once more, asked before it is.
async fn is_good(
    connection: &mut impl Connection,
    metadata: PoolConnectionMetadata,
) -> Result<bool, sqlx::Error> {
    if metadata.idle_for > IDLE_MAX || metadata.age > AGE_MAX {
        return Ok(false);
    }
    if metadata.idle_for >= IDLE_TRUSTED {
        connection.ping().await?;
    }
    Ok(true)
}

/// Begins a transaction that will write. On SQLite it takes the write lock at once, because a
/// reader that turns into a writer fails instead of waiting.
pub async fn begin_write(db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let sqlite_transaction_mode = Some(SqliteTransactionMode::Immediate);
    db.begin_with_options(TransactionOptions { sqlite_transaction_mode, ..Default::default() })
        .await
}

/// Begins a part of a transaction that may be undone by itself. Nothing in a cluster: there the whole
/// has to be undone.
#[expect(clippy::disallowed_methods, reason = "the one place that knows where it may be")]
pub async fn begin_part(tx: &DatabaseTransaction) -> Result<Option<DatabaseTransaction>, DbErr> {
    if cluster::is_node(tx) {
        return Ok(None);
    }
    tx.begin().await.map(Some)
}

/// Tries something out at the beginning of a transaction in which nothing was written yet, and undoes
/// it.
pub async fn try_out<E: From<DbErr>>(
    tx: &DatabaseTransaction,
    work: impl AsyncFnOnce(&DatabaseTransaction) -> Result<(), E>,
) -> Result<(), E> {
    let Some(trial) = begin_part(tx).await? else {
        work(tx).await?;
        return Ok(tx.execute_unprepared("ROLLBACK AND CHAIN").await.map(drop)?);
    };
    work(&trial).await?;
    Ok(trial.rollback().await?)
}

/// Tries of what another transaction got in the way of, at least, and for how long there are more.
const TRIES: u32 = 4;
const TRYING: Duration = LOCK_WAIT;
/// The longest pause before a try. The first is made at once, later ones not all at the same time.
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// How often this process has tried again.
pub static TRIED_AGAIN: LazyLock<Counter> = LazyLock::new(Counter::default);

/// An error that may tell that another transaction came first.
pub trait Contended {
    /// True if it does: the same may pass when it is done again.
    fn is_contention(&self) -> bool;
}

impl Contended for DbErr {
    fn is_contention(&self) -> bool {
        fault(self) == Fault::Contention
    }
}

/// How often something was tried that another transaction got in the way of.
#[derive(Debug)]
pub struct Tries {
    began: Instant,
    made: u32,
}

impl Tries {
    /// Before the first one.
    pub fn begin() -> Self {
        Self { began: Instant::now(), made: 0 }
    }

    /// Counts one that failed. True when the time for another has come, false when these were
    /// enough: four, and for three seconds.
    pub async fn another(&mut self) -> bool {
        self.made += 1;
        if self.made >= TRIES && self.began.elapsed() >= TRYING {
            return false;
        }
        TRIED_AGAIN.inc();
        if self.made > 1 {
            let longest = Duration::from_millis(5 << Ord::min(self.made, 8));
            let longest = Ord::min(PAUSE_MAX, longest);
            tokio::time::sleep(longest * u32::from(random_bytes::<1>()[0]) / 256).await;
        }
        true
    }
}

/// Does something that begins and ends a transaction, or is a single statement; does it again where
/// another transaction came first. In a cluster that may show as late as at the commit.
pub async fn again<T, E: Contended, F: Future<Output = Result<T, E>>>(
    mut work: impl FnMut() -> F,
) -> Result<T, E> {
    let mut tries = Tries::begin();
    loop {
        let outcome = work().await;
        let contended = outcome.as_ref().is_err_and(Contended::is_contention);
        if !contended || !tries.another().await {
            return outcome;
        }
    }
}

/// How SQLite writes an instant: the very text the driver writes for one with milliseconds, so
/// that each instant has one text and the order of texts is the order of time.
fn sqlite_instant(modifier: &str) -> String {
    format!("replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'{modifier}), '.000+', '+')")
}

/// The database's time as an SQL expression: the time of the statement, not of the transaction.
pub fn now(backend: DbBackend) -> Expr {
    match backend {
        DbBackend::Postgres => Expr::cust("clock_timestamp()"),
        DbBackend::MySql => Expr::cust("utc_timestamp(6)"),
        _ => Expr::cust(sqlite_instant("")),
    }
}

/// The database's time so many seconds ago (negative: ahead), as an SQL expression. The seconds
/// may be an expression themselves; where they are NULL, so is the result. A number is an `i64`: the
/// driver keeps prepared statements by their text, and one of the same text with an `i32` would be
/// sent four bytes where the prepared one expects eight.
pub fn seconds_ago(backend: DbBackend, seconds: Expr) -> Expr {
    match backend {
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

/// The name of the setting that holds the business time zone (an IANA name; default UTC).
pub const BUSINESS_TIME_ZONE: &str = "business_time_zone";

/// The business time zone as a subquery, for statements that want it beside other things.
pub fn business_time_zone() -> Expr {
    use crate::entity::settings::{Column, Entity};
    let setting = Query::select()
        .column(Column::Value)
        .from(Entity)
        .and_where(Expr::col(Column::Name).eq(BUSINESS_TIME_ZONE))
        .take();
    Expr::SubQuery(None, Box::new(setting.into()))
}

/// The database's time and the business day it falls on.
pub async fn clock(db: &impl ConnectionTrait) -> Result<Clock, DbErr> {
    let select = Query::select()
        .expr_as(now(db.get_database_backend()), "now")
        .expr_as(business_time_zone(), "time_zone")
        .take();
    let row = db.query_one(&select).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("the database's clock".to_owned()))?;
    let time_zone: Option<String> = row.try_get("", "time_zone")?;
    Ok(Clock::new(row.try_get("", "now")?, time_zone.as_deref()))
}

/// The database's time.
pub async fn time(db: &impl ConnectionTrait) -> Result<Timestamp, DbErr> {
    Ok(clock(db).await?.now)
}

/// What a database error means to whoever asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Another transaction came first: the same one may pass when it is tried again.
    Contention,
    /// A lock was waited for too long.
    LockTimeout,
    /// The database is away, full, or out of connections.
    Unavailable,
    /// A unique or foreign key refused the row.
    Conflict,
    /// Anything else: a defect of this product.
    Defect,
}

/// Tells what kind of failure a database error is.
pub fn fault(error: &DbErr) -> Fault {
    match error {
        DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => Fault::Unavailable,
        DbErr::Exec(RuntimeErr::SqlxError(error)) | DbErr::Query(RuntimeErr::SqlxError(error)) => {
            sqlx_fault(error)
        }
        _ => Fault::Defect,
    }
}

fn sqlx_fault(error: &sqlx::Error) -> Fault {
    use sqlx::Error;
    match error {
        Error::Io(_)
        | Error::Tls(_)
        | Error::Protocol(_)
        | Error::PoolTimedOut
        | Error::PoolClosed
        | Error::WorkerCrashed => Fault::Unavailable,
        Error::Database(error) => database_fault(error.as_ref()),
        _ => Fault::Defect,
    }
}

fn database_fault(error: &dyn sqlx::error::DatabaseError) -> Fault {
    if let Some(error) = error.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>() {
        return match error.number() {
            1213 | 1020 => Fault::Contention,
            1205 => Fault::LockTimeout,
            1062 | 1451 | 1452 => Fault::Conflict,
            // A node without the others (1047), one that stops (1053, 1317, 1927), a commit of
            // which the others did not learn (1180).
            1021 | 1040 | 1041 | 1047 | 1053 | 1114 | 1180 | 1290 | 1317 | 1927 => {
                Fault::Unavailable
            }
            _ => Fault::Defect,
        };
    }
    let code = error.code().unwrap_or_default();
    if error.try_downcast_ref::<sqlx::postgres::PgDatabaseError>().is_some() {
        return match &*code {
            "40001" | "40P01" => Fault::Contention,
            "55P03" => Fault::LockTimeout,
            "23505" | "23503" => Fault::Conflict,
            "25006" => Fault::Unavailable,
            code if ["08", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => {
                Fault::Unavailable
            }
            _ => Fault::Defect,
        };
    }
    // SQLite: the primary result code is the low byte of the extended one.
    let extended = i32::from_str(&code).unwrap_or_default();
    match (extended & 0xff, extended) {
        (_, 517) => Fault::Contention,
        (5 | 6, _) => Fault::LockTimeout,
        (_, 787 | 1555 | 2067) => Fault::Conflict,
        (8 | 10 | 13 | 14, _) => Fault::Unavailable,
        _ => Fault::Defect,
    }
}

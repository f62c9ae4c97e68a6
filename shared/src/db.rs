//! The database: connecting, its clock, write transactions, retries, and error classification.
//!
//! | | SQLite | PostgreSQL | MariaDB |
//! |---|---|---|---|
//! | write transaction | `BEGIN IMMEDIATE` | read committed | read committed |
//! | lock wait | 3 s (`busy_timeout`) | 3 s (`lock_timeout`) | 3 s (`innodb_lock_wait_timeout`) |
//! | a frozen server's transaction | | ends after 30 s | ends after 30 s |
//! | other defaults | | set by the session | set by the session, `sql_mode` included |
//! | timestamps | text, see [`now`] | `timestamptz` | `datetime(6)` in UTC |
//!
//! Additional rules for a MariaDB cluster are in [`crate::galera`].
//!
//! The process's own clock decides nothing: whatever expires is compared with [`now`] in SQL. It only
//! helps to notice that the database's cannot be right ([`clock_guard`]).

pub mod clock_guard;
mod faults;
mod sessions;

pub use self::faults::{Fault, fault, is_refused_write};
pub(crate) use self::sessions::shares_sessions;

use self::faults::is_lost;
use self::sessions::{begin_session, postgres_session};
use crate::galera;
use crate::nodelay;
use crate::random::random_bytes;
use crate::time::{Clock, Timestamp};
use crate::waits::WAITS;
use prometheus_client::metrics::counter::Counter;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::sqlx::pool::PoolConnectionMetadata;
use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::{self, ConnectOptions as _, Connection, Executor, SqliteConnection};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend,
    DbErr, RuntimeErr, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use std::fs::OpenOptions;
use std::future::Future;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// Lock wait, after which the client is told to retry.
pub const LOCK_WAIT: Duration = Duration::from_secs(3);
/// How long a request waits for a free connection.
pub(crate) const ACQUIRE_WAIT: Duration = Duration::from_secs(5);
/// How long the database may take to answer on a connection that returns to the pool: longer than a
/// statement that was given up waits for a lock.
pub(crate) const RELEASE_WAIT: Duration = Duration::from_secs(5);
/// A connection idle for longer is tested before use: after a restart of the database no request
/// gets a dead connection, and busy connections are not slowed down.
pub(crate) const IDLE_TRUSTED: Duration = Duration::from_secs(1);
/// One idle for longer is replaced without a test: a firewall may have dropped it, and the test
/// would get no reply.
pub(crate) const IDLE_MAX: Duration = Duration::from_secs(10 * 60);
/// Age at which a connection is replaced.
pub(crate) const AGE_MAX: Duration = Duration::from_secs(30 * 60);

/// Prepared statements that a connection keeps. The driver's 100 are fewer than payments need on
/// MariaDB, where the text of a statement depends on the number of its rows.
const PREPARED_MAX: usize = 256;

/// Connects as [`connect`] does, after creating a missing SQLite file.
pub async fn connect_or_create(
    url: &str,
    connections_max: u32,
) -> Result<DatabaseConnection, DbErr> {
    if let Some(path) = url.strip_prefix("sqlite://") {
        let path = path.split('?').next().unwrap_or_default();
        let created = OpenOptions::new().append(true).create(true).open(path);
        created.map_err(|error| DbErr::Conn(RuntimeErr::Internal(format!("{path}: {error}"))))?;
    }
    connect(url, connections_max).await
}

/// Connects to `sqlite://…`, `postgres://…` or `mysql://…` (also for MariaDB). A missing SQLite file is
/// an error: a mistyped path must not become an empty database.
pub async fn connect(url: &str, connections_max: u32) -> Result<DatabaseConnection, DbErr> {
    clock_guard::watch();
    let mut options = ConnectOptions::new(with_statement_cache(url));
    options
        .max_connections(connections_max)
        .acquire_timeout(ACQUIRE_WAIT)
        .connect_timeout(ACQUIRE_WAIT)
        .sqlx_logging(false)
        // A server may start before its database; its readiness reports it.
        .connect_lazy(true)
        .test_before_acquire(false)
        // `is_good` does this instead: with either option SQLx 0.9.0 starts a task that may,
        // rarely, spin forever (its issue 3645).
        .idle_timeout(None)
        .max_lifetime(None)
        .map_sqlx_postgres_before_acquire(|it, metadata| Box::pin(is_good(it, metadata)))
        .map_sqlx_mysql_before_acquire(|it, metadata| Box::pin(is_good(it, metadata)))
        .map_sqlx_sqlite_before_acquire(|it, metadata| Box::pin(is_good(it, metadata)));
    // A pooler such as PgBouncer refuses parameters at start that it does not know.
    options.map_sqlx_postgres_opts(|postgres| postgres.extra_float_digits(None));
    options.map_sqlx_postgres_pool_opts(|pool| {
        let pool = pool.after_release(|connection, _| Box::pin(check_answers(connection)));
        pool.after_connect(|connection, _| {
            Box::pin(async move {
                nodelay::set_on_all_connections().await;
                let session = sqlx::AssertSqlSafe(postgres_session());
                connection.execute(session).await.map(drop)
            })
        })
    });
    options.map_sqlx_mysql_pool_opts(|pool| {
        let pool = pool.after_release(|connection, _| {
            Box::pin(async move {
                galera::leave(connection).await?;
                check_answers(connection).await
            })
        });
        pool.after_connect(|connection, _| {
            Box::pin(async move {
                nodelay::set_on_all_connections().await;
                begin_session(connection).await
            })
        })
    });
    options.map_sqlx_sqlite_pool_opts(|pool| {
        pool.after_release(|connection, _| Box::pin(has_rolled_back(connection)))
    });
    options.map_sqlx_sqlite_opts(|sqlite| {
        use sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
        sqlite
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(LOCK_WAIT)
            .foreign_keys(true)
    });
    Database::connect(options).await
}

/// Connects to a database server and disconnects again. The first failure is returned; a pool would
/// try again for seconds.
pub async fn probe(url: &str) -> Result<(), DbErr> {
    let connected = async {
        if url.starts_with("mysql:") {
            return sqlx::MySqlConnection::connect(url).await?.close().await;
        }
        let options: PgConnectOptions = url.parse()?;
        options.extra_float_digits(None).connect().await?.close().await
    };
    let outcome = timeout(ACQUIRE_WAIT, connected).await.unwrap_or(Err(sqlx::Error::PoolTimedOut));
    outcome.map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(error.into())))
}

/// Adds the number of prepared statements that a connection keeps to a URL that does not specify it.
/// Statements are prepared even if it keeps none.
fn with_statement_cache(url: &str) -> String {
    const PARAMETER: &str = "statement-cache-capacity";
    if url.starts_with("sqlite") || url.contains(PARAMETER) {
        return url.to_owned();
    }
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{PARAMETER}={PREPARED_MAX}")
}

/// When a connection of this process was last found to be lost. Those that have been idle since are
/// tested before use, because whatever cut one may have cut them all.
static LOST: Mutex<Option<Instant>> = Mutex::new(None);

/// Notes that a connection was lost.
pub(crate) fn note_lost() {
    *LOST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

/// True if a connection that has been idle for this long need not be tested before use.
pub(crate) fn is_trusted(idle_for: Duration) -> bool {
    let lost = *LOST.lock().unwrap_or_else(PoisonError::into_inner);
    idle_for < IDLE_TRUSTED && lost.is_none_or(|lost| lost.elapsed() > idle_for)
}

/// Returns whether a pooled connection may be reused.
async fn is_good(
    connection: &mut impl Connection,
    metadata: PoolConnectionMetadata,
) -> Result<bool, sqlx::Error> {
    if metadata.idle_for > IDLE_MAX || metadata.age > AGE_MAX {
        return Ok(false);
    }
    if !is_trusted(metadata.idle_for) {
        connection.ping().await?;
    }
    Ok(true)
}

/// Lets a connection return to the pool only while the database answers on it. SQLx pings it, too,
/// but without a time limit: after a database has fallen silent, each connection that was in use
/// would keep its place in the pool for ever (its issue 4349).
async fn check_answers(connection: &mut impl Connection) -> Result<bool, sqlx::Error> {
    let answer = timeout(RELEASE_WAIT, connection.ping()).await;
    let answer = answer.unwrap_or(Err(sqlx::Error::PoolTimedOut));
    answer.inspect_err(|_| note_lost()).map(|()| true)
}

/// Lets a connection return to the pool only outside of a transaction. After some I/O errors SQLite
/// itself rolls back, SQLx's own rollback fails, and SQLx counts the transaction as open from then
/// on: no other could begin on the connection.
async fn has_rolled_back(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // Waits for a rollback that was not waited for.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Begins a write transaction. On SQLite it takes the write lock immediately, because a reader that
/// upgrades to a writer fails instead of waiting.
pub async fn begin_write(db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let tx = begin_unmarked(db).await?;
    galera::mark(&tx).await?;
    Ok(tx)
}

/// Begins a write transaction of a migration: the table of marks may not exist yet.
pub(crate) async fn begin_unmarked(db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let sqlite_transaction_mode = Some(SqliteTransactionMode::Immediate);
    let options = || TransactionOptions { sqlite_transaction_mode, ..Default::default() };
    WAITS.connection.measure(once_more(|| db.begin_with_options(options()))).await
}

/// Runs something that changes nothing; once more, on another connection, if its own was lost: after
/// all connections were cut, a request must not fail while the database is there.
pub async fn once_more<T, F: Future<Output = Result<T, DbErr>>>(
    work: impl Fn() -> F,
) -> Result<T, DbErr> {
    match work().await {
        Err(error) if is_lost(&error) => {
            note_lost();
            work().await
        }
        outcome => outcome,
    }
}

/// Commits a write transaction. Contention if another node of a cluster has silently rolled it back
/// ([`crate::galera`]).
pub async fn commit(tx: DatabaseTransaction) -> Result<(), DbErr> {
    galera::take_mark(&tx).await?;
    commit_unmarked(tx).await
}

/// Commits a write transaction of a migration.
#[expect(clippy::disallowed_methods, reason = "every other caller uses `commit`")]
pub(crate) async fn commit_unmarked(tx: DatabaseTransaction) -> Result<(), DbErr> {
    tx.commit().await
}

/// Rolls back a write transaction whose outcome is reported, such as a dry run's. Contention as with
/// [`commit`]: the outcome may be wrong if part of the transaction was lost.
pub async fn roll_back(tx: DatabaseTransaction) -> Result<(), DbErr> {
    galera::take_mark(&tx).await?;
    tx.rollback().await
}

/// Returns the error to report for a transaction that failed: contention if another node of a
/// cluster has rolled it back, silently or not, because that may have caused the failure. The
/// transaction must not be committed afterwards: its mark is deleted.
pub async fn failed<E: From<DbErr>>(tx: &DatabaseTransaction, error: E) -> E {
    match galera::take_mark(tx).await {
        Err(lost) if lost.is_contention() => lost.into(),
        _ => error,
    }
}

/// Commits a transaction whose work succeeded; otherwise rolls it back and returns the error of
/// [`failed`].
pub async fn finish<T, E: From<DbErr>>(
    tx: DatabaseTransaction,
    outcome: Result<T, E>,
) -> Result<T, E> {
    match outcome {
        Ok(done) => Ok(commit(tx).await.map(|()| done)?),
        Err(error) => Err(failed(&tx, error).await),
    }
}

/// Begins a savepoint, a part of a transaction that can be rolled back separately. `None` in a
/// cluster, where only the whole transaction can be rolled back.
#[expect(clippy::disallowed_methods, reason = "checks first that savepoints work here")]
pub async fn begin_part(tx: &DatabaseTransaction) -> Result<Option<DatabaseTransaction>, DbErr> {
    if galera::is_node(tx) {
        return Ok(None);
    }
    tx.begin().await.map(Some)
}

/// Tries something at the beginning of a transaction, before anything is written, and rolls it
/// back.
pub async fn try_out<E: From<DbErr>>(
    tx: &DatabaseTransaction,
    work: impl AsyncFnOnce(&DatabaseTransaction) -> Result<(), E>,
) -> Result<(), E> {
    let Some(trial) = begin_part(tx).await? else {
        work(tx).await?;
        galera::take_mark(tx).await?;
        tx.execute_unprepared("ROLLBACK AND CHAIN").await?;
        return Ok(galera::mark(tx).await?);
    };
    work(&trial).await?;
    Ok(trial.rollback().await?)
}

/// Retries after contention: the minimum number of attempts, and the time for which there are more.
const ATTEMPTS_MIN: u32 = 4;
const RETRY_TIME_MIN: Duration = LOCK_WAIT;
/// Longest pause before a retry. The first retry is immediate; later ones are jittered.
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// Number of retries in this process.
pub static TRIED_AGAIN: LazyLock<Counter> = LazyLock::new(Counter::default);

/// An error that may be contention.
pub trait Contended {
    /// True if another transaction came first: a retry may succeed.
    fn is_contention(&self) -> bool;
}

impl Contended for DbErr {
    fn is_contention(&self) -> bool {
        fault(self) == Fault::Contention
    }
}

/// Attempts at something that may meet contention.
#[derive(Debug)]
pub struct Tries {
    began: Instant,
    attempts: u32,
}

impl Tries {
    /// Starts counting before the first attempt.
    pub fn begin() -> Self {
        Self { began: Instant::now(), attempts: 0 }
    }

    /// Counts a failed attempt. Returns true when it is time for the next, false when there have
    /// been enough: at least four attempts and three seconds.
    pub async fn another(&mut self) -> bool {
        self.attempts += 1;
        if self.attempts >= ATTEMPTS_MIN && self.began.elapsed() >= RETRY_TIME_MIN {
            return false;
        }
        TRIED_AGAIN.inc();
        if self.attempts > 1 {
            let pause_max = Duration::from_millis(5 << Ord::min(self.attempts, 8));
            let pause_max = Ord::min(PAUSE_MAX, pause_max);
            tokio::time::sleep(pause_max * u32::from(random_bytes::<1>()[0]) / 256).await;
        }
        true
    }
}

/// Runs work that is a whole transaction or a single statement; retries it after contention. In a
/// cluster, contention may be reported as late as the commit.
pub async fn retry<T, E: Contended, F: Future<Output = Result<T, E>>>(
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

/// Runs work in a write transaction of its own, and retries the whole after contention
/// ([`retry`]). So the work must have no effect outside the transaction. A commit with an unknown
/// outcome is not contention.
pub async fn write<T, E: Contended + From<DbErr>>(
    db: &DatabaseConnection,
    work: impl Copy + AsyncFnOnce(&DatabaseTransaction) -> Result<T, E>,
) -> Result<T, E> {
    retry(async || {
        let tx = begin_write(db).await?;
        let outcome = work(&tx).await;
        finish(tx, outcome).await
    })
    .await
}

/// SQL for SQLite's text form of an instant: exactly what the driver writes for one with
/// milliseconds, so that each instant has one text and texts sort by time.
pub(crate) fn sqlite_instant(modifier: &str) -> String {
    format!("replace(strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now'{modifier}), '.000+', '+')")
}

/// Returns the database's time as an SQL expression: the time of the statement, not of the
/// transaction.
pub fn now(backend: DbBackend) -> Expr {
    match backend {
        DbBackend::Postgres => Expr::cust("clock_timestamp()"),
        DbBackend::MySql => Expr::cust("utc_timestamp(6)"),
        _ => Expr::cust(sqlite_instant("")),
    }
}

/// Returns the database's time this many seconds from now as an SQL expression.
pub fn seconds_from_now(backend: DbBackend, seconds: i64) -> Expr {
    seconds_ago(backend, Expr::value(-seconds))
}

/// Returns the database's time this many seconds ago as an SQL expression. The seconds may be an
/// expression; if they are NULL, so is the result. A literal must be an `i64`: the driver caches
/// prepared statements by text, and the same text with an `i32` would be sent four bytes where the
/// prepared statement expects eight.
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
    let select = Query::select()
        .expr_as(now(db.get_database_backend()), "now")
        .expr_as(business_time_zone(), "time_zone")
        .take();
    let row = db.query_one(&select).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("the database's clock".to_owned()))?;
    Ok((row.try_get("", "now")?, row.try_get("", "time_zone")?))
}

/// Reads the database's time.
pub async fn time(db: &impl ConnectionTrait) -> Result<Timestamp, DbErr> {
    Ok(clock(db).await?.now)
}

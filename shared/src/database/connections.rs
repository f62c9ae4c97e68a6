//! Connections: how they are opened, and when one may be used again.

use super::sessions::{LOCK_WAIT, begin_session, postgres_session};
use super::{clock_guard, galera, nodelay};
use sea_orm::sqlx::pool::PoolConnectionMetadata;
use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use sea_orm::sqlx::{self, ConnectOptions as _, Connection, Executor, SqliteConnection};
use sea_orm::{ConnectOptions, Database, DatabaseConnection, DbErr, RuntimeErr};
use std::fs::OpenOptions;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How long a request waits for a free connection.
pub(super) const ACQUIRE_WAIT: Duration = Duration::from_secs(5);
/// How long the database may take to answer on a connection that returns to the pool: longer than a
/// statement that was given up waits for a lock.
pub(super) const RELEASE_WAIT: Duration = Duration::from_secs(5);
/// A connection idle for longer is tested before use: after a restart of the database no request
/// gets a dead connection, and busy connections are not slowed down.
pub(super) const IDLE_TRUSTED: Duration = Duration::from_secs(1);
/// One idle for longer is replaced without a test: a firewall may have dropped it, and the test
/// would get no reply.
pub(super) const IDLE_MAX: Duration = Duration::from_secs(10 * 60);
/// Age at which a connection is replaced.
pub(super) const AGE_MAX: Duration = Duration::from_secs(30 * 60);

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
        sqlite
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(LOCK_WAIT)
            .foreign_keys(true)
    });
    Database::connect(options).await
}

/// Connects to a database that is only read: it refuses every write.
pub async fn connect_read_only(url: &str) -> Result<DatabaseConnection, DbErr> {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(2)
        .acquire_timeout(ACQUIRE_WAIT)
        .connect_timeout(ACQUIRE_WAIT)
        .sqlx_logging(false);
    options.map_sqlx_sqlite_opts(|sqlite| sqlite.read_only(true));
    options.map_sqlx_postgres_opts(|postgres| {
        postgres.options([("default_transaction_read_only", "on")])
    });
    options.map_sqlx_mysql_pool_opts(|pool| {
        pool.after_connect(|connection, _| {
            Box::pin(async move {
                connection.execute("SET SESSION TRANSACTION READ ONLY").await.map(drop)
            })
        })
    });
    Database::connect(options).await
}

/// Creates an SQLite file for what does not fit into memory: it needs no recovery after a crash.
pub async fn create_scratch(path: &Path) -> Result<DatabaseConnection, DbErr> {
    let mut options = ConnectOptions::new(format!("sqlite://{}?mode=rwc", path.display()));
    options.max_connections(1).sqlx_logging(false);
    options.map_sqlx_sqlite_opts(|sqlite| {
        sqlite.journal_mode(SqliteJournalMode::Off).synchronous(SqliteSynchronous::Off)
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
pub(super) fn note_lost() {
    *LOST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}

/// True if a connection that has been idle for this long need not be tested before use.
pub(super) fn is_trusted(idle_for: Duration) -> bool {
    let lost = *LOST.lock().unwrap_or_else(PoisonError::into_inner);
    idle_for < IDLE_TRUSTED && lost.is_none_or(|lost| lost.elapsed() > idle_for)
}

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

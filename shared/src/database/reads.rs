//! Read pool: connections for single statements outside of transactions.
//!
//! SQLx's pool pings the database whenever a connection is returned, and the pool of writers must, too, with
//! a time limit: each statement costs two extra round trips. Here, a connection whose statement
//! succeeded is returned without a ping. Only one whose statement failed or was abandoned is pinged,
//! and keeps its slot until it responds or is closed.
//!
//! With the embedded database, which has no round trips, or with few connections, the writers' pool
//! serves the reads, too.

use super::connections::{self, ACQUIRE_WAIT, AGE_MAX, IDLE_MAX, RELEASE_WAIT};
use super::transactions::{TRIED_AGAIN, once_more};
use super::waits::WAITS;
use crate::telemetry::{Counter, Metrics};
use sea_orm::sqlx::pool::Pool;
use sea_orm::sqlx::query::Query;
use sea_orm::sqlx::{
    self, AssertSqlSafe, Connection, Database, Executor, IntoArguments, MySql, Postgres,
};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult,
    QueryResult, RuntimeErr, Statement,
};
use sea_query_sqlx::SqlxValues;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};

/// Connections for single statements. Clones share them.
#[derive(Clone)]
pub struct ReadPool(Arc<Backend>);

enum Backend {
    OfWriters(DatabaseConnection),
    Postgres(Arc<Connections<Postgres>>),
    MariaDb(Arc<Connections<MySql>>),
}

/// The fewest connections of which some are for reads only.
const SPLIT_MIN: u32 = 8;

/// The connections of a server.
pub struct Connected {
    /// For transactions.
    pub db: DatabaseConnection,
    /// For single reads.
    pub reads: ReadPool,
    /// The same as for transactions, for what is no request's and counts as no statement.
    pub uncounted: DatabaseConnection,
}

/// Connects with at most this many connections. On a server, a third of them are for reads if there
/// are enough. Counts the statements.
pub async fn connect(
    url: &str,
    connections_max: u32,
    metrics: &mut Metrics,
) -> Result<Connected, DbErr> {
    let for_reads = match connections_max >= SPLIT_MIN && !url.starts_with("sqlite") {
        true => connections_max / 3,
        false => 0,
    };
    let mut db = connections::connect(url, connections_max - for_reads).await?;
    let uncounted = db.clone();
    WAITS.register(metrics.registry());
    let help = "Transactions retried after contention";
    metrics.register("transactions_tried_again", help, TRIED_AGAIN.clone());
    metrics.count_statements(&mut db);
    if for_reads == 0 {
        let reads = ReadPool(Arc::new(Backend::OfWriters(db.clone())));
        return Ok(Connected { db, reads, uncounted });
    }
    // A pool of its own opens them: a read never waits for writers.
    let source = connections::connect(url, for_reads).await?;
    let (places, statements) = (for_reads as usize, metrics.statements());
    let backend = match source.get_database_backend() {
        DbBackend::Postgres => {
            let source = source.get_postgres_connection_pool().clone();
            Backend::Postgres(Connections::new(source, places, statements))
        }
        _ => {
            let source = source.get_mysql_connection_pool().clone();
            Backend::MariaDb(Connections::new(source, places, statements))
        }
    };
    Ok(Connected { db, reads: ReadPool(Arc::new(backend)), uncounted })
}

impl ReadPool {
    /// Returns connections on which a transaction can run several reads at once: of rows that it has
    /// locked but not written, and of lists. They may not see what the transaction has written.
    ///
    /// On PostgreSQL this is the pool: once a transaction holds a lock, every connection sees what
    /// the previous holder committed. Elsewhere it is the transaction's own connection.
    pub fn of<'a>(&'a self, tx: &'a DatabaseTransaction) -> TransactionReads<'a> {
        match &*self.0 {
            Backend::Postgres(_) => TransactionReads::Pool(self),
            _ => TransactionReads::Transaction(tx),
        }
    }
}

/// Connections for reads that belong to a transaction.
pub enum TransactionReads<'a> {
    /// On other connections.
    Pool(&'a ReadPool),
    /// On the transaction's connection, one after the other.
    Transaction(&'a DatabaseTransaction),
}

#[async_trait::async_trait]
impl ConnectionTrait for TransactionReads<'_> {
    fn get_database_backend(&self) -> DbBackend {
        match self {
            Self::Pool(pool) => pool.get_database_backend(),
            Self::Transaction(tx) => tx.get_database_backend(),
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match self {
            Self::Pool(pool) => pool.execute_raw(statement).await,
            Self::Transaction(tx) => tx.execute_raw(statement).await,
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        match self {
            Self::Pool(pool) => pool.execute_unprepared(sql).await,
            Self::Transaction(tx) => tx.execute_unprepared(sql).await,
        }
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match self {
            Self::Pool(pool) => pool.query_one_raw(statement).await,
            Self::Transaction(tx) => tx.query_one_raw(statement).await,
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match self {
            Self::Pool(pool) => pool.query_all_raw(statement).await,
            Self::Transaction(tx) => tx.query_all_raw(statement).await,
        }
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for ReadPool {
    fn get_database_backend(&self) -> DbBackend {
        match &*self.0 {
            Backend::OfWriters(db) => db.get_database_backend(),
            Backend::Postgres(_) => DbBackend::Postgres,
            Backend::MariaDb(_) => DbBackend::MySql,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match &*self.0 {
            Backend::OfWriters(db) => db.execute_raw(statement).await,
            Backend::Postgres(pool) => Ok(pool.execute(statement).await?.into()),
            Backend::MariaDb(pool) => Ok(pool.execute(statement).await?.into()),
        }
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let statement = Statement::from_string(self.get_database_backend(), sql);
        self.execute_raw(statement).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        match &*self.0 {
            Backend::OfWriters(db) => db.query_one_raw(statement).await,
            Backend::Postgres(pool) => Ok(pool.fetch_one(statement).await?.map(Into::into)),
            Backend::MariaDb(pool) => Ok(pool.fetch_one(statement).await?.map(Into::into)),
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match &*self.0 {
            Backend::OfWriters(db) => db.query_all_raw(statement).await,
            Backend::Postgres(pool) => {
                Ok(pool.fetch_all(statement).await?.into_iter().map(Into::into).collect())
            }
            Backend::MariaDb(pool) => {
                Ok(pool.fetch_all(statement).await?.into_iter().map(Into::into).collect())
            }
        }
    }
}

struct Connections<D: Database> {
    source: Pool<D>,
    idle: Mutex<Vec<IdleConnection<D>>>,
    places: Arc<Semaphore>,
    statements: Counter,
}

struct OpenConnection<D: Database> {
    connection: D::Connection,
    opened: Instant,
    /// Its place among the connections.
    _place: OwnedSemaphorePermit,
}

struct IdleConnection<D: Database> {
    connection: D::Connection,
    opened: Instant,
    since: Instant,
}

/// A connection in use. If its statement does not succeed, it returns only once the database has
/// answered on it: a statement may still be running, or the database be gone.
struct Lease<D: Database> {
    pool: Arc<Connections<D>>,
    open: Option<OpenConnection<D>>,
}

impl<D: Database> Connections<D>
where
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
    SqlxValues: IntoArguments<D>,
{
    fn new(source: Pool<D>, connections_max: usize, statements: Counter) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(connections_max));
        Arc::new(Self { source, idle: Mutex::default(), places, statements })
    }

    async fn execute(self: &Arc<Self>, statement: Statement) -> Result<D::QueryResult, DbErr> {
        let mut lease = self.acquire().await?;
        let outcome = query(statement).execute(lease.connection()?).await;
        lease.end(outcome)
    }

    async fn fetch_one(self: &Arc<Self>, statement: Statement) -> Result<Option<D::Row>, DbErr> {
        once_more(async || {
            let mut lease = self.acquire().await?;
            let outcome = query(statement.clone()).fetch_optional(lease.connection()?).await;
            lease.end(outcome)
        })
        .await
    }

    async fn fetch_all(self: &Arc<Self>, statement: Statement) -> Result<Vec<D::Row>, DbErr> {
        once_more(async || {
            let mut lease = self.acquire().await?;
            let outcome = query(statement.clone()).fetch_all(lease.connection()?).await;
            lease.end(outcome)
        })
        .await
    }

    /// Waits for a connection that answers, for a limited time.
    async fn acquire(self: &Arc<Self>) -> Result<Lease<D>, DbErr> {
        let open = WAITS.connection.measure(timeout(ACQUIRE_WAIT, self.open())).await;
        let open = open.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map_err(failed)?;
        self.statements.inc();
        Ok(Lease { pool: Arc::clone(self), open: Some(open) })
    }

    async fn open(&self) -> Result<OpenConnection<D>, sqlx::Error> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        let place = place.map_err(|_| sqlx::Error::PoolClosed)?;
        while let Some(idle) = self.newest_idle() {
            let (opened, since) = (idle.opened, idle.since);
            if let Some(connection) = idle.checked().await {
                return Ok(OpenConnection { connection, opened, _place: place });
            }
            // Those that have been idle for longer are no better.
            self.idle().retain(|other| other.since > since);
        }
        let connection = self.source.acquire().await?.detach();
        Ok(OpenConnection { connection, opened: Instant::now(), _place: place })
    }

    fn newest_idle(&self) -> Option<IdleConnection<D>> {
        self.idle().pop()
    }
}

impl<D: Database> Connections<D> {
    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection<D>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_back(&self, open: OpenConnection<D>) {
        let OpenConnection { connection, opened, _place } = open;
        self.idle().push(IdleConnection { connection, opened, since: Instant::now() });
    }
}

impl<D: Database> Lease<D> {
    fn connection(&mut self) -> Result<&mut D::Connection, DbErr> {
        let open = self.open.as_mut().ok_or_else(|| failed(sqlx::Error::PoolClosed))?;
        Ok(&mut open.connection)
    }

    fn end<T>(mut self, outcome: Result<T, sqlx::Error>) -> Result<T, DbErr> {
        if outcome.is_ok()
            && let Some(open) = self.open.take()
        {
            self.pool.put_back(open);
        }
        outcome.map_err(failed)
    }
}

impl<D: Database> Drop for Lease<D> {
    fn drop(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        let Ok(runtime) = Handle::try_current() else { return };
        let pool = Arc::clone(&self.pool);
        runtime.spawn(async move {
            if let Ok(Ok(())) = timeout(RELEASE_WAIT, open.connection.ping()).await {
                pool.put_back(open);
            }
        });
    }
}

impl<D: Database> IdleConnection<D> {
    /// Returns the connection if it is still good, as [`connections::connect`] tests those of its own pool.
    async fn checked(mut self) -> Option<D::Connection> {
        let idle_for = self.since.elapsed();
        if idle_for > IDLE_MAX || self.opened.elapsed() > AGE_MAX {
            return None;
        }
        if !connections::is_trusted(idle_for) {
            timeout(RELEASE_WAIT, self.connection.ping()).await.ok()?.ok()?;
        }
        Some(self.connection)
    }
}

fn query<D: Database>(statement: Statement) -> Query<'static, D, SqlxValues>
where
    SqlxValues: IntoArguments<D>,
{
    let values = statement.values.unwrap_or(sea_orm::Values(Vec::new()));
    sqlx::query_with(AssertSqlSafe(statement.sql), SqlxValues(values))
}

fn failed(error: sqlx::Error) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(error.into()))
}

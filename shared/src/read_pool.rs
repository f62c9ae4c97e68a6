//! Read pool: connections for single statements outside of transactions.
//!
//! SQLx's own pool asks the database whether it still answers whenever a connection returns to it,
//! and [`crate::db`] must do so, too, with a time limit: a statement costs two more round trips than
//! its own. Here a connection that has just answered returns without a question. One whose statement
//! failed or was abandoned is closed, so a database that has fallen silent takes connections, but
//! not their places.
//!
//! The embedded database has no round trips: its own pool serves the reads, too.

use crate::db::{self, ACQUIRE_WAIT, AGE_MAX, IDLE_MAX, IDLE_TRUSTED, RELEASE_WAIT};
use crate::telemetry::{Counter, Metrics};
use sea_orm::sqlx::pool::Pool;
use sea_orm::sqlx::query::Query;
use sea_orm::sqlx::{
    self, AssertSqlSafe, Connection, Database, Executor, IntoArguments, MySql, Postgres,
};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult, RuntimeErr,
    Statement,
};
use sea_query_sqlx::SqlxValues;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout};

/// Connections for single statements. Clones share them.
#[derive(Clone)]
pub struct ReadPool(Arc<Backend>);

enum Backend {
    Embedded(DatabaseConnection),
    Postgres(Connections<Postgres>),
    MariaDb(Connections<MySql>),
}

/// Connects with at most this many connections: on a server, half of them are for reads. Counts the
/// statements.
pub async fn connect(
    url: &str,
    connections_max: u32,
    metrics: &Metrics,
) -> Result<(DatabaseConnection, ReadPool), DbErr> {
    let for_reads = if url.starts_with("sqlite") { 0 } else { (connections_max / 2).max(1) };
    let for_writes = (connections_max - for_reads).max(1);
    let mut db = db::connect(url, for_writes, false).await?;
    metrics.count_statements(&mut db);
    let reads = ReadPool::new(&db, for_reads as usize, metrics.statements());
    Ok((db, reads))
}

impl ReadPool {
    /// Opens its connections with the options of `db`.
    fn new(db: &DatabaseConnection, connections_max: usize, statements: Counter) -> Self {
        Self(Arc::new(match db.get_database_backend() {
            DbBackend::Postgres => {
                let pool = db.get_postgres_connection_pool().clone();
                Backend::Postgres(Connections::new(pool, connections_max, statements))
            }
            DbBackend::MySql => {
                let pool = db.get_mysql_connection_pool().clone();
                Backend::MariaDb(Connections::new(pool, connections_max, statements))
            }
            _ => Backend::Embedded(db.clone()),
        }))
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for ReadPool {
    fn get_database_backend(&self) -> DbBackend {
        match &*self.0 {
            Backend::Embedded(db) => db.get_database_backend(),
            Backend::Postgres(_) => DbBackend::Postgres,
            Backend::MariaDb(_) => DbBackend::MySql,
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        match &*self.0 {
            Backend::Embedded(db) => db.execute_raw(statement).await,
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
            Backend::Embedded(db) => db.query_one_raw(statement).await,
            Backend::Postgres(pool) => Ok(pool.fetch_one(statement).await?.map(Into::into)),
            Backend::MariaDb(pool) => Ok(pool.fetch_one(statement).await?.map(Into::into)),
        }
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        match &*self.0 {
            Backend::Embedded(db) => db.query_all_raw(statement).await,
            Backend::Postgres(pool) => {
                Ok(pool.fetch_all(statement).await?.into_iter().map(Into::into).collect())
            }
            Backend::MariaDb(pool) => {
                Ok(pool.fetch_all(statement).await?.into_iter().map(Into::into).collect())
            }
        }
    }
}

/// The connections to a database server.
struct Connections<D: Database> {
    /// Opens them.
    source: Pool<D>,
    idle: Mutex<Vec<IdleConnection<D>>>,
    places: Semaphore,
    statements: Counter,
}

struct OpenConnection<D: Database> {
    connection: D::Connection,
    opened: Instant,
}

struct IdleConnection<D: Database> {
    open: OpenConnection<D>,
    since: Instant,
}

impl<D: Database> Connections<D>
where
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
    SqlxValues: IntoArguments<D>,
{
    fn new(source: Pool<D>, connections_max: usize, statements: Counter) -> Self {
        let places = Semaphore::new(connections_max);
        Self { source, idle: Mutex::default(), places, statements }
    }

    async fn execute(&self, statement: Statement) -> Result<D::QueryResult, DbErr> {
        let (_place, mut open) = self.acquire().await?;
        let outcome = query(&statement).execute(&mut open.connection).await;
        self.release(open, outcome)
    }

    async fn fetch_one(&self, statement: Statement) -> Result<Option<D::Row>, DbErr> {
        let (_place, mut open) = self.acquire().await?;
        let outcome = query(&statement).fetch_optional(&mut open.connection).await;
        self.release(open, outcome)
    }

    async fn fetch_all(&self, statement: Statement) -> Result<Vec<D::Row>, DbErr> {
        let (_place, mut open) = self.acquire().await?;
        let outcome = query(&statement).fetch_all(&mut open.connection).await;
        self.release(open, outcome)
    }

    /// Waits for a place, and returns a connection that answers.
    async fn acquire(&self) -> Result<(SemaphorePermit<'_>, OpenConnection<D>), DbErr> {
        let place = timeout(ACQUIRE_WAIT, self.places.acquire()).await;
        let place = place.ok().and_then(Result::ok);
        let place = place.ok_or_else(|| failed(sqlx::Error::PoolTimedOut))?;
        self.statements.inc();
        while let Some(idle) = self.newest_idle() {
            if let Some(open) = idle.checked().await {
                return Ok((place, open));
            }
        }
        let connection = self.source.acquire().await.map_err(failed)?.detach();
        Ok((place, OpenConnection { connection, opened: Instant::now() }))
    }

    fn newest_idle(&self) -> Option<IdleConnection<D>> {
        self.idle().pop()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<IdleConnection<D>>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a connection that has answered, with a result or an error of its own.
    fn release<T>(
        &self,
        open: OpenConnection<D>,
        outcome: Result<T, sqlx::Error>,
    ) -> Result<T, DbErr> {
        if matches!(outcome, Ok(_) | Err(sqlx::Error::Database(_))) {
            self.idle().push(IdleConnection { open, since: Instant::now() });
        }
        outcome.map_err(failed)
    }
}

impl<D: Database> IdleConnection<D> {
    /// Returns the connection if it is still good, as [`db::connect`] tests those of its own pool.
    async fn checked(mut self) -> Option<OpenConnection<D>> {
        let idle_for = self.since.elapsed();
        if idle_for > IDLE_MAX || self.open.opened.elapsed() > AGE_MAX {
            return None;
        }
        if idle_for >= IDLE_TRUSTED {
            timeout(RELEASE_WAIT, self.open.connection.ping()).await.ok()?.ok()?;
        }
        Some(self.open)
    }
}

fn query<D: Database>(statement: &Statement) -> Query<'_, D, SqlxValues>
where
    SqlxValues: IntoArguments<D>,
{
    let values = statement.values.clone().unwrap_or(sea_orm::Values(Vec::new()));
    sqlx::query_with(AssertSqlSafe(statement.sql.as_str()), SqlxValues(values))
}

fn failed(error: sqlx::Error) -> DbErr {
    DbErr::Query(RuntimeErr::SqlxError(error.into()))
}

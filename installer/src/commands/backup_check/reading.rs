//! Read-only connections, and whether two of them lead to the same database.

use crate::installation::CliError;
use crate::installation::database::{file, query_value};
use crate::installation::db_probe;
use sea_orm::sqlx::Executor;
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, DbErr,
    TransactionTrait,
};
use shared::random::random_bytes;
use std::time::Duration;

/// How long to wait for a database.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Opens a connection to the database of this URL that refuses all writes.
pub(super) async fn open(url: &str) -> Result<DatabaseConnection, CliError> {
    db_probe::probe(url).await?;
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(2)
        .acquire_timeout(CONNECT_TIMEOUT)
        .connect_timeout(CONNECT_TIMEOUT)
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
    let db = Database::connect(options).await;
    Ok(db.map_err(|error| db_probe::explain(url, &error))?)
}

/// True if both connections lead to the same database, whatever their URLs say: one cannot get a
/// lock that the other holds.
pub(super) async fn are_same(
    one: &DatabaseConnection,
    other: &DatabaseConnection,
) -> Result<bool, DbErr> {
    if one.get_database_backend() != other.get_database_backend() {
        return Ok(false);
    }
    let lock_name = i64::from_le_bytes(random_bytes());
    let sql = match one.get_database_backend() {
        DbBackend::Postgres => format!("SELECT pg_try_advisory_xact_lock({lock_name})"),
        DbBackend::MySql => {
            // Locks are server-wide: two databases on one server have different names.
            let name: Option<String> = query_value(one, "SELECT database()").await?;
            if name != query_value(other, "SELECT database()").await? {
                return Ok(false);
            }
            format!("SELECT GET_LOCK('loan_servicing_{lock_name}', 0) = 1")
        }
        _ => return Ok(file(one).await? == file(other).await?),
    };
    let (first_tx, second_tx) = (one.begin().await?, other.begin().await?);
    let locked: bool = query_value(&first_tx, &sql).await?;
    let same = locked && !query_value::<bool>(&second_tx, &sql).await?;
    if one.get_database_backend() == DbBackend::MySql {
        for tx in [&first_tx, &second_tx] {
            tx.execute_unprepared(&format!("DO RELEASE_LOCK('loan_servicing_{lock_name}')"))
                .await?;
        }
    }
    first_tx.rollback().await?;
    second_tx.rollback().await?;
    Ok(same)
}

//! What sessions on the database servers need.

use crate::database::galera;
use crate::random::random_bytes;
use sea_orm::sqlx::{self, Executor, MySqlConnection};
use sea_orm::{DatabaseConnection, DbBackend, DbErr, RuntimeErr};
use std::time::Duration;

/// Lock wait, after which the client is told to retry.
pub const LOCK_WAIT: Duration = Duration::from_secs(3);
/// How long the database keeps a transaction whose server sends nothing: one that is frozen, or gone
/// without a word, must not hold its locks for longer.
const IDLE_IN_TRANSACTION_MAX: Duration = Duration::from_secs(30);

/// Returns the statement that sets what a new session on PostgreSQL needs, whatever the defaults of
/// its user and database are.
pub(super) fn postgres_session() -> String {
    let lock_wait_ms = LOCK_WAIT.as_millis();
    let idle_ms = IDLE_IN_TRANSACTION_MAX.as_millis();
    format!(
        "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, NOT DEFERRABLE; \
         SET lock_timeout = {lock_wait_ms}; \
         SET idle_in_transaction_session_timeout = {idle_ms}; SET standard_conforming_strings = on; \
         SET transform_null_equals = off; SET row_security = on"
    )
}

/// Returns the statement that sets what a new session on MariaDB needs, whatever the server's
/// defaults and its `init_connect` are.
fn mariadb_session() -> String {
    let lock_wait_seconds = LOCK_WAIT.as_secs();
    let idle_seconds = IDLE_IN_TRANSACTION_MAX.as_secs();
    let variables = [
        "autocommit = 1",
        "completion_type = 'NO_CHAIN'",
        "foreign_key_checks = 1",
        "unique_checks = 1",
        "sql_safe_updates = 0",
        "sql_select_limit = 18446744073709551615",
        "sql_big_selects = 1",
        "sql_auto_is_null = 0",
        "sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,\
         NO_ENGINE_SUBSTITUTION,PIPES_AS_CONCAT'",
        "tx_isolation = 'READ-COMMITTED'",
    ];
    let variables = variables.map(|variable| format!("SESSION {variable}, ")).concat();
    format!(
        "SET {variables}SESSION innodb_lock_wait_timeout = {lock_wait_seconds}, \
         SESSION idle_transaction_timeout = {idle_seconds}"
    )
}

/// Sets what a new session on MariaDB needs.
pub(super) async fn begin_session(connection: &mut MySqlConnection) -> Result<(), sqlx::Error> {
    connection.execute(sqlx::AssertSqlSafe(mariadb_session())).await?;
    galera::join(connection).await
}

/// True if two sessions share one connection to the database: a pooler between transactions, behind
/// which settings of a session, and prepared statements, would be another's.
pub(super) async fn shares_sessions(db: &DatabaseConnection) -> Result<bool, DbErr> {
    if db.get_database_backend() != DbBackend::Postgres {
        return Ok(false);
    }
    let pool = db.get_postgres_connection_pool();
    if pool.options().get_max_connections() < 2 {
        return Ok(false);
    }
    let mark = hex::encode(random_bytes::<8>());
    let set = sqlx::AssertSqlSafe(format!("SET loan_servicing.session = '{mark}'"));
    let show = "SELECT current_setting('loan_servicing.session', true)";
    let compared = async {
        let mut one = pool.acquire().await?;
        sqlx::raw_sql(set).execute(&mut *one).await?;
        let mut other = pool.acquire().await?;
        let row = sqlx::raw_sql(show).fetch_one(&mut *other).await?;
        sqlx::Row::try_get::<Option<String>, _>(&row, 0)
    };
    match compared.await {
        Ok(seen) => Ok(seen.as_ref() == Some(&mark)),
        // All of them are busy, or not there.
        Err(sqlx::Error::PoolTimedOut) => Ok(false),
        Err(error) => Err(DbErr::Query(RuntimeErr::SqlxError(error.into()))),
    }
}

//! Read-only connections, and whether two of them lead to the same database.

use crate::installation::CliError;
use crate::installation::database::{file, query_value};
use crate::installation::db_probe;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, TransactionTrait};
use shared::database;
use shared::random::random_bytes;

/// Opens a connection to the database of this URL that refuses all writes.
pub(super) async fn open(url: &str) -> Result<DatabaseConnection, CliError> {
    db_probe::probe(url).await?;
    let db = database::connect_read_only(url).await;
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

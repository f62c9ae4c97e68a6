//! Migration runner: brings a database to this release's schema, one migration after another.
//!
//! | | SQLite, PostgreSQL | MariaDB |
//! |---|---|---|
//! | schema changes | can be rolled back | commit implicitly |
//! | all migrations together | are one transaction: all or nothing | run in steps, see [`step_by_step`] |
//! | a failed migration | leaves nothing behind | resumes after its last step |
//! | concurrent runs | the second one waits, then is refused | the same |

use super::step_by_step;
use super::steps::Step;
use super::{MIGRATIONS, Migration, SchemaState, applied};
use crate::db::{self, Fault};
use sea_orm::sea_query::{ColumnDef, Expr, Query, Table, TableCreateStatement};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, Statement,
};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Table of applied migrations. The name stays for existing databases.
pub(super) const TABLE: &str = "seaql_migrations";
/// PostgreSQL advisory lock id: one run at a time per database.
const POSTGRES_LOCK: i64 = 0x6c6f_616e_7365_7276;

/// What happens to the changes at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// They are committed.
    Committed,
    /// They are rolled back (a trial run), which MariaDB cannot do.
    RolledBack,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug)]
pub enum Progress {
    /// A migration has started.
    Begins(&'static Migration),
    /// A migration is done, after this time.
    Done(&'static Migration, Duration),
}

/// Why a run stopped.
#[derive(Debug, Error)]
pub enum Stopped {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DbErr),
    /// Another run holds the lock.
    #[error(
        "another upgrade of this database is in progress, or its tables are in use: wait until \
         that has ended"
    )]
    UnderWay,
    /// The database has migrations unknown to this release.
    #[error("{}", SchemaState::Newer(.0.clone()))]
    Newer(Vec<String>),
    /// MariaDB cannot do a trial run.
    #[error("MariaDB cannot roll back schema changes")]
    CannotTry,
    /// A step failed.
    #[error("{migration} stopped at step {number} of {of} ({step}): {error}")]
    Step {
        /// Migration of the step.
        migration: &'static str,
        /// Number of the step, from 1.
        number: usize,
        /// Number of steps of the migration.
        of: usize,
        /// Description of the step.
        step: String,
        /// Database error.
        error: DbErr,
    },
}

/// Callback for the progress of a run.
pub type Watch<'a> = &'a mut (dyn FnMut(Progress) + Send);

/// Migrates the database to the current schema, or tries to and rolls back.
pub async fn run(db: &DatabaseConnection, ending: Ending, watch: Watch<'_>) -> Result<(), Stopped> {
    match (db.get_database_backend(), ending) {
        (DbBackend::MySql, Ending::Committed) => step_by_step::run(db, watch).await,
        (DbBackend::MySql, Ending::RolledBack) => Err(Stopped::CannotTry),
        _ => in_one_transaction(db, ending, watch).await,
    }
}

async fn in_one_transaction(
    db: &DatabaseConnection,
    ending: Ending,
    watch: Watch<'_>,
) -> Result<(), Stopped> {
    let tx = lock(db).await.map_err(|error| match db::fault(&error) {
        Fault::LockTimeout => Stopped::UnderWay,
        _ => error.into(),
    })?;
    tx.execute(&migrations_table()).await?;
    for migration in pending(&tx).await? {
        watch(Progress::Begins(migration));
        let began = Instant::now();
        let steps = migration.steps(tx.get_database_backend());
        for (index, step) in steps.iter().enumerate() {
            let done = tx.execute_raw(step.statement.clone()).await;
            done.map_err(|error| stopped_at(migration, index, &steps, error))?;
        }
        record_applied(&tx, migration).await?;
        watch(Progress::Done(migration, began.elapsed()));
    }
    match ending {
        Ending::Committed => db::commit_unmarked(tx).await?,
        Ending::RolledBack => tx.rollback().await?,
    }
    Ok(())
}

/// Begins a transaction that excludes other runs. On SQLite the write lock is enough.
async fn lock(db: &DatabaseConnection) -> Result<DatabaseTransaction, DbErr> {
    let tx = db::begin_unmarked(db).await?;
    if tx.get_database_backend() == DbBackend::Postgres {
        let sql = format!("SELECT pg_advisory_xact_lock({POSTGRES_LOCK})");
        tx.query_one_raw(Statement::from_string(DbBackend::Postgres, sql)).await?;
    }
    Ok(tx)
}

/// Returns the statement that creates the table of applied migrations if it does not exist.
pub(super) fn migrations_table() -> TableCreateStatement {
    Table::create()
        .table(TABLE)
        .if_not_exists()
        .col(ColumnDef::new("version").string().not_null().primary_key())
        .col(ColumnDef::new("applied_at").big_integer().not_null())
        .take()
}

/// Returns the pending migrations, in order.
pub(super) async fn pending(db: &impl ConnectionTrait) -> Result<Vec<&'static Migration>, Stopped> {
    let applied = applied(db).await?.unwrap_or_default();
    let unknown = super::unknown(&applied);
    if !unknown.is_empty() {
        return Err(Stopped::Newer(unknown));
    }
    let is_applied = |migration: &&Migration| applied.iter().any(|name| name == migration.name);
    Ok(MIGRATIONS.iter().filter(|migration| !is_applied(migration)).collect())
}

/// Records a migration as applied, by the database's clock.
pub(super) async fn record_applied(
    db: &impl ConnectionTrait,
    migration: &Migration,
) -> Result<(), DbErr> {
    let seconds = match db.get_database_backend() {
        DbBackend::Postgres => "CAST(extract(epoch FROM clock_timestamp()) AS bigint)",
        DbBackend::MySql => "unix_timestamp()",
        _ => "unixepoch()",
    };
    let row = Query::insert()
        .into_table(TABLE)
        .columns(["version", "applied_at"])
        .values_panic([migration.name.into(), Expr::cust(seconds)])
        .take();
    db.execute(&row).await.map(drop)
}

/// Returns the error of a failed step, or that another run or a reader blocked it.
pub(super) fn stopped_at(
    migration: &Migration,
    index: usize,
    steps: &[Step],
    error: DbErr,
) -> Stopped {
    if matches!(db::fault(&error), Fault::Contention | Fault::LockTimeout) {
        return Stopped::UnderWay;
    }
    Stopped::Step {
        migration: migration.name,
        number: index + 1,
        of: steps.len(),
        step: steps.get(index).map(|step| step.description.clone()).unwrap_or_default(),
        error,
    }
}

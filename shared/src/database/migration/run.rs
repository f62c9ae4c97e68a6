//! Migration runner: brings a database to this release's schema, one migration after another.
//!
//! | | SQLite, PostgreSQL | MariaDB |
//! |---|---|---|
//! | schema changes | can be rolled back | commit implicitly |
//! | all migrations together | are one transaction: all or nothing | commit step by step |
//! | an interrupted migration | leaves nothing behind | is run again: steps that are done do nothing |
//! | concurrent runs | the second one waits, then is refused | the same, but in a cluster |

use super::steps::Step;
use super::table::{Table, choice, string, time};
use super::{MIGRATIONS, Migration, SchemaState, applied};
use crate::database::{self, Fault, transactions};
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, Statement,
};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Table of the migrations that have begun.
pub(super) const TABLE: &str = "schema_migrations";
/// PostgreSQL advisory lock id: one run at a time per database.
const POSTGRES_LOCK: i64 = 0x6c6f_616e_7365_7276;
/// How long to wait on MariaDB for another run, and for users of a table that is to change.
const LOCK_SECONDS: i32 = 3;

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
    Database(DbErr),
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

impl From<DbErr> for Stopped {
    fn from(error: DbErr) -> Self {
        match database::fault(&error) {
            Fault::Contention | Fault::LockTimeout => Self::UnderWay,
            _ => Self::Database(error),
        }
    }
}

/// Callback for the progress of a run.
pub type Watch<'a> = &'a mut (dyn FnMut(Progress) + Send);

/// True if the database can roll back schema changes; otherwise the steps that are done stay.
pub fn can_roll_back(db: &impl ConnectionTrait) -> bool {
    db.get_database_backend() != DbBackend::MySql
}

/// Migrates the database to the current schema, or tries to and rolls back. In a database without this
/// product's schema, callers have checked that no other program has tables of these names: a step takes
/// what exists for its own.
pub async fn run(db: &DatabaseConnection, ending: Ending, watch: Watch<'_>) -> Result<(), Stopped> {
    match (can_roll_back(db), ending) {
        (true, _) => in_one_transaction(db, ending, watch).await,
        (false, Ending::Committed) => step_by_step(db, watch).await,
        (false, Ending::RolledBack) => Err(Stopped::CannotTry),
    }
}

async fn in_one_transaction(
    db: &DatabaseConnection,
    ending: Ending,
    watch: Watch<'_>,
) -> Result<(), Stopped> {
    let tx = transactions::begin_unmarked(db).await?;
    // On SQLite the write lock is enough.
    if tx.get_database_backend() == DbBackend::Postgres {
        tx.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({POSTGRES_LOCK})")).await?;
    }
    run_pending(&tx, watch).await?;
    match ending {
        Ending::Committed => transactions::commit_unmarked(tx).await?,
        Ending::RolledBack => tx.rollback().await?,
    }
    Ok(())
}

async fn step_by_step(db: &DatabaseConnection, watch: Watch<'_>) -> Result<(), Stopped> {
    // The lock belongs to a connection, which this transaction holds; the work is done on another.
    let lock_holder = transactions::begin_unmarked(db).await?;
    let outcome = match take_lock(&lock_holder).await {
        Ok(true) => run_pending(db, watch).await,
        Ok(false) => Err(Stopped::UnderWay),
        Err(error) => Err(error.into()),
    };
    // A lock that cannot be released ends with its connection.
    let _ = lock_holder.execute_unprepared(&format!("DO RELEASE_LOCK({LOCK_NAME})")).await;
    let _ = lock_holder.rollback().await;
    outcome
}

const LOCK_NAME: &str = "CONCAT('loan_servicing_', SHA1(DATABASE()))";

/// Takes the lock. A cluster does not support it (error 1235); there, runs at the same time do each
/// step twice.
async fn take_lock(lock_holder: &DatabaseTransaction) -> Result<bool, DbErr> {
    let sql = format!("SELECT GET_LOCK({LOCK_NAME}, {LOCK_SECONDS})");
    match lock_holder.query_one_raw(Statement::from_string(DbBackend::MySql, sql)).await {
        Err(error) if error.to_string().contains("1235") => Ok(true),
        row => {
            let row = row?.ok_or_else(|| DbErr::RecordNotFound("an answer".to_owned()))?;
            Ok(row.try_get_by_index::<Option<i64>>(0)? == Some(1))
        }
    }
}

async fn run_pending(db: &impl ConnectionTrait, watch: Watch<'_>) -> Result<(), Stopped> {
    db.execute(&migrations_table().definition(db.get_database_backend())).await?;
    let applied = applied(db).await?.unwrap_or_default();
    let newer = applied.newer();
    if !newer.is_empty() {
        return Err(Stopped::Newer(newer));
    }
    for migration in MIGRATIONS.iter().filter(|migration| !applied.is_finished(migration.name)) {
        watch(Progress::Begins(migration));
        let began = Instant::now();
        record_begin(db, migration).await?;
        let steps = migration.steps(db.get_database_backend()).into_list();
        for (index, step) in steps.iter().enumerate() {
            take(db, step).await.map_err(|error| stopped_at(migration, index, &steps, error))?;
        }
        record_end(db, migration).await?;
        watch(Progress::Done(migration, began.elapsed()));
    }
    Ok(())
}

async fn take(db: &impl ConnectionTrait, step: &Step) -> Result<(), DbErr> {
    let statement = step.statement.clone();
    if db.get_database_backend() == DbBackend::MySql && statement.values.is_none() {
        // Without this it would wait up to a day for readers of the table, and block all after it.
        let wait = format!("SET STATEMENT lock_wait_timeout = {LOCK_SECONDS} FOR");
        return db.execute_unprepared(&format!("{wait} {}", statement.sql)).await.map(drop);
    }
    db.execute_raw(statement).await.map(drop)
}

/// The migrations that have begun: what they do to servers of earlier releases, and when they ended.
pub(super) fn migrations_table() -> Table {
    Table::new(TABLE).columns([
        string("name", 100).primary(),
        choice("kind", super::KIND_WORDS),
        string("release_version", 20),
        time("started_date"),
        time("finished_date").optional(),
    ])
}

/// Records by the database's clock that a migration has begun, unless it has before.
async fn record_begin(db: &impl ConnectionTrait, migration: &Migration) -> Result<(), DbErr> {
    let release = env!("CARGO_PKG_VERSION");
    let now = database::now(db);
    let row = Query::insert()
        .into_table(TABLE)
        .columns(["name", "kind", "release_version", "started_date"])
        .values_panic([migration.name.into(), migration.kind.word().into(), release.into(), now])
        .on_conflict(OnConflict::new().do_nothing_on(["name"]).to_owned())
        .take();
    db.execute(&row).await.map(drop)
}

async fn record_end(db: &impl ConnectionTrait, migration: &Migration) -> Result<(), DbErr> {
    let update = Query::update()
        .table(TABLE)
        .value("finished_date", database::now(db))
        .and_where(Expr::col("name").eq(migration.name))
        .take();
    db.execute(&update).await.map(drop)
}

/// Returns the error of a failed step, or that another run or a reader blocked it.
fn stopped_at(migration: &Migration, index: usize, steps: &[Step], error: DbErr) -> Stopped {
    match Stopped::from(error) {
        Stopped::Database(error) => Stopped::Step {
            migration: migration.name,
            number: index + 1,
            of: steps.len(),
            step: steps.get(index).map(|step| step.description.clone()).unwrap_or_default(),
            error,
        },
        blocked => blocked,
    }
}

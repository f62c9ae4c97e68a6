//! Migrations on MariaDB, whose changes of tables commit at once, each for itself.
//!
//! A row of `migration_steps` says how far the migration is that has begun. Statements that write
//! rows are one transaction with it. A change of tables is announced there before it is made: if
//! the run died in between, the next one looks into the catalogue whether it is in effect. What is in
//! its way before it is announced was not made by this migration, and is told. The table is there
//! only while a migration is unfinished.

use super::Migration;
use super::run::{Progress, Stopped, Watch, enter, own_table, pending, stopped_at};
use super::steps::{Effect, Step};
use crate::db::{self, Fault};
use sea_orm::sea_query::{ColumnDef, Expr, ExprTrait, Query, Table, TableCreateStatement};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, Statement, Value,
};
use std::time::Instant;

/// The table of what has begun.
pub(super) const TABLE: &str = "migration_steps";
/// How long another run is waited for, and whoever works with a table that is to change.
const LOCK_SECONDS: i32 = 3;

/// How far a migration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    /// Steps that are surely done.
    done: usize,
    /// The next one, a change of tables, was announced.
    announced: bool,
}

/// Runs what is to come.
pub async fn run(db: &DatabaseConnection, watch: Watch<'_>) -> Result<(), Stopped> {
    // The lock belongs to a connection, which this transaction keeps; the work is done on another.
    let holder = db::begin_write(db).await?;
    let outcome = match take_lock(&holder).await {
        Ok(true) => run_pending(db, watch).await,
        Ok(false) => Err(Stopped::UnderWay),
        Err(error) => Err(error.into()),
    };
    // A lock that cannot be released goes with its connection.
    let _ = holder.execute_unprepared(&format!("DO RELEASE_LOCK({})", lock_name())).await;
    let _ = holder.rollback().await;
    outcome
}

fn lock_name() -> &'static str {
    "CONCAT('loan_servicing_', SHA1(DATABASE()))"
}

/// A cluster has no such locks, which is error 1235. There, marks refuse the second run.
async fn take_lock(holder: &DatabaseTransaction) -> Result<bool, DbErr> {
    let sql = format!("SELECT GET_LOCK({}, {LOCK_SECONDS})", lock_name());
    match holder.query_one_raw(Statement::from_string(DbBackend::MySql, sql)).await {
        Err(error) if error.to_string().contains("1235") => Ok(true),
        row => {
            let row = row?.ok_or_else(|| DbErr::RecordNotFound("an answer".to_owned()))?;
            Ok(row.try_get_by_index::<Option<i64>>(0)? == Some(1))
        }
    }
}

async fn run_pending(db: &DatabaseConnection, watch: Watch<'_>) -> Result<(), Stopped> {
    db.execute(&own_table()).await?;
    let pending = pending(db).await?;
    if !pending.is_empty() {
        db.execute(&marks_table()).await?;
    }
    for migration in pending {
        watch(Progress::Begins(migration));
        let began = Instant::now();
        run_one(db, migration).await?;
        watch(Progress::Done(migration, began.elapsed()));
    }
    db.execute(&Table::drop().table(TABLE).if_exists().take()).await?;
    Ok(())
}

fn marks_table() -> TableCreateStatement {
    Table::create()
        .table(TABLE)
        .if_not_exists()
        .col(ColumnDef::new("migration").string_len(100).not_null().primary_key())
        .col(ColumnDef::new("done").integer().not_null())
        .col(ColumnDef::new("announced_flag").boolean().not_null())
        .take()
}

async fn run_one(db: &DatabaseConnection, migration: &'static Migration) -> Result<(), Stopped> {
    let steps = migration.steps(DbBackend::MySql);
    let mut mark = match read_mark(db, migration).await? {
        Some(mark) => mark,
        None => begin(db, migration).await.map_err(told)?,
    };
    while let Some(step) = steps.get(mark.done) {
        mark = match make(db, migration, step, mark).await {
            Ok(next) => next,
            Err(Stopped::Database(error)) if !went_on(db, migration, mark, &error).await? => {
                return Err(stopped_at(migration, mark.done, &steps, error));
            }
            Err(Stopped::Database(_)) => return Err(Stopped::UnderWay),
            Err(stopped) => return Err(stopped),
        };
    }
    end(db, migration).await.map_err(told)
}

/// What an error of a statement means that no other run has to be in the way of.
fn told(error: DbErr) -> Stopped {
    match db::fault(&error) {
        Fault::Contention | Fault::LockTimeout | Fault::Conflict => Stopped::UnderWay,
        _ => Stopped::Database(error),
    }
}

/// True where a step failed because another run is at this very migration, which is not where it
/// was.
async fn went_on(
    db: &DatabaseConnection,
    migration: &Migration,
    mark: Mark,
    error: &DbErr,
) -> Result<bool, Stopped> {
    if db::fault(error) == Fault::Unavailable {
        return Ok(false);
    }
    let now = read_mark(db, migration).await?;
    Ok(now.is_none_or(|now| now.done != mark.done))
}

/// Makes one step, and says how far the migration is then.
async fn make(
    db: &DatabaseConnection,
    migration: &Migration,
    step: &Step,
    mark: Mark,
) -> Result<Mark, Stopped> {
    let next = Mark { done: mark.done + 1, announced: false };
    let Some(effect) = &step.effect else {
        let tx = db::begin_write(db).await?;
        tx.execute_raw(step.statement.clone()).await?;
        advance(&tx, migration, mark, next).await?;
        tx.commit().await?;
        return Ok(next);
    };
    let in_effect = is_in_effect(db, effect).await?;
    if mark.announced && in_effect {
        advance(db, migration, mark, next).await?;
        return Ok(next);
    }
    // What is in effect without being announced is somebody else's: the statement will say so.
    let announced = if in_effect { mark } else { Mark { announced: true, ..mark } };
    if announced != mark {
        advance(db, migration, mark, announced).await?;
    }
    // By itself it would wait for a day for whoever reads the table, and everybody behind it.
    let sql = &step.statement.sql;
    let sql = format!("SET STATEMENT lock_wait_timeout = {LOCK_SECONDS} FOR {sql}");
    if let Err(error) = db.execute_unprepared(&sql).await {
        let refused = db::fault(&error) == Fault::Defect;
        let by_another = refused && !in_effect && is_in_effect(db, effect).await?;
        return Err(if by_another { Stopped::UnderWay } else { error.into() });
    }
    advance(db, migration, announced, next).await?;
    Ok(next)
}

fn is_of(migration: &Migration) -> Expr {
    Expr::col("migration").eq(migration.name)
}

/// A run that has ended takes the table of marks with it.
async fn read_mark(
    db: &DatabaseConnection,
    migration: &Migration,
) -> Result<Option<Mark>, Stopped> {
    let mut select = Query::select();
    select.columns(["done", "announced_flag"]).from(TABLE).and_where(is_of(migration));
    let row = match db.query_one(&select).await {
        Err(_) if !has_table(db, TABLE).await? => return Err(Stopped::UnderWay),
        row => row?,
    };
    let Some(row) = row else { return Ok(None) };
    let done = usize::try_from(row.try_get::<i32>("", "done")?).unwrap_or_default();
    Ok(Some(Mark { done, announced: row.try_get("", "announced_flag")? }))
}

/// True where a run on MariaDB did not end well, be it that it was killed behind its last migration:
/// the next run takes the marks away.
pub async fn has_marks(db: &DatabaseConnection) -> Result<bool, DbErr> {
    Ok(db.get_database_backend() == DbBackend::MySql && has_table(db, TABLE).await?)
}

/// The migration that began and has not ended, and how many of its steps are done: on MariaDB, after
/// a run that did not end well.
pub async fn unfinished(db: &DatabaseConnection) -> Result<Option<(String, i32)>, DbErr> {
    if !has_marks(db).await? {
        return Ok(None);
    }
    let select = Query::select().columns(["migration", "done"]).from(TABLE).take();
    let row = db.query_one(&select).await?;
    row.map(|row| Ok((row.try_get("", "migration")?, row.try_get("", "done")?))).transpose()
}

async fn begin(db: &DatabaseConnection, migration: &Migration) -> Result<Mark, DbErr> {
    let mut row = Query::insert();
    row.into_table(TABLE).columns(["migration", "done", "announced_flag"]);
    row.values_panic([migration.name.into(), 0.into(), false.into()]);
    db.execute(&row).await?;
    Ok(Mark { done: 0, announced: false })
}

async fn end(db: &DatabaseConnection, migration: &Migration) -> Result<(), DbErr> {
    let tx = db::begin_write(db).await?;
    enter(&tx, migration).await?;
    tx.execute(Query::delete().from_table(TABLE).and_where(is_of(migration))).await?;
    tx.commit().await
}

/// Moves the mark. Where it is not as it was read, another run is at work.
async fn advance(
    db: &impl ConnectionTrait,
    migration: &Migration,
    from: Mark,
    to: Mark,
) -> Result<(), Stopped> {
    let number = |done: usize| i32::try_from(done).unwrap_or(i32::MAX);
    let update = Query::update()
        .table(TABLE)
        .value("done", number(to.done))
        .value("announced_flag", to.announced)
        .and_where(is_of(migration))
        .and_where(Expr::col("done").eq(number(from.done)))
        .and_where(Expr::col("announced_flag").eq(from.announced))
        .take();
    match db.execute(&update).await?.rows_affected() {
        0 => Err(Stopped::UnderWay),
        _ => Ok(()),
    }
}

async fn is_in_effect(db: &DatabaseConnection, effect: &Effect) -> Result<bool, DbErr> {
    match effect {
        Effect::Table(table) => has_table(db, table).await,
        Effect::NoTable(table) => Ok(!has_table(db, table).await?),
        Effect::Renamed(from, to) => Ok(has_table(db, to).await? && !has_table(db, from).await?),
        Effect::Column(table, name) => has_column(db, table, name).await,
        Effect::NoColumn(table, name) => Ok(!has_column(db, table, name).await?),
        Effect::RenamedColumn(table, from, to) => {
            Ok(has_column(db, table, to).await? && !has_column(db, table, from).await?)
        }
        Effect::Index(table, name) => has_index(db, table, name).await,
        Effect::NoIndex(table, name) => Ok(!has_index(db, table, name).await?),
    }
}

async fn has_table(db: &DatabaseConnection, table: &str) -> Result<bool, DbErr> {
    has(db, "tables", "table_name = ?", [table.into()]).await
}

async fn has_column(db: &DatabaseConnection, table: &str, name: &str) -> Result<bool, DbErr> {
    has(db, "columns", "table_name = ? AND column_name = ?", [table.into(), name.into()]).await
}

async fn has_index(db: &DatabaseConnection, table: &str, name: &str) -> Result<bool, DbErr> {
    has(db, "statistics", "table_name = ? AND index_name = ?", [table.into(), name.into()]).await
}

async fn has(
    db: &DatabaseConnection,
    list: &str,
    which: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<bool, DbErr> {
    let sql = format!(
        "SELECT COUNT(*) FROM information_schema.{list} WHERE table_schema = DATABASE() AND {which}"
    );
    let row =
        db.query_one_raw(Statement::from_sql_and_values(DbBackend::MySql, sql, values)).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("an answer".to_owned()))?;
    Ok(row.try_get_by_index::<i64>(0)? > 0)
}

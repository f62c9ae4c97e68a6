//! Migrations on MariaDB, where each schema change commits immediately.
//!
//! A row of `migration_steps` records how far the current migration is. Statements that write rows
//! commit together with it. A schema change is announced there before it is made: if the run dies
//! in between, the next run looks in the catalog to see whether it took effect. A conflicting
//! object found before the announcement was not made by this migration, and is reported. The table
//! exists only while a migration is unfinished.

use super::Migration;
use super::run::{Progress, Stopped, Watch, migrations_table, pending, record_applied, stopped_at};
use super::steps::{Effect, Object, Step};
use crate::db::{self, Fault};
use sea_orm::sea_query::{
    Asterisk, ColumnDef, Expr, ExprTrait, Query, Table, TableCreateStatement,
};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, Statement,
};
use std::time::Instant;

/// Table of the migrations that have begun.
pub(super) const TABLE: &str = "migration_steps";
/// How long to wait for another run, and for users of a table that is to change.
const LOCK_SECONDS: i32 = 3;

/// Progress of a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    /// Number of steps that are definitely done.
    done: usize,
    /// The next step, a schema change, has been announced.
    announced: bool,
}

/// Runs the pending migrations.
pub(super) async fn run(db: &DatabaseConnection, watch: Watch<'_>) -> Result<(), Stopped> {
    // The lock belongs to a connection, which this transaction holds; the work is done on another.
    let lock_holder = db::begin_unmarked(db).await?;
    let outcome = match take_lock(&lock_holder).await {
        Ok(true) => run_pending(db, watch).await,
        Ok(false) => Err(Stopped::UnderWay),
        Err(error) => Err(error.into()),
    };
    // A lock that cannot be released ends with its connection.
    let _ = lock_holder.execute_unprepared(&format!("DO RELEASE_LOCK({})", lock_name())).await;
    let _ = lock_holder.rollback().await;
    outcome
}

fn lock_name() -> &'static str {
    "CONCAT('loan_servicing_', SHA1(DATABASE()))"
}

/// Takes the lock. A cluster does not support it (error 1235); there, the marks exclude a second
/// run.
async fn take_lock(lock_holder: &DatabaseTransaction) -> Result<bool, DbErr> {
    let sql = format!("SELECT GET_LOCK({}, {LOCK_SECONDS})", lock_name());
    match lock_holder.query_one_raw(Statement::from_string(DbBackend::MySql, sql)).await {
        Err(error) if error.to_string().contains("1235") => Ok(true),
        row => {
            let row = row?.ok_or_else(|| DbErr::RecordNotFound("an answer".to_owned()))?;
            Ok(row.try_get_by_index::<Option<i64>>(0)? == Some(1))
        }
    }
}

async fn run_pending(db: &DatabaseConnection, watch: Watch<'_>) -> Result<(), Stopped> {
    db.execute(&migrations_table()).await?;
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
        None => begin(db, migration).await.map_err(classify)?,
    };
    while let Some(step) = steps.get(mark.done) {
        mark = match run_step(db, migration, step, mark).await {
            Ok(next) => next,
            Err(Stopped::Database(error)) if !was_moved(db, migration, mark, &error).await? => {
                return Err(stopped_at(migration, mark.done, &steps, error));
            }
            Err(Stopped::Database(_)) => return Err(Stopped::UnderWay),
            Err(stopped) => return Err(stopped),
        };
    }
    end(db, migration).await.map_err(classify)
}

/// Classifies an error from the beginning or end of a migration, where contention or a conflict
/// means that another run is at work.
fn classify(error: DbErr) -> Stopped {
    match db::fault(&error) {
        Fault::Contention | Fault::LockTimeout | Fault::Conflict => Stopped::UnderWay,
        _ => Stopped::Database(error),
    }
}

/// True if a step failed because another run is working on this migration and has moved its mark.
async fn was_moved(
    db: &DatabaseConnection,
    migration: &Migration,
    mark: Mark,
    error: &DbErr,
) -> Result<bool, Stopped> {
    if db::fault(error) == Fault::Unavailable {
        return Ok(false);
    }
    let current = read_mark(db, migration).await?;
    Ok(current.is_none_or(|current| current.done != mark.done))
}

/// Makes one step; returns the new mark.
async fn run_step(
    db: &DatabaseConnection,
    migration: &Migration,
    step: &Step,
    mark: Mark,
) -> Result<Mark, Stopped> {
    let next = Mark { done: mark.done + 1, announced: false };
    let Some(effect) = &step.effect else {
        let tx = db::begin_unmarked(db).await?;
        tx.execute_raw(step.statement.clone()).await?;
        advance(&tx, migration, mark, next).await?;
        db::commit_unmarked(tx).await?;
        return Ok(next);
    };
    let in_effect = is_in_effect(db, effect).await?;
    if mark.announced && in_effect {
        advance(db, migration, mark, next).await?;
        return Ok(next);
    }
    // An effect that was not announced is foreign: the statement will report it.
    let announced = if in_effect { mark } else { Mark { announced: true, ..mark } };
    if announced != mark {
        advance(db, migration, mark, announced).await?;
    }
    // Without this it would wait up to a day for readers of the table, and block everyone after it.
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

fn of_migration(migration: &Migration) -> Expr {
    Expr::col("migration").eq(migration.name)
}

/// Reads a migration's mark. A run that has finished drops the table of marks.
async fn read_mark(
    db: &DatabaseConnection,
    migration: &Migration,
) -> Result<Option<Mark>, Stopped> {
    let mut select = Query::select();
    select.columns(["done", "announced_flag"]).from(TABLE).and_where(of_migration(migration));
    let row = match db.query_one(&select).await {
        Err(_) if !has_table(db, TABLE).await? => return Err(Stopped::UnderWay),
        row => row?,
    };
    let Some(row) = row else { return Ok(None) };
    let done = usize::try_from(row.try_get::<i32>("", "done")?).unwrap_or_default();
    Ok(Some(Mark { done, announced: row.try_get("", "announced_flag")? }))
}

/// True if a run on MariaDB did not finish, even if it was killed after its last migration: the
/// next run removes the marks.
pub async fn has_marks(db: &DatabaseConnection) -> Result<bool, DbErr> {
    Ok(db.get_database_backend() == DbBackend::MySql && has_table(db, TABLE).await?)
}

/// Returns the unfinished migration and how many of its steps are done: on MariaDB, after a run
/// that did not finish.
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
    let tx = db::begin_unmarked(db).await?;
    record_applied(&tx, migration).await?;
    tx.execute(Query::delete().from_table(TABLE).and_where(of_migration(migration))).await?;
    db::commit_unmarked(tx).await
}

/// Moves the mark. If it has changed since it was read, another run is at work.
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
        .and_where(of_migration(migration))
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
        Effect::Created(object) => exists(db, object).await,
        Effect::Dropped(object) => Ok(!exists(db, object).await?),
        Effect::Renamed(from, to) => Ok(exists(db, to).await? && !exists(db, from).await?),
    }
}

async fn has_table(db: &DatabaseConnection, table: &'static str) -> Result<bool, DbErr> {
    exists(db, &Object::Table(table)).await
}

async fn exists(db: &DatabaseConnection, object: &Object) -> Result<bool, DbErr> {
    let (list, table, part) = match object {
        Object::Table(table) => ("tables", table, None),
        Object::Column(table, name) => ("columns", table, Some(("column_name", *name))),
        Object::Index(table, name) => ("statistics", table, Some(("index_name", name.as_str()))),
    };
    let mut select = Query::select();
    select
        .expr(Expr::col(Asterisk).count())
        .from(("information_schema", list))
        .and_where(Expr::col("table_schema").eq(Expr::cust("DATABASE()")))
        .and_where(Expr::col("table_name").eq(*table));
    if let Some((column, name)) = part {
        select.and_where(Expr::col(column).eq(name));
    }
    let row = db.query_one(&select).await?;
    let row = row.ok_or_else(|| DbErr::RecordNotFound("an answer".to_owned()))?;
    Ok(row.try_get_by_index::<i64>(0)? > 0)
}

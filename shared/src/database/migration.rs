//! Schema migrations. They only go forward; the tests run the same ones.

mod baseline;
mod run;
mod steps;
mod table;

pub use baseline::TRIGGER_FUNCTION;
pub use run::{Ending, Progress, Stopped, Watch, can_roll_back, run};

use super::{error_code, error_message};
use sea_orm::sea_query::{Expr, ExprTrait, Order, Query};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr};
use std::fmt;
use steps::Steps;

/// A migration.
pub struct Migration {
    /// Name in the table of migrations.
    pub name: &'static str,
    /// What it does to servers of the release before.
    pub kind: MigrationKind,
    /// Summary for administrators.
    pub summary: &'static str,
    steps: fn(&mut Steps),
}

/// What a migration does to servers of the release before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MigrationKind {
    /// There was none.
    Baseline,
    /// It only adds: they go on.
    Expand,
    /// It removes or changes what they use: they stop.
    Contract,
}

impl MigrationKind {
    /// Its word in the table of migrations.
    const fn word(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Expand => "expand",
            Self::Contract => "contract",
        }
    }
}

const KIND_WORDS: &[&str] =
    &[MigrationKind::Baseline.word(), MigrationKind::Expand.word(), MigrationKind::Contract.word()];

impl Migration {
    fn steps(&self, backend: DbBackend) -> Steps {
        let mut steps = Steps::new(backend);
        (self.steps)(&mut steps);
        steps
    }
}

impl fmt::Debug for Migration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All migrations, in order.
pub static MIGRATIONS: &[Migration] = &[Migration {
    name: "m12_0_0_baseline",
    kind: MigrationKind::Baseline,
    summary: "all tables, and the rows of every installation",
    steps: baseline::steps,
}];

/// Migrates the database to the current schema; does nothing if it is current.
pub async fn migrate(db: &DatabaseConnection) -> Result<(), DbErr> {
    run(db, Ending::Committed, &mut |_| ()).await.map_err(|stopped| match stopped {
        Stopped::Database(error) => error,
        stopped => DbErr::Migration(stopped.to_string()),
    })
}

/// Returns every table of the schema, followed by that of the migrations, in the order in which they
/// may be dropped.
pub fn all_tables() -> Vec<&'static str> {
    let steps = MIGRATIONS.iter().map(|migration| migration.steps(DbBackend::Sqlite));
    steps.flat_map(Steps::into_tables).chain([run::TABLE]).collect()
}

/// Schema state of a database. Its text is the message for an administrator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// No schema.
    Missing,
    /// The schema of an earlier release, or an unfinished one; these migrations are pending.
    Older(Vec<&'static str>),
    /// The schema of this release, or of a later one that has only added to it.
    Current,
    /// The schema of a later release; these migrations of it do more than add.
    Newer(Vec<String>),
}

impl fmt::Display for SchemaState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => {
                f.write_str("the database has no schema: set it up with the installer")
            }
            Self::Older(pending) => write!(
                f,
                "the database has the schema of an earlier release or an unfinished one, {} behind \
                 this one: run installer upgrade",
                match pending.len() {
                    1 => "1 migration".to_owned(),
                    number => format!("{number} migrations"),
                },
            ),
            Self::Current => f.write_str("the database has the schema of this release"),
            Self::Newer(unknown) => write!(
                f,
                "the database has the schema of a later release ({}): run the programs of that \
                 release",
                unknown.join(", ")
            ),
        }
    }
}

/// Returns the schema state of the database, without changing anything.
pub async fn schema_state(db: &impl ConnectionTrait) -> Result<SchemaState, DbErr> {
    let applied = applied(db).await?.unwrap_or_default();
    let newer = applied.newer();
    if !newer.is_empty() {
        return Ok(SchemaState::Newer(newer));
    }
    if !applied.has_begun() {
        return Ok(SchemaState::Missing);
    }
    let names = MIGRATIONS.iter().map(|migration| migration.name);
    let pending: Vec<_> = names.filter(|name| !applied.is_finished(name)).collect();
    Ok(match pending.len() {
        0 => SchemaState::Current,
        _ => SchemaState::Older(pending),
    })
}

/// Checks that the database is reachable and has the schema of this release.
pub async fn check_schema(db: &impl ConnectionTrait) -> Result<(), String> {
    match schema_state(db).await {
        Ok(SchemaState::Current) => Ok(()),
        Ok(state) => Err(state.to_string()),
        Err(error) => Err(format!("the database cannot be reached: {error}")),
    }
}

/// The migrations of a database that have begun.
#[derive(Clone, Debug, Default)]
pub struct Applied(Vec<AppliedMigration>);

#[derive(Clone, Debug)]
struct AppliedMigration {
    name: String,
    kind: String,
    is_finished: bool,
}

impl Applied {
    /// True if a migration of this release has begun.
    pub fn has_begun(&self) -> bool {
        self.0.iter().any(|it| is_known(&it.name))
    }

    fn is_finished(&self, name: &str) -> bool {
        self.0.iter().any(|it| it.name == name && it.is_finished)
    }

    /// Migrations of later releases that do more than add.
    fn newer(&self) -> Vec<String> {
        let adds = MigrationKind::Expand.word();
        let newer = self.0.iter().filter(|it| !is_known(&it.name) && it.kind != adds);
        newer.map(|it| it.name.clone()).collect()
    }
}

fn is_known(name: &str) -> bool {
    MIGRATIONS.iter().any(|migration| migration.name == name)
}

/// Returns the migrations that have begun; `None` if their table does not exist.
pub async fn applied(db: &impl ConnectionTrait) -> Result<Option<Applied>, DbErr> {
    let select = Query::select()
        .columns(["name", "kind"])
        .expr_as(Expr::col("finished_date").is_not_null(), "is_finished")
        .from(run::TABLE)
        .order_by("name", Order::Asc)
        .take();
    let rows = match db.query_all(&select).await {
        Err(error) if is_missing_table(&error) => return Ok(None),
        rows => rows?,
    };
    let migration = |row: &sea_orm::QueryResult| {
        let (name, kind) = (row.try_get("", "name")?, row.try_get("", "kind")?);
        Ok(AppliedMigration { name, kind, is_finished: row.try_get("", "is_finished")? })
    };
    Ok(Some(Applied(rows.iter().map(migration).collect::<Result<_, DbErr>>()?)))
}

/// True if the error is that a table, or one of its columns, does not exist: other programs have a
/// table of the same name.
fn is_missing_table(error: &DbErr) -> bool {
    let code = error_code(error);
    let sqlite = ["no such table", "no such column"];
    ["1146", "1054", "42P01", "42703"].contains(&code.as_str())
        || sqlite.iter().any(|text| error_message(error).starts_with(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_has_the_same_steps_whenever_they_are_listed() {
        for backend in [DbBackend::Sqlite, DbBackend::Postgres, DbBackend::MySql] {
            for migration in MIGRATIONS {
                let descriptions = || {
                    let steps = migration.steps(backend).into_list().into_iter();
                    steps.map(|step| step.description).collect::<Vec<_>>()
                };
                assert_eq!(descriptions(), descriptions(), "{migration:?}");
                assert!(!descriptions().is_empty(), "{migration:?}");
            }
        }
    }

    #[test]
    fn a_schema_says_what_to_do_about_it() {
        let older = SchemaState::Older(vec!["a"]).to_string();
        assert!(older.contains("1 migration behind") && older.contains("installer upgrade"));
        let newer = SchemaState::Newer(vec!["b".to_owned()]).to_string();
        assert!(newer.contains("later release (b)"), "{newer}");
    }
}

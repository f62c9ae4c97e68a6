//! How a database comes to be the schema of the entities. Migrations only go forward; the tests run
//! the same ones.

mod m20261121_core_schema;
mod m20261121_seed_rows;
mod m20261121_sessions;
mod m20261122_records;
mod m20261122_services;
mod m20261122_snapshots;
mod m20261122_updated_drawers;
mod m20261123_document_store;
mod m20261123_history_of_comments;
mod m20261124_import_runs;
mod m20261125_card_payments;
mod m20261126_row_guards;
mod m20261127_name_skeletons;
mod m20261128_request_keys;
mod m20261129_client_names;
mod run;
mod step_by_step;
mod steps;
mod table;

pub use run::{Ending, Progress, Stopped, Watch, run};
pub use step_by_step::{has_marks, unfinished};

use crate::user_names;
use sea_orm::sea_query::{Order, Query};
use sea_orm::sqlx::{self, mysql::MySqlDatabaseError};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, RuntimeErr};
use std::collections::BTreeSet;
use std::fmt;
use steps::{Effect, Step, Steps};

/// One migration.
pub struct Migration {
    /// Its name among those that are in: that of its file.
    pub name: &'static str,
    /// What it brings, for administrators.
    pub summary: &'static str,
    steps: fn(&mut Steps),
}

impl Migration {
    fn steps(&self, backend: DbBackend) -> Vec<Step> {
        let mut steps = Steps::new(backend);
        (self.steps)(&mut steps);
        steps.into_list()
    }
}

impl fmt::Debug for Migration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

macro_rules! migrations {
    ($($file:ident: $summary:literal,)*) => {
        /// The migrations in order.
        pub static MIGRATIONS: &[Migration] = &[
            $(Migration { name: stringify!($file), summary: $summary, steps: $file::steps },)*
        ];
    };
}

migrations! {
    m20261121_core_schema: "the core system's tables: users, setup, contacts, loans, transactions",
    m20261121_seed_rows: "rows of every installation: privileges, transaction codes, setup lists",
    m20261121_sessions: "sessions, log-ins, the audit and the signing keys of the auth server",
    m20261122_records: "collateral, comments, documents, addresses, user-defined fields",
    m20261122_services: "recurring and automated payments, credit lines, cards, cash drawers, batches",
    m20261122_snapshots: "what loans were before an entry, so that it can be reversed",
    m20261122_updated_drawers: "indexes that entering rows into cash drawers needs",
    m20261123_document_store: "a name for the store of documents, so that no other database uses it",
    m20261123_history_of_comments: "field history that hangs on comments",
    m20261124_import_runs: "imports that are resumed and answered again",
    m20261125_card_payments: "payments by card and what the payment gateway knows of them",
    m20261126_row_guards: "guards of rows, by which nodes of a cluster notice each other's locks",
    m20261127_name_skeletons: "what user names that look alike have in common",
    m20261128_request_keys: "one Idempotency-Key of a caller for one request, wherever it is sent",
    m20261129_client_names: "names of clients that people know them by",
}

/// Brings the database to the current schema; does nothing where it is there already.
pub async fn migrate(db: &DatabaseConnection) -> Result<(), DbErr> {
    run(db, Ending::Kept, &mut |_| ()).await.map_err(|stopped| match stopped {
        Stopped::Database(error) => error,
        stopped => DbErr::Migration(stopped.to_string()),
    })?;
    user_names::fill(db).await
}

/// Every table that a migration makes on any database, if only for a while; behind them those that
/// say how far the migrations are, in the order in which they may go.
pub fn all_tables() -> Vec<&'static str> {
    let backends = [DbBackend::Sqlite, DbBackend::Postgres, DbBackend::MySql];
    let steps = backends
        .iter()
        .flat_map(|backend| MIGRATIONS.iter().flat_map(|migration| migration.steps(*backend)));
    let made: BTreeSet<_> = steps
        .filter_map(|step| match step.effect {
            Some(Effect::Table(table) | Effect::Renamed(_, table)) => Some(table),
            _ => None,
        })
        .collect();
    made.into_iter().chain([run::TABLE, step_by_step::TABLE]).collect()
}

/// What schema a database has. Its text is what to tell an administrator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// None.
    Missing,
    /// One of an earlier release: these migrations are to come.
    Older(Vec<&'static str>),
    /// The schema of this release.
    Current,
    /// One of a later release: it has these migrations, which this one does not know.
    Newer(Vec<String>),
}

impl fmt::Display for SchemaState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str(
                "the database does not have the schema of this release, nor any: set it up with \
                 the installer",
            ),
            Self::Older(pending) => write!(
                f,
                "the database has the schema of an earlier release, {} short of this one: run \
                 installer upgrade",
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

/// Tells which schema the database has, without changing anything.
pub async fn schema_state(db: &impl ConnectionTrait) -> Result<SchemaState, DbErr> {
    let applied = applied(db).await?.unwrap_or_default();
    let unknown = unknown(&applied);
    if !unknown.is_empty() {
        return Ok(SchemaState::Newer(unknown));
    }
    let names = MIGRATIONS.iter().map(|migration| migration.name);
    let pending: Vec<_> = names.filter(|name| !applied.iter().any(|it| it == name)).collect();
    Ok(match pending.len() {
        0 => SchemaState::Current,
        _ if applied.is_empty() => SchemaState::Missing,
        _ => SchemaState::Older(pending),
    })
}

/// The migrations that are in, in order; `None` where there is no table of them.
pub async fn applied(db: &impl ConnectionTrait) -> Result<Option<Vec<String>>, DbErr> {
    let select =
        Query::select().column("version").from(run::TABLE).order_by("version", Order::Asc).take();
    match db.query_all(&select).await {
        Ok(rows) => {
            rows.iter().map(|row| row.try_get("", "version")).collect::<Result<_, _>>().map(Some)
        }
        Err(error) if is_missing_table(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn unknown(applied: &[String]) -> Vec<String> {
    let is_known = |name: &&String| MIGRATIONS.iter().any(|migration| migration.name == **name);
    applied.iter().filter(|name| !is_known(name)).cloned().collect()
}

/// True if an error says that a table is not there, and nothing else.
fn is_missing_table(error: &DbErr) -> bool {
    let (DbErr::Query(RuntimeErr::SqlxError(error)) | DbErr::Exec(RuntimeErr::SqlxError(error))) =
        error
    else {
        return false;
    };
    let sqlx::Error::Database(error) = &**error else { return false };
    if let Some(error) = error.try_downcast_ref::<MySqlDatabaseError>() {
        return error.number() == 1146;
    }
    error.code().as_deref() == Some("42P01") || error.message().starts_with("no such table")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_has_the_same_steps_whenever_they_are_listed() {
        for backend in [DbBackend::Sqlite, DbBackend::Postgres, DbBackend::MySql] {
            for migration in MIGRATIONS {
                let told = || {
                    let steps = migration.steps(backend);
                    steps.iter().map(ToString::to_string).collect::<Vec<_>>()
                };
                assert_eq!(told(), told(), "{migration:?}");
                assert!(!told().is_empty(), "{migration:?}");
            }
        }
    }

    #[test]
    fn a_schema_says_what_to_do_about_it() {
        let older = SchemaState::Older(vec!["a"]).to_string();
        assert!(older.contains("1 migration short") && older.contains("installer upgrade"));
        let newer = SchemaState::Newer(vec!["b".to_owned()]).to_string();
        assert!(newer.contains("later release (b)"), "{newer}");
    }
}

//! Schema migrations. They only go forward; the tests run the same ones.

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
mod m20261130_rights_of_extensions;
mod m20261201_audit_of_grants;
mod m20261202_search;
mod m20261203_partial_indexes;
mod m20261204_suspense_disbursements;
mod m20261205_forwarded_addresses;
mod run;
mod step_by_step;
mod steps;
mod table;

pub use m20261202_search::TRIGGER_FUNCTION;
pub use run::{Ending, Progress, Stopped, Watch, run};
pub use step_by_step::{has_marks, unfinished};

use crate::contact_search;
use crate::user_names;
use sea_orm::sea_query::{Order, Query};
use sea_orm::sqlx::{self, mysql::MySqlDatabaseError};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, RuntimeErr};
use std::collections::BTreeSet;
use std::fmt;
use steps::{Effect, Object, Step, Steps};

/// A migration.
pub struct Migration {
    /// Name in the table of applied migrations: that of its file.
    pub name: &'static str,
    /// Summary for administrators.
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
        /// All migrations, in order.
        pub static MIGRATIONS: &[Migration] = &[
            $(Migration { name: stringify!($file), summary: $summary, steps: $file::steps },)*
        ];
    };
}

migrations! {
    m20261121_core_schema: "the core system's tables: users, setup, contacts, loans, transactions",
    m20261121_seed_rows: "rows of every installation: privileges, transaction codes, setup lists",
    m20261121_sessions: "sessions, log-ins, audit trail and signing keys of the auth server",
    m20261122_records: "collateral, comments, documents, addresses, user-defined fields",
    m20261122_services: "recurring and automated payments, credit lines, cards, cash drawers, batches",
    m20261122_snapshots: "snapshots of loans before each entry, so that it can be reversed",
    m20261122_updated_drawers: "indexes for entering rows into cash drawers",
    m20261123_document_store: "an id for the document store, so that no other database uses it",
    m20261123_history_of_comments: "field history linked to comments",
    m20261124_import_runs: "imports that can be resumed and replayed",
    m20261125_card_payments: "card payments and their state at the payment gateway",
    m20261126_row_guards: "row guards, which make a lock on one cluster node effective on all",
    m20261127_name_skeletons: "skeletons of user names, the same for names that look alike",
    m20261128_request_keys: "one Idempotency-Key per caller and request, whatever its path",
    m20261129_client_names: "display names of clients",
    m20261130_rights_of_extensions: "privileges to reverse payments, and to charge, waive and disburse",
    m20261201_audit_of_grants: "the privilege and the group that an audit event is about",
    m20261202_search: "keys and indexes by which loans and contacts are searched",
    m20261203_partial_indexes: "smaller indexes over columns that are mostly empty",
    m20261204_suspense_disbursements: "transaction codes of suspense disbursements",
    m20261205_forwarded_addresses: "clients that name their users' addresses, and the row that readiness writes",
}

/// Migrates the database to the current schema; does nothing if it is current.
pub async fn migrate(db: &DatabaseConnection) -> Result<(), DbErr> {
    let migrated = match run(db, Ending::Committed, &mut |_| ()).await {
        Ok(()) => fill(db).await,
        stopped => stopped,
    };
    migrated.map_err(|stopped| match stopped {
        Stopped::Database(error) => error,
        stopped => DbErr::Migration(stopped.to_string()),
    })
}

/// Fills what the migrations added, from the rows of earlier releases, once. An interrupted run is
/// continued by the next one.
pub async fn fill(db: &DatabaseConnection) -> Result<(), Stopped> {
    user_names::fill(db).await?;
    match contact_search::fill(db).await? {
        true => Ok(()),
        false => Err(Stopped::UnderWay),
    }
}

/// Returns every table that a migration creates on any database, even temporarily, followed by the
/// tables that track the migrations, in the order in which they may be dropped.
pub fn all_tables() -> Vec<&'static str> {
    let backends = [DbBackend::Sqlite, DbBackend::Postgres, DbBackend::MySql];
    let steps = backends
        .iter()
        .flat_map(|backend| MIGRATIONS.iter().flat_map(|migration| migration.steps(*backend)));
    let tables: BTreeSet<_> = steps
        .filter_map(|step| match step.effect {
            Some(
                Effect::Created(Object::Table(table)) | Effect::Renamed(_, Object::Table(table)),
            ) => Some(table),
            _ => None,
        })
        .collect();
    tables.into_iter().chain([run::TABLE, step_by_step::TABLE]).collect()
}

/// Schema state of a database. Its text is the message for an administrator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// No schema.
    Missing,
    /// The schema of an earlier release; these migrations are pending.
    Older(Vec<&'static str>),
    /// The schema of this release, but not yet all search keys of contacts.
    Unfilled,
    /// The schema of this release.
    Current,
    /// The schema of a later release; it has these migrations, which are unknown to this release.
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
                "the database has the schema of an earlier release, {} behind this one: run \
                 installer upgrade",
                match pending.len() {
                    1 => "1 migration".to_owned(),
                    number => format!("{number} migrations"),
                },
            ),
            Self::Unfilled => f.write_str(
                "the database has the schema of this release, but its search keys are not \
                 complete: run installer upgrade",
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
    let unknown = unknown(&applied);
    if !unknown.is_empty() {
        return Ok(SchemaState::Newer(unknown));
    }
    let names = MIGRATIONS.iter().map(|migration| migration.name);
    let pending: Vec<_> = names.filter(|name| !applied.iter().any(|it| it == name)).collect();
    Ok(match pending.len() {
        0 if !contact_search::is_filled(db).await? => SchemaState::Unfilled,
        0 => SchemaState::Current,
        _ if applied.is_empty() => SchemaState::Missing,
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

/// Returns the applied migrations, in order; `None` if their table does not exist.
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

/// True if the error is that a table does not exist.
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
                let descriptions = || {
                    let steps = migration.steps(backend).into_iter();
                    steps.map(|step| step.description).collect::<Vec<_>>()
                };
                assert_eq!(descriptions(), descriptions(), "{migration:?}");
                // MariaDB has no partial indexes.
                let may_be_empty = backend == DbBackend::MySql;
                assert!(may_be_empty || !descriptions().is_empty(), "{migration:?}");
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

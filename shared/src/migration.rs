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
mod table;

use sea_orm::{DatabaseConnection, DbErr};
use sea_orm_migration::prelude::*;

/// The migrations in order.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261121_core_schema::Migration),
            Box::new(m20261121_seed_rows::Migration),
            Box::new(m20261121_sessions::Migration),
            Box::new(m20261122_records::Migration),
            Box::new(m20261122_services::Migration),
            Box::new(m20261122_snapshots::Migration),
            Box::new(m20261122_updated_drawers::Migration),
            Box::new(m20261123_document_store::Migration),
            Box::new(m20261123_history_of_comments::Migration),
            Box::new(m20261124_import_runs::Migration),
            Box::new(m20261125_card_payments::Migration),
        ]
    }
}

/// Brings the database to the current schema; does nothing where it is there already.
pub async fn migrate(db: &DatabaseConnection) -> Result<(), DbErr> {
    Migrator::up(db, None).await
}

/// What a server finds in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaState {
    /// The schema of this release.
    Current,
    /// No schema, an older one, or a newer one: `installer quickstart` or an upgrade is due.
    Other,
}

/// Tells whether the database has the schema of this release, without changing anything.
pub async fn schema_state(db: &DatabaseConnection) -> Result<SchemaState, DbErr> {
    use sea_orm_migration::sea_orm::{ConnectionTrait, Statement};
    let sql = "SELECT version FROM seaql_migrations ORDER BY version";
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let rows = match db.query_all_raw(statement).await {
        Ok(rows) => rows,
        Err(error) if crate::db::fault(&error) == crate::db::Fault::Defect => {
            return Ok(SchemaState::Other);
        }
        Err(error) => return Err(error),
    };
    let applied: Result<Vec<String>, DbErr> =
        rows.iter().map(|r| r.try_get("", "version")).collect();
    let expected: Vec<String> =
        Migrator::migrations().iter().map(|migration| migration.name().to_owned()).collect();
    Ok(if applied? == expected { SchemaState::Current } else { SchemaState::Other })
}

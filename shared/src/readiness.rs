//! Whether a server can serve: the database is reachable, its schema is that of this release, and it
//! can be written.

use crate::coalesced::Coalesced;
use crate::db::{self, Fault};
use crate::migration::{SchemaState, schema_state};
use crate::time::Timestamp;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr};
use std::time::Duration;
use tokio::time::timeout;

/// A database that can be written, but by another connection now, keeps a write waiting for longer.
const WRITE_WAIT: Duration = Duration::from_millis(500);

/// Asks the database, once for all callers who ask at the same time: anybody may ask for it.
pub struct Readiness {
    db: DatabaseConnection,
    written_table: &'static str,
    checks: Coalesced<(), Result<Timestamp, Unready>>,
}

/// Why a server cannot serve.
#[derive(Clone, Debug)]
pub enum Unready {
    /// The database is away, or has failed otherwise.
    Database(DbErr),
    /// The database has another schema.
    Schema(SchemaState),
    /// The database can be read, but not written.
    ReadOnly,
    /// The check itself died.
    Died,
}

impl Readiness {
    /// Of a server that writes to this table.
    pub fn new(db: DatabaseConnection, written_table: &'static str) -> Self {
        Self { db, written_table, checks: Coalesced::default() }
    }

    /// The database's time if the server can serve.
    pub async fn check(&self) -> Result<Timestamp, Unready> {
        let check = check(self.db.clone(), self.written_table);
        self.checks.ask((), check).await.unwrap_or(Err(Unready::Died))
    }
}

async fn check(db: DatabaseConnection, written_table: &str) -> Result<Timestamp, Unready> {
    let state = schema_state(&db).await.map_err(Unready::Database)?;
    if state != SchemaState::Current {
        return Err(Unready::Schema(state));
    }
    let write = format!("DELETE FROM {written_table} WHERE 1 = 0");
    if let Ok(Err(error)) = timeout(WRITE_WAIT, db.execute_unprepared(&write)).await {
        match db::fault(&error) {
            Fault::Contention | Fault::LockTimeout => {}
            _ => {
                tracing::warn!(%error, "the database cannot be written");
                return Err(Unready::ReadOnly);
            }
        }
    }
    db::time(&db).await.map_err(Unready::Database)
}

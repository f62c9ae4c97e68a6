//! Readiness: the database is reachable, has this release's schema, and is writable.

use crate::coalesced::{BatchLimits, Coalesced, Unanswered};
use crate::db::{self, Fault};
use crate::migration::{SchemaState, schema_state};
use crate::time::Timestamp;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr};
use std::time::Duration;
use thiserror::Error;
use tokio::time::timeout;

/// A write that takes longer is only blocked by another connection: the database counts as
/// writable.
const WRITE_WAIT: Duration = Duration::from_millis(500);

/// Checks the database, once for all concurrent callers, because the endpoint is public.
pub struct Readiness(Coalesced<(), Result<Timestamp, Unready>>);

/// Why a server is not ready.
#[derive(Clone, Debug, Error)]
pub enum Unready {
    /// The database is unavailable, or failed in another way.
    #[error(transparent)]
    Database(DbErr),
    /// The database has another schema.
    #[error("{0}")]
    Schema(SchemaState),
    /// The database can be read, but not written.
    #[error("the database can be read, but not written")]
    ReadOnly,
    /// The check itself did not end.
    #[error(transparent)]
    Unanswered(Unanswered),
}

impl Readiness {
    /// Returns the readiness check of a server that writes to this table.
    pub fn new(db: DatabaseConnection, written_table: &'static str) -> Self {
        Self(Coalesced::new(BatchLimits::of_reads(1), move |_| {
            let db = db.clone();
            async move { vec![check(db, written_table).await] }
        }))
    }

    /// Returns the database's time if the server is ready.
    pub async fn check(&self) -> Result<Timestamp, Unready> {
        self.0.ask(()).await.unwrap_or_else(|unanswered| Err(Unready::Unanswered(unanswered)))
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

//! Whether a server has its database's own document store. Files that it stored elsewhere would be
//! missing for the others.

use super::DocumentStore;
use super::gc_report::GcError;
use sea_orm::DatabaseConnection;
use shared::database::gate::{Closed, StoreIdentity, Unready};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::time::timeout;

/// How long the store may take to answer.
const CHECK_TIME_MAX: Duration = Duration::from_secs(1);

/// A server's document store.
pub struct OwnStore {
    store: DocumentStore,
    /// It was the database's own: if a copy of the database takes it later, this server goes on.
    is_confirmed: AtomicBool,
}

impl OwnStore {
    /// Returns a store that is still to be checked.
    pub fn new(store: DocumentStore) -> Self {
        Self { store, is_confirmed: AtomicBool::new(false) }
    }
}

#[async_trait::async_trait]
impl StoreIdentity for OwnStore {
    async fn check(&self, db: &DatabaseConnection) -> Result<(), Unready> {
        // A store that does not answer must not hold up what needs none.
        let Ok(checked) = timeout(CHECK_TIME_MAX, self.store.check_owner(db)).await else {
            tracing::warn!("the document store cannot be checked: it does not answer");
            return Ok(());
        };
        match checked {
            Ok(()) => {
                self.is_confirmed.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(GcError::OtherOwner) if self.is_confirmed.load(Ordering::Relaxed) => Ok(()),
            Err(other @ (GcError::OtherOwner | GcError::NoOwner)) => {
                Err(Closed::Store(other.to_string()).into())
            }
            Err(GcError::Database(error)) => Err(error.into()),
            Err(unavailable @ (GcError::Store(_) | GcError::Clocks)) => {
                tracing::warn!(error = %unavailable, "the document store cannot be checked");
                Ok(())
            }
        }
    }
}

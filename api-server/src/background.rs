//! Background tasks that run for as long as the server does.

use crate::cards::recovery;
use crate::command::idempotency;
use crate::documents::store::gc::ORPHAN_HOURS_MIN;
use crate::documents::store::gc_report::{GcError, GcReport};
use crate::state::State;
use crate::xml_import::import_log;
use sea_orm::DbErr;
use shared::database::gate::Unready;
use shared::database::{self, contact_search};
use shared::rate_limit::KeyedRateLimiter;
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Interval between removals of expired stored responses.
const SWEEP_INTERVAL: Duration = Duration::from_secs(600);
/// Interval between searches for orphaned objects, which are removed about a day after they were
/// orphaned.
const STORE_SWEEP_INTERVAL: Duration = Duration::from_secs(6 * 60 * 60);

/// Interval between searches for contacts that other programs have written.
const CONTACT_SEARCH_INTERVAL: Duration = Duration::from_secs(15);

const FOLDER_INTERVAL: Duration = Duration::from_secs(60);
/// Interval between reports of a certificate that expires soon.
const CERTIFICATE_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// Starts all background tasks.
pub fn start(state: &Arc<State>) {
    let (tasks, irreversible) = (&state.tasks, state.tasks.irreversible());
    tasks.every(state, CERTIFICATE_INTERVAL, "certificate", report_certificate);
    tasks.every(state, SWEEP_INTERVAL, "rate limits", sweep_rate_limits);
    irreversible.every(state, SWEEP_INTERVAL, "stored responses", sweep_stored_responses);
    irreversible.every(state, STORE_SWEEP_INTERVAL, "orphaned objects", sweep_objects);
    tasks.every(state, CONTACT_SEARCH_INTERVAL, "contact search", refill_contact_search);
    tasks.every(state, FOLDER_INTERVAL, "free space", measure_folders);
    recovery::start(tasks, &state.cards);
}

async fn sweep_rate_limits(state: Arc<State>) -> Result<(), Infallible> {
    state.admission.rates.iter().for_each(KeyedRateLimiter::sweep);
    Ok(())
}

/// Removes old stored responses, then the records of imports that have none left.
async fn sweep_stored_responses(state: Arc<State>) -> Result<(), DbErr> {
    let responses = database::retry(|| idempotency::sweep(&state.db)).await;
    if let Ok(rows @ 1..) = responses {
        tracing::info!(rows, "old stored responses removed");
    }
    let imports = database::retry(|| import_log::sweep(&state.db)).await;
    responses.and(imports)
}

/// Makes the search keys of contacts that other programs have written.
async fn refill_contact_search(state: Arc<State>) -> Result<(), DbErr> {
    contact_search::refill(&state.db).await
}

/// Removes orphaned objects from the object store.
async fn sweep_objects(state: Arc<State>) -> Result<(), GcError> {
    let GcReport { removed, .. } = state.documents.store.sweep(&state.db, ORPHAN_HOURS_MIN).await?;
    if removed > 0 {
        tracing::info!(objects = removed, "orphaned objects removed");
    }
    Ok(())
}

/// Reports that this server's certificate has expired, or will soon.
async fn report_certificate(state: Arc<State>) -> Result<(), Unready> {
    state.certificate_expiry.report(state.database_gate.check().await?);
    Ok(())
}

/// Measures the free space of the folders that this server fills.
async fn measure_folders(state: Arc<State>) -> Result<(), io::Error> {
    let folders = Arc::clone(&state.folders);
    tokio::task::spawn_blocking(move || folders.measure()).await?
}

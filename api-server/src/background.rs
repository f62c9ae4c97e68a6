//! What a server does on its own for as long as it runs.

use crate::cards::recovery;
use crate::command::idempotency;
use crate::documents::document_store::sweep::{Fault, ORPHAN_HOURS_MIN, Swept};
use crate::state::State;
use crate::xml_import::runs;
use sea_orm::DbErr;
use shared::db;
use shared::rates::Rates;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// How often answers that are no longer kept are removed.
const SWEEP_INTERVAL: Duration = Duration::from_secs(600);
/// How often objects without a row are looked for: a day or so after they were left over.
const STORE_SWEEP_INTERVAL: Duration = Duration::from_secs(6 * 60 * 60);

/// Starts it all.
pub fn start(state: &Arc<State>) {
    let tasks = &state.tasks;
    tasks.every(state, SWEEP_INTERVAL, "rates", sweep_rates);
    tasks.every(state, SWEEP_INTERVAL, "kept answers", sweep_answers);
    tasks.every(state, STORE_SWEEP_INTERVAL, "objects", sweep_objects);
    recovery::start(tasks, &state.cards);
}

async fn sweep_rates(state: Arc<State>) -> Result<(), Infallible> {
    state.admission.rates.iter().for_each(Rates::sweep);
    Ok(())
}

/// Old answers, then what is known of imports that have none any more.
async fn sweep_answers(state: Arc<State>) -> Result<(), DbErr> {
    let answers = db::again(|| idempotency::sweep(&state.db)).await;
    if let Ok(rows @ 1..) = answers {
        tracing::info!(rows, "old answers removed");
    }
    let imports = db::again(|| runs::sweep(&state.db)).await;
    answers.and(imports)
}

/// Objects of the store that were left over.
async fn sweep_objects(state: Arc<State>) -> Result<(), Fault> {
    let Swept { removed, .. } = state.documents.store.sweep(&state.db, ORPHAN_HOURS_MIN).await?;
    if removed > 0 {
        tracing::info!(objects = removed, "objects without a row removed");
    }
    Ok(())
}

//! Background tasks: sweep expired rows, by the database's clock, and keep a signing key ready.

use crate::http::oauth_error::OAuthError;
use crate::login::lockout;
use crate::state::State;
use crate::store::{active_tokens, authorization_requests, client_assertions, keys, sessions};
use sea_orm::DbErr;
use shared::audit;
use shared::database;
use shared::database::gate::Unready;
use shared::introspection::UserKind;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Interval of every task.
const INTERVAL: Duration = Duration::from_secs(60);

/// Interval between reports of a certificate that expires soon.
const CERTIFICATE_INTERVAL: Duration = Duration::from_secs(24 * 60 * 60);

/// Starts all background tasks.
pub fn start(state: &Arc<State>) {
    let (tasks, irreversible) = (&state.tasks, state.tasks.irreversible());
    tasks.every(state, CERTIFICATE_INTERVAL, "certificate", report_certificate);
    irreversible.every(state, INTERVAL, "signing keys", maintain_keys);
    tasks.every(state, INTERVAL, "rate limits", sweep_rates);
    irreversible.every(state, INTERVAL, "sessions", sweep_sessions);
    irreversible.every(state, INTERVAL, "failed log-ins", sweep_failures);
    irreversible.every(state, INTERVAL, "audit events", sweep_events);
    irreversible.every(state, INTERVAL, "client assertions", sweep_assertions);
}

/// Makes sure that the current signing key and its successor exist.
pub async fn maintain_keys(state: Arc<State>) -> Result<(), OAuthError> {
    let (store, rotation_seconds) = (&state.store, state.config.key_rotation_seconds);
    database::retry(|| keys::maintain(&store.db, &store.master_keys, rotation_seconds)).await
}

async fn sweep_rates(state: Arc<State>) -> Result<(), Infallible> {
    state.store.refresh_rate_limit.sweep();
    state.code_rate_limit.sweep();
    Ok(())
}

/// Sweeps tokens first, then sessions without tokens, then the requests and browser log-ins they
/// came from. One failure does not stop the others.
async fn sweep_sessions(state: Arc<State>) -> Result<(), DbErr> {
    let store = &state.store;
    let outcomes = [
        ("core tokens", database::retry(|| active_tokens::sweep(store, UserKind::Core)).await),
        ("web tokens", database::retry(|| active_tokens::sweep(store, UserKind::Web)).await),
        ("sessions", database::retry(|| sessions::sweep(store)).await),
        ("authorization requests", database::retry(|| authorization_requests::sweep(store)).await),
    ];
    let mut failure = Ok(());
    for (what, outcome) in outcomes {
        match outcome {
            Ok(rows) => log_swept(what, rows),
            Err(error) => failure = failure.and(Err(error)),
        }
    }
    failure
}

async fn sweep_failures(state: Arc<State>) -> Result<(), DbErr> {
    log_swept("failures", database::retry(|| lockout::sweep(&state.store.db)).await?);
    Ok(())
}

async fn sweep_events(state: Arc<State>) -> Result<(), DbErr> {
    let sweep = || audit::sweep(&state.store.db, state.config.events_retention_days);
    log_swept("events", database::retry(sweep).await?);
    Ok(())
}

async fn sweep_assertions(state: Arc<State>) -> Result<(), DbErr> {
    log_swept(
        "client assertions",
        database::retry(|| client_assertions::sweep(&state.store.db)).await?,
    );
    Ok(())
}

fn log_swept(what: &str, rows: u64) {
    if rows > 0 {
        tracing::info!(rows, what, "expired rows swept");
    }
}

/// Reports that this server's certificate has expired, or will soon.
async fn report_certificate(state: Arc<State>) -> Result<(), Unready> {
    state.certificate_expiry.report(state.database_gate.check().await?);
    Ok(())
}

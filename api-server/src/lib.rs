//! The api-server: verifies every token by introspection and serves the resource groups, filtered
//! by the caller's privileges in the core system.

pub mod access;
pub mod adjustments;
pub mod app;
pub mod at_once;
pub mod auth_client;
pub mod business_days;
pub mod card_numbers;
pub mod comments;
pub mod config;
pub mod contract;
pub mod convenience_fee;
pub mod document_store;
pub mod documents;
pub mod downloads;
pub mod drawers;
pub mod effects;
pub mod endpoints;
pub mod entries;
pub mod expectations;
pub mod field_values;
pub mod history;
pub mod idempotency;
pub mod loan_book;
pub mod operations;
pub mod paging;
pub mod payment_gateway;
pub mod payments;
pub mod privileges;
pub mod ranges;
pub mod rates;
pub mod removals;
pub mod request_body;
pub mod reversals;
pub mod servicing;
pub mod texts;
pub mod turns;
pub mod uploads;
pub mod versions;
pub mod vin;
pub mod visibility;
pub mod xml_import;

use crate::app::App;
use crate::config::Config;
use shared::db;
use shared::process::{self, Serving};
use shared::telemetry::{self, Metrics};
use std::future::Future;
use std::path::Path;
use std::sync::Arc;

/// Runs the server until `stop` is ready. An `Err` is one clear text for the administrator.
pub async fn run(env_file: Option<&Path>, stop: impl Future<Output = ()>) -> Result<(), String> {
    process::survive_hangups()?;
    let config = Config::read(env_file)?;
    telemetry::start_log(&config.log_format, &config.log_filter)?;
    let (app, metrics) = assemble(&config).await?;
    tokio::spawn(Arc::clone(&app).sweep());
    tokio::spawn(Arc::clone(&app).sweep_documents());
    tokio::spawn(payment_gateway::recovery::run(Arc::clone(&app)));
    let endpoint = app.endpoint(Arc::clone(&metrics));
    let serving = Serving {
        name: "api-server",
        listen: config.listen,
        identity: config.identity(),
        limits: config.limits.clone(),
        metrics_listen: config.metrics_listen,
        stopping: app.stopping.clone(),
    };
    let stop = app.stopping.clone().after(stop, config.drain_delay);
    serving.run(endpoint, metrics, stop).await
}

/// Checks settings, certificates, database and object store, and changes nothing.
pub async fn check(env_file: Option<&Path>) -> Result<(), String> {
    let config = Config::read(env_file)?;
    config.identity().server_config()?;
    let (app, _) = assemble(&config).await?;
    app.documents.check().await.map_err(|error| format!("API_DOCUMENTS: {error}"))?;
    process::check_schema(&app.db).await
}

async fn assemble(config: &Config) -> Result<(Arc<App>, Arc<Metrics>), String> {
    let mut db = db::connect(&config.database_url, config.database_connections, false)
        .await
        .map_err(|error| format!("API_DATABASE_URL: {error}"))?;
    let metrics = Metrics::new();
    metrics.count_statements(&mut db);
    Ok((App::new(config, db).await?, metrics))
}

//! The api-server: verifies every token by introspection and serves the resource groups, filtered
//! by the caller's privileges in the core system.

pub mod audit;
pub mod auth;
pub mod background;
pub mod cards;
pub mod command;
pub mod config;
pub mod documents;
pub mod drawers;
pub mod endpoints;
pub mod http;
pub mod loans;
pub mod openapi;
pub mod router;
pub mod state;
pub mod xml_import;

use crate::cards::sealed_tokens::CardKeys;
use crate::config::Config;
use crate::documents::store::{DocumentStore, OwnStore};
use crate::endpoints::docs::Docs;
use crate::http::admission::UnknownParameters;
use crate::state::State;
use clap::Parser;
use sea_orm::EntityName;
use shared::certificate_expiry::CertificateExpiry;
use shared::database::gate::{self, DatabaseGate, GateRules, StoreIdentity};
use shared::database::reads::{self, Connected};
use shared::disk_space::WatchedFolders;
use shared::entity::idempotency_records;
use shared::runtime::{self, Serving};
use shared::settings::{self, Settings};
use shared::tasks::Tasks;
use shared::telemetry::{self, Metrics};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Serve the loan servicing API over the core database
#[derive(Parser)]
#[command(name = "api-server", version, after_help = settings::list(config::SETTINGS))]
pub struct Arguments {
    /// Read settings from this file; environment variables take precedence
    #[arg(long, value_name = "FILE")]
    pub env_file: Option<PathBuf>,
    /// Check the settings, the certificates, the database and the object store, then exit
    #[arg(long)]
    pub check: bool,
}

/// Runs the server until `stop` is ready. An `Err` is a single clear message for the administrator.
pub async fn run(env_file: Option<&Path>, stop: impl Future<Output = ()>) -> Result<(), String> {
    runtime::survive_hangups()?;
    let config = Config::read(env_file)?;
    let _log = telemetry::start_log(&config.log_format, &config.log_filter)?;
    serve(config, stop).await
}

/// Serves with these settings until `stop` resolves. A process may do so for several databases.
pub async fn serve(config: Config, stop: impl Future<Output = ()>) -> Result<(), String> {
    let (state, metrics) = assemble(&config).await?;
    let contract = router::contract(config.extensions);
    let docs = Docs::new(
        &contract.document,
        &config.auth_public_url,
        &config.docs_client_id,
        &config.gateway.public_url,
    );
    let endpoint = router::endpoint(&state, contract, docs, Arc::clone(&metrics));
    background::start(&state);
    let serving = Serving {
        name: "api-server",
        listen: config.listen,
        identity: config.identity(),
        limits: config.limits.clone(),
        metrics_listen: config.metrics_listen,
        stopping: state.stopping.clone(),
        expiry: state.certificate_expiry.clone(),
        gate: state.database_gate.clone(),
    };
    let stop = state.stopping.clone().after(stop, config.drain_delay);
    serving.run(endpoint, metrics, stop).await
}

/// Checks settings, certificates, database and object store, and changes nothing.
pub async fn check(settings: Settings) -> Result<(), String> {
    let config = Config::from_settings(settings)?;
    config.identity().server_config()?;
    let (state, _) = assemble(&config).await?;
    state.documents.store.check().await.map_err(|error| format!("API_DOCUMENTS: {error}"))?;
    let rules = gate_rules(&config, Some(state.documents.store.clone()));
    let checked = gate::check_once(&state.db, &rules).await;
    let now = checked.map_err(|unready| unready.message())?;
    let identity = config.identity();
    let expiry = CertificateExpiry::of(&identity.leaf()?)?;
    expiry.check(now).map_err(|expired| expired.to_string())
}

/// Returns what the server needs of its database, which must be the one that this store belongs to.
pub fn gate_rules(config: &Config, store: Option<DocumentStore>) -> GateRules {
    let keys = CardKeys(config.gateway.master_keys.clone());
    let written_table = idempotency_records::Entity.table_name();
    let store = store.map(|store| Arc::new(OwnStore::new(store)) as Arc<dyn StoreIdentity>);
    GateRules { written_table, business_days: true, keys: Arc::new(keys), store }
}

async fn assemble(config: &Config) -> Result<(Arc<State>, Arc<Metrics>), String> {
    router::contract(config.extensions).schemas.operations.check()?;
    let mut metrics = Metrics::default();
    let Connected { db, reads, uncounted } =
        reads::connect(&config.database_url, config.database_connections, &mut metrics)
            .await
            .map_err(|error| format!("API_DATABASE_URL: {error}"))?;
    let unknown_parameters = match config.unknown_parameters_ignored {
        false => UnknownParameters::Refused,
        true => UnknownParameters::Ignored(
            metrics.counter("unknown_parameters", "Unknown query parameters that were ignored"),
        ),
    };
    let store = DocumentStore::open(&config.documents)
        .map_err(|error| format!("API_DOCUMENTS: {error}"))?;
    let rules = gate_rules(config, Some(store.clone()));
    let gate = DatabaseGate::new(db.clone(), uncounted, rules, &mut metrics);
    let tasks = Tasks::new(gate, &mut metrics);
    let folders = WatchedFolders::new(config.folders(), &mut metrics);
    let state = State::new(config, db, reads, store, unknown_parameters, folders, tasks)?;
    Ok((state, Arc::new(metrics)))
}

//! The auth server: issues, introspects and revokes tokens for core users and web users, and logs
//! the users out.

pub mod background;
pub mod config;
pub mod endpoints;
pub mod http;
pub mod login;
pub mod router;
pub mod state;
pub mod store;
pub mod web;

use crate::config::Config;
use crate::endpoints::metadata;
use crate::state::State;
use crate::store::server_keys::ServerKeys;
use clap::Parser;
use futures_util::FutureExt;
use sea_orm::EntityName;
use shared::certificate_expiry::CertificateExpiry;
use shared::database::gate::{self, DatabaseGate, GateRules};
use shared::database::reads::{self, Connected};
use shared::entity::auth_sessions;
use shared::runtime::{self, Serving};
use shared::settings;
use shared::tasks::Tasks;
use shared::telemetry::{self, Metrics};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Issue, introspect and revoke tokens
#[derive(Parser)]
#[command(name = "auth-server", version, after_help = settings::list(config::SETTINGS))]
pub struct Arguments {
    /// Read settings from this file; environment variables take precedence
    #[arg(long, value_name = "FILE")]
    pub env_file: Option<PathBuf>,
    /// Check the settings, the certificates and the database, then exit
    #[arg(long)]
    pub check: bool,
}

/// Runs the server until `stop` resolves. An `Err` is a message for the administrator.
pub async fn run(env_file: Option<&Path>, stop: impl Future<Output = ()>) -> Result<(), String> {
    runtime::survive_hangups()?;
    let config = Config::read(env_file)?;
    let _log = telemetry::start_log(&config.log_format, &config.log_filter)?;
    serve(config, stop).await
}

/// Serves with these settings until `stop` resolves. A process may do so for several databases.
pub async fn serve(config: Config, stop: impl Future<Output = ()>) -> Result<(), String> {
    let (state, metrics) = assemble(config).await?;
    let config = &state.config;
    // The first log-in needs a key.
    if state.database_gate.pass().await.is_ok()
        && let Err(error) = background::maintain_keys(Arc::clone(&state)).await
    {
        tracing::warn!(%error, "signing key maintenance failed");
    }
    background::start(&state);
    let serving = |name, listen, client_certificates, metrics_listen| Serving {
        name,
        listen,
        identity: config.identity(client_certificates),
        limits: config.limits.clone(),
        metrics_listen,
        stopping: state.stopping.clone(),
        expiry: state.certificate_expiry.clone(),
        gate: state.database_gate.clone(),
    };
    let stop = state.stopping.clone().after(stop, config.drain_delay).shared();
    let main = serving("auth-server", config.listen, false, config.metrics_listen);
    let main = main.run(
        router::endpoint(&state, Arc::clone(&metrics)),
        Arc::clone(&metrics),
        stop.clone(),
    );
    match config.mtls_listen {
        None => main.await,
        Some(listen) => {
            let mtls = serving("auth-server, mutual TLS", listen, true, None);
            let mtls = mtls.run(router::endpoint(&state, Arc::clone(&metrics)), metrics, stop);
            tokio::try_join!(main, mtls).map(drop)
        }
    }
}

/// Checks the settings, the certificates and the database; changes nothing.
pub async fn check(env_file: Option<&Path>) -> Result<(), String> {
    let config = Config::read(env_file)?;
    config.identity(false).server_config()?;
    let (state, _) = assemble(config).await?;
    let rules = gate_rules(&state.config);
    let checked = gate::check_once(&state.store.db, &rules).await;
    let now = checked.map_err(|unready| unready.message())?;
    let identity = state.config.identity(false);
    let expiry = CertificateExpiry::of(&identity.leaf()?)?;
    expiry.check(now).map_err(|expired| expired.to_string())
}

/// Returns what the server needs of its database.
pub fn gate_rules(config: &Config) -> GateRules {
    let (master_keys, token_keys) = (config.master_keys.clone(), config.token_keys.clone());
    let written_table = auth_sessions::Entity.table_name();
    let keys = Arc::new(ServerKeys { master_keys, token_keys });
    GateRules { written_table, business_days: false, keys, store: None }
}

async fn assemble(config: Config) -> Result<(Arc<State>, Arc<Metrics>), String> {
    let passwords = config.passwords.clone().ok_or("AUTH_PASSWORD_MEMORY_KIB is invalid")?;
    let mut metrics = Metrics::default();
    let Connected { db, reads, uncounted } =
        reads::connect(&config.database_url, config.database_connections, &mut metrics)
            .await
            .map_err(|error| format!("AUTH_DATABASE_URL: {error}"))?;
    let gate = DatabaseGate::new(db.clone(), uncounted, gate_rules(&config), &mut metrics);
    let tasks = Tasks::new(gate.clone(), &mut metrics);
    let metadata = metadata::document(&config.issuer, config.mtls_url.as_deref()).to_string();
    let state = State::new(config, db, reads, passwords, metadata.into(), gate, tasks);
    Ok((state, Arc::new(metrics)))
}

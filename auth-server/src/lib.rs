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
use crate::store::keys;
use clap::Parser;
use futures_util::FutureExt;
use shared::read_pool;
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
    let (state, metrics) = assemble(config).await?;
    let (config, store) = (&state.config, &state.store);
    if runtime::check_schema(&store.db).await.is_ok() {
        keys::check(&store.db, &store.master_keys).await?;
        if let Err(error) = background::maintain_keys(Arc::clone(&state)).await {
            tracing::warn!(%error, "signing key maintenance failed");
        }
    }
    background::start(&state);
    let serving = |name, listen, client_certificates, metrics_listen| Serving {
        name,
        listen,
        identity: config.identity(client_certificates),
        limits: config.limits.clone(),
        metrics_listen,
        stopping: state.stopping.clone(),
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
    runtime::check_schema(&state.store.db).await?;
    keys::check(&state.store.db, &state.store.master_keys).await
}

async fn assemble(config: Config) -> Result<(Arc<State>, Arc<Metrics>), String> {
    let passwords = config.passwords.clone().ok_or("AUTH_PASSWORD_MEMORY_KIB is invalid")?;
    let mut metrics = Metrics::default();
    let (db, reads) =
        read_pool::connect(&config.database_url, config.database_connections, &metrics)
            .await
            .map_err(|error| format!("AUTH_DATABASE_URL: {error}"))?;
    let tasks = Tasks::new(&mut metrics);
    let metadata = metadata::document(&config.issuer, config.mtls_url.as_deref()).to_string();
    Ok((State::new(config, db, reads, passwords, metadata.into(), tasks), Arc::new(metrics)))
}

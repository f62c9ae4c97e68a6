//! The auth server: issues, introspects and revokes the tokens of core-system users and web users,
//! and logs them out.

pub mod app;
pub mod authorizations;
pub mod browser;
pub mod client_assertions;
pub mod clients;
pub mod config;
pub mod core_users;
pub mod cors;
pub mod endpoints;
pub mod keys;
pub mod lifetimes;
pub mod lockout;
pub mod log_in;
pub mod oauth_error;
pub mod page_error;
pub mod pages;
pub mod redirects;
pub mod refresh;
pub mod request;
pub mod sessions;
pub mod source;
pub mod token_table;
pub mod tokens;
pub mod web_users;

use crate::app::App;
use crate::config::Config;
use futures_util::FutureExt;
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
    if process::check_schema(&app.db).await.is_ok() {
        keys::check(&app.db, &app.master_keys).await?;
        app.maintain_keys().await;
    }
    tokio::spawn(Arc::clone(&app).sweep());
    let serving = |name, listen, client_certificates, metrics_listen| Serving {
        name,
        listen,
        identity: config.identity(client_certificates),
        limits: config.limits.clone(),
        metrics_listen,
        stopping: app.stopping.clone(),
    };
    let stop = app.stopping.clone().after(stop, config.drain_delay).shared();
    let main = serving("auth-server", config.listen, false, config.metrics_listen);
    let main = main.run(app.endpoint(Arc::clone(&metrics)), Arc::clone(&metrics), stop.clone());
    match config.mtls_listen {
        None => main.await,
        Some(listen) => {
            let mtls = serving("auth-server, mutual TLS", listen, true, None);
            let mtls = mtls.run(app.endpoint(Arc::clone(&metrics)), metrics, stop);
            tokio::try_join!(main, mtls).map(drop)
        }
    }
}

/// Checks settings, certificates and database, and changes nothing.
pub async fn check(env_file: Option<&Path>) -> Result<(), String> {
    let config = Config::read(env_file)?;
    config.identity(false).server_config()?;
    let (app, _) = assemble(&config).await?;
    process::check_schema(&app.db).await?;
    keys::check(&app.db, &app.master_keys).await
}

async fn assemble(config: &Config) -> Result<(Arc<App>, Arc<Metrics>), String> {
    let passwords = config.passwords.clone().ok_or("AUTH_PASSWORD_MEMORY_KIB is wrong")?;
    let mut db = db::connect(&config.database_url, config.database_connections, false)
        .await
        .map_err(|error| format!("AUTH_DATABASE_URL: {error}"))?;
    let metrics = Metrics::new();
    metrics.count_statements(&mut db);
    Ok((App::new(config, db, passwords), metrics))
}

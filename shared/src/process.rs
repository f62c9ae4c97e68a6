//! What the two server processes have in common besides their listener: starting, stopping, and
//! saying what went wrong.

use crate::migration::{SchemaState, schema_state};
use crate::server::{self, Limits};
use crate::telemetry::Metrics;
use crate::tls;
use poem::{Endpoint, Response};
use sea_orm::DatabaseConnection;
use std::future::Future;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// Where and as whom a server listens.
#[derive(Debug)]
pub struct Serving<'a> {
    /// Its name in the log.
    pub name: &'a str,
    /// Address and port; port 0 is any free one.
    pub listen: SocketAddr,
    /// Certificate chain, PEM.
    pub certificate: &'a Path,
    /// Private key, PEM.
    pub key: &'a Path,
    /// Clients are asked for a certificate, and may have none.
    pub client_certificates: bool,
    /// What the listener may be made to hold.
    pub limits: Limits,
    /// Where metrics are served, if at all.
    pub metrics_listen: Option<SocketAddr>,
}

impl Serving<'_> {
    /// Serves until `stop` is ready, then finishes the requests in flight.
    pub async fn run(
        self,
        endpoint: impl Endpoint<Output = Response> + 'static,
        metrics: Arc<Metrics>,
        stop: impl Future<Output = ()>,
    ) -> Result<(), String> {
        let tls =
            Arc::new(tls::server_config(self.certificate, self.key, self.client_certificates)?);
        let cannot = |error| format!("cannot listen on {}: {error}", self.listen);
        let listener = TcpListener::bind(self.listen).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        tracing::info!(server = self.name, %address, "listening");
        if let Some(address) = self.metrics_listen {
            tokio::spawn(serve_metrics(metrics, address));
        }
        server::serve(listener, tls, endpoint, self.limits, stop).await;
        Ok(())
    }
}

/// Ready when the process is asked to stop: SIGTERM, or Ctrl-C.
pub async fn stop_signal() {
    let terminate = async {
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => drop(terminate.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = terminate => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    tracing::info!("stopping: finishing the requests in flight");
}

/// Serves metrics beside the server; without them the server goes on.
async fn serve_metrics(metrics: Arc<Metrics>, address: SocketAddr) {
    if let Err(error) = metrics.serve(address).await {
        tracing::error!(%error, %address, "metrics are not served");
    }
}

/// An error text unless the database is there with the schema of this release.
pub async fn check_schema(db: &DatabaseConnection) -> Result<(), String> {
    match schema_state(db).await {
        Ok(SchemaState::Current) => Ok(()),
        Ok(SchemaState::Other) => {
            Err("the database does not have the schema of this release".to_owned())
        }
        Err(error) => Err(format!("the database cannot be reached: {error}")),
    }
}

/// Ends a command: what went wrong goes to standard error, a line each.
#[expect(clippy::print_stderr, reason = "the log may not have started")]
pub fn exit_code(command: &str, outcome: Result<(), String>) -> ExitCode {
    let Err(faults) = outcome else { return ExitCode::SUCCESS };
    for fault in faults.lines() {
        eprintln!("{command}: {fault}");
    }
    ExitCode::FAILURE
}

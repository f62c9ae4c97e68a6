//! What the two server processes have in common besides their listener: starting, stopping, and
//! saying what went wrong.

use crate::migration::{SchemaState, schema_state};
use crate::server::{self, Limits};
use crate::stopping::Stopping;
use crate::telemetry::Metrics;
use crate::tls::Identity;
use poem::{Endpoint, Response};
use rustls::ServerConfig;
use sea_orm::DatabaseConnection;
use std::convert::Infallible;
use std::future::{Future, pending};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Where and as whom a server listens.
#[derive(Debug)]
pub struct Serving<'a> {
    /// Its name in the log.
    pub name: &'a str,
    /// Address and port; port 0 is any free one.
    pub listen: SocketAddr,
    /// What it presents, read again on SIGHUP.
    pub identity: Identity<'a>,
    /// What the listener may be made to hold.
    pub limits: Limits,
    /// Where metrics are served, if at all.
    pub metrics_listen: Option<SocketAddr>,
    /// Whether it is about to stop.
    pub stopping: Stopping,
}

impl Serving<'_> {
    /// Serves until `stop` is ready, then finishes the requests in flight.
    pub async fn run(
        self,
        endpoint: impl Endpoint<Output = Response> + 'static,
        metrics: Arc<Metrics>,
        stop: impl Future<Output = ()>,
    ) -> Result<(), String> {
        let hangups = hangups()?;
        let (reload, tls) = watch::channel(Arc::new(self.identity.server_config()?));
        let cannot = |error| format!("cannot listen on {}: {error}", self.listen);
        let listener = TcpListener::bind(self.listen).await.map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        tracing::info!(server = self.name, %address, "listening");
        if let Some(address) = self.metrics_listen {
            tokio::spawn(serve_metrics(metrics, address));
        }
        let serving = server::serve(listener, tls, endpoint, self.limits, self.stopping, stop);
        tokio::select! {
            () = serving => Ok(()),
            never = reload_on_hangup(self.name, self.identity, hangups, reload) => match never {},
        }
    }
}

/// From now on SIGHUP does not end the process, as it does of itself: a server that does not serve
/// yet will read its certificate anyway.
pub fn survive_hangups() -> Result<(), String> {
    hangups().map(drop)
}

fn hangups() -> Result<Signal, String> {
    signal(SignalKind::hangup()).map_err(|error| format!("SIGHUP cannot be noticed: {error}"))
}

/// Reads certificate and key again on each SIGHUP: connections from then on get the new ones, and
/// nobody loses his. Files that do not work together change nothing.
async fn reload_on_hangup(
    name: &str,
    identity: Identity<'_>,
    mut hangups: Signal,
    reload: watch::Sender<Arc<ServerConfig>>,
) -> Infallible {
    while hangups.recv().await.is_some() {
        match identity.server_config() {
            Ok(config) => {
                reload.send_replace(Arc::new(config));
                tracing::info!(server = name, "certificate and key were read again");
            }
            Err(error) => tracing::error!(
                server = name,
                error,
                "certificate and key stay as they were: the files cannot be used"
            ),
        }
    }
    pending().await
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
        Ok(state) => Err(state.to_string()),
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

//! Common lifecycle of the server processes: startup, certificate reload, and reporting failures.

use crate::certificate_expiry::CertificateExpiry;
use crate::database::gate::DatabaseGate;
use crate::server::{self, ServerLimits};
use crate::shutdown::Shutdown;
use crate::telemetry::Metrics;
use crate::tls::Identity;
use poem::{Endpoint, Response};
use rustls::ServerConfig;
use std::convert::Infallible;
use std::future::{Future, pending};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// Where and with what identity a server listens.
pub struct Serving<'a> {
    /// Name in the log.
    pub name: &'a str,
    /// Listen address; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Certificate and key, reloaded on SIGHUP.
    pub identity: Identity<'a>,
    /// Limits of the listener.
    pub limits: ServerLimits,
    /// Listen address of the metrics, if any.
    pub metrics_listen: Option<SocketAddr>,
    /// Set once shutdown has begun.
    pub stopping: Shutdown,
    /// Expiry of the certificate.
    pub expiry: CertificateExpiry,
    /// Gate of the database, whose clock judges the expiry.
    pub gate: DatabaseGate,
}

impl Serving<'_> {
    /// Serves until `stop` resolves, then finishes the requests in flight.
    pub async fn run(
        self,
        endpoint: impl Endpoint<Output = Response> + 'static,
        metrics: Arc<Metrics>,
        stop: impl Future<Output = ()>,
    ) -> Result<(), String> {
        let hangups = hangups()?;
        let (reload, tls) = watch::channel(Arc::new(self.identity.server_config()?));
        self.note_expiry();
        let listen_error = |error| format!("cannot listen on {}: {error}", self.listen);
        let listener = TcpListener::bind(self.listen).await.map_err(listen_error)?;
        let address = listener.local_addr().map_err(listen_error)?;
        tracing::info!(server = self.name, %address, "listening");
        if let Some(address) = self.metrics_listen {
            tokio::spawn(serve_metrics(metrics, address));
        }
        let (limits, stopping) = (self.limits.clone(), self.stopping.clone());
        let serving = server::serve(listener, tls, endpoint, limits, stopping, stop);
        tokio::select! {
            () = serving => Ok(()),
            never = self.reload_on_hangup(hangups, reload) => match never {},
        }
    }

    /// Reloads certificate and key on each SIGHUP: new connections get the new ones, and existing
    /// connections are unaffected. Files that do not match change nothing.
    async fn reload_on_hangup(
        &self,
        mut hangups: Signal,
        reload: watch::Sender<Arc<ServerConfig>>,
    ) -> Infallible {
        while hangups.recv().await.is_some() {
            match self.identity.server_config() {
                Ok(config) => {
                    reload.send_replace(Arc::new(config));
                    tracing::info!(server = self.name, "certificate and key reloaded");
                    self.note_expiry();
                    if let Ok(now) = self.gate.check().await {
                        self.expiry.report(now);
                    }
                }
                Err(error) => tracing::error!(
                    server = self.name,
                    error,
                    "certificate and key not reloaded: the files cannot be used"
                ),
            }
        }
        pending().await
    }

    fn note_expiry(&self) {
        let replaced = self.identity.leaf().and_then(|leaf| self.expiry.replace(&leaf));
        if let Err(error) = replaced {
            tracing::warn!(error, "the certificate's expiry is unknown");
        }
    }
}

/// Keeps SIGHUP from terminating the process, which is its default action. A server that does not
/// serve yet reads its certificate later anyway.
pub fn survive_hangups() -> Result<(), String> {
    hangups().map(drop)
}

fn hangups() -> Result<Signal, String> {
    signal(SignalKind::hangup()).map_err(|error| format!("cannot handle SIGHUP: {error}"))
}

/// Serves metrics alongside the server, which runs on if that fails.
async fn serve_metrics(metrics: Arc<Metrics>, address: SocketAddr) {
    if let Err(error) = metrics.serve(address).await {
        tracing::error!(%error, %address, "cannot serve metrics");
    }
}

/// Returns a command's exit code, after printing its errors to standard error, one per line.
#[expect(clippy::print_stderr, reason = "the log may not have started")]
pub fn exit_code(command: &str, outcome: Result<(), String>) -> ExitCode {
    let Err(faults) = outcome else { return ExitCode::SUCCESS };
    for fault in faults.lines() {
        eprintln!("{command}: {fault}");
    }
    ExitCode::FAILURE
}

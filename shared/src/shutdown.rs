//! Graceful shutdown: how a server is told to stop, and how it announces it first.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

/// Shutdown flag. The server's readiness reports it, so that load balancers send requests elsewhere
/// before it accepts no more.
#[derive(Clone, Debug, Default)]
pub struct Shutdown(Arc<AtomicBool>);

impl Shutdown {
    /// True once the server was told to stop.
    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Resolves `delay` after `stop`, the time load balancers need to notice; immediately on a
    /// second signal.
    pub async fn after(self, stop: impl Future<Output = ()>, delay: Duration) {
        stop.await;
        self.0.store(true, Ordering::Relaxed);
        if delay.is_zero() {
            return;
        }
        tracing::info!(seconds = delay.as_secs(), "no longer ready, stopping soon");
        tokio::select! {
            () = sleep(delay) => {}
            () = stop_signal() => {}
        }
    }
}

/// Resolves when the process is asked to stop: SIGTERM, or Ctrl-C.
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
}

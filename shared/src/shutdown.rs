//! Graceful shutdown: stop signals, and the unready state that tells load balancers first.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};
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

/// Resolves when the process is asked to stop: SIGTERM, or Ctrl-C. Signals count from this call on,
/// whenever the result is polled.
pub fn stop_signal() -> impl Future<Output = ()> {
    let (terminate, interrupt) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    async {
        tokio::select! {
            () = received(terminate) => {}
            () = received(interrupt) => {}
        }
    }
}

async fn received(signal: io::Result<Signal>) {
    match signal {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    }
}

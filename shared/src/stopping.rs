//! How a server learns that it is to stop, and says so before it does.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

/// Whether a server is about to stop: it says so in its readiness, so that load balancers send
/// their requests elsewhere before it takes no more.
#[derive(Clone, Debug, Default)]
pub struct Stopping(Arc<AtomicBool>);

impl Stopping {
    /// True from the moment on at which the server was told to stop.
    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ready so long after `stop` as load balancers need to notice; at once when the process is
    /// told a second time.
    pub async fn after(self, stop: impl Future<Output = ()>, delay: Duration) {
        stop.await;
        self.0.store(true, Ordering::Relaxed);
        if delay.is_zero() {
            return;
        }
        tracing::info!(seconds = delay.as_secs(), "not ready any more, and stopping soon");
        tokio::select! {
            () = sleep(delay) => {}
            () = stop_signal() => {}
        }
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
}

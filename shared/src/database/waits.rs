//! How long requests wait for their turn, as metrics: for a batch, for a database connection, for a
//! row.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::{Registry, Unit};
use std::sync::LazyLock;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

/// Waits of all requests of this process.
pub static WAITS: LazyLock<Waits> = LazyLock::new(Waits::default);

/// Times that requests have waited, in total.
#[derive(Debug, Default)]
pub struct Waits {
    /// For the batch that a question is in.
    pub batch: Wait,
    /// For a database connection, or until a transaction has begun.
    pub connection: Wait,
    /// For the lock on a row within this process.
    pub row: Wait,
}

/// A total time.
#[derive(Clone, Debug, Default)]
pub struct Wait(Counter<f64, AtomicU64>);

impl Wait {
    /// Adds a wait.
    pub fn add(&self, waited: Duration) {
        self.0.inc_by(waited.as_secs_f64());
    }

    /// Adds the wait for this future.
    pub async fn measure<T>(&self, turn: impl Future<Output = T>) -> T {
        let since = tokio::time::Instant::now();
        let value = turn.await;
        self.add(since.elapsed());
        value
    }
}

impl Waits {
    pub(crate) fn register(&self, registry: &mut Registry) {
        for (name, help, Wait(wait)) in [
            ("batch_wait", "Time that lookups and payments waited for their batch", &self.batch),
            ("connection_wait", "Time until a database connection was free", &self.connection),
            (
                "row_wait",
                "Time that requests waited for other requests to this server that write to the same row",
                &self.row,
            ),
        ] {
            registry.register_with_unit(name, help, Unit::Seconds, wait.clone());
        }
    }
}

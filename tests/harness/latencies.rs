//! Latency percentiles.

use serde::Serialize;
use std::time::Duration;

/// Percentiles, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latencies {
    /// The median.
    pub p50_ms: f64,
    /// The 95th percentile.
    pub p95_ms: f64,
    /// The 99th percentile.
    pub p99_ms: f64,
    /// The maximum.
    pub max_ms: f64,
}

impl Latencies {
    /// Computes the percentiles; `None` if there are no latencies.
    pub fn of(latencies: &[Duration]) -> Option<Self> {
        let mut sorted: Vec<f64> =
            latencies.iter().map(|latency| latency.as_secs_f64() * 1000.0).collect();
        sorted.sort_by(f64::total_cmp);
        let max_ms = *sorted.last()?;
        // The smallest latency that this share of all does not exceed.
        let at_most = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100) - 1];
        Some(Self { p50_ms: at_most(50), p95_ms: at_most(95), p99_ms: at_most(99), max_ms })
    }
}

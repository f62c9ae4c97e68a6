//! What many latencies come to.

use serde::Serialize;
use std::time::Duration;

/// Percentiles, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latencies {
    /// Half of all take no longer.
    pub p50_ms: f64,
    /// 95 of a hundred take no longer.
    pub p95_ms: f64,
    /// 99 of a hundred take no longer.
    pub p99_ms: f64,
    /// The longest.
    pub max_ms: f64,
}

impl Latencies {
    /// Of these; none where there are none.
    pub fn of(latencies: &[Duration]) -> Option<Self> {
        let mut sorted: Vec<f64> =
            latencies.iter().map(|latency| latency.as_secs_f64() * 1000.0).collect();
        sorted.sort_by(f64::total_cmp);
        let max_ms = *sorted.last()?;
        // The smallest that this share of all does not exceed.
        let at_most = |percent: usize| sorted[(sorted.len() * percent).div_ceil(100) - 1];
        Some(Self { p50_ms: at_most(50), p95_ms: at_most(95), p99_ms: at_most(99), max_ms })
    }
}

//! Memory of a process, as reported by the operating system.

use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::sleep;

/// The sampling interval.
const EVERY: Duration = Duration::from_millis(100);

/// Current resident memory.
const RESIDENT: &str = "VmRSS:";
/// Peak resident memory since the process started.
const PEAK: &str = "VmHWM:";

/// Resident memory over a period, in KiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Memory {
    /// At the start of the period.
    pub before_kib: u64,
    /// The highest sample.
    pub seen_kib: u64,
    /// The peak since the process started, including between samples.
    pub peak_kib: u64,
}

/// Samples the memory of a process every 100 ms.
pub struct Sampler {
    process: u32,
    before_kib: u64,
    seen_kib: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

/// The current resident memory of a process, in KiB; `None` if there is no such process or the
/// system does not report it.
pub fn resident_kib(process: u32) -> Option<u64> {
    figure_kib(process, RESIDENT)
}

/// The peak resident memory of a process so far, in KiB.
pub fn peak_kib(process: u32) -> Option<u64> {
    figure_kib(process, PEAK)
}

fn figure_kib(process: u32, name: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim_end_matches("kB").trim().parse().ok()
}

impl Sampler {
    pub fn start(process: u32) -> Result<Self, String> {
        let unreadable = || format!("cannot read the memory of process {process}");
        let before_kib = resident_kib(process).ok_or_else(unreadable)?;
        let seen_kib = Arc::new(AtomicU64::new(before_kib));
        let seen = Arc::clone(&seen_kib);
        let task = tokio::spawn(async move {
            while let Some(resident) = resident_kib(process) {
                seen.fetch_max(resident, Ordering::Relaxed);
                sleep(EVERY).await;
            }
        });
        Ok(Self { process, before_kib, seen_kib, task })
    }

    /// The figures so far.
    pub fn so_far(&self) -> Memory {
        let seen_kib = self.seen_kib.load(Ordering::Relaxed);
        let peak_kib = peak_kib(self.process).unwrap_or_default().max(seen_kib);
        Memory { before_kib: self.before_kib, seen_kib, peak_kib }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.task.abort();
    }
}

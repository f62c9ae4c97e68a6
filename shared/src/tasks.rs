//! Supervised background tasks: periodic work for as long as a server runs. A run that fails or
//! panics is logged, counted and retried, and affects nothing else.

use crate::database::gate::{DatabaseGate, Unready};
use crate::telemetry::Metrics;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use strum::IntoStaticStr;
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};

/// Pause after the first failure. It doubles with each further one, up to the task's interval.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Time limit of a run, at least this and ten intervals: something that it waits for, such as a
/// database that fell silent, may never answer.
const RUN_TIME_MIN: Duration = Duration::from_secs(10 * 60);
/// Pause before the database gate is tried again.
const CLOSED_PAUSE: Duration = Duration::from_secs(2);
/// Consecutive failures that count as a problem: one or two are normal when a database restarts.
const FAILURES_MIN: u32 = 3;

/// The background tasks of a server.
#[derive(Clone)]
pub struct Tasks {
    gate: DatabaseGate,
    check: GateCheck,
    runs: Family<RunLabels, Counter>,
    failures: Family<TaskLabel, Gauge>,
    failing: Arc<Mutex<BTreeMap<&'static str, u32>>>,
}

/// A task that keeps failing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailingTask {
    /// Name of the task.
    pub task: &'static str,
    /// Consecutive failures.
    pub failures: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RunLabels {
    task: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TaskLabel {
    task: &'static str,
}

#[derive(Clone, Copy, Debug, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum RunOutcome {
    Done,
    Failed,
    TimedOut,
    Panicked,
}

/// Which check of the database gate a run relies on.
#[derive(Clone, Copy, Debug)]
enum GateCheck {
    /// One that is at most two seconds old.
    Recent,
    /// One that begins now.
    Now,
}

impl Tasks {
    /// Returns an empty set of tasks, with their runs counted in `metrics`.
    pub fn new(gate: DatabaseGate, metrics: &mut Metrics) -> Self {
        let (runs, failures) = (Family::default(), Family::default());
        let (check, failing) = (GateCheck::Recent, Arc::default());
        let tasks = Self { gate, check, runs, failures, failing };
        metrics.register("background_runs", "Runs of background tasks", tasks.runs.clone());
        let help = "Failed runs of a background task since its last success";
        metrics.register("background_failures", help, tasks.failures.clone());
        tasks
    }

    /// The same tasks for work that cannot be undone, such as sweeps: the database, its clock included,
    /// is checked right before each run.
    #[must_use]
    pub fn irreversible(&self) -> Self {
        Self { check: GateCheck::Now, ..self.clone() }
    }

    /// The gate without which no task runs.
    pub fn gate(&self) -> &DatabaseGate {
        &self.gate
    }

    /// Runs this work now, and again after each interval, until the process ends, but not while the
    /// database gate is closed.
    pub fn every<S, W, R, E>(&self, state: &Arc<S>, interval: Duration, task: &'static str, work: W)
    where
        S: Send + Sync + 'static,
        W: Fn(Arc<S>) -> R + Send + 'static,
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: fmt::Display + Send + 'static,
    {
        let (tasks, state) = (self.clone(), Arc::clone(state));
        let time_limit = RUN_TIME_MIN.max(interval.saturating_mul(10));
        tokio::spawn(async move {
            loop {
                let checked = match tasks.check {
                    GateCheck::Recent => tasks.gate.pass().await,
                    GateCheck::Now => tasks.gate.check().await.map(drop),
                };
                let outcome = match checked {
                    Ok(()) => run(task, timeout(time_limit, work(Arc::clone(&state)))).await,
                    Err(Unready::Closed(_)) => {
                        sleep(CLOSED_PAUSE.min(interval)).await;
                        continue;
                    }
                    Err(error) => failed(task, &error),
                };
                let failures = tasks.count(task, outcome);
                sleep(pause(interval, failures)).await;
            }
        });
    }

    /// Returns the tasks that keep failing.
    pub fn failing(&self) -> Vec<FailingTask> {
        let failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        let failing = failing.iter().map(|(&task, &failures)| FailingTask { task, failures });
        failing.filter(|failing| failing.failures >= FAILURES_MIN).collect()
    }

    /// Counts a run; returns the number of consecutive failures.
    fn count(&self, task: &'static str, outcome: RunOutcome) -> u32 {
        self.runs.get_or_create(&RunLabels { task, outcome: outcome.into() }).inc();
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        let failures = match outcome {
            RunOutcome::Done => {
                failing.remove(task);
                0
            }
            RunOutcome::Failed | RunOutcome::TimedOut | RunOutcome::Panicked => {
                let failures = failing.entry(task).or_default();
                *failures = failures.saturating_add(1);
                *failures
            }
        };
        self.failures.get_or_create(&TaskLabel { task }).set(i64::from(failures));
        failures
    }
}

/// Runs the work in its own Tokio task, which a panic ends instead of the caller.
async fn run<E: fmt::Display + Send + 'static>(
    task: &'static str,
    work: impl Future<Output = Result<Result<(), E>, Elapsed>> + Send + 'static,
) -> RunOutcome {
    match tokio::spawn(work).await {
        Ok(Ok(Ok(()))) => RunOutcome::Done,
        Ok(Ok(Err(error))) => failed(task, &error),
        Ok(Err(_)) => {
            tracing::warn!(task, "a background task took too long");
            RunOutcome::TimedOut
        }
        Err(error) => {
            tracing::error!(task, %error, "a background task panicked");
            RunOutcome::Panicked
        }
    }
}

fn failed(task: &'static str, error: &dyn fmt::Display) -> RunOutcome {
    tracing::warn!(task, %error, "a background task failed");
    RunOutcome::Failed
}

/// Returns the pause before the next run.
fn pause(interval: Duration, failures: u32) -> Duration {
    match failures.checked_sub(1) {
        None => interval,
        Some(doublings) => RETRY_PAUSE.saturating_mul(1 << doublings.min(16)).min(interval),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::gate::Closed;
    use std::sync::atomic::{AtomicU32, Ordering};
    use tokio::sync::mpsc;

    #[tokio::test]
    async fn a_failing_or_panicking_run_is_counted_and_retried() {
        let tasks = Tasks::new(DatabaseGate::answering(|| Ok(())), &mut Metrics::default());
        let (sender, mut seen) = mpsc::channel(1);
        let state = Arc::new((tasks.clone(), AtomicU32::new(0)));
        tasks.every(&state, Duration::from_millis(5), "work", move |state| {
            let run = state.1.fetch_add(1, Ordering::Relaxed);
            let (sender, failing) = (sender.clone(), state.0.failing());
            async move {
                sender.send(failing).await.expect("the test listens");
                match run {
                    0..4 => Err("not now".to_owned()),
                    4 => panic!("a defect"),
                    _ => Ok(()),
                }
            }
        });
        for (run, failures) in
            [None, None, None, Some(3), Some(4), Some(5), None].iter().enumerate()
        {
            let failing = failures.map(|failures| FailingTask { task: "work", failures });
            assert_eq!(seen.recv().await.unwrap(), Vec::from_iter(failing), "before run {run}");
        }
        let outcomes = ["failed", "panicked"];
        let counted = outcomes
            .map(|outcome| tasks.runs.get_or_create(&RunLabels { task: "work", outcome }).get());
        assert_eq!(counted, [4, 1]);
    }

    #[tokio::test]
    async fn no_task_runs_before_the_gate_opens() {
        let asked = Arc::new(AtomicU32::new(0));
        let gate = DatabaseGate::answering({
            let asked = Arc::clone(&asked);
            move || match asked.fetch_add(1, Ordering::Relaxed) {
                0..3 => Err(Closed::ReadOnly),
                _ => Ok(()),
            }
        });
        let tasks = Tasks::new(gate, &mut Metrics::default());
        let (sender, mut began) = mpsc::channel(1);
        tasks.every(&asked, Duration::from_millis(5), "work", move |asked| {
            let (sender, checks) = (sender.clone(), asked.load(Ordering::Relaxed));
            async move { sender.send(checks).await }
        });
        assert_eq!(began.recv().await, Some(4));
        assert_eq!(tasks.failing(), []);
    }

    #[test]
    fn the_pause_after_failures_never_exceeds_the_interval() {
        let minute = Duration::from_secs(60);
        for (failures, seconds) in [(0, 60), (1, 1), (2, 2), (6, 32), (7, 60), (u32::MAX, 60)] {
            assert_eq!(pause(minute, failures).as_secs(), seconds, "{failures}");
        }
    }
}

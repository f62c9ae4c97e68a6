//! Many concurrent senders, and the work left when they stop.

use super::jobs::{Job, State};
use super::responses::{Attempt, Outcome};
use super::sender::{LoadMix, Replica, Sender, SentJobs};
use acceptance::lean_client::{HttpVersion, LeanClient};
use acceptance::{Client, World};
use futures_util::StreamExt;
use futures_util::stream;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// How many payments, and how many other jobs, are sent once more although they were acknowledged.
const REPEATED: usize = 200;
/// Concurrent requests when the last jobs are sent.
const CONCURRENCY: usize = 8;
/// The most attempts for a job that is not acknowledged.
const ATTEMPTS_MAX: usize = 30;
/// How long a dead server's claim on an Idempotency-Key holds.
const LEASE_SECONDS: i64 = 60;

/// Number of senders so far. No two have the same number, which is part of their keys.
static SENDERS: AtomicU32 = AtomicU32::new(0);

/// Senders at work.
pub struct Load {
    senders: JoinSet<SentJobs>,
    stop: Arc<AtomicBool>,
    bar: ProgressBar,
    started: Instant,
}

pub struct LoadResult {
    /// What was sent and answered.
    pub sent: SentJobs,
    /// From the first request to the last response.
    pub elapsed: Duration,
}

/// A sender with its own connections to these servers, of which it uses the first until that fails.
async fn sender(world: &World, servers: &[Client]) -> Result<Sender, String> {
    let World { tls, credentials, .. } = world;
    let secret = &credentials.integration;
    let replica = |Client { auth_url, api_url, .. }: &Client| Replica {
        client: Client::new(auth_url, api_url, &tls.authority, secret),
        api: LeanClient::new(api_url, &tls.authority, HttpVersion::Http1),
    };
    Sender::log_in(servers.iter().map(replica).collect(), &credentials.teller).await
}

impl Load {
    /// Logs in this many senders, at these replicas in turn, and lets them all begin at the same
    /// time. A sender moves to the next replica when its own is away.
    pub async fn start(
        world: &World,
        replicas: &[Client],
        senders: u32,
        mix: LoadMix,
    ) -> Result<Self, String> {
        let mut ready = Vec::new();
        let mut replicas = replicas.to_vec();
        for _ in 0..senders {
            ready.push(sender(world, &replicas).await?);
            replicas.rotate_left(1);
        }
        let style = ProgressStyle::with_template("{spinner} {elapsed} {pos} posted, {per_sec}");
        let bar = ProgressBar::new_spinner().with_style(style.map_err(|error| error.to_string())?);
        bar.enable_steady_tick(Duration::from_millis(200));
        let (mix, stop) = (Arc::new(mix), Arc::new(AtomicBool::new(false)));
        let mut tasks = JoinSet::new();
        let started = Instant::now();
        for sender in ready {
            let number = SENDERS.fetch_add(1, Ordering::Relaxed);
            let (mix, stop, bar) = (Arc::clone(&mix), Arc::clone(&stop), bar.clone());
            tasks.spawn(sender.post_until(number, mix, stop, bar));
        }
        Ok(Self { senders: tasks, stop, bar, started })
    }

    /// Lets every sender finish its current request.
    pub async fn end(mut self) -> Result<LoadResult, String> {
        self.stop.store(true, Ordering::Relaxed);
        let mut sent = SentJobs::default();
        while let Some(joined) = self.senders.join_next().await {
            sent.append(joined.map_err(|error| error.to_string())?);
        }
        self.bar.finish_and_clear();
        sent.attempts.sort_by_key(Attempt::answered_at);
        Ok(LoadResult { sent, elapsed: self.started.elapsed() })
    }
}

/// Sends what was never acknowledged until it is, and some acknowledged jobs once more. Returns
/// what must not happen.
pub async fn finish(world: &World, jobs: &mut [Job]) -> Result<Vec<String>, String> {
    let sender = sender(world, std::slice::from_ref(&world.client)).await?;
    // A minute passes by the database's clock, so that claims of dead servers expire.
    world.age("idempotency_records", &["lease_until"], LEASE_SECONDS).await;
    let mut faults = Vec::new();
    for payments in [true, false] {
        let is_acknowledged = |job: &&Job| job.keyed && matches!(job.state, State::Acknowledged(_));
        let is_of_kind = |job: &&Job| job.kind().is_payment() == payments;
        let acknowledged_jobs: Vec<&Job> =
            jobs.iter().filter(is_acknowledged).filter(is_of_kind).collect();
        let step = (acknowledged_jobs.len() / REPEATED).max(1);
        let repeats = acknowledged_jobs.into_iter().step_by(step).map(|job| repeat(&sender, job));
        let repeats: Vec<_> = stream::iter(repeats).buffer_unordered(CONCURRENCY).collect().await;
        faults.extend(repeats.into_iter().flatten());
    }
    let open = jobs.iter_mut().filter(|job| job.state == State::Open);
    let open = open.map(|job| send_until_answered(&sender, job));
    let open: Vec<_> = stream::iter(open).buffer_unordered(CONCURRENCY).collect().await;
    faults.extend(open.into_iter().flatten());
    Ok(faults)
}

/// Sends an acknowledged job once more: the response must equal the first one.
async fn repeat(sender: &Sender, job: &Job) -> Option<String> {
    let outcome = sender.send(job).await.0.outcome;
    let is_same = matches!(outcome, Outcome::Replayed(_)) && outcome.state() == job.state;
    (!is_same).then(|| format!("{} sent once more: {outcome:?}", job.name))
}

/// Sends a job until its response is known.
async fn send_until_answered(sender: &Sender, job: &mut Job) -> Option<String> {
    let mut last_outcome = None;
    for _ in 0..ATTEMPTS_MAX {
        let (attempt, pause) = sender.send(job).await;
        job.state = attempt.outcome.state();
        if job.state != State::Open {
            return None;
        }
        last_outcome = Some(attempt.outcome);
        sleep(pause).await;
    }
    Some(format!("{} is still not acknowledged: {last_outcome:?}", job.name))
}

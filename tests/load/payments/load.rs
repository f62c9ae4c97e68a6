//! Many concurrent senders, and the work left when they stop.

use super::answers::{Answered, Outcome};
use super::jobs::{Job, State};
use super::sender::{Aim, Sender, Sent};
use acceptance::{Client, World};
use futures_util::StreamExt;
use futures_util::stream;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// How many payments, and how many other jobs, are sent once more although they were acknowledged.
const AGAIN: usize = 200;
/// Concurrent requests when the last jobs are sent.
const AT_ONCE: usize = 8;
/// The most attempts for a job that is not acknowledged.
const TRIES: usize = 30;
/// How long a dead server's claim on an Idempotency-Key holds.
const LEASE_SECONDS: i64 = 60;

/// Senders at work.
pub struct Load {
    senders: JoinSet<Sent>,
    stop: Arc<AtomicBool>,
    bar: ProgressBar,
    started: Instant,
}

/// The result of a load.
pub struct Done {
    /// What was sent and answered.
    pub sent: Sent,
    /// From the first request to the last answer.
    pub elapsed: Duration,
}

/// A sender with its own connections to these servers, of which it uses the first until that fails.
async fn sender(world: &World, servers: &[Client]) -> Result<Sender, String> {
    let World { tls, credentials, .. } = world;
    let secret = &credentials.integration;
    let own = |of: &Client| Client::new(&of.auth_url, &of.api_url, &tls.authority, secret);
    Sender::log_in(servers.iter().map(own).collect(), &credentials.teller).await
}

impl Load {
    /// Logs in this many senders, at these replicas in turn, and lets them all begin at the same
    /// time. A sender moves to the next replica when its own is away.
    pub async fn start(
        world: &World,
        replicas: &[Client],
        senders: u32,
        aim: Aim,
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
        let (aim, stop) = (Arc::new(aim), Arc::new(AtomicBool::new(false)));
        let mut tasks = JoinSet::new();
        let started = Instant::now();
        for (number, sender) in (0..).zip(ready) {
            let (aim, stop, bar) = (Arc::clone(&aim), Arc::clone(&stop), bar.clone());
            tasks.spawn(sender.post_until(number, aim, stop, bar));
        }
        Ok(Self { senders: tasks, stop, bar, started })
    }

    /// Lets every sender finish its current request.
    pub async fn end(mut self) -> Result<Done, String> {
        self.stop.store(true, Ordering::Relaxed);
        let mut sent = Sent::default();
        while let Some(joined) = self.senders.join_next().await {
            let mut one = joined.map_err(|error| error.to_string())?;
            sent.jobs.append(&mut one.jobs);
            sent.answered.append(&mut one.answered);
        }
        self.bar.finish_and_clear();
        sent.answered.sort_by_key(Answered::at);
        Ok(Done { sent, elapsed: self.started.elapsed() })
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
        let acknowledged = |job: &&Job| job.keyed && matches!(job.state, State::Acknowledged(_));
        let of_kind = |job: &&Job| job.kind().is_payment() == payments;
        let some: Vec<&Job> = jobs.iter().filter(acknowledged).filter(of_kind).collect();
        let step = (some.len() / AGAIN).max(1);
        let again = some.into_iter().step_by(step).map(|job| send_again(&sender, job));
        let again: Vec<_> = stream::iter(again).buffer_unordered(AT_ONCE).collect().await;
        faults.extend(again.into_iter().flatten());
    }
    let open = jobs.iter_mut().filter(|job| job.state == State::Open);
    let open = open.map(|job| send_open(&sender, job));
    let open: Vec<_> = stream::iter(open).buffer_unordered(AT_ONCE).collect().await;
    faults.extend(open.into_iter().flatten());
    Ok(faults)
}

/// Sends an acknowledged job once more: the answer must equal the first one.
async fn send_again(sender: &Sender, job: &Job) -> Option<String> {
    let outcome = sender.send(job).await.0.outcome;
    let right = matches!(outcome, Outcome::Replayed(_)) && outcome.state() == job.state;
    (!right).then(|| format!("{} sent once more: {outcome:?}", job.name))
}

/// Sends a job until its answer is known.
async fn send_open(sender: &Sender, job: &mut Job) -> Option<String> {
    let mut last = None;
    for _ in 0..TRIES {
        let (answered, pause) = sender.send(job).await;
        job.state = answered.outcome.state();
        if job.state != State::Open {
            return None;
        }
        last = Some(answered.outcome);
        sleep(pause).await;
    }
    Some(format!("{} is not acknowledged even now: {last:?}", job.name))
}

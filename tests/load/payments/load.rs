//! Many senders at once, and what is left to do when they are stopped.

use super::answers::{Answered, Outcome};
use super::sender::{Aim, Payment, Sender, Sent};
use acceptance::{Client, World};
use futures_util::StreamExt;
use futures_util::stream;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// Payments that are sent once more although they were acknowledged.
const AGAIN: usize = 200;
/// Requests at once when the last payments are sent.
const AT_ONCE: usize = 8;
/// A payment that was not acknowledged is sent so often at most.
const TRIES: usize = 30;
/// How long a claim on an Idempotency-Key holds when the server that had it is dead.
const LEASE_SECONDS: i64 = 60;

/// Senders at work.
pub struct Load {
    senders: JoinSet<Sent>,
    stop: Arc<AtomicBool>,
    bar: ProgressBar,
    started: Instant,
}

/// What became of a load.
pub struct Done {
    /// What was sent and answered.
    pub sent: Sent,
    /// From the first request to the last answer.
    pub elapsed: Duration,
}

/// A sender with a connection of its own.
async fn sender(world: &World) -> Result<Sender, String> {
    let World { client, tls, credentials, .. } = world;
    let secret = &credentials.integration;
    let client = Client::new(&client.auth_url, &client.api_url, &tls.authority, secret);
    Sender::log_in(client, &credentials.teller).await
}

impl Load {
    /// Logs so many senders in and lets them begin all at once.
    pub async fn start(world: &World, senders: u32, aim: Aim) -> Result<Self, String> {
        let mut ready = Vec::new();
        for _ in 0..senders {
            ready.push(sender(world).await?);
        }
        let style = ProgressStyle::with_template("{spinner} {elapsed} {pos} payments, {per_sec}");
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

    /// Lets every sender finish the request it has begun.
    pub async fn end(mut self) -> Result<Done, String> {
        self.stop.store(true, Ordering::Relaxed);
        let mut sent = Sent::default();
        while let Some(joined) = self.senders.join_next().await {
            let mut one = joined.map_err(|error| error.to_string())?;
            sent.payments.append(&mut one.payments);
            sent.answered.append(&mut one.answered);
        }
        self.bar.finish_and_clear();
        sent.answered.sort_by_key(Answered::at);
        Ok(Done { sent, elapsed: self.started.elapsed() })
    }
}

/// Sends what was never acknowledged until it is, and some payments once more that were. Gives back
/// what must not be.
pub async fn finish(world: &World, payments: &mut [Payment]) -> Result<Vec<String>, String> {
    let sender = sender(world).await?;
    // A minute passes by the database's clock: claims of servers that died have lapsed.
    world.age("idempotency_records", &["lease_until"], LEASE_SECONDS).await;
    let (acknowledged, open): (Vec<_>, Vec<_>) =
        payments.iter_mut().partition(|payment| payment.transaction_id.is_some());
    let step = (acknowledged.len() / AGAIN).max(1);
    let again = acknowledged.iter().step_by(step).map(|payment| {
        let sender = &sender;
        async move {
            let outcome = sender.send(payment).await.0.outcome;
            let right = payment.transaction_id.is_some_and(|id| outcome == Outcome::Replayed(id));
            (!right).then(|| format!("{} sent once more: {outcome:?}", payment.name))
        }
    });
    let again: Vec<_> = stream::iter(again).buffer_unordered(AT_ONCE).collect().await;
    let open = open.into_iter().map(|payment| {
        let sender = &sender;
        async move {
            let mut last = None;
            for _ in 0..TRIES {
                let (answered, pause) = sender.send(payment).await;
                payment.transaction_id = answered.outcome.transaction();
                if payment.transaction_id.is_some() {
                    return None;
                }
                last = Some(answered.outcome);
                sleep(pause).await;
            }
            Some(format!("{} is not acknowledged even now: {last:?}", payment.name))
        }
    });
    let open: Vec<_> = stream::iter(open).buffer_unordered(AT_ONCE).collect().await;
    Ok(again.into_iter().chain(open).flatten().collect())
}

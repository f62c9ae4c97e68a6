//! A load during which a fault occurs, and the rules for its responses.

use super::faults::{Fault, FaultTimeline};
use super::load::{Load, LoadResult};
use super::responses::{Attempt, ResponseTable};
use super::sender::{LoadMix, SentJobs};
use super::verdicts::unexpected_outcomes;
use acceptance::World;
use acceptance::postgres::Postgres;
use std::time::Duration;
use tokio::time::sleep;

/// Once everything is back to normal, payments must be posted again within this time, and
/// afterwards no request may be refused because of the fault.
const RECOVERY_MAX: Duration = Duration::from_secs(10);
/// The shortest time for which payments are posted before and after the fault.
const BEFORE: Duration = Duration::from_secs(2);
const AFTER: Duration = Duration::from_secs(12);

/// Posts payments during this fault. Returns what must not happen, one line each.
pub async fn run(
    fault: Fault,
    duration: Duration,
    clients: u32,
    mix: LoadMix,
    world: &mut World,
    postgres: &Postgres,
) -> Result<(SentJobs, Vec<String>), String> {
    let replicas = [world.client.clone()];
    let load = Load::start(world, &replicas, clients, mix).await?;
    sleep(BEFORE.max(duration / 4)).await;
    let timeline = fault.inject(world, postgres).await?;
    sleep(AFTER.max(duration / 2)).await;
    let LoadResult { sent, elapsed } = load.end().await?;
    println!("fault {}: payments for {:.0} s", fault.name(), elapsed.as_secs_f64());
    print!("{}", ResponseTable(&sent.attempts));
    for action in &timeline.operator_actions {
        println!("  the operator: {action}");
    }
    let mut faults = unexpected_outcomes(&sent.attempts, &timeline.api_downtimes, |kind, _| {
        fault.explains(kind)
    });
    if !sent.attempts.iter().any(|attempt| attempt.outcome.is_outage()) {
        faults.push("the fault affected no request".to_owned());
    }
    faults.extend(check_recovery(&sent.attempts, &timeline));
    Ok((sent, faults))
}

/// Prints how long the recovery took, and reports if it was too long.
fn check_recovery(attempts: &[Attempt], timeline: &FaultTimeline) -> Vec<String> {
    let Some(ended) = timeline.ended else { return vec!["the fault was never lifted".to_owned()] };
    let since = |attempt: &Attempt| attempt.answered_at().saturating_duration_since(ended);
    let sent_after = |attempt: &&Attempt| attempt.sent >= ended;
    let first =
        attempts.iter().filter(sent_after).find(|attempt| attempt.outcome.is_posted()).map(since);
    let last = attempts.iter().filter(|attempt| attempt.outcome.is_outage()).map(since).max();
    let last = last.unwrap_or_default();
    let Some(first) = first else {
        return vec!["nothing was posted after the fault".to_owned()];
    };
    println!(
        "  recovered after {:.2} s; last affected response after {:.2} s (allowed {} s)",
        first.as_secs_f64(),
        last.as_secs_f64(),
        RECOVERY_MAX.as_secs()
    );
    match first.max(last) > RECOVERY_MAX {
        true => vec!["the service did not recover in time".to_owned()],
        false => Vec::new(),
    }
}

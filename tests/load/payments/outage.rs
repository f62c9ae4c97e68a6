//! A load during which a fault occurs, and the rules for its answers.

use super::answers::{Answered, Table};
use super::faults::{Blows, Fault};
use super::judging::wrong_answers;
use super::load::{Done, Load};
use super::sender::{Aim, Sent};
use acceptance::World;
use acceptance::postgres::Postgres;
use std::time::Duration;
use tokio::time::sleep;

/// Once everything is back to normal, payments must be posted again within this time, and
/// afterwards no request may be refused because of the fault.
const BACK: Duration = Duration::from_secs(10);
/// The shortest time for which payments are posted before and after the fault.
const BEFORE: Duration = Duration::from_secs(2);
const AFTER: Duration = Duration::from_secs(12);

/// Posts payments during this fault. Returns what must not happen, one line each.
pub async fn run(
    fault: Fault,
    duration: Duration,
    clients: u32,
    aim: Aim,
    world: &mut World,
    postgres: &Postgres,
) -> Result<(Sent, Vec<String>), String> {
    let replicas = [world.client.clone()];
    let load = Load::start(world, &replicas, clients, aim).await?;
    sleep(BEFORE.max(duration / 4)).await;
    let blows = fault.strike(world, postgres).await?;
    sleep(AFTER.max(duration / 2)).await;
    let Done { sent, elapsed } = load.end().await?;
    println!("fault {}: payments for {:.0} s", fault.name(), elapsed.as_secs_f64());
    print!("{}", Table(&sent.answered));
    for done in &blows.operator {
        println!("  the operator: {done}");
    }
    let mut faults = wrong_answers(&sent.answered, &blows.dead, |kind, _| fault.explains(kind));
    if !sent.answered.iter().any(|answered| answered.outcome.is_outage()) {
        faults.push("nobody has felt the fault".to_owned());
    }
    faults.extend(come_back(&sent.answered, &blows));
    Ok((sent, faults))
}

/// Prints how long the recovery took, and reports if it was too long.
fn come_back(answered: &[Answered], blows: &Blows) -> Vec<String> {
    let Some(ended) = blows.ended else { return vec!["the fault has no end".to_owned()] };
    let since = |answered: &Answered| answered.at().saturating_duration_since(ended);
    let begun_after = |answered: &&Answered| answered.sent >= ended;
    let first = answered
        .iter()
        .filter(begun_after)
        .find(|answered| answered.outcome.is_posted())
        .map(since);
    let last = answered.iter().filter(|answered| answered.outcome.is_outage()).map(since).max();
    let last = last.unwrap_or_default();
    let Some(first) = first else {
        return vec!["nothing was posted after the fault".to_owned()];
    };
    println!(
        "  back after {:.2} s; the last answer for the fault after {:.2} s (allowed {} s)",
        first.as_secs_f64(),
        last.as_secs_f64(),
        BACK.as_secs()
    );
    match first.max(last) > BACK {
        true => vec!["the service did not come back in time".to_owned()],
        false => Vec::new(),
    }
}

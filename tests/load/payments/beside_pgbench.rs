//! Payments per second, compared with the transactions per second of pgbench.

use super::answers::{Answered, Outcome, Table};
use super::judging::wrong_answers;
use super::load::{Done, Load};
use super::sender::{Aim, Sent};
use acceptance::latencies::Latencies;
use acceptance::pgbench::{Pgbench, PgbenchFigures};
use acceptance::postgres::Postgres;
use acceptance::{World, databases};
use std::time::Duration;
use tokio::time::sleep;

/// Accounts of pgbench, in hundred thousands.
const SCALE: u32 = 10;
/// Statements in one transaction of pgbench, including BEGIN and COMMIT.
const STATEMENTS: u32 = 7;

/// The measured figures.
struct Figures {
    before: PgbenchFigures,
    after: PgbenchFigures,
    payments: Rate,
    /// Other requests about drawers.
    others: Option<Rate>,
    statements_each: f64,
}

/// Answers per second with something posted, and their latencies.
struct Rate {
    per_second: f64,
    latencies: Latencies,
}

/// Posts payments for this long. Returns what must not happen, one line each.
pub async fn run(
    seconds: u32,
    clients: u32,
    aim: Aim,
    world: &World,
    postgres: &Postgres,
) -> Result<(Sent, Vec<String>), String> {
    let pgbench = Pgbench::new(&databases::create_empty(&postgres.url()).await)?;
    pgbench.initialize(SCALE).await?;
    eprintln!("pgbench, before");
    let before = pgbench.post(clients, seconds).await?;
    eprintln!("payments");
    let statements = world.statements().await;
    let load = Load::start(world, std::slice::from_ref(&world.client), clients, aim).await?;
    sleep(Duration::from_secs(seconds.into())).await;
    let Done { sent, elapsed } = load.end().await?;
    let statements = world.statements().await - statements;
    eprintln!("pgbench, after");
    let after = pgbench.post(clients, seconds).await?;
    let rate = |payments: bool| {
        let posted = sent.answered.iter().filter(|a| matches!(a.outcome, Outcome::Posted(_)));
        let of_kind = posted.filter(|answered| answered.kind.is_payment() == payments);
        let times: Vec<Duration> = of_kind.map(|answered| answered.took).collect();
        let per_second = times.len() as f64 / elapsed.as_secs_f64();
        Some(Rate { per_second, latencies: Latencies::of(&times)? })
    };
    let (payments, others) = (rate(true).ok_or("nothing was posted")?, rate(false));
    let per_second = payments.per_second + others.as_ref().map_or(0.0, |rate| rate.per_second);
    let statements_each = statements as f64 / elapsed.as_secs_f64() / per_second;
    let figures = Figures { before, after, payments, others, statements_each };
    figures.print(seconds, clients, &sent.answered);
    let faults = wrong_answers(&sent.answered, &[], |_, _| false);
    Ok((sent, faults))
}

impl Figures {
    fn print(&self, seconds: u32, clients: u32, answered: &[Answered]) {
        let Self { before, after, payments, others, statements_each } = self;
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let build = if cfg!(debug_assertions) { "DEBUG" } else { "release" };
        println!("{cores} cores, {build} build; {clients} senders, {seconds} s each");
        let mean = before.mean(*after);
        println!("  {:<32}{:>10}{:>10}", "", "per second", "mean ms");
        for (when, figures) in [("before", before), ("after", after), ("mean", &mean)] {
            let PgbenchFigures { per_second, latency_ms } = figures;
            let name = format!("pgbench -s {SCALE} -c {clients} {when}");
            println!("  {name:<32}{per_second:>10.0}{latency_ms:>10.2}");
        }
        println!(
            "  {:<32}{:>10}{:>10}{:>10}{:>10}",
            "", "per second", "p50 ms", "p99 ms", "max ms"
        );
        let others = others.as_ref().map(|rate| ("drawers worked with", rate));
        for (name, rate) in [("payments posted", payments)].into_iter().chain(others) {
            let Rate { per_second, latencies: Latencies { p50_ms, p99_ms, max_ms, .. } } = rate;
            println!("  {name:<32}{per_second:>10.0}{p50_ms:>10.1}{p99_ms:>10.1}{max_ms:>10.1}");
        }
        print!("{}", Table(answered));
        let percent = |status: u16| {
            let of = |a: &&Answered| matches!(a.outcome, Outcome::Refused(kind) if kind.status() == status);
            100.0 * answered.iter().filter(of).count() as f64 / answered.len() as f64
        };
        println!("  423: {:.2} % of all answers; 409: {:.2} %", percent(423), percent(409));
        println!(
            "  payments for each transaction of pgbench: {:.3}; {statements_each:.1} statements \
             for what was posted, {STATEMENTS} for one of pgbench",
            payments.per_second / mean.per_second
        );
    }
}

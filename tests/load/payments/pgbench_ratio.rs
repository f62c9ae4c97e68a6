//! Payments per second, compared with the transactions per second of pgbench.

use super::load::{Load, LoadResult};
use super::responses::{Attempt, Outcome, ResponseTable};
use super::sender::{LoadMix, SentJobs};
use super::verdicts::unexpected_outcomes;
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
struct MeasuredFigures {
    before: PgbenchFigures,
    after: PgbenchFigures,
    payments: PostingRate,
    /// Other requests about drawers.
    others: Option<PostingRate>,
    statements_each: f64,
}

/// Answers per second with something posted, and their latencies.
struct PostingRate {
    per_second: f64,
    latencies: Latencies,
}

/// Posts payments for this long. Returns what must not happen, one line each.
pub async fn run(
    seconds: u32,
    clients: u32,
    mix: LoadMix,
    world: &World,
    postgres: &Postgres,
) -> Result<(SentJobs, Vec<String>), String> {
    let pgbench = Pgbench::new(&databases::create_empty(&postgres.url()).await)?;
    pgbench.initialize(SCALE).await?;
    eprintln!("pgbench, before");
    let before = pgbench.post(clients, seconds).await?;
    eprintln!("payments");
    let statements = world.statements().await;
    let load = Load::start(world, std::slice::from_ref(&world.client), clients, mix).await?;
    sleep(Duration::from_secs(seconds.into())).await;
    let LoadResult { sent, elapsed } = load.end().await?;
    let statements = world.statements().await - statements;
    eprintln!("pgbench, after");
    let after = pgbench.post(clients, seconds).await?;
    let rate_of = |payments: bool| {
        let posted = sent.attempts.iter().filter(|a| matches!(a.outcome, Outcome::Posted(_)));
        let posted_of_kind = posted.filter(|attempt| attempt.kind.is_payment() == payments);
        let times: Vec<Duration> = posted_of_kind.map(|attempt| attempt.latency).collect();
        let per_second = times.len() as f64 / elapsed.as_secs_f64();
        Some(PostingRate { per_second, latencies: Latencies::of(&times)? })
    };
    let (payments, others) = (rate_of(true).ok_or("nothing was posted")?, rate_of(false));
    let per_second = payments.per_second + others.as_ref().map_or(0.0, |rate| rate.per_second);
    let statements_each = statements as f64 / elapsed.as_secs_f64() / per_second;
    let figures = MeasuredFigures { before, after, payments, others, statements_each };
    figures.print(seconds, clients, &sent.attempts);
    let faults = unexpected_outcomes(&sent.attempts, &[], |_, _| false);
    Ok((sent, faults))
}

impl MeasuredFigures {
    fn print(&self, seconds: u32, clients: u32, attempts: &[Attempt]) {
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
        let others = others.as_ref().map(|rate| ("drawer requests done", rate));
        for (name, rate) in [("payments posted", payments)].into_iter().chain(others) {
            let PostingRate { per_second, latencies: Latencies { p50_ms, p99_ms, max_ms, .. } } =
                rate;
            println!("  {name:<32}{per_second:>10.0}{p50_ms:>10.1}{p99_ms:>10.1}{max_ms:>10.1}");
        }
        print!("{}", ResponseTable(attempts));
        let percent = |status: u16| {
            let has_status = |attempt: &&Attempt| match attempt.outcome {
                Outcome::Refused(kind) => kind.status() == status,
                _ => false,
            };
            100.0 * attempts.iter().filter(has_status).count() as f64 / attempts.len() as f64
        };
        println!("  423: {:.2} % of all responses; 409: {:.2} %", percent(423), percent(409));
        println!(
            "  payments for each transaction of pgbench: {:.3}; {statements_each:.1} statements \
             for what was posted, {STATEMENTS} for one of pgbench",
            payments.per_second / mean.per_second
        );
    }
}

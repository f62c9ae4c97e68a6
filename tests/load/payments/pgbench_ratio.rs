//! Payments per second, compared with the transactions per second of pgbench.

use super::costs::{Costs, Meter};
use super::load::{Load, LoadResult};
use super::reads;
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

/// How long payments are posted before they are measured.
const WARM_UP_SECONDS: u32 = 2;

/// The figures of a load.
struct LoadFigures {
    name: &'static str,
    payments: PostingRate,
    /// Other requests about drawers.
    others: Option<PostingRate>,
    costs: Costs,
    peak_mib: [u64; 2],
}

/// Answers per second with something posted, and their latencies.
struct PostingRate {
    per_second: f64,
    latencies: Latencies,
}

/// Posts payments for this long: first neither in cash nor by card, then the whole mix. Returns what
/// must not happen, one line each.
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
    let plain = LoadMix { cash_percent: 0, card_percent: 0, ..mix.clone() };
    let (warm_up, loans) = (plain.clone(), plain.loans.clone());
    let is_mixed = mix.cash_percent + mix.card_percent > 0;
    let mixes = [("payments", Some(plain)), ("with drawers and cards", is_mixed.then_some(mix))];
    eprintln!("warm-up");
    let (mut sent, _) = measure("", WARM_UP_SECONDS, clients, warm_up, world, postgres).await?;
    // As autovacuum does within a minute. Until then PostgreSQL keeps to plans for empty tables, and
    // pgbench has analyzed its own.
    world.sql("ANALYZE").await;
    let mut loads = Vec::new();
    for (name, mix) in mixes {
        let Some(mix) = mix else { continue };
        eprintln!("{name}");
        let (mut of_load, figures) = measure(name, seconds, clients, mix, world, postgres).await?;
        loads.push(figures);
        sent.jobs.append(&mut of_load.jobs);
        sent.attempts.append(&mut of_load.attempts);
    }
    eprintln!("pgbench, after");
    let after = pgbench.post(clients, seconds).await?;
    print_pgbench(seconds, clients, before, after);
    for figures in &loads {
        figures.print(before.mean(after));
    }
    reads::run(seconds, clients, &loans, world, postgres).await?;
    print_responses(&sent.attempts);
    let faults = unexpected_outcomes(&sent.attempts, &[], |_, _| false);
    Ok((sent, faults))
}

async fn measure(
    name: &'static str,
    seconds: u32,
    clients: u32,
    mix: LoadMix,
    world: &World,
    postgres: &Postgres,
) -> Result<(SentJobs, LoadFigures), String> {
    let load = Load::start(world, std::slice::from_ref(&world.client), clients, mix).await?;
    let before = Meter::read(world, postgres).await;
    sleep(Duration::from_secs(seconds.into())).await;
    let LoadResult { sent, elapsed } = load.end().await?;
    let after = Meter::read(world, postgres).await;
    let posted = || sent.attempts.iter().filter(|a| matches!(a.outcome, Outcome::Posted(_)));
    let rate_of = |payments: bool| {
        let posted_of_kind = posted().filter(|attempt| attempt.kind.is_payment() == payments);
        let times: Vec<Duration> = posted_of_kind.map(|attempt| attempt.latency).collect();
        let per_second = times.len() as f64 / elapsed.as_secs_f64();
        Some(PostingRate { per_second, latencies: Latencies::of(&times)? })
    };
    let peak_mib =
        [&world.api, &world.auth].map(|server| server.memory_peak_kib().unwrap_or_default() / 1024);
    let figures = LoadFigures {
        name,
        payments: rate_of(true).ok_or("nothing was posted")?,
        others: rate_of(false),
        costs: after.each(&before, posted().count()),
        peak_mib,
    };
    Ok((sent, figures))
}

fn print_pgbench(seconds: u32, clients: u32, before: PgbenchFigures, after: PgbenchFigures) {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let build = if cfg!(debug_assertions) { "DEBUG" } else { "release" };
    println!("{cores} cores, {build} build; {clients} senders, {seconds} s each");
    println!("  {:<32}{:>10}{:>10}", "", "per second", "mean ms");
    for (when, figures) in [("before", before), ("after", after), ("mean", before.mean(after))] {
        let PgbenchFigures { per_second, latency_ms } = figures;
        let name = format!("pgbench -s {SCALE} -c {clients} {when}");
        println!("  {name:<32}{per_second:>10.0}{latency_ms:>10.2}");
    }
    println!("  {:<32}{:>10}{:>10}{:>10}{:>10}", "", "per second", "p50 ms", "p99 ms", "max ms");
}

fn print_responses(attempts: &[Attempt]) {
    print!("{}", ResponseTable(attempts));
    let percent = |status: u16| {
        let has_status = |attempt: &&Attempt| match attempt.outcome {
            Outcome::Refused(kind) => kind.status() == status,
            _ => false,
        };
        100.0 * attempts.iter().filter(has_status).count() as f64 / attempts.len() as f64
    };
    println!("  423: {:.2} % of all responses; 409: {:.2} %", percent(423), percent(409));
}

impl LoadFigures {
    fn print(&self, pgbench: PgbenchFigures) {
        let others = self.others.as_ref().map(|rate| ("drawer requests done", rate));
        for (name, rate) in [(self.name, &self.payments)].into_iter().chain(others) {
            let PostingRate { per_second, latencies: Latencies { p50_ms, p99_ms, max_ms, .. } } =
                rate;
            println!("  {name:<32}{per_second:>10.0}{p50_ms:>10.1}{p99_ms:>10.1}{max_ms:>10.1}");
        }
        println!(
            "    payments for each transaction of pgbench: {:.3}",
            self.payments.per_second / pgbench.per_second
        );
        let [api, auth] = self.peak_mib;
        println!("    each: {}; {STATEMENTS} statements in one of pgbench", self.costs);
        println!("    peak memory: api-server {api} MiB, auth-server {auth} MiB");
    }
}

//! Payments per second, compared with the transactions per second of pgbench.

use super::figures::{self, LoadFigures};
use super::reads;
use super::responses::{Attempt, Outcome, ResponseTable};
use super::sender::{LoadMix, SentJobs};
use super::verdicts::unexpected_outcomes;
use acceptance::pgbench::{Pgbench, PgbenchFigures};
use acceptance::postgres::Postgres;
use acceptance::{World, databases};

/// Accounts of pgbench, in hundred thousands.
const SCALE: u32 = 10;
/// Statements in one transaction of pgbench, including BEGIN and COMMIT.
const STATEMENTS: u32 = 7;

/// What was posted on PostgreSQL.
pub struct Posted {
    /// What was sent.
    pub sent: SentJobs,
    /// The figures of payments neither in cash nor by card.
    pub figures: LoadFigures,
    /// What must not happen, one line each.
    pub faults: Vec<String>,
}

/// Posts payments for this long: first neither in cash nor by card, then the whole mix.
pub async fn run(
    seconds: u32,
    clients: u32,
    mix: LoadMix,
    world: &World,
    postgres: &Postgres,
) -> Result<Posted, String> {
    let pgbench = Pgbench::new(&databases::create_empty(&postgres.url()).await)?;
    pgbench.initialize(SCALE).await?;
    eprintln!("pgbench, before");
    let before = pgbench.post(clients, seconds).await?;
    let (plain, loans) = (figures::plain(&mix), mix.loans.clone());
    let is_mixed = mix.cash_percent + mix.card_percent > 0;
    eprintln!("warm-up");
    let mut sent = figures::warm_up(clients, plain.clone(), world).await?;
    // As autovacuum does within a minute. Until then PostgreSQL keeps to plans for empty tables, and
    // pgbench has analyzed its own.
    world.sql("ANALYZE").await;
    let mixes = [("payments", Some(plain)), ("with drawers and cards", is_mixed.then_some(mix))];
    let mut loads = Vec::new();
    for (name, mix) in mixes {
        let Some(mix) = mix else { continue };
        eprintln!("{name}");
        let measured = figures::measure(seconds, clients, mix, world, Some(postgres)).await?;
        loads.push((name, measured.figures));
        sent.append(measured.sent);
    }
    eprintln!("pgbench, after");
    let after = pgbench.post(clients, seconds).await?;
    print_pgbench(seconds, clients, before, after);
    let pgbench = before.mean(after).per_second;
    for (name, figures) in &loads {
        figures.print(name);
        let ratio = figures.payments_per_second() / pgbench;
        println!(
            "    payments for each transaction of pgbench: {ratio:.3}; it has {STATEMENTS} statements"
        );
    }
    reads::run(seconds, clients, &loans, world, postgres).await?;
    print_responses(&sent.attempts);
    let faults = unexpected_outcomes(&sent.attempts, &[], |_, _| false);
    let figures = loads.swap_remove(0).1;
    Ok(Posted { sent, figures, faults })
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
    println!("{}", figures::heading());
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

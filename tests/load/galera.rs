//! Load test of a MariaDB Galera cluster: two replicas of each server must keep books and sessions
//! right when each pair writes to its own node, and when such a node is killed.
//!
//! ```sh
//! cargo build --release -p load -p installer
//! target/release/galera_load --seconds 60
//! ```
//!
//! It starts three nodes with the settings of `deploy/galera/`, and two pairs of an auth server and
//! an api-server, the first pair on the first node, the second on the second. No server uses the
//! third node, which provides the majority and serves as a donor. Senders post payments through
//! both pairs, many of them to shared loans and cash drawers, as `payments_load` does. What one
//! pair cannot do they send to the other, under the same key.
//!
//! Meanwhile tokens are logged out on one node and used on the other, refresh tokens are exchanged
//! on both concurrently or during a log-out, passwords change and clients are removed during
//! log-ins, and payments are sent to both under one key, or imported through one. Then nodes are
//! killed and restarted, the second one first. Finally the books are checked in SQL, and the rows
//! of all nodes are compared.
//!
//! Exits with 1 if something does not hold. Everything it has started is removed, unless it is
//! killed.

// A world of both servers has a deeply nested type.
#![recursion_limit = "256"]

mod two_nodes {
    pub mod nodes;
    pub mod prepared_statements;
    pub mod races;
}

mod payments {
    pub mod books;
    pub mod card_books;
    pub mod cards;
    pub mod drawer_books;
    pub mod drawers;
    pub mod final_checks;
    pub mod jobs;
    pub mod load;
    pub mod loans;
    pub mod responses;
    pub mod sender;
    pub mod verdicts;
}

use acceptance::galera::{Galera, NODES};
use acceptance::world::{Environment, ServerPair, World};
use acceptance::{Client, Database};
use clap::Parser;
use futures_util::FutureExt;
use payments::cards::Cards;
use payments::drawers::Drawers;
use payments::final_checks::{name_jobs, run_final_checks};
use payments::jobs::Job;
use payments::load::{self, Load, LoadResult};
use payments::loans::Loans;
use payments::responses::{Attempt, Outcome, ResponseTable};
use payments::sender::LoadMix;
use payments::verdicts::{is_database_problem, unexpected_outcomes};
use shared::database;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};
use two_nodes::races::{Races, Tally};
use two_nodes::{nodes, prepared_statements};

/// Time allowed in addition to the durations in the arguments.
const PREPARATION: Duration = Duration::from_secs(300);
/// How long a killed node is away.
const DOWNTIME: Duration = Duration::from_secs(5);
/// How long responses may still be refused after it is back.
const RECOVERY_MAX: Duration = Duration::from_secs(10);
/// How long the nodes may block until the dead one is excluded.
const GAP_MAX: Duration = Duration::from_secs(15);
/// The most faults printed.
const PRINTED: usize = 20;

/// Lets two replicas of each server write to different nodes, and kills nodes.
#[derive(Parser)]
struct Arguments {
    /// How long payments are posted.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=36_000))]
    seconds: u32,
    /// Concurrent senders, on both replicas together.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=100))]
    clients: u32,
    /// Loans that take payments, in addition to the hot one.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    loans: u32,
    /// Percentage of payments to the one hot loan.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=100))]
    hot_percent: u32,
    /// Percentage of payments in cash, into a drawer.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=100))]
    cash_percent: u32,
    /// Percentage of the other payments that are made by card.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100))]
    card_percent: u32,
    /// How often each race is run; log-outs are run three times as often.
    #[arg(long, default_value_t = 40)]
    rounds: u32,
    /// How often a node is killed.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=100))]
    kills: u32,
}

impl Arguments {
    /// The time limit, after which something must be stuck.
    fn limit(&self) -> Duration {
        let rounds = Duration::from_secs(3) * self.rounds;
        let kills = Duration::from_secs(150) * self.kills;
        PREPARATION + rounds + kills + Duration::from_secs(4) * self.seconds
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    let arguments = Arguments::parse();
    let limit = arguments.limit();
    // The test harness panics on errors; the nodes must be removed then, too.
    let mut faults = Vec::new();
    let measurement = timeout(limit, run(&arguments, &mut faults));
    let measurement = AssertUnwindSafe(measurement).catch_unwind();
    let outcome = tokio::select! {
        outcome = measurement => outcome,
        () = shared::shutdown::stop_signal() => Ok(Ok(Err("interrupted".to_owned()))),
    };
    match outcome {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(error))) => faults.push(error),
        Ok(Err(_)) => faults.push(format!("not done after {} s", limit.as_secs())),
        Err(_) => faults.push("the run failed, as shown above".to_owned()),
    }
    for fault in faults.iter().take(PRINTED) {
        println!("  WRONG: {fault}");
    }
    println!("{} things wrong: {}", faults.len(), verdict(&faults));
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn verdict(faults: &[String]) -> &'static str {
    if faults.is_empty() { "holds" } else { "DOES NOT HOLD" }
}

/// Adds what must not happen to `faults`, one line each.
async fn run(arguments: &Arguments, faults: &mut Vec<String>) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = program.with_file_name("installer");
    if !program.is_file() {
        return Err(format!("{} is missing: cargo build -p acceptance", program.display()));
    }
    let cluster = Galera::start().await?;
    let database = Database::Server(cluster.url(0));
    let failures = ("AUTH_SOURCE_FAILURES_MAX".to_owned(), "1000000".to_owned());
    let environment = Environment { auth: [failures].into(), ..Environment::default() };
    let world = World::new(&program.display().to_string(), database, environment).await;
    let pair = world.pair(&cluster.url_on(1, &world.database_url)).await;
    let cluster_run = ClusterRun { arguments, cluster, world, pair };
    cluster_run.run(faults).await?;
    let ClusterRun { cluster: _cluster, world, pair, .. } = cluster_run;
    pair.close().await;
    world.close().await;
    Ok(())
}

/// The running trial.
struct ClusterRun<'a> {
    arguments: &'a Arguments,
    cluster: Galera,
    world: World,
    pair: ServerPair,
}

/// When a node was killed, and when it had caught up again.
struct Kill {
    node: usize,
    from: Instant,
    to: Instant,
}

impl ClusterRun<'_> {
    async fn run(&self, faults: &mut Vec<String>) -> Result<(), String> {
        let Self { arguments, world, .. } = self;
        let failed = |error: sea_orm::DbErr| error.to_string();
        let unsuitable = nodes::unsuitable_tables(&world.db).await.map_err(failed)?;
        faults.extend(
            unsuitable.iter().map(|table| format!("{table}: not InnoDB, or no primary key")),
        );
        let urls = [0, 1].map(|node| self.cluster.url_on(node, &world.database_url));
        let prepared = prepared_statements::run(&urls, arguments.rounds).await.map_err(failed)?;
        println!(
            "  {} transactions that prepared their statements, {} attempts lost to another \
             transaction and repeated: {}",
            prepared.committed,
            prepared.lost_attempts,
            verdict(&prepared.faults)
        );
        faults.extend(prepared.faults);
        let loans = Loans::book(world, arguments.loans).await?;
        let hot = loans.hot;
        let drawers = Drawers::create(world).await;
        let mut fundings = name_jobs("first", drawers.fundings());
        faults.extend(load::finish(world, &mut fundings).await?);
        let last_counts = name_jobs("last", drawers.counts());
        let cards = Cards::add(world, &loans).await?;
        let Arguments { hot_percent, cash_percent, card_percent, .. } = **arguments;
        let mix = LoadMix { loans, drawers, hot_percent, cash_percent, cards, card_percent };
        let load = Load::start(world, &self.replicas(), arguments.clients, mix).await?;
        let half = Duration::from_secs(arguments.seconds.into()) / 2;
        let (jobs, race_faults) = self.race(hot, half).await?;
        faults.extend(race_faults);
        let mut kills = Vec::new();
        for kill in 0..arguments.kills {
            kills.push(self.kill([1, 0][kill as usize % 2]).await?);
            sleep(RECOVERY_MAX).await;
        }
        sleep(half).await;
        let LoadResult { mut sent, elapsed } = load.end().await?;
        faults.extend(self.report(&sent.attempts, &kills, elapsed).await);
        sent.jobs.append(&mut fundings);
        sent.jobs.extend(jobs);
        faults.extend(run_final_checks(world, &mut sent, last_counts).await?);
        let urls: Vec<String> =
            (0..NODES).map(|node| self.cluster.url_on(node, &world.database_url)).collect();
        let (rows, differences) = nodes::compare(&urls).await.map_err(failed)?;
        println!("  {rows} rows on each of {NODES} nodes: {}", verdict(&differences));
        faults.extend(differences);
        Ok(())
    }

    fn replicas(&self) -> [Client; 2] {
        [self.world.client.clone(), self.pair.client.clone()]
    }

    /// Runs the races, for at least this long. Returns what they have posted, and what must not
    /// happen.
    async fn race(
        &self,
        loan_id: i64,
        duration_min: Duration,
    ) -> Result<(Vec<Job>, Vec<String>), String> {
        let started = Instant::now();
        let rounds = self.arguments.rounds;
        let url = self.cluster.url_on(1, &self.world.database_url);
        let db = database::connect(&url, 4).await.map_err(|error| error.to_string())?;
        let races = Races { world: &self.world, replicas: self.replicas(), db: &db };
        let tallies: [(&str, Tally); 7] = {
            let (log_outs, refreshes, both, passwords, clients, keys, imports) = tokio::join!(
                races.log_outs(3 * rounds),
                races.refreshes(rounds),
                races.log_outs_during_refresh(rounds),
                races.password_changes(rounds),
                races.client_removals(rounds),
                races.shared_keys(loan_id, rounds),
                races.imports(loan_id, rounds.div_ceil(4)),
            );
            [
                ("log-outs seen through the other node on the next call", log_outs),
                ("refreshes of one token on both nodes", refreshes),
                ("log-outs during a refresh on the other node", both),
                ("password changes during a log-in on the other node", passwords),
                ("clients removed during a log-in on the other node", clients),
                ("payments under one key on both nodes", keys),
                ("imports of payments on the loan that most others pay on", imports),
            ]
        };
        let (mut jobs, mut faults) = (Vec::new(), Vec::new());
        for (what, tally) in tallies {
            println!(
                "  {} {what} (both succeeded in {}): {}",
                tally.rounds,
                tally.both_succeeded,
                verdict(&tally.faults)
            );
            jobs.extend(tally.jobs);
            faults.extend(tally.faults);
        }
        println!("  all of it in {:.0} s under load", started.elapsed().as_secs_f64());
        sleep(duration_min.saturating_sub(started.elapsed())).await;
        db.close().await.map_err(|error| error.to_string())?;
        Ok((jobs, faults))
    }

    async fn kill(&self, node: usize) -> Result<Kill, String> {
        let from = Instant::now();
        self.cluster.kill(node).await?;
        sleep(DOWNTIME).await;
        let restarted = Instant::now();
        self.cluster.restart(node).await?;
        let to = Instant::now();
        println!(
            "  node {} killed, away for {:.0} s, and in sync {:.1} s after its restart",
            node + 1,
            DOWNTIME.as_secs_f64(),
            (to - restarted).as_secs_f64()
        );
        Ok(Kill { node, from, to })
    }

    /// Prints how the load went. Returns what must not happen.
    async fn report(&self, attempts: &[Attempt], kills: &[Kill], elapsed: Duration) -> Vec<String> {
        let posted: Vec<&Attempt> =
            attempts.iter().filter(|attempt| attempt.outcome.is_posted()).collect();
        let refused = |status: u16| {
            let has_status = |attempt: &&Attempt| match attempt.outcome {
                Outcome::Refused(kind) => kind.status() == status,
                _ => false,
            };
            attempts.iter().filter(has_status).count()
        };
        print!("{}", ResponseTable(attempts));
        println!(
            "  {} posted in {:.0} s, {:.1} a second; 422: {}, 423: {}, 409: {}, 503: {}",
            posted.len(),
            elapsed.as_secs_f64(),
            posted.len() as f64 / elapsed.as_secs_f64(),
            refused(422),
            refused(423),
            refused(409),
            refused(503),
        );
        let World { metrics: (auth, api), .. } = &self.world;
        let servers = [auth, api, &self.pair.metrics[0], &self.pair.metrics[1]];
        let retries: u64 = self.world.counted(&servers, "transactions_tried_again").await;
        println!("  retried because another node or transaction came first: {retries} times");
        let mut gap = Duration::ZERO;
        for pair in posted.windows(2) {
            gap = gap.max(pair[1].answered_at().saturating_duration_since(pair[0].answered_at()));
        }
        println!("  longest time with nothing posted: {:.1} s", gap.as_secs_f64());
        let mut faults = unexpected_outcomes(attempts, &[], |kind, attempt| {
            let is_during_kill = |kill: &Kill| {
                attempt.answered_at() >= kill.from && attempt.sent <= kill.to + RECOVERY_MAX
            };
            is_database_problem(kind) && kills.iter().any(is_during_kill)
        });
        if gap > GAP_MAX {
            faults.push(format!("nothing was posted for {:.1} s", gap.as_secs_f64()));
        }
        for Kill { node, from, to } in kills {
            let is_affected = |attempt: &&Attempt| {
                attempt.outcome.is_outage() && attempt.answered_at() >= *from && attempt.sent <= *to
            };
            if !attempts.iter().any(|attempt| is_affected(&attempt)) {
                faults.push(format!("killing node {} affected no request", node + 1));
            }
        }
        faults
    }
}

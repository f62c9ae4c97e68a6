//! Load test of a MariaDB Galera cluster: two replicas of each server must keep books and sessions
//! right when each pair writes to its own node, and when such a node is killed.
//!
//! ```sh
//! cargo build --release -p acceptance
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

mod two_nodes {
    pub mod nodes;
    pub mod prepared;
    pub mod races;
}

mod payments {
    pub mod answers;
    pub mod books;
    pub mod card_books;
    pub mod cards;
    pub mod drawer_books;
    pub mod drawers;
    pub mod jobs;
    pub mod judging;
    pub mod load;
    pub mod loans;
    pub mod sender;
    pub mod settling;
}

use acceptance::galera::{Galera, NODES};
use acceptance::world::{Environment, ServerPair, World};
use acceptance::{Client, Database};
use clap::Parser;
use futures_util::FutureExt;
use payments::answers::{Answered, Outcome, Table};
use payments::cards::Cards;
use payments::drawers::Drawers;
use payments::jobs::Job;
use payments::judging::{is_of_database, wrong_answers};
use payments::load::{self, Done, Load};
use payments::loans::Loans;
use payments::sender::Aim;
use payments::settling::{name_jobs, settle};
use shared::db;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};
use two_nodes::races::{Races, Tally};
use two_nodes::{nodes, prepared};

/// Time allowed in addition to the durations in the arguments.
const PREPARATION: Duration = Duration::from_secs(300);
/// How long a killed node is away.
const AWAY: Duration = Duration::from_secs(5);
/// How long answers may still be refused after it is back.
const BACK: Duration = Duration::from_secs(10);
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
        Err(_) => faults.push("the run broke, as said above".to_owned()),
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
    let program = program.with_file_name("installer_under_test");
    if !program.is_file() {
        return Err(format!("{} is missing: cargo build -p acceptance", program.display()));
    }
    let cluster = Galera::start().await?;
    let database = Database::Server(cluster.url(0));
    let failures = ("AUTH_SOURCE_FAILURES_MAX".to_owned(), "1000000".to_owned());
    let environment = Environment { auth: [failures].into(), ..Environment::default() };
    let world = World::new(&program.display().to_string(), database, environment).await;
    let pair = world.pair(&cluster.url_on(1, &world.database_url)).await;
    let trial = Trial { arguments, cluster, world, pair };
    trial.run(faults).await?;
    let Trial { cluster: _cluster, world, pair, .. } = trial;
    pair.close().await;
    world.close().await;
    Ok(())
}

/// The running trial.
struct Trial<'a> {
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

impl Trial<'_> {
    async fn run(&self, faults: &mut Vec<String>) -> Result<(), String> {
        let Self { arguments, world, .. } = self;
        let failed = |error: sea_orm::DbErr| error.to_string();
        let unfit = nodes::unfit_tables(&world.db).await.map_err(failed)?;
        faults.extend(unfit.iter().map(|table| format!("{table}: no InnoDB, or no primary key")));
        let urls = [0, 1].map(|node| self.cluster.url_on(node, &world.database_url));
        let (transactions, partial) =
            prepared::run(&urls, arguments.rounds).await.map_err(failed)?;
        println!(
            "  {transactions} transactions that prepared their statements: {}",
            verdict(&partial)
        );
        faults.extend(partial);
        let loans = Loans::book(world, arguments.loans).await?;
        let hot = loans.hot;
        let drawers = Drawers::make(world).await;
        let mut fundings = name_jobs("first", drawers.fundings());
        faults.extend(load::finish(world, &mut fundings).await?);
        let last_counts = name_jobs("last", drawers.counts());
        let cards = Cards::add(world, &loans).await?;
        let Arguments { hot_percent, cash_percent, card_percent, .. } = **arguments;
        let aim = Aim { loans, drawers, hot_percent, cash_percent, cards, card_percent };
        let load = Load::start(world, &self.replicas(), arguments.clients, aim).await?;
        let half = Duration::from_secs(arguments.seconds.into()) / 2;
        let (jobs, raced) = self.race(hot, half).await?;
        faults.extend(raced);
        let mut kills = Vec::new();
        for kill in 0..arguments.kills {
            kills.push(self.kill([1, 0][kill as usize % 2]).await?);
            sleep(BACK).await;
        }
        sleep(half).await;
        let Done { mut sent, elapsed } = load.end().await?;
        faults.extend(self.tell(&sent.answered, &kills, elapsed).await);
        sent.jobs.append(&mut fundings);
        sent.jobs.extend(jobs);
        faults.extend(settle(world, &mut sent, last_counts).await?);
        let urls: Vec<String> =
            (0..NODES).map(|node| self.cluster.url_on(node, &world.database_url)).collect();
        let (rows, different) = nodes::compare(&urls).await.map_err(failed)?;
        println!("  {rows} rows on each of {NODES} nodes: {}", verdict(&different));
        faults.extend(different);
        Ok(())
    }

    fn replicas(&self) -> [Client; 2] {
        [self.world.client.clone(), self.pair.client.clone()]
    }

    /// Runs the races, for at least this long. Returns what they have posted, and what must not
    /// happen.
    async fn race(&self, loan_id: i64, least: Duration) -> Result<(Vec<Job>, Vec<String>), String> {
        let began = Instant::now();
        let rounds = self.arguments.rounds;
        let url = self.cluster.url_on(1, &self.world.database_url);
        let db = db::connect(&url, 4, false).await.map_err(|error| error.to_string())?;
        let races = Races { world: &self.world, replicas: self.replicas(), db: &db };
        let tallies: [(&str, Tally); 7] = {
            let (log_outs, refreshes, beside, passwords, clients, keys, imports) = tokio::join!(
                races.log_outs(3 * rounds),
                races.refreshes(rounds),
                races.log_out_beside_refresh(rounds),
                races.password_changes(rounds),
                races.client_removals(rounds),
                races.keys(loan_id, rounds),
                races.imports(loan_id, rounds.div_ceil(4)),
            );
            [
                ("log-outs seen through the other node on the next call", log_outs),
                ("refreshes of one token on both nodes", refreshes),
                ("log-outs beside a refresh on the other node", beside),
                ("password changes beside a log-in on the other node", passwords),
                ("clients removed beside a log-in on the other node", clients),
                ("payments under one key on both nodes", keys),
                ("imports of payments on the loan that most others pay on", imports),
            ]
        };
        let (mut jobs, mut faults) = (Vec::new(), Vec::new());
        for (what, tally) in tallies {
            println!(
                "  {} {what} ({} answered both): {}",
                tally.rounds,
                tally.both,
                verdict(&tally.faults)
            );
            jobs.extend(tally.jobs);
            faults.extend(tally.faults);
        }
        println!("  all of it in {:.0} s under load", began.elapsed().as_secs_f64());
        sleep(least.saturating_sub(began.elapsed())).await;
        db.close().await.map_err(|error| error.to_string())?;
        Ok((jobs, faults))
    }

    async fn kill(&self, node: usize) -> Result<Kill, String> {
        let from = Instant::now();
        self.cluster.kill(node).await?;
        sleep(AWAY).await;
        let again = Instant::now();
        self.cluster.restart(node).await?;
        let to = Instant::now();
        println!(
            "  node {} killed, away for {:.0} s, and had all again {:.1} s after its start",
            node + 1,
            AWAY.as_secs_f64(),
            (to - again).as_secs_f64()
        );
        Ok(Kill { node, from, to })
    }

    /// Prints how the load went. Returns what must not happen.
    async fn tell(&self, answered: &[Answered], kills: &[Kill], elapsed: Duration) -> Vec<String> {
        let posted: Vec<&Answered> =
            answered.iter().filter(|answered| answered.outcome.is_posted()).collect();
        let refused = |status: u16| {
            let of = |answered: &&Answered| matches!(answered.outcome, Outcome::Refused(kind) if kind.status() == status);
            answered.iter().filter(of).count()
        };
        print!("{}", Table(answered));
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
        let all = [auth, api, &self.pair.metrics[0], &self.pair.metrics[1]];
        let again = self.world.counted(&all, "transactions_tried_again").await;
        println!("  tried again because another node or transaction came first: {again} times");
        let mut gap = Duration::ZERO;
        for pair in posted.windows(2) {
            gap = gap.max(pair[1].at().saturating_duration_since(pair[0].at()));
        }
        println!("  longest time with nothing posted: {:.1} s", gap.as_secs_f64());
        let mut faults = wrong_answers(answered, &[], |kind, answered| {
            let meanwhile =
                |kill: &Kill| answered.at() >= kill.from && answered.sent <= kill.to + BACK;
            is_of_database(kind) && kills.iter().any(meanwhile)
        });
        if gap > GAP_MAX {
            faults.push(format!("nothing was posted for {:.1} s", gap.as_secs_f64()));
        }
        for Kill { node, from, to } in kills {
            let felt = |answered: &&Answered| {
                answered.outcome.is_outage() && answered.at() >= *from && answered.sent <= *to
            };
            if !answered.iter().any(|answered| felt(&answered)) {
                faults.push(format!("nobody has felt that node {} was killed", node + 1));
            }
        }
        faults
    }
}

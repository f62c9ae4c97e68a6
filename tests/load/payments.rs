//! Load test of payments: how many the service posts per second, compared with what the same
//! PostgreSQL server can do, and whether the books are right afterwards, whatever went wrong in the
//! meantime.
//!
//! ```sh
//! cargo build --release -p load -p installer
//! target/release/payments_load
//! target/release/payments_load --fault all
//! ```
//!
//! It starts its own PostgreSQL server, with PostgreSQL's default durability, and both servers on
//! it, books loans by XML import, and lets senders post payments over TLS, each with its own token
//! and connection. Each payment has an `Idempotency-Key` and an `External_ID`; a payment that is
//! not acknowledged is sent again under its key. The standard transactions of pgbench run on the
//! same server before and after: payments per second mean nothing on another machine, but the ratio
//! of the two does. It is explained by the number of statements per payment, compared with seven
//! per transaction of pgbench, and by the cores that senders and servers need for everything else,
//! which here are shared with PostgreSQL.
//!
//! Then as many clients read loans, compared with requests for which the api-server reads nothing.
//! With `--other-database` (`sqlite`, or the URL of a server), the same senders pay loans on another
//! database, compared with PostgreSQL.
//!
//! Some payments are cash, which goes into one of a few cash drawers. Meanwhile the senders put
//! money into these drawers, take it out, move it between them and a reserve, and count them.
//! Others are by card, at the sandbox.
//!
//! Then the books are checked, in SQL and without the servers: every balance is the sum of its
//! transactions, every entry the sum of its parts, no due row is paid beyond its amount, and each
//! acknowledged payment exists exactly once, with its amount. The same holds for everything done
//! with drawers, and every cash payment has its row in its drawer. No drawer was ever below zero,
//! transfers sum to zero, and each count found and froze exactly the rows before it. A card was
//! charged if and only if its payment is posted, and never twice.
//!
//! With `--fault`, one thing after the other goes wrong while payments are posted: a server is
//! killed, or the database, or the disk runs full. Every response must then say what is wrong, none
//! may be missing except those of a dead server, and afterwards nothing is lost and nothing
//! duplicated. These runs measure nothing, and do without pgbench.
//!
//! Exits with 1 if a response or the books are wrong. Everything it has started and created is
//! removed, unless it is killed.

// A world of both servers has a deeply nested type.
#![recursion_limit = "256"]

mod payments {
    pub mod books;
    pub mod card_books;
    pub mod cards;
    pub mod costs;
    pub mod drawer_books;
    pub mod drawers;
    pub mod faults;
    pub mod figures;
    pub mod final_checks;
    pub mod jobs;
    pub mod load;
    pub mod loans;
    pub mod outage;
    pub mod pgbench_ratio;
    pub mod reads;
    pub mod responses;
    pub mod sender;
    pub mod verdicts;
}

use acceptance::Database;
use acceptance::postgres::{Postgres, Storage};
use acceptance::world::{Environment, World};
use clap::Parser;
use futures_util::FutureExt;
use payments::cards::Cards;
use payments::drawers::Drawers;
use payments::faults::Fault;
use payments::figures::LoadFigures;
use payments::final_checks::{name_jobs, run_final_checks};
use payments::loans::Loans;
use payments::sender::LoadMix;
use payments::verdicts::unexpected_outcomes;
use payments::{figures, load, outage, pgbench_ratio};
use std::iter;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::timeout;

/// Time allowed in addition to the durations in the arguments.
const PREPARATION: Duration = Duration::from_secs(300);
/// Time allowed for booking one loan, and for the log-in of one sender.
const PER_LOAN_OR_SENDER: Duration = Duration::from_millis(500);
/// The servers' default number of connections.
const CONNECTIONS: &str = "16";
/// The most faults printed.
const PRINTED: usize = 12;

/// Posts payments, compared with pgbench on the same PostgreSQL server, or while things go wrong.
#[derive(Parser)]
struct Arguments {
    /// How long payments are posted, and how long pgbench runs before and after.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=36_000))]
    seconds: u32,
    /// Concurrent senders, and connections of pgbench.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=100))]
    clients: u32,
    /// Loans that take payments, in addition to the hot one.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    loans: u32,
    /// Percentage of payments to the one hot loan.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=100))]
    hot_percent: u32,
    /// Percentage of payments in cash, into a drawer. For each of these there is one other request
    /// about drawers.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100))]
    cash_percent: u32,
    /// Percentage of the other payments that are made by card.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100))]
    card_percent: u32,
    /// Another database to post payments on: `sqlite`, or the URL of a server; may be given several
    /// times.
    #[arg(long, value_parser = Database::named, conflicts_with = "fault")]
    other_database: Vec<Database>,
    /// What goes wrong meanwhile; may be given several times.
    #[arg(long, value_enum)]
    fault: Vec<Fault>,
}

impl Arguments {
    /// The time limit, after which something must be stuck.
    fn limit(&self) -> Duration {
        PREPARATION
            + PER_LOAN_OR_SENDER * (self.loans + self.clients)
            + Duration::from_secs(4) * self.seconds
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    let arguments = Arguments::parse();
    let holds = tokio::select! {
        holds = run_all(&arguments) => holds,
        () = shared::shutdown::stop_signal() => {
            eprintln!("payments_load: interrupted");
            false
        }
    };
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Makes one run after the other; false if anything was wrong.
async fn run_all(arguments: &Arguments) -> bool {
    let others = arguments.other_database.iter().cloned().map(Scenario::OtherDatabase);
    let scenarios: Vec<_> = match &arguments.fault[..] {
        [] => iter::once(Scenario::Pgbench).chain(others).collect(),
        faults => Fault::selected(faults).into_iter().map(Scenario::Fault).collect(),
    };
    let mut holds = true;
    let mut on_postgres = None;
    for scenario in scenarios {
        let name = scenario.name().to_owned();
        if let Scenario::Fault(fault) = scenario
            && let Some(reason) = fault.skip_reason()
        {
            println!("{name}: skipped: {reason}");
            continue;
        }
        let faults = run(arguments, scenario, &mut on_postgres).await;
        let faults = faults.unwrap_or_else(|error| vec![error]);
        for fault in faults.iter().take(PRINTED) {
            println!("  WRONG: {fault}");
        }
        let more = faults.len().saturating_sub(PRINTED);
        if more > 0 {
            println!("  WRONG: and {more} more");
        }
        println!("{name}: {}\n", if faults.is_empty() { "holds" } else { "DOES NOT HOLD" });
        holds &= faults.is_empty();
    }
    holds
}

/// Makes one run on a server or database of its own, which is removed whatever the outcome. Returns
/// what must not happen, one line each.
async fn run(
    arguments: &Arguments,
    scenario: Scenario,
    on_postgres: &mut Option<LoadFigures>,
) -> Result<Vec<String>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = program.with_file_name("installer");
    if !program.is_file() {
        return Err(format!("{} is missing: cargo build -p acceptance", program.display()));
    }
    // The test harness panics on errors; the server must be removed then, too.
    let measurement = measure(arguments, program.display().to_string(), scenario, on_postgres);
    let measurement = AssertUnwindSafe(measurement).catch_unwind();
    match timeout(arguments.limit(), measurement).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => Err("the run failed, as shown above".to_owned()),
        Err(_) => Err(format!("not done after {} s", arguments.limit().as_secs())),
    }
}

async fn measure(
    arguments: &Arguments,
    program: String,
    scenario: Scenario,
    on_postgres: &mut Option<LoadFigures>,
) -> Result<Vec<String>, String> {
    let settings = |name: &str| [(name.to_owned(), CONNECTIONS.to_owned())].into();
    let environment = Environment {
        auth: settings("AUTH_DATABASE_CONNECTIONS"),
        api: settings("API_DATABASE_CONNECTIONS"),
        ..Environment::default()
    };
    let postgres = match &scenario {
        Scenario::Pgbench => Some(Postgres::start(Storage::Folder).await?),
        Scenario::Fault(fault) => Some(Postgres::start(fault.storage()).await?),
        Scenario::OtherDatabase(_) => None,
    };
    let database = match &scenario {
        Scenario::OtherDatabase(database) => database.clone(),
        _ => Database::Server(postgres.as_ref().map(Postgres::url).unwrap_or_default()),
    };
    let mut world = World::new(&program, database, environment).await;
    let loans = Loans::book(&world, arguments.loans).await?;
    let drawers = Drawers::create(&world).await;
    let mut fundings = name_jobs("first", drawers.fundings());
    let funding_faults = load::finish(&world, &mut fundings).await?;
    let last_counts = name_jobs("last", drawers.counts());
    let Arguments { seconds, clients, hot_percent, cash_percent, card_percent, .. } = *arguments;
    let cards = Cards::add(&world, &loans).await?;
    let mix = LoadMix { loans, drawers, hot_percent, cash_percent, cards, card_percent };
    let (mut sent, mut faults) = match (scenario, &postgres) {
        (Scenario::Fault(fault), Some(postgres)) => {
            let duration = Duration::from_secs(seconds.into());
            outage::run(fault, duration, clients, mix, &mut world, postgres).await?
        }
        (_, Some(postgres)) => {
            let posted = pgbench_ratio::run(seconds, clients, mix, &world, postgres).await?;
            *on_postgres = Some(posted.figures);
            (posted.sent, posted.faults)
        }
        (scenario, None) => {
            let plain = figures::plain(&mix);
            let mut sent = figures::warm_up(clients, plain.clone(), &world).await?;
            let measured = figures::measure(seconds, clients, plain, &world, None).await?;
            measured.figures.print(scenario.name());
            if let Some(on_postgres) = on_postgres {
                measured.figures.print_ratio(on_postgres);
            }
            sent.append(measured.sent);
            let faults = unexpected_outcomes(&sent.attempts, &[], |_, _| false);
            (sent, faults)
        }
    };
    faults.extend(funding_faults);
    sent.jobs.append(&mut fundings);
    faults.extend(run_final_checks(&world, &mut sent, last_counts).await?);
    world.close().await;
    Ok(faults)
}

/// What is done in a run.
enum Scenario {
    /// Payments compared with pgbench.
    Pgbench,
    /// Payments while something goes wrong.
    Fault(Fault),
    /// Payments on a database other than PostgreSQL.
    OtherDatabase(Database),
}

impl Scenario {
    fn name(&self) -> &str {
        match self {
            Self::Pgbench => "no fault",
            Self::Fault(fault) => fault.name(),
            Self::OtherDatabase(database) => database.name(),
        }
    }
}

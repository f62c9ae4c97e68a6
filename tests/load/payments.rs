//! How many payments does the service post in a second beside what the same PostgreSQL can do at
//! all, and are the books right afterwards, whatever went wrong in the meantime?
//!
//! ```sh
//! cargo build --release -p load -p installer
//! target/release/payments_load
//! target/release/payments_load --fault all
//! ```
//!
//! It starts a PostgreSQL of its own, with the durability that PostgreSQL has by default, and both
//! servers on it, books loans by XML import, and lets senders post payments over TLS, each with a
//! token and a connection of its own. Each payment has an `Idempotency-Key` and an `External_ID`;
//! what is not acknowledged is sent again under its key. The standard transactions of pgbench run
//! on the same server before and after: payments a second mean nothing on another machine, the
//! ratio of the two still does. It is explained by the statements that a payment takes, where one
//! of pgbench takes seven, and by the cores that senders and servers need for all else: here they
//! are those of PostgreSQL.
//!
//! Some payments are cash: they go into one of a few cash drawers. Meanwhile the senders put money
//! into these drawers, take it out, move it between them and a reserve, and count them. Others are
//! by card, at the sandbox.
//!
//! Then the books are checked, in SQL and without the servers: every balance is the sum of its
//! transactions, every entry the sum of its parts, no due row is paid beyond what is due, and each
//! payment that was acknowledged is there exactly once, with its amount. So is everything that was
//! done with drawers, and every payment of cash has its row in its drawer. No drawer was ever below
//! zero, transfers sum to zero, and each count found and froze the rows before it and no others. A
//! card was charged if and only if its payment is posted, and never twice.
//!
//! With `--fault`, one thing after the other goes wrong while payments are posted: a server is
//! killed, the database is, the disk runs full. Every answer must then say what is wrong, none may
//! be missing but those of a server that is dead, and afterwards nothing is lost and nothing
//! doubled. These runs measure nothing, and pgbench has no part in them.
//!
//! Exits with 1 when an answer or the books are not what they must be. What it has started and made
//! goes in any case but a kill.

mod payments {
    pub mod answers;
    pub mod beside_pgbench;
    pub mod books;
    pub mod card_books;
    pub mod cards;
    pub mod drawer_books;
    pub mod drawers;
    pub mod faults;
    pub mod jobs;
    pub mod judging;
    pub mod load;
    pub mod loans;
    pub mod outage;
    pub mod sender;
    pub mod settling;
}

use acceptance::Database;
use acceptance::postgres::{Postgres, Storage};
use acceptance::world::{Environment, World};
use clap::Parser;
use futures_util::FutureExt;
use payments::cards::Cards;
use payments::drawers::Drawers;
use payments::faults::Fault;
use payments::loans::Loans;
use payments::sender::Aim;
use payments::settling::{name_jobs, settle};
use payments::{beside_pgbench, load, outage};
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::timeout;

/// Beside everything whose length the arguments say.
const PREPARATION: Duration = Duration::from_secs(300);
/// For one loan to be booked, and for a sender to log in.
const EACH: Duration = Duration::from_millis(500);
/// The servers with as many connections as they have unless told otherwise.
const CONNECTIONS: &str = "16";
/// More faults than these are not printed.
const PRINTED: usize = 12;

/// Posts payments beside pgbench on the same PostgreSQL, or while things go wrong.
#[derive(Parser)]
struct Arguments {
    /// How long payments are posted, and how long pgbench runs before and after.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=36_000))]
    seconds: u32,
    /// Senders at once, and connections of pgbench.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=100))]
    clients: u32,
    /// Loans that take payments, beside the hot one.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(0..=100_000))]
    loans: u32,
    /// Of a hundred payments so many are on the one hot loan.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=100))]
    hot_percent: u32,
    /// Of a hundred payments so many are cash into a drawer. For each of these there is one other
    /// request that works with drawers.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100))]
    cash_percent: u32,
    /// Of a hundred payments that are not cash so many are by card.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=100))]
    card_percent: u32,
    /// What goes wrong meanwhile; may be given several times.
    #[arg(long, value_enum)]
    fault: Vec<Fault>,
}

impl Arguments {
    /// When something must be stuck.
    fn limit(&self) -> Duration {
        PREPARATION + EACH * (self.loans + self.clients) + Duration::from_secs(4) * self.seconds
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    let arguments = Arguments::parse();
    let good = tokio::select! {
        good = run_all(&arguments) => good,
        () = shared::stopping::stop_signal() => {
            eprintln!("payments_load: interrupted");
            false
        }
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One run after the other; false if anything was not what it must be.
async fn run_all(arguments: &Arguments) -> bool {
    let runs = match &arguments.fault[..] {
        [] => vec![None],
        faults => Fault::chosen(faults).into_iter().map(Some).collect(),
    };
    let mut good = true;
    for fault in runs {
        let name = fault.map_or("no fault", Fault::name);
        if let Some(reason) = fault.and_then(Fault::cannot) {
            println!("{name}: skipped: {reason}");
            continue;
        }
        let faults = run(arguments, fault).await.unwrap_or_else(|error| vec![error]);
        for fault in faults.iter().take(PRINTED) {
            println!("  WRONG: {fault}");
        }
        let more = faults.len().saturating_sub(PRINTED);
        if more > 0 {
            println!("  WRONG: and {more} more of that");
        }
        println!("{name}: {}\n", if faults.is_empty() { "holds" } else { "DOES NOT HOLD" });
        good &= faults.is_empty();
    }
    good
}

/// One run on a server of its own, which goes whatever became of the run. Gives back what must not
/// be, a line each.
async fn run(arguments: &Arguments, fault: Option<Fault>) -> Result<Vec<String>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = program.with_file_name("installer");
    if !program.is_file() {
        return Err(format!("{} is missing: cargo build -p acceptance", program.display()));
    }
    // The helpers of the tests panic, and the server must go then, too.
    let measurement = measure(arguments, program.display().to_string(), fault);
    let measurement = AssertUnwindSafe(measurement).catch_unwind();
    match timeout(arguments.limit(), measurement).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => Err("the run broke, as said above".to_owned()),
        Err(_) => Err(format!("not done after {} s", arguments.limit().as_secs())),
    }
}

async fn measure(
    arguments: &Arguments,
    program: String,
    fault: Option<Fault>,
) -> Result<Vec<String>, String> {
    let storage = fault.map_or(Storage::Folder, Fault::storage);
    let postgres = Postgres::start(storage).await?;
    let more = |name: &str| [(name.to_owned(), CONNECTIONS.to_owned())].into();
    let environment = Environment {
        auth: more("AUTH_DATABASE_CONNECTIONS"),
        api: more("API_DATABASE_CONNECTIONS"),
        ..Environment::default()
    };
    let database = Database::Server(postgres.url());
    let mut world = World::new(&program, database, environment).await;
    let loans = Loans::book(&world, arguments.loans).await?;
    let drawers = Drawers::make(&world).await;
    let mut fundings = name_jobs("first", drawers.fundings());
    let unfunded = load::finish(&world, &mut fundings).await?;
    let last_counts = name_jobs("last", drawers.counts());
    let Arguments { seconds, clients, hot_percent, cash_percent, card_percent, .. } = *arguments;
    let cards = Cards::add(&world, &loans).await?;
    let aim = Aim { loans, drawers, hot_percent, cash_percent, cards, card_percent };
    let (mut sent, mut faults) = match fault {
        None => beside_pgbench::run(seconds, clients, aim, &world, &postgres).await?,
        Some(fault) => {
            let duration = Duration::from_secs(seconds.into());
            outage::run(fault, duration, clients, aim, &mut world, &postgres).await?
        }
    };
    faults.extend(unfunded);
    sent.jobs.append(&mut fundings);
    faults.extend(settle(&world, &mut sent, last_counts).await?);
    world.close().await;
    Ok(faults)
}

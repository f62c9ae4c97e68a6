//! Load test of a replicated site: two replicas of each server behind HAProxy, on a PostgreSQL
//! server with a synchronous standby. No client should notice when servers are restarted, when one
//! dies, or when the database does.
//!
//! ```sh
//! cargo build --release -p load -p installer
//! target/release/replicas_load --seconds 30
//! ```
//!
//! It starts everything on this machine with the samples in `deploy/`, in which only addresses,
//! files and host names are replaced. People log in, read, and log out again, and senders post
//! payments as in `payments_load`, all through HAProxy. Meanwhile:
//!
//! * all four servers are restarted one after the other: no request may fail;
//! * people log out at one auth server: each api-server must refuse the very next call;
//! * the standby is killed: writes must wait until the primary is told to run alone;
//! * the primary is killed and the standby promoted: until then the servers must answer 503, and
//!   nothing acknowledged may be lost. Then the old primary is started as if it were still one: no
//!   server may use it. Then it becomes the standby of the new one;
//! * one of each server is killed: only the requests it was working on may fail.
//!
//! Finally everything that was never acknowledged is sent again, and the books are checked in SQL,
//! as in `payments_load`.
//!
//! Exits with 1 if something does not hold. Everything it has started and created is removed,
//! unless it is killed.

// A world of both servers has a deeply nested type.
#![recursion_limit = "256"]

#[path = "payments"]
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
}
mod replicas {
    pub mod events;
    pub mod site;
    pub mod verdict;
    pub mod visits;
    use super::payments;
}

use clap::{Parser, ValueEnum};
use futures_util::FutureExt;
use payments::cards::Cards;
use payments::drawers::Drawers;
use payments::final_checks::{name_jobs, run_final_checks};
use payments::load::{self, Load, LoadResult};
use payments::loans::Loans;
use payments::responses::ResponseTable;
use payments::sender::LoadMix;
use replicas::events::Event;
use replicas::site::Site;
use replicas::verdict;
use replicas::visits::{TimedRequest, Visits};
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Time allowed in addition to the durations in the arguments.
const LIMIT: Duration = Duration::from_secs(600);
/// The most faults printed.
const PRINTED: usize = 20;

/// Restarts and kills the components of a site while people work with it.
#[derive(Parser)]
struct Arguments {
    /// The time without events before each event.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=3_600))]
    seconds: u32,
    /// Senders of payments, and as many people who log in, read and log out.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    clients: u32,
    /// Loans that take payments, in addition to the hot one.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    loans: u32,
    /// Log-outs at one replica, each followed by a call at the other one.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    log_outs: u32,
    /// How long a server still accepts requests after it is told to stop.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=300))]
    drain_seconds: u32,
    /// The events; default: all.
    #[arg(long, value_enum)]
    event: Vec<Event>,
}

#[tokio::main]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    let mut arguments = Arguments::parse();
    if arguments.event.is_empty() {
        arguments.event = Event::value_variants().to_vec();
    }
    let faults = tokio::select! {
        faults = run(&arguments) => faults.unwrap_or_else(|error| vec![error]),
        () = shared::shutdown::stop_signal() => vec!["interrupted".to_owned()],
    };
    for fault in faults.iter().take(PRINTED) {
        println!("  WRONG: {fault}");
    }
    let more = faults.len().saturating_sub(PRINTED);
    if more > 0 {
        println!("  WRONG: and {more} more");
    }
    println!("replicas: {}", if faults.is_empty() { "holds" } else { "DOES NOT HOLD" });
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The whole run, whatever breaks in it. Returns what must not happen, one line each.
async fn run(arguments: &Arguments) -> Result<Vec<String>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = program.with_file_name("installer");
    if !program.is_file() {
        return Err(format!("{} is missing: cargo build -p acceptance", program.display()));
    }
    let limit = LIMIT + Duration::from_secs(arguments.seconds.into()) * 4;
    // The test harness panics on errors; the servers must be removed then, too.
    let work = AssertUnwindSafe(work(arguments, program.display().to_string())).catch_unwind();
    match timeout(limit, work).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(_)) => Err("the run failed, as shown above".to_owned()),
        Err(_) => Err(format!("not done after {} s", limit.as_secs())),
    }
}

async fn work(arguments: &Arguments, program: String) -> Result<Vec<String>, String> {
    let mut site = Site::start(&program, arguments.drain_seconds).await?;
    let world = &site.world;
    let loans = Loans::book(world, arguments.loans).await?;
    let drawers = Drawers::create(world).await;
    let mut fundings = name_jobs("first", drawers.fundings());
    let mut faults = load::finish(world, &mut fundings).await?;
    let last_counts = name_jobs("last", drawers.counts());
    let cards = Cards::add(world, &loans).await?;
    let visits = Visits::start(world, arguments.clients, loans.hot);
    let mix = LoadMix { loans, drawers, hot_percent: 5, cash_percent: 10, cards, card_percent: 10 };
    let through_haproxy = std::slice::from_ref(&world.client);
    let load = Load::start(world, through_haproxy, arguments.clients, mix).await?;
    let mut events = Vec::new();
    for event in &arguments.event {
        sleep(Duration::from_secs(arguments.seconds.into())).await;
        eprintln!("{}", event.name());
        events.push(event.run(&mut site, arguments.log_outs).await?);
    }
    let LoadResult { mut sent, elapsed } = load.end().await?;
    let mut requests = visits.end().await?;
    println!(
        "{} clients and as many senders for {:.0} s: {} requests",
        arguments.clients,
        elapsed.as_secs_f64(),
        requests.len() + sent.attempts.len()
    );
    requests.extend(sent.attempts.iter().map(TimedRequest::from));
    requests.sort_by_key(TimedRequest::answered_at);
    faults.extend(verdict::check_events(&events, &requests));
    println!("all that was posted:");
    print!("{}", ResponseTable(&sent.attempts));
    sent.jobs.append(&mut fundings);
    faults.extend(run_final_checks(&site.world, &mut sent, last_counts).await?);
    site.close().await;
    Ok(faults)
}

//! Plays thousands of random loans on a database and in a second book kept by simple means, and
//! compares every row and every figure, as `cargo test` does with fewer. Each loan is played three
//! times: in memory, with every entry posted alone, and with payments of one day posted together.
//!
//! ```sh
//! cargo build --release -p load -p installer
//! target/release/loan_histories --histories 10000
//! target/release/loan_histories --histories 10000 --seed 7 --database-url postgres://USER@HOST/db
//! ```
//!
//! Without `--database-url` it uses embedded databases, one per task. The loans follow from the
//! seed and the number of tasks. Exits with 1 and the smallest failing history it can find when the
//! two differ. The databases of the run are removed at the end.

// A world of both servers has a deeply nested type.
#![recursion_limit = "256"]

use acceptance::Database;
use acceptance::loan_drivers::database::DatabaseDriver;
use acceptance::loan_drivers::{Tally, play, pure};
use acceptance::loan_model::plan::Plan;
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use std::process::ExitCode;
use std::time::Instant;
use tokio::runtime::Runtime;

/// Compares random loans on a database with a second book.
#[derive(Parser)]
struct Arguments {
    /// Loans in total, each played three times.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    histories: u32,
    /// The seed; default: a new one each time.
    #[arg(long)]
    seed: Option<u64>,
    /// Concurrent tasks, each with its own database; default: one per core.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=64))]
    tasks: Option<u32>,
    /// A PostgreSQL or MariaDB server on which the user may create databases.
    #[arg(long)]
    database_url: Option<String>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let tasks = arguments.tasks.unwrap_or(cores).min(arguments.histories);
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(0..1_000_000_000));
    let database = arguments.database_url.map_or(Database::Sqlite, Database::Server);
    println!("seed {seed}, {tasks} tasks, on {}", database.name());
    let bar = ProgressBar::new(arguments.histories.into());
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} loans, {eta} to go");
    bar.set_style(style.expect("a template"));
    let started = Instant::now();
    let outcomes = std::thread::scope(|scope| {
        let share =
            |task| arguments.histories / tasks + u32::from(task < arguments.histories % tasks);
        let threads: Vec<_> = (0..tasks)
            .map(|task| {
                let (database, bar) = (&database, &bar);
                scope.spawn(move || run(database, share(task), seed + u64::from(task), bar))
            })
            .collect();
        let outcomes = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        outcomes.collect::<Vec<_>>()
    });
    bar.finish_and_clear();
    let mut total = Tally::default();
    let mut code = ExitCode::SUCCESS;
    for outcome in outcomes {
        match outcome {
            Ok(tally) => total.add(tally),
            Err(difference) => {
                println!("{difference}");
                code = ExitCode::FAILURE;
            }
        }
    }
    println!("{} in {:.0} s", total.line(), started.elapsed().as_secs_f64());
    code
}

/// Plays this many loans on a database of their own.
fn run(database: &Database, histories: u32, seed: u64, bar: &ProgressBar) -> Result<Tally, String> {
    let runtime = Runtime::new().map_err(|error| error.to_string())?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let driver = runtime.block_on(DatabaseDriver::fresh(database, folder.path()));
    let outcome = play(histories, seed, |plan: &Plan| {
        pure::compare(plan)?;
        pure::cents_above_level(plan)?;
        let alone = runtime.block_on(driver.compare(plan))?;
        let mut tally = runtime.block_on(driver.compare_gathered(plan))?;
        bar.inc(1);
        tally.add(alone);
        Ok(tally)
    });
    runtime.block_on(driver.close(database));
    outcome
}

//! Load test of reads: whether they take longer with more loans, or for a loan with a longer
//! history.
//!
//! ```sh
//! cargo build --release -p load -p installer
//! target/release/read_scale --database-url postgres://USER@HOST/postgres --loans 1000000
//! ```
//!
//! It creates two databases with the demo portfolio, one of the given number of loans and one of a
//! thousand, or half as many if that is less, and starts both servers on each. Then it reads from
//! each in turn, one request at a time, loans and filtered pages of their transactions, as a user
//! whose every row is checked for officers and trustees. The medians of the two are compared:
//! milliseconds mean nothing on another machine, but their ratio does. A million loans take a while
//! to create, and about 20 GB.
//!
//! With `--searches` it measures the searches for loans and contacts instead: as the admin account,
//! and as an officer who sees a hundred of them. Then it compares searches for rows that the officer
//! may not see with searches for rows that do not exist. `--plans` prints the database's plans.
//!
//! Without it, one loan of the larger portfolio gets a hundred thousand transactions, and is read in turn
//! with one that has ten.
//!
//! Exits with 1 if a response is wrong. The databases are removed, unless the program is killed.

// A world of both servers has a deeply nested type.
#![recursion_limit = "256"]

mod scale {
    pub mod copies;
    pub mod searches;
}

use acceptance::Database;
use acceptance::world::{Environment, World};
use clap::Parser;
use futures_util::FutureExt;
use installer::demo;
use installer::installation::database::gather_statistics;
use scale::{copies, searches};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, Statement};
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The most loans of the smaller portfolio.
const FEW_LOANS_MAX: u32 = 1000;
/// The loans that are booked; the others are copies of them.
const BOOKED: u32 = 500;
/// Transactions of the loan with a long history, and of the one with a short one.
const LONG_HISTORY: i64 = 100_000;
const SHORT_HISTORY: i64 = 10;
/// The number of loans read in turn: more than fit into one page of anything.
const LOANS_READ: usize = 500;
/// The most requests before those that count.
const WARM_UP_MAX: usize = 100;

/// Compares reads of a small and of a large portfolio.
#[derive(Parser)]
struct Arguments {
    /// A PostgreSQL or MariaDB server on which the user may create databases; default: embedded
    /// databases.
    #[arg(long)]
    database_url: Option<String>,
    /// Loans of the larger portfolio.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(200..=1_000_000))]
    loans: u32,
    /// Requests of each kind to each database.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    rounds: u32,
    /// Measure searches instead.
    #[arg(long)]
    searches: bool,
    /// Print the plan of each search first.
    #[arg(long, requires = "searches")]
    plans: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    let arguments = Arguments::parse();
    let program = std::env::current_exe().map(|this| this.with_file_name("installer"));
    let program = match program {
        Ok(program) if program.is_file() => program.display().to_string(),
        _ => {
            eprintln!("read_scale: installer is not in the directory of this program");
            return ExitCode::FAILURE;
        }
    };
    match run(&arguments, &program).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("read_scale: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &Arguments, program: &str) -> Result<(), String> {
    let database = arguments.database_url.clone().map_or(Database::Sqlite, Database::Server);
    let few = World::new(program, database.clone(), Environment::default()).await;
    let many = World::new(program, database, Environment::default()).await;
    // The test harness panics on errors; the databases must be removed then, too.
    let measurement = AssertUnwindSafe(measure(arguments, &few, &many)).catch_unwind();
    let result = tokio::select! {
        result = measurement => {
            result.unwrap_or_else(|_| Err("the measurement failed, as shown above".to_owned()))
        }
        () = shared::shutdown::stop_signal() => Err("interrupted".to_owned()),
    };
    few.close().await;
    many.close().await;
    result
}

async fn measure(arguments: &Arguments, few: &World, many: &World) -> Result<(), String> {
    let few_loans = FEW_LOANS_MAX.min(arguments.loans / 2);
    for (world, loans) in [(few, few_loans), (many, arguments.loans)] {
        let booked = BOOKED.min(few_loans);
        let (store, keys) = (world.documents(), world.master_keys());
        let filled = demo::fill(&world.db, &store, &keys, booked, &world.credentials.web).await;
        filled.map_err(|refused| refused.0)?;
        multiply(&world.db, loans / booked).await.map_err(|error| error.to_string())?;
    }
    println!("{} loans compared with {few_loans}, on {}", arguments.loans, many.database.name());
    if arguments.searches {
        return measure_searches(arguments, few, many).await;
    }
    let (small, large) = (LoanReader::new(few).await?, LoanReader::new(many).await?);
    for (name, suffix) in [
        ("GET /loans/{loan_id}", ""),
        ("a filtered page of transactions", "/transactions?transactionCode=122&limit=50"),
        ("a page of collateral", "/collateral?limit=50"),
        ("payments due", "/payments-due"),
        ("a payoff quote", "/payoff-quote"),
        ("the schedule", "/schedule"),
        ("balances", "/balances"),
    ] {
        let comparison = compare(arguments.rounds, &small, &large, suffix).await?;
        println!("{name:<34} {comparison}");
    }
    let (short, long) = prepare_histories(many, &large).await?;
    println!("a loan with {LONG_HISTORY} transactions compared with one with {SHORT_HISTORY}");
    for (name, suffix) in [
        ("GET /loans/{loan_id}", ""),
        ("the first page of transactions", "/transactions?limit=10"),
        ("a filtered page of transactions", "/transactions?transactionCode=120&limit=10"),
        ("balances", "/balances"),
    ] {
        let comparison = compare(arguments.rounds, &short, &long, suffix).await?;
        println!("{name:<34} {comparison}");
    }
    Ok(())
}

async fn multiply(db: &DatabaseConnection, times: u32) -> Result<(), DbErr> {
    copies::multiply(db, times).await?;
    shared::database::contact_search::refill(db).await?;
    gather_statistics(db).await
}

async fn measure_searches(arguments: &Arguments, few: &World, many: &World) -> Result<(), String> {
    for world in [few, many] {
        searches::share_out(world).await?;
    }
    if arguments.plans {
        searches::print_plans(many).await?;
    }
    searches::measure(few, many, arguments.rounds).await?;
    searches::measure_hidden(many).await
}

/// The loans to read from a world, and the caller who reads them.
#[derive(Clone)]
struct LoanReader<'a> {
    world: &'a World,
    token: String,
    loan_ids: Vec<i64>,
}

impl<'a> LoanReader<'a> {
    /// Loans that the officer may see, evenly spread.
    async fn new(world: &'a World) -> Result<Self, String> {
        let token = world.token("officer").await;
        let highest = world.count("SELECT MAX(loan_id) FROM loans").await;
        let step = (highest / LOANS_READ as i64).max(1);
        let candidates = (0..LOANS_READ as i64).map(|n| 1 + n * step).filter(|id| *id <= highest);
        let ids = candidates.map(|id| id.to_string()).collect::<Vec<_>>().join(", ");
        let sql = format!(
            "SELECT loan_id FROM loans WHERE loan_id IN ({ids}) AND loan_officer_user_id IS NULL \
             AND collection_officer_user_id IS NULL"
        );
        let statement = Statement::from_string(world.db.get_database_backend(), sql);
        let rows = world.db.query_all_raw(statement).await.map_err(|error| error.to_string())?;
        let loan_ids: Result<Vec<i64>, _> =
            rows.iter().map(|row| row.try_get_by_index(0)).collect();
        let loan_ids = loan_ids.map_err(|error| error.to_string())?;
        if loan_ids.is_empty() {
            return Err("the officer sees none of the loans".to_owned());
        }
        Ok(Self { world, token, loan_ids })
    }

    /// The same caller, reading one loan.
    fn for_loan(&self, loan_id: i64) -> Self {
        Self { loan_ids: vec![loan_id], ..self.clone() }
    }

    /// Measures one request.
    async fn time(&mut self, round: usize, suffix: &str) -> Result<Duration, String> {
        let loan_id = self.loan_ids[round % self.loan_ids.len()];
        let path = format!("/loans/{loan_id}{suffix}");
        let started = Instant::now();
        let response = self.world.client.get(&self.token, &path).await;
        let time = started.elapsed();
        match response.status.as_u16() {
            200 => Ok(time),
            // Tokens live for twelve minutes: renew it, and do not count the request twice.
            401 => {
                self.token = self.world.token("officer").await;
                Box::pin(self.time(round, suffix)).await
            }
            status => Err(format!("{path}: {status} {}", response.text)),
        }
    }
}

/// Prepares one loan with a short history and one with a long one.
async fn prepare_histories<'a>(
    world: &'a World,
    reader: &LoanReader<'a>,
) -> Result<(LoanReader<'a>, LoanReader<'a>), String> {
    // The last loans are copies, to whose transactions no cash drawer refers.
    let [.., short, long] = reader.loan_ids[..] else {
        return Err("there are too few loans".to_owned());
    };
    let columns = "loan_id, transaction_reference_no, transaction_code, \
                   transaction_description, transaction_date, effective_date, gl_date, \
                   transaction_amount, entered_by_user_id, reversed_flag, nsf_flag";
    for (loan, length) in [(short, SHORT_HISTORY), (long, LONG_HISTORY)] {
        world
            .sql(&format!(
                "DELETE FROM payment_allocations WHERE transaction_id IN \
             (SELECT transaction_id FROM loan_transactions WHERE loan_id = {loan})"
            ))
            .await;
        world.sql(&format!("DELETE FROM loan_transactions WHERE loan_id = {loan}")).await;
        let memo = |_| {
            format!("{loan}, 0, 144, 'Memo', NOW, '2020-01-01', '2020-01-01', 100, 1, false, false")
        };
        world.insert("loan_transactions", "transaction_id", columns, (0..10).map(memo)).await;
        let mut count = 10;
        while count < length {
            let more = count.min(length - count);
            // Every thousandth row is a payment, so that a filter has something to skip.
            let sql = format!(
                "INSERT INTO loan_transactions ({columns}) SELECT loan_id, 0, \
                 CASE WHEN transaction_id % 1000 = 0 THEN 120 ELSE 144 END, \
                 transaction_description, transaction_date, effective_date, gl_date, \
                 transaction_amount, entered_by_user_id, false, false FROM loan_transactions \
                 WHERE loan_id = {loan} ORDER BY transaction_id LIMIT {more}"
            );
            world.sql(&sql).await;
            count += more;
        }
        let found = format!("SELECT COUNT(*) FROM loan_transactions WHERE loan_id = {loan}");
        let found = world.count(&found).await;
        if found != length {
            return Err(format!("loan {loan} has {found} transactions, not {length}"));
        }
    }
    let analyze = match world.database.name() {
        "mysql" => "ANALYZE TABLE loan_transactions",
        _ => "ANALYZE loan_transactions",
    };
    world.sql(analyze).await;
    Ok((reader.for_loan(short), reader.for_loan(long)))
}

/// Two medians and their ratio.
struct Comparison {
    first: Duration,
    second: Duration,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        let ratio = ms(self.second) / ms(self.first);
        write!(f, "{:7.3} ms, {:7.3} ms: {ratio:.2} times", ms(self.first), ms(self.second))
    }
}

/// Measures both in turn, so that other load on the machine slows both.
async fn compare(
    rounds: u32,
    first: &LoanReader<'_>,
    second: &LoanReader<'_>,
    suffix: &str,
) -> Result<Comparison, String> {
    let (mut first_times, mut second_times) = (Vec::new(), Vec::new());
    let (mut first, mut second) = (first.clone(), second.clone());
    let rounds = rounds as usize;
    let warm_up = WARM_UP_MAX.min(rounds);
    for round in 0..warm_up + rounds {
        let times = (first.time(round, suffix).await?, second.time(round, suffix).await?);
        if round >= warm_up {
            first_times.push(times.0);
            second_times.push(times.1);
        }
    }
    Ok(Comparison { first: median(first_times), second: median(second_times) })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

//! Load test of large XML imports: speed, compared with PostgreSQL's own COPY of the same rows, and
//! constant memory of the api-server.
//!
//! ```sh
//! cargo build --release -p load -p installer
//! target/release/import_scale --database-url postgres://USER@HOST/postgres
//! ```
//!
//! It creates its own database, starts both servers on it, writes a file of contacts and loans (a
//! million of each make about 1 GiB, the longest file that an import accepts), and imports it. File
//! and response are streamed; every record of the response is compared with the file, and every
//! contact and loan is looked up in the database. Meanwhile the resident memory of the api-server
//! is sampled ten times a second.
//!
//! On PostgreSQL, COPY then loads the rows that the import wrote into a second database with the
//! same indexes and foreign keys: rows per second mean nothing on another machine, but the ratio of
//! the two does.
//!
//! With `--test-run` the file is first imported with `test=true`, and dumps of the database from
//! before and after are compared. With `--kill` the api-server is killed half-way and the file sent
//! again under its key.
//!
//! A million contacts and loans are some 66 million rows, nearly all of them field changes, and
//! take about 40 GB on the database server, half of it in the second database. Exits with 1 if a
//! response or a row is wrong, or if the api-server used more memory than allowed. The databases
//! are removed, unless the program is killed.

// A world of both servers has a deeply nested type.
#![recursion_limit = "256"]

mod import_scale {
    pub mod copy;
    pub mod dump;
    pub mod import;
    pub mod import_result;
    pub mod portfolio;
    pub mod report;
    pub mod rows;
}

use acceptance::Database;
use acceptance::databases;
use acceptance::world::{Environment, World};
use clap::Parser;
use futures_util::FutureExt;
use import_scale::copy::CopyRun;
use import_scale::dump::Dump;
use import_scale::import::{Import, ImportRun, kill_and_send_again};
use import_scale::portfolio::{BYTES_MAX, Portfolio};
use import_scale::report::ImportReport;
use import_scale::rows::{self, WrittenRows};
use std::io::{BufWriter, Write};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::timeout;

/// Time allowed in addition to that for the records.
const PREPARATION: Duration = Duration::from_secs(300);
/// Time allowed per record, for everything that is done with it.
const PER_RECORD: Duration = Duration::from_millis(50);
/// The default key of an import that is killed.
const KEY: &str = "import-scale";

/// Imports a large XML file, and compares it with COPY on the same PostgreSQL server.
#[derive(Parser)]
struct Arguments {
    /// A PostgreSQL or MariaDB server on which the user may create databases; default: an embedded
    /// database.
    #[arg(long)]
    database_url: Option<String>,
    /// Contacts in the file; there are as many loans.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(2..=10_000_000))]
    contacts: u64,
    /// The length of the file, which is filled with contacts and loans.
    #[arg(long, conflicts_with = "contacts", value_parser = clap::value_parser!(u64).range(4096..=BYTES_MAX))]
    file_bytes: Option<u64>,
    /// The `Idempotency-Key` to send the file under.
    #[arg(long)]
    key: Option<String>,
    /// Makes the file one transaction (`CommitBlock="1"`).
    #[arg(long)]
    block: bool,
    /// Lets loans refer to their contact by ContactNumber instead of GetRecordID.
    #[arg(long)]
    by_number: bool,
    /// Kills the api-server half-way and sends the file again under its key.
    #[arg(long, conflicts_with = "block")]
    kill: bool,
    /// Imports the file with `test=true` first, which must leave nothing.
    #[arg(long)]
    test_run: bool,
    /// The most resident memory of the api-server.
    #[arg(long, default_value_t = 150)]
    memory_mib: u64,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    fn portfolio(&self) -> Portfolio {
        let Self { contacts, block, by_number, .. } = *self;
        let portfolio = Portfolio { contacts, block, by_number };
        match self.file_bytes {
            Some(bytes) => portfolio.fitting(bytes),
            None => portfolio,
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    let arguments = Arguments::parse();
    let report = match run(&arguments).await {
        Ok(report) => report,
        Err(error) => {
            eprintln!("import_scale: {error}");
            return ExitCode::FAILURE;
        }
    };
    if arguments.json {
        println!("{}", report.to_json());
    } else {
        print!("{report}");
    }
    for fault in &report.faults {
        eprintln!("WRONG: {fault}");
    }
    if report.faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Imports into a new database and removes it, whatever the outcome.
async fn run(arguments: &Arguments) -> Result<ImportReport, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = program.with_file_name("installer");
    if !program.is_file() {
        return Err(format!("{} is missing: cargo build -p acceptance", program.display()));
    }
    let portfolio = arguments.portfolio();
    let database = arguments.database_url.clone().map_or(Database::Sqlite, Database::Server);
    let program = program.display().to_string();
    let mut world = World::new(&program, database.clone(), Environment::default()).await;
    // The second database is created before rows are added, as a copy of the first.
    let reference = match database.name().starts_with("postgres") {
        true => Some(database.create(world.folder.path()).await),
        false => None,
    };
    // The test harness panics on errors; the databases must be removed then, too.
    let measurement = measure(arguments, portfolio, &mut world, reference.as_deref());
    let measurement = AssertUnwindSafe(measurement).catch_unwind();
    let limit = PREPARATION + PER_RECORD * u32::try_from(portfolio.records()).unwrap_or(u32::MAX);
    let result = tokio::select! {
        result = timeout(limit, measurement) => match result {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => Err("the run failed, as shown above".to_owned()),
            Err(_) => Err(format!("not done after {} s", limit.as_secs())),
        },
        () = shared::shutdown::stop_signal() => Err("interrupted".to_owned()),
    };
    if let Some(reference) = reference {
        database.drop(&reference).await;
    }
    match &result {
        Ok(_) => world.close().await,
        Err(_) => world.discard().await,
    }
    databases::drop_templates().await;
    result
}

async fn measure(
    arguments: &Arguments,
    portfolio: Portfolio,
    world: &mut World,
    reference: Option<&str>,
) -> Result<ImportReport, String> {
    let (file, file_bytes) = write_file(&portfolio, world.folder.path())?;
    let mut faults = Vec::new();
    let test_run = match arguments.test_run {
        true => Some(test_import(world, &file, portfolio, &mut faults).await?),
        false => None,
    };
    let mut written = WrittenRows::before_import(world).await;
    eprintln!("importing {} records", portfolio.records());
    let import = match (arguments.kill, arguments.key.as_deref()) {
        (true, key) => kill_and_send_again(world, file, portfolio, key.unwrap_or(KEY)).await?,
        (false, key) => Import::prepare(world, file, portfolio).await.send(false, key).await?,
    };
    eprintln!("counting the rows");
    WrittenRows::count(&mut written, world).await;
    faults.extend(import.result.faults(&portfolio, false));
    faults.extend(rows::faults(world, &portfolio, &import.result).await);
    let copy = match reference {
        None => None,
        Some(reference) => {
            eprintln!("copying them");
            Some(CopyRun::measure(world, &written, reference).await?)
        }
    };
    let mut report = ImportReport {
        database: world.database.name().to_owned(),
        portfolio,
        file_bytes,
        killed: arguments.kill,
        test_run,
        import,
        written,
        copy,
        memory_mib: arguments.memory_mib,
        faults,
    };
    let (peak_mib, allowed_mib) = (report.peak_kib().div_ceil(1024), arguments.memory_mib);
    if peak_mib > allowed_mib {
        let fault = format!("the api-server had {peak_mib} MiB of memory, not {allowed_mib}");
        report.faults.push(fault);
    }
    Ok(report)
}

/// Writes the file into this directory. Returns its path and length.
fn write_file(portfolio: &Portfolio, folder: &Path) -> Result<(PathBuf, u64), String> {
    let path = folder.join("import.xml");
    let file = std::fs::File::create(&path).map_err(|error| error.to_string())?;
    let mut file = BufWriter::with_capacity(1 << 20, file);
    let written = portfolio.write(&mut file).and_then(|bytes| file.flush().map(|()| bytes));
    let bytes = written.map_err(|error| format!("{}: {error}", path.display()))?;
    if bytes > BYTES_MAX {
        return Err(format!("the file has {bytes} bytes, and an import at most {BYTES_MAX}"));
    }
    Ok((path, bytes))
}

/// Imports the file with `test=true`, which must be answered like the import and leave nothing.
async fn test_import(
    world: &World,
    file: &Path,
    portfolio: Portfolio,
    faults: &mut Vec<String>,
) -> Result<ImportRun, String> {
    let import = Import::prepare(world, file.to_owned(), portfolio).await;
    let before = Dump::take(world).await?;
    eprintln!("importing {} records with test=true", portfolio.records());
    let test_run = import.send(true, None).await?;
    faults.extend(test_run.result.faults(&portfolio, true));
    let difference = before.difference(world).await?;
    faults
        .extend(difference.map(|difference| format!("the test run left something: {difference}")));
    Ok(test_run)
}

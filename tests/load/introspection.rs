//! Load test of introspection: throughput and latency of one auth-server process, compared with
//! what the same PostgreSQL server can do.
//!
//! ```sh
//! cargo build --release -p load -p installer
//! target/release/introspection_load --database-url postgres://USER@HOST/postgres
//! ```
//!
//! It creates its own database, starts an auth server on it, logs in, and lets callers introspect
//! over persistent connections, first live tokens, then junk, which costs only the look-up of the
//! client. `pgbench -S`, which reads one row by its key, runs in the same database before and
//! after: responses per second mean nothing on another machine, but the ratio of the two does. With
//! `--other-database` (`sqlite`, or the URL of a server), live tokens of another database are
//! introspected, too.
//!
//! About the ratio: the callers use the cores of the auth server and of PostgreSQL if all are on
//! one machine. A caller sends its next request when it has its response, so with more callers each
//! waits longer: compare latencies with `--connections 8`, which is pgbench's number.
//!
//! Exits with 1 if a single response is wrong. The database is removed in any case.

// A world of both servers has a deeply nested type.
#![recursion_limit = "256"]

mod callers;
mod report;

use acceptance::lean_client::HttpVersion;
use acceptance::pgbench::Pgbench;
use acceptance::servers::{ServerKind, TestServer, free_port};
use acceptance::{Client, Database, databases, postgres};
use callers::Callers;
use clap::Parser;
use futures_util::FutureExt;
use installer::installation::certificates::{self, TlsFiles};
use installer::installation::credentials::Credentials;
use report::{IntrospectionReport, PGBENCH_CLIENTS, Run};
use sea_orm::{ConnectionTrait, Statement};
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::timeout;

/// Time allowed in addition to the durations in the arguments: schema, start and stop of the
/// server.
const PREPARATION: Duration = Duration::from_secs(120);
/// Time allowed for one log-in, which is slow on purpose.
const PER_LOG_IN: Duration = Duration::from_secs(5);
/// The first requests are slow: callers open their connections, and the server prepares its
/// statements.
const WARM_UP: Duration = Duration::from_millis(500);

/// Measures introspection, compared with pgbench on the same PostgreSQL server.
#[derive(Parser)]
struct Arguments {
    /// A PostgreSQL server on which the user may create databases.
    #[arg(long)]
    database_url: String,
    /// Another database with live tokens: `sqlite`, or the URL of a server; may be given several
    /// times.
    #[arg(long, value_parser = Database::named)]
    other_database: Vec<Database>,
    /// How long each measurement takes. Tokens live for twelve minutes.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=120))]
    seconds: u32,
    /// Concurrent callers; over HTTP/1.1 each has its own connection, over HTTP/2 they share one.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=200))]
    connections: u32,
    /// Number of different tokens.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1000))]
    tokens: u32,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    /// The time limit, after which something must be stuck.
    fn limit(&self) -> Duration {
        let databases = 1 + self.other_database.len() as u32;
        let each = PREPARATION + Duration::from_secs(8) * self.seconds + PER_LOG_IN * self.tokens;
        databases * each
    }

    fn duration(&self) -> Duration {
        Duration::from_secs(self.seconds.into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    shared::tls::install_provider();
    let arguments = Arguments::parse();
    match run(&arguments).await {
        Ok(report) if arguments.json => println!("{}", report.to_json()),
        Ok(report) => print!("{report}"),
        Err(error) => {
            eprintln!("introspection_load: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Measures in a new database and removes it, whatever the outcome.
async fn run(arguments: &Arguments) -> Result<IntrospectionReport, String> {
    let server = &arguments.database_url;
    let program = program()?;
    let version = postgres_version(server).await?;
    postgres::find("pgbench")?;
    let url = databases::create_empty(server).await;
    let pgbench = Pgbench::new(&url)?;
    // The test harness panics on errors; the database must be removed then, too.
    let measurement = measure(arguments, &program, &pgbench, &url, version);
    let measurement = AssertUnwindSafe(measurement).catch_unwind();
    let outcome = tokio::select! {
        outcome = timeout(arguments.limit(), measurement) => match outcome {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err("the measurement failed, as shown above".to_owned()),
            Err(_) => Err(format!("not done after {} s", arguments.limit().as_secs())),
        },
        () = shared::shutdown::stop_signal() => Err("interrupted".to_owned()),
    };
    let dropped = timeout(PREPARATION, Database::Server(server.clone()).drop(&url)).await;
    dropped.map_err(|_| format!("{url} could not be removed"))?;
    outcome
}

/// The auth server's program: built with this one, in the same directory.
fn program() -> Result<PathBuf, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = this.with_file_name("installer");
    if program.is_file() {
        return Ok(program);
    }
    Err(format!("{} is missing: cargo build --release -p load -p installer", program.display()))
}

/// The server's version, which also shows that it exists.
async fn postgres_version(server: &str) -> Result<String, String> {
    if !server.starts_with("postgres://") && !server.starts_with("postgresql://") {
        return Err("--database-url must be postgres://…, because pgbench is".to_owned());
    }
    let failed = |error: sea_orm::DbErr| format!("PostgreSQL does not answer: {error}");
    let db = shared::database::connect(server, 1).await.map_err(failed)?;
    let statement = Statement::from_string(db.get_database_backend(), "SHOW server_version");
    let row = db.query_one_raw(statement).await.map_err(failed)?.ok_or("no version")?;
    let version = row.try_get_by_index(0).map_err(failed)?;
    db.close().await.map_err(failed)?;
    Ok(version)
}

async fn measure(
    arguments: &Arguments,
    program: &Path,
    pgbench: &Pgbench,
    database_url: &str,
    postgres: String,
) -> Result<IntrospectionReport, String> {
    databases::fill(database_url).await;
    pgbench.initialize(1).await?;
    eprintln!("pgbench, before");
    let before = pgbench.select(PGBENCH_CLIENTS, arguments.seconds).await?;
    let mut runs = introspect(arguments, program, database_url, &[LIVE, JUNK], "").await?;
    eprintln!("pgbench, after");
    let after = pgbench.select(PGBENCH_CLIENTS, arguments.seconds).await?;
    for database in &arguments.other_database {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let url = database.create(folder.path()).await;
        let on_database = format!(" on {}", database.name());
        let measured = introspect(arguments, program, &url, &[LIVE], &on_database).await;
        database.drop(&url).await;
        runs.append(&mut measured?);
    }
    Ok(IntrospectionReport {
        postgres,
        cores: std::thread::available_parallelism().map_or(0, usize::from),
        release_build: !cfg!(debug_assertions),
        seconds: arguments.seconds,
        connections: arguments.connections,
        tokens: arguments.tokens,
        before,
        after,
        runs,
    })
}

/// Kinds of tokens, and whether they are active.
const LIVE: (&str, bool) = ("live tokens", true);
const JUNK: (&str, bool) = ("junk tokens", false);

/// Introspects tokens of these kinds at an auth server on this database.
async fn introspect(
    arguments: &Arguments,
    program: &Path,
    database_url: &str,
    kinds: &[(&str, bool)],
    on_database: &str,
) -> Result<Vec<Run>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let credentials = databases::credentials();
    let tls = certificates::local(folder.path())?;
    let (mut server, client) = start(folder.path(), program, database_url, &tls).await?;
    eprintln!("{} log-ins{on_database}", arguments.tokens);
    let live = log_in(&client, credentials, arguments.tokens).await?;
    let mut runs = Vec::new();
    for (kind, active) in kinds {
        let tokens = match active {
            true => live.clone(),
            false => live.iter().map(|token| junk(token)).collect(),
        };
        for version in [HttpVersion::Http2, HttpVersion::Http1] {
            let name = format!("{kind}{on_database}");
            eprintln!("{name}, {version:?}");
            let secret = &credentials.api_server;
            let callers =
                Callers::new(&client.auth_url, &tls.authority, secret, version, &tokens, *active)?;
            callers.run(WARM_UP, arguments.connections).await?;
            let results = callers.run(arguments.duration(), arguments.connections).await?;
            runs.push(Run::new(name, version, &results)?);
        }
    }
    let stopped = timeout(PREPARATION, server.stop()).await;
    if !stopped.is_ok_and(|stopped_cleanly| stopped_cleanly) {
        return Err(format!("the auth server did not exit successfully; {}", server.log()));
    }
    Ok(runs)
}

/// Starts an auth server with default settings, and returns it with a client.
async fn start(
    folder: &Path,
    program: &Path,
    database_url: &str,
    tls: &TlsFiles,
) -> Result<(TestServer, Client), String> {
    let credentials = databases::credentials();
    let port = free_port();
    let url = format!("https://localhost:{port}");
    let settings = format!(
        "AUTH_LISTEN=127.0.0.1:{port}\nAUTH_ISSUER={url}\nAUTH_DATABASE_URL={database_url}\n\
         AUTH_TLS_CERTIFICATE={}\nAUTH_TLS_KEY={}\nAUTH_TOKEN_KEYS=k1:{}\n\
         AUTH_MASTER_KEYS=k1:{}\nAUTH_DRAIN_DELAY_SECONDS=0\n",
        tls.certificate.display(),
        tls.key.display(),
        credentials.token_key,
        credentials.master_key,
    );
    let env_file = folder.join("auth-server.env");
    std::fs::write(&env_file, settings).map_err(|error| error.to_string())?;
    // There is no api-server, because nothing here needs one.
    let client = Client::new(&url, "", &tls.authority, &credentials.integration);
    let ready = format!("{url}/health/ready");
    let no_variables = BTreeMap::new();
    let server =
        TestServer::start(ServerKind::Auth, program, &env_file, no_variables, ready, &client.http)
            .await;
    Ok((server, client))
}

/// Logs in this many times, as each of the four users in turn, and returns the tokens.
async fn log_in(
    client: &Client,
    credentials: &Credentials,
    count: u32,
) -> Result<Vec<String>, String> {
    let users = [
        ("admin", &credentials.admin),
        ("officer", &credentials.officer),
        ("teller", &credentials.teller),
        ("viewer", &credentials.viewer),
    ];
    let mut tokens = Vec::new();
    for (name, password) in users.iter().cycle().take(count as usize) {
        let token = timeout(PER_LOG_IN, client.log_in("core", name, password)).await;
        tokens.push(token.map_err(|_| format!("{name} got no token in time"))??);
    }
    Ok(tokens)
}

/// The token with its last character changed: of the same length, but invalid.
fn junk(token: &str) -> String {
    let (rest, last) = token.split_at(token.len() - 1);
    format!("{rest}{}", if last == "A" { 'B' } else { 'A' })
}

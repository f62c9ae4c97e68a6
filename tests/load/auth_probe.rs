//! Load test of two properties of the auth server that take too many requests for everyday tests:
//!
//! * `refresh-race`: a refresh token has one successor, and is spent once that one is used, even
//!   when thousands of concurrent exchanges reach two replicas on one database.
//! * `enumeration`: a failing log-in takes equally long for a user who exists, for one who does
//!   not, and for one who is locked out.
//!
//! ```sh
//! cargo build --release -p load -p installer
//! target/release/auth_probe refresh-race --database-url postgres://USER@HOST/postgres
//! target/release/auth_probe enumeration --database-url postgres://USER@HOST/postgres
//! ```
//!
//! Without `--database-url` they use the embedded database. Exits with 1 if the property does not
//! hold. The database of the run is removed at the end.

// A world of both servers has a deeply nested type.
#![recursion_limit = "256"]

use acceptance::databases::DEFAULT_HASHING;
use acceptance::world::{Environment, World};
use acceptance::{Client, Database, TestResponse};
use clap::{Parser, Subcommand};
use futures_util::future::join_all;
use shared::entity::log_in_failures;
use shared::introspection::UserKind;
use std::collections::BTreeSet;
use std::iter;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// The time limit, after which something must be stuck.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// Tests properties of the auth server that take very many requests.
#[derive(Parser)]
struct Arguments {
    /// A PostgreSQL or MariaDB server on which the user may create databases.
    #[arg(long, global = true)]
    database_url: Option<String>,
    #[command(subcommand)]
    probe: Probe,
}

#[derive(Subcommand)]
enum Probe {
    /// Sends the same refresh token many times concurrently to two replicas.
    RefreshRace {
        /// Exchanges in total.
        #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
        attempts: u32,
        /// Concurrent exchanges of one token.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(2..=1000))]
        at_once: u32,
    },
    /// Compares the latencies of failing log-ins.
    Enumeration {
        /// Log-ins of each kind.
        #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(3..=100_000))]
        samples: u32,
        /// How far the medians may differ.
        #[arg(long, default_value_t = 5.0)]
        tolerance_percent: f64,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let program = std::env::current_exe().map(|this| this.with_file_name("installer"));
    let program = match program {
        Ok(program) if program.is_file() => program.display().to_string(),
        _ => {
            eprintln!("auth_probe: installer is not in the directory of this program");
            return ExitCode::FAILURE;
        }
    };
    let database = arguments.database_url.map_or(Database::Sqlite, Database::Server);
    let settings = iter::once(("AUTH_SOURCE_FAILURES_MAX", "1000000")).chain(DEFAULT_HASHING);
    let auth = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let environment = Environment { auth, ..Environment::default() };
    let world = World::new(&program, database, environment).await;
    let probe = async {
        match arguments.probe {
            Probe::RefreshRace { attempts, at_once } => race(&world, attempts, at_once).await,
            Probe::Enumeration { samples, tolerance_percent } => {
                compare(&world, samples, tolerance_percent).await
            }
        }
    };
    let holds = timeout(LIMIT, probe).await.unwrap_or_else(|_| {
        eprintln!("auth_probe: not done after {} s", LIMIT.as_secs());
        false
    });
    world.close().await;
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// True if every token had one successor, and ended its session when used after that one.
async fn race(world: &World, attempts: u32, at_once: u32) -> bool {
    let replica = world.replica().await;
    let clients = [&world.client, &replica.client];
    let (mut granted, mut branched, mut survivors) = (0, 0, 0);
    let refresh_token = |response: &TestResponse| {
        response.json()["refresh_token"].as_str().expect("a token").to_owned()
    };
    let started = Instant::now();
    let rounds = attempts.div_ceil(at_once);
    for _ in 0..rounds {
        let token = log_in(world, "viewer", &world.credentials.viewer).await.json();
        let token = token["refresh_token"].as_str().expect("a refresh token").to_owned();
        let exchanges = (0..at_once as usize).map(|n| refresh(clients[n % 2], &token));
        let responses = join_all(exchanges).await;
        let granted_responses: Vec<_> =
            responses.iter().filter(|response| response.status == 200).collect();
        for response in responses.iter().filter(|response| response.status != 200) {
            assert_eq!(response.json()["error"], "invalid_grant", "{}", response.text);
        }
        granted += granted_responses.len();
        let successors: BTreeSet<String> =
            granted_responses.iter().map(|response| refresh_token(response)).collect();
        branched += u32::from(successors.len() != 1);
        for successor in &successors {
            refresh(&world.client, successor).await.expect(200);
            let replay = refresh(&world.client, &token).await;
            survivors += u32::from(replay.status == 200);
        }
    }
    let sent = rounds * at_once;
    println!("{sent} exchanges of {rounds} refresh tokens, {at_once} at once, over two replicas");
    println!("answered with tokens: {granted}; exchanged after their successor: {survivors}");
    println!("tokens without exactly one successor: {branched}");
    println!("{:.0} exchanges a second", f64::from(sent) / started.elapsed().as_secs_f64());
    replica.close().await;
    branched == 0 && survivors == 0
}

async fn refresh(client: &Client, token: &str) -> TestResponse {
    let form = [("grant_type", "refresh_token"), ("refresh_token", token)];
    client.form(("integration", &client.client_secret), "/oauth2/token", &form).await
}

async fn log_in(world: &World, name: &str, password: &str) -> TestResponse {
    let form =
        [("grant_type", "password"), ("scope", "core"), ("username", name), ("password", password)];
    let secret = &world.client.client_secret;
    world.client.form(("integration", secret), "/oauth2/token", &form).await
}

/// True if the medians of the three kinds of failing log-ins, measured in turn, are close together.
async fn compare(world: &World, samples: u32, tolerance_percent: f64) -> bool {
    let credentials = &world.credentials;
    for (name, password) in [("viewer", &credentials.viewer), ("teller", &credentials.teller)] {
        log_in(world, name, password).await.expect(200);
    }
    for _ in 0..10 {
        log_in(world, "teller", "wrong").await.expect(400);
    }
    // Failures are deleted, so that no log-in is slowed down by them, which would be alike for all
    // names. Those of the locked user stay.
    let delete_failures = |name: &str| {
        let subject = log_in_failures::account(UserKind::Core, name);
        format!("DELETE FROM log_in_failures WHERE subject = '{subject}'")
    };
    let kinds = [("known, wrong password", "viewer"), ("unknown", "nobody"), ("locked", "teller")];
    let mut times = [const { Vec::new() }; 3];
    let mut bodies = Vec::new();
    for _ in 0..samples {
        for (index, (_, name)) in kinds.iter().enumerate() {
            world.sql(&delete_failures(if *name == "teller" { "anybody" } else { name })).await;
            let started = Instant::now();
            let response = log_in(world, name, "wrong").await.expect(400);
            times[index].push(started.elapsed());
            bodies.push(response.text);
        }
    }
    assert!(bodies.iter().all(|body| *body == bodies[0]), "the responses differ");
    let medians = times.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    });
    for ((kind, _), median) in kinds.iter().zip(medians) {
        println!("{kind:<22} median {:7.2} ms of {samples}", median.as_secs_f64() * 1000.0);
    }
    let (least, most) = (medians.iter().min().unwrap(), medians.iter().max().unwrap());
    let difference = (most.as_secs_f64() / least.as_secs_f64() - 1.0) * 100.0;
    println!("apart: {difference:.1} %, allowed {tolerance_percent} %");
    difference <= tolerance_percent
}

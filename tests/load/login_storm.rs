//! Load test of log-ins: what attackers who try passwords as fast as they can cost other users who
//! log in.
//!
//! ```sh
//! cargo build --release -p load -p installer
//! target/release/login_storm --networks 10 --seconds 60
//! ```
//!
//! It starts both servers on the embedded database, with passwords hashed as strongly as in
//! production. Attackers on several loopback networks open the log-in page and send wrong
//! passwords, each network several concurrently, and again as soon as it gets a response. Meanwhile
//! an honest user in another network logs in through the same page, one log-in after the other.
//! Exits with 1 if one of these fails, or if the 99th percentile of the honest log-ins is a second
//! or more above that of log-ins without attackers.

// A world of both servers has a deeply nested type.
#![recursion_limit = "256"]

use acceptance::databases::DEFAULT_HASHING;
use acceptance::log_in_form::{AuthorizationRequest, Browser};
use acceptance::world::{Environment, World};
use acceptance::{Client, Database, TestResponse};
use clap::Parser;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};

/// Time allowed for the whole run in addition to its seconds.
const PREPARATION: Duration = Duration::from_secs(120);
/// Log-ins without attackers, for comparison.
const REFERENCES: usize = 10;

/// Lets attackers try passwords, and measures what an honest user notices.
#[derive(Parser)]
struct Arguments {
    /// Networks of attackers.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=200))]
    networks: u8,
    /// Passwords that each network tries concurrently.
    #[arg(long, default_value_t = 56)]
    at_once: u32,
    /// For how many seconds the honest user logs in.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// The limit for the honest user's 99th percentile, in milliseconds.
    #[arg(long, default_value_t = 1000)]
    latency_ms: u64,
}

#[derive(Default)]
struct GuessCounts {
    checked: AtomicU64,
    refused: AtomicU64,
    other: AtomicU64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let limit = PREPARATION + Duration::from_secs(arguments.seconds);
    // The test harness panics when a server fails a client.
    let run = AssertUnwindSafe(run(&arguments)).catch_unwind();
    match timeout(limit, run).await {
        Ok(Ok(Ok(()))) => return ExitCode::SUCCESS,
        Ok(Ok(Err(error))) => eprintln!("login_storm: {error}"),
        Ok(Err(_)) => eprintln!("login_storm: a log-in of the honest user failed, as shown above"),
        Err(_) => eprintln!("login_storm: not over after {limit:?}"),
    }
    ExitCode::FAILURE
}

async fn run(arguments: &Arguments) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = program.with_file_name("installer");
    if !program.is_file() {
        return Err(format!("{} is missing", program.display()));
    }
    let settings = [
        // The servers trust the address in the header, so that one client can play all attackers.
        ("AUTH_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("AUTH_SOURCE_FAILURES_MAX", "1000000"),
    ];
    let settings = settings.into_iter().chain(DEFAULT_HASHING);
    let auth = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let environment = Environment { auth, ..Environment::default() };
    let world = World::new(&program.display().to_string(), Database::Sqlite, environment).await;
    let viewer = world.credentials.viewer.clone();
    // Each network has its own connections.
    let client = || {
        let World { client: Client { auth_url, api_url, .. }, tls, credentials, .. } = &world;
        Client::new(auth_url, api_url, &tls.authority, &credentials.integration)
    };
    let user_client = client();
    let mut reference_latencies = Vec::new();
    for _ in 0..REFERENCES {
        reference_latencies.push(honest_log_in(&user_client, &viewer).await);
    }
    let counts = Arc::new(GuessCounts::default());
    let mut attackers = Vec::new();
    for network in 1..=arguments.networks {
        let client = Arc::new(client());
        for number in 0..arguments.at_once {
            let address = format!("203.0.{network}.{}", number % 250 + 1);
            let name = format!("guess{network}-{number}");
            let (client, counts) = (Arc::clone(&client), Arc::clone(&counts));
            attackers.push(tokio::spawn(guess_passwords(client, address, name, counts)));
        }
    }
    let mut user_latencies = Vec::new();
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(arguments.seconds) {
        user_latencies.push(honest_log_in(&user_client, &viewer).await);
        sleep(Duration::from_millis(50)).await;
    }
    for attacker in attackers {
        attacker.abort();
        let _ = attacker.await;
    }
    world.close().await;
    let (reference, under_attack) =
        (percentile(&mut reference_latencies, 50), percentile(&mut user_latencies, 99));
    let GuessCounts { checked, refused, other } = &*counts;
    let [checked, refused, other] = [checked, refused, other].map(|it| it.load(Ordering::Relaxed));
    println!(
        "passwords of attackers: {checked} checked, {refused} refused with 429, {other} others"
    );
    println!(
        "log-ins of the honest user: {}, 99th percentile {under_attack:?}, {:.1} times the median \
         of {reference:?} without attackers",
        user_latencies.len(),
        under_attack.as_secs_f64() / reference.as_secs_f64()
    );
    match under_attack < Duration::from_millis(arguments.latency_ms) {
        true => Ok(()),
        false => Err("the attackers slowed the honest user down".to_owned()),
    }
}

/// Tries one wrong password after the other.
async fn guess_passwords(
    client: Arc<Client>,
    address: String,
    name: String,
    counts: Arc<GuessCounts>,
) {
    loop {
        let response = log_in(&client, &address, &name, "a wrong one").await;
        match response.status.as_u16() {
            200 => counts.checked.fetch_add(1, Ordering::Relaxed),
            429 => {
                // Slightly less than the response asks for.
                sleep(Duration::from_millis(500)).await;
                counts.refused.fetch_add(1, Ordering::Relaxed)
            }
            _ => counts.other.fetch_add(1, Ordering::Relaxed),
        };
    }
}

/// Measures an honest user's log-in, from opening the form to the response.
async fn honest_log_in(client: &Client, password: &str) -> Duration {
    let started = Instant::now();
    let response = log_in(client, "198.51.100.7", "viewer", password).await;
    assert_eq!(response.status, 303, "{}", response.text);
    started.elapsed()
}

/// Opens the log-in page and submits it, from this address.
async fn log_in(client: &Client, address: &str, user_name: &str, password: &str) -> TestResponse {
    let browser = Browser::new(client).from(address);
    let page = browser.open(&AuthorizationRequest::new("core")).await;
    browser.submit(&page, user_name, password).await
}

fn percentile(latencies: &mut [Duration], percent: usize) -> Duration {
    latencies.sort_unstable();
    latencies
        .get((latencies.len() * percent / 100).min(latencies.len() - 1))
        .copied()
        .unwrap_or_default()
}

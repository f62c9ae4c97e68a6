//! Load test of stalled readers: what thousands of clients that send requests and read no responses
//! cost other users.
//!
//! ```sh
//! cargo build --release -p load -p installer
//! ulimit -n 20000; target/release/stalled_readers --connections 4000
//! ```
//!
//! It starts both servers on the embedded database. Attackers on other loopback networks than the
//! honest client's open connections to each of them, request the documentation page or the keys on
//! many HTTP/2 streams with closed windows, answer PINGs, and reconnect when they are disconnected.
//! Meanwhile the honest client opens a new connection for each request, and logs in and reads once
//! a second. Exits with 1 if a request of the honest client fails, its 99th percentile reaches a
//! second, or a server uses more memory than allowed.

// A world of both servers has a deeply nested type.
#![recursion_limit = "256"]

use acceptance::memory::resident_kib;
use acceptance::stalled_reader::StalledReaders;
use acceptance::world::{Environment, World};
use acceptance::{Client, Database};
use clap::Parser;
use std::net::{IpAddr, Ipv4Addr};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::time::{sleep, timeout};

/// Time allowed for the whole run in addition to its seconds.
const PREPARATION: Duration = Duration::from_secs(300);
/// Connections from one network of attackers.
const PER_NETWORK: u32 = 500;

/// Lets clients stall at both servers, and measures what an honest one notices.
#[derive(Parser)]
struct Arguments {
    /// Connections of attackers to each server.
    #[arg(long, default_value_t = 4000)]
    connections: u32,
    /// Requests on each connection.
    #[arg(long, default_value_t = 127)]
    streams: u32,
    /// For how many seconds the honest client works.
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// The limit on a server's memory.
    #[arg(long, default_value_t = 400)]
    memory_mib: u64,
    /// The limit for the honest client's 99th percentile, in milliseconds.
    #[arg(long, default_value_t = 1000)]
    latency_ms: u64,
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let limit = PREPARATION + Duration::from_secs(arguments.seconds);
    match timeout(limit, run(&arguments)).await {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("stalled_readers: {error}");
            ExitCode::FAILURE
        }
        Err(_) => {
            eprintln!("stalled_readers: not over after {limit:?}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: &Arguments) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let program = program.with_file_name("installer");
    if !program.is_file() {
        return Err(format!("{} is missing", program.display()));
    }
    let program = program.display().to_string();
    let world = World::new(&program, Database::Sqlite, Environment::default()).await;
    let connected = Arc::new(AtomicU64::new(0));
    let targets = [(&world.client.api_url, "/docs"), (&world.client.auth_url, "/oauth2/jwks")];
    let mut attackers = Vec::new();
    for (url, path) in targets {
        let readers = StalledReaders::of(url, &world.tls.authority);
        for number in 0..arguments.connections {
            let (readers, connected) = (readers.clone(), Arc::clone(&connected));
            let streams = arguments.streams;
            attackers.push(tokio::spawn(async move {
                loop {
                    if let Ok(reader) =
                        readers.send_requests(attacker_address(number), path, streams, 0).await
                    {
                        connected.fetch_add(1, Ordering::Relaxed);
                        reader.until_closed().await;
                    }
                    sleep(Duration::from_secs(1)).await;
                }
            }));
        }
    }
    let latencies = honest_client(&world, arguments.seconds).await;
    let memory = [&world.auth, &world.api]
        .map(|server| server.id().and_then(resident_kib).unwrap_or_default() / 1024);
    attackers.iter().for_each(|attacker| attacker.abort());
    world.close().await;
    let mut latencies = latencies?;
    latencies.sort_unstable();
    let percentile = latencies[(latencies.len() * 99 / 100).min(latencies.len() - 1)];
    println!("connections of attackers: {}", connected.load(Ordering::Relaxed));
    println!("requests of the honest client: {}, 99th percentile {percentile:?}", latencies.len());
    println!("memory: auth-server {} MiB, api-server {} MiB", memory[0], memory[1]);
    let latency = Duration::from_millis(arguments.latency_ms);
    match percentile < latency && memory.iter().all(|mib| *mib <= arguments.memory_mib) {
        true => Ok(()),
        false => {
            Err("the attackers slowed the honest client down, or used too much memory".to_owned())
        }
    }
}

/// An address in one of the attackers' networks.
fn attacker_address(number: u32) -> IpAddr {
    let (network, host) = (number / PER_NETWORK, number % 200 + 1);
    IpAddr::V4(Ipv4Addr::new(127, 2, network as u8, host as u8))
}

/// The latency of each request, on a connection of its own.
async fn honest_client(world: &World, seconds: u64) -> Result<Vec<Duration>, String> {
    let mut latencies = Vec::new();
    let (started, mut logged_in) = (Instant::now(), Instant::now());
    while started.elapsed() < Duration::from_secs(seconds) {
        let client = Client::new(
            &world.client.auth_url,
            &world.client.api_url,
            &world.tls.authority,
            &world.credentials.integration,
        );
        let sent = Instant::now();
        let status = match logged_in.elapsed() >= Duration::from_secs(1) {
            true => {
                logged_in = Instant::now();
                let token = client.log_in("core", "admin", &world.credentials.admin).await;
                let token = token.map_err(|error| format!("log-in: {error}"))?;
                client.get(&token, "/users").await.status
            }
            false => client.get("", "/health/live").await.status,
        };
        latencies.push(sent.elapsed());
        if status != 200 {
            return Err(format!("the honest client got {status}"));
        }
        sleep(Duration::from_millis(20)).await;
    }
    Ok(latencies)
}

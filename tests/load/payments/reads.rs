//! Reads of loans: how many the api-server answers per second, compared with requests for which it
//! reads nothing.

use super::costs::{Costs, Meter};
use super::loans::Loans;
use super::sender::RESPONSE_TIMEOUT;
use acceptance::World;
use acceptance::latencies::Latencies;
use acceptance::lean_client::{HttpVersion, LeanClient};
use acceptance::postgres::Postgres;
use hyper::Request;
use hyper::body::Bytes;
use reqwest::Body;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How long requests are sent before they are measured.
const WARM_UP: Duration = Duration::from_secs(1);

/// Figures of one kind of request.
struct ReadFigures {
    per_second: f64,
    latencies: Latencies,
    costs: Costs,
}

/// Sends requests from this many clients, for this long each: reads of loans, then of nothing.
pub async fn run(
    seconds: u32,
    clients: u32,
    loans: &Loans,
    world: &World,
    postgres: &Postgres,
) -> Result<(), String> {
    let of_loans = loans.others.iter().chain([&loans.hot]).map(|id| format!("/loans/{id}"));
    let readers = Readers::new(world, clients).await?;
    let duration = Duration::from_secs(seconds.into());
    let mut measured = Vec::new();
    for (name, paths) in [
        ("GET /loans/{loan_id}", of_loans.collect()),
        ("GET /health/live", vec!["/health/live".to_owned()]),
    ] {
        eprintln!("{name}");
        let paths: Arc<[String]> = paths.into();
        readers.read(&paths, WARM_UP).await?;
        let before = Meter::read(world, Some(postgres)).await;
        let (times, elapsed) = readers.read(&paths, duration).await?;
        let after = Meter::read(world, Some(postgres)).await;
        let figures = ReadFigures {
            per_second: times.len() as f64 / elapsed.as_secs_f64(),
            latencies: Latencies::of(&times).ok_or("nothing was read")?,
            costs: after.each(&before, times.len()),
        };
        figures.print(name);
        measured.push(figures.per_second);
    }
    if let [of_loans, of_nothing] = measured[..] {
        println!("    reads of a loan for each of nothing: {:.3}", of_loans / of_nothing);
    }
    Ok(())
}

/// Clients that read as the administrator.
struct Readers {
    api: Arc<LeanClient>,
    authorization: HeaderValue,
    count: u32,
}

impl Readers {
    async fn new(world: &World, count: u32) -> Result<Self, String> {
        let authorization = format!("Bearer {}", world.token("admin").await);
        let api = LeanClient::new(&world.client.api_url, &world.tls.authority, HttpVersion::Http1);
        Ok(Self {
            api: Arc::new(api),
            authorization: authorization.try_into().map_err(|_| "a token is no header value")?,
            count,
        })
    }

    /// Sends requests for this long. Returns the latency of each response, and the total time.
    async fn read(
        &self,
        paths: &Arc<[String]>,
        duration: Duration,
    ) -> Result<(Vec<Duration>, Duration), String> {
        let started = Instant::now();
        let mut tasks = JoinSet::new();
        let count = self.count as usize;
        for reader in 0..count {
            let (api, paths) = (Arc::clone(&self.api), Arc::clone(paths));
            let authorization = self.authorization.clone();
            tasks.spawn(async move {
                let mut times = Vec::new();
                for path in paths.iter().cycle().skip(reader * paths.len() / count) {
                    let sent = Instant::now();
                    if sent >= started + duration {
                        break;
                    }
                    let request = Request::get(path)
                        .header(AUTHORIZATION, authorization.clone())
                        .body(Body::from(Bytes::new()))
                        .map_err(|error| error.to_string())?;
                    let response = api.send(request, RESPONSE_TIMEOUT).await;
                    let response = response.map_err(|error| format!("{path}: {error:?}"))?;
                    if response.status != 200 {
                        return Err(format!("{path}: {}", response.status));
                    }
                    times.push(sent.elapsed());
                }
                Ok(times)
            });
        }
        let mut times = Vec::new();
        while let Some(joined) = tasks.join_next().await {
            times.extend(joined.map_err(|error| error.to_string())??);
        }
        Ok((times, started.elapsed()))
    }
}

impl ReadFigures {
    fn print(&self, name: &str) {
        let Self { per_second, latencies: Latencies { p50_ms, p99_ms, max_ms, .. }, costs } = self;
        println!("  {name:<32}{per_second:>10.0}{p50_ms:>10.1}{p99_ms:>10.1}{max_ms:>10.1}");
        println!("    each: {costs}");
    }
}

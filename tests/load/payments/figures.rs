//! Payments per second of a load, what each costs, and how long it takes.

use super::costs::{Costs, Meter};
use super::load::{Load, LoadResult};
use super::responses::Outcome;
use super::sender::{LoadMix, SentJobs};
use acceptance::World;
use acceptance::latencies::Latencies;
use acceptance::postgres::Postgres;
use std::fmt;
use std::time::Duration;
use tokio::time::sleep;

/// How long payments are posted before they are measured.
const WARM_UP: Duration = Duration::from_secs(2);

pub struct LoadFigures {
    payments: PostingRate,
    /// Other requests about drawers.
    others: Option<PostingRate>,
    costs: Costs,
    peak_mib: [u64; 2],
}

/// Answers per second with something posted, and their latencies.
struct PostingRate {
    per_second: f64,
    latencies: Latencies,
}

/// Returns the same payments without cash and cards.
pub fn plain(mix: &LoadMix) -> LoadMix {
    LoadMix { cash_percent: 0, card_percent: 0, ..mix.clone() }
}

/// Posts payments for a short time.
pub async fn warm_up(clients: u32, mix: LoadMix, world: &World) -> Result<SentJobs, String> {
    let load = Load::start(world, std::slice::from_ref(&world.client), clients, mix).await?;
    sleep(WARM_UP).await;
    Ok(load.end().await?.sent)
}

/// What was sent, and its figures.
pub struct Measured {
    /// What was sent.
    pub sent: SentJobs,
    pub figures: LoadFigures,
}

/// Posts payments for this long.
pub async fn measure(
    seconds: u32,
    clients: u32,
    mix: LoadMix,
    world: &World,
    postgres: Option<&Postgres>,
) -> Result<Measured, String> {
    let load = Load::start(world, std::slice::from_ref(&world.client), clients, mix).await?;
    let before = Meter::read(world, postgres).await;
    sleep(Duration::from_secs(seconds.into())).await;
    let LoadResult { sent, elapsed } = load.end().await?;
    let after = Meter::read(world, postgres).await;
    let posted = || sent.attempts.iter().filter(|a| matches!(a.outcome, Outcome::Posted(_)));
    let rate_of = |payments: bool| {
        let posted_of_kind = posted().filter(|attempt| attempt.kind.is_payment() == payments);
        let times: Vec<Duration> = posted_of_kind.map(|attempt| attempt.latency).collect();
        let per_second = times.len() as f64 / elapsed.as_secs_f64();
        Some(PostingRate { per_second, latencies: Latencies::of(&times)? })
    };
    let peak_mib =
        [&world.api, &world.auth].map(|server| server.memory_peak_kib().unwrap_or_default() / 1024);
    let figures = LoadFigures {
        payments: rate_of(true).ok_or("nothing was posted")?,
        others: rate_of(false),
        costs: after.each(&before, posted().count()),
        peak_mib,
    };
    Ok(Measured { sent, figures })
}

/// The heading of the figures.
pub fn heading() -> String {
    format!("  {:<32}{:>10}{:>10}{:>10}{:>10}", "", "per second", "p50 ms", "p99 ms", "max ms")
}

impl LoadFigures {
    /// Payments posted per second.
    pub fn payments_per_second(&self) -> f64 {
        self.payments.per_second
    }

    /// Prints how many payments there were for each of other figures.
    pub fn print_ratio(&self, on_postgres: &Self) {
        let ratio = self.payments.per_second / on_postgres.payments.per_second;
        println!("    payments for each on PostgreSQL: {ratio:.3}");
    }

    /// Prints them under a name.
    pub fn print(&self, name: &str) {
        println!("  {name:<32}{}", self.payments);
        if let Some(rate) = &self.others {
            println!("  {:<32}{rate}", "drawer requests done");
        }
        let [api, auth] = self.peak_mib;
        println!("    each: {}", self.costs);
        println!("    peak memory: api-server {api} MiB, auth-server {auth} MiB");
    }
}

impl fmt::Display for PostingRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { per_second, latencies: Latencies { p50_ms, p99_ms, max_ms, .. } } = self;
        write!(f, "{per_second:>10.0}{p50_ms:>10.1}{p99_ms:>10.1}{max_ms:>10.1}")
    }
}

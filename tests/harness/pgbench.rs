//! pgbench, PostgreSQL's own benchmark, over persistent connections: `-S` reads one row by primary
//! key, the standard script (TPC-B-like) posts amounts to accounts.

use crate::postgres;
use serde::Serialize;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// The time limit for everything except the measurement itself.
const PREPARATION: Duration = Duration::from_secs(120);

/// The result of one run of pgbench.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PgbenchFigures {
    pub per_second: f64,
    /// Average latency in milliseconds.
    pub latency_ms: f64,
}

impl PgbenchFigures {
    /// The mean of this run and another one.
    pub fn mean(self, other: Self) -> Self {
        Self {
            per_second: f64::midpoint(self.per_second, other.per_second),
            latency_ms: f64::midpoint(self.latency_ms, other.latency_ms),
        }
    }
}

/// pgbench on one database.
pub struct Pgbench {
    program: PathBuf,
    database_url: String,
}

impl Pgbench {
    /// Finds the program for this database.
    pub fn new(database_url: &str) -> Result<Self, String> {
        Ok(Self { program: postgres::find("pgbench")?, database_url: database_url.to_owned() })
    }

    /// Creates the tables, with 100,000 accounts per unit of scale.
    pub async fn initialize(&self, scale: u32) -> Result<(), String> {
        self.run(&["-i", "-q", "-s", &scale.to_string()], PREPARATION).await.map(drop)
    }

    /// Reads accounts for this many seconds over this many connections.
    pub async fn select(&self, clients: u32, seconds: u32) -> Result<PgbenchFigures, String> {
        self.measure(&["-S"], clients, seconds).await
    }

    /// Posts amounts to accounts for this many seconds over this many connections.
    pub async fn post(&self, clients: u32, seconds: u32) -> Result<PgbenchFigures, String> {
        self.measure(&[], clients, seconds).await
    }

    async fn measure(
        &self,
        script: &[&str],
        clients: u32,
        seconds: u32,
    ) -> Result<PgbenchFigures, String> {
        let (clients, time) = (clients.to_string(), seconds.to_string());
        let options = ["-n", "-M", "prepared", "-c", &clients, "-T", &time];
        let arguments = [script, &options].concat();
        let limit = PREPARATION + Duration::from_secs(seconds.into());
        let output = self.run(&arguments, limit).await?;
        read(&output).ok_or_else(|| format!("pgbench printed no figures: {output}"))
    }

    async fn run(&self, arguments: &[&str], limit: Duration) -> Result<String, String> {
        let output = Command::new(&self.program)
            .args(arguments)
            .arg(&self.database_url)
            // The output is parsed in English.
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let output = timeout(limit, output).await.map_err(|_| "pgbench does not end")?;
        let output = output.map_err(|error| format!("{}: {error}", self.program.display()))?;
        if !output.status.success() {
            return Err(format!("pgbench: {}", String::from_utf8_lossy(&output.stderr).trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Up to PostgreSQL 13 there are two lines with tps; the last excludes the time for connecting.
fn read(text: &str) -> Option<PgbenchFigures> {
    let figure = |name: &str| {
        let rest = text.lines().rev().find_map(|line| line.strip_prefix(name))?;
        rest.split_whitespace().next()?.parse::<f64>().ok().filter(|figure| *figure > 0.0)
    };
    Some(PgbenchFigures {
        per_second: figure("tps = ")?,
        latency_ms: figure("latency average = ")?,
    })
}

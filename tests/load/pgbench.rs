//! `pgbench -S`, the measure that PostgreSQL brings along: one row by its primary key, over
//! connections that stay open.

use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

/// Connections of pgbench.
pub const CLIENTS: u32 = 8;
/// For everything but the measuring itself.
const PREPARATION: Duration = Duration::from_secs(60);

/// What one run of pgbench says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Transactions {
    /// Transactions a second.
    pub per_second: f64,
    /// How long one takes on average, in milliseconds.
    pub latency_ms: f64,
}

impl Transactions {
    /// Between this run and another one.
    pub fn mean(self, other: Self) -> Self {
        Self {
            per_second: f64::midpoint(self.per_second, other.per_second),
            latency_ms: f64::midpoint(self.latency_ms, other.latency_ms),
        }
    }
}

/// The program, on `PATH` or of the newest PostgreSQL that Debian has installed.
pub fn find() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("pgbench"));
    if let Some(program) = on_path.into_iter().find(|program| program.is_file()) {
        return Ok(program);
    }
    let installed = Path::new("/usr/lib/postgresql");
    let versions = std::fs::read_dir(installed).into_iter().flatten().flatten();
    versions
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok())
        .map(|version| (version, installed.join(format!("{version}/bin/pgbench"))))
        .filter(|(_, program)| program.is_file())
        .max()
        .map(|(_, program)| program)
        .ok_or_else(|| {
            "pgbench is neither on PATH nor in /usr/lib/postgresql/*/bin: \
             it comes with the package postgresql (Debian) or postgresql-contrib"
                .to_owned()
        })
}

/// pgbench on one database.
pub struct Pgbench {
    program: PathBuf,
    database_url: String,
}

impl Pgbench {
    /// This program on this database.
    pub fn new(program: PathBuf, database_url: &str) -> Self {
        Self { program, database_url: database_url.to_owned() }
    }

    /// Makes the tables, 100,000 accounts.
    pub async fn initialize(&self) -> Result<(), String> {
        self.run(&["-i", "-q", "-s", "1"], PREPARATION).await.map(drop)
    }

    /// Reads accounts for so long.
    pub async fn select(&self, seconds: u32) -> Result<Transactions, String> {
        let (clients, time) = (CLIENTS.to_string(), seconds.to_string());
        let limit = PREPARATION + Duration::from_secs(seconds.into());
        let text = self.run(&["-S", "-n", "-c", &clients, "-T", &time], limit).await?;
        read(&text).ok_or_else(|| format!("pgbench said no figures: {text}"))
    }

    async fn run(&self, arguments: &[&str], limit: Duration) -> Result<String, String> {
        let output = Command::new(&self.program)
            .args(arguments)
            .arg(&self.database_url)
            // The figures are read in English.
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

/// Up to PostgreSQL 13 there are two lines of tps; the last is without the time of connecting.
fn read(text: &str) -> Option<Transactions> {
    let figure = |name: &str| {
        let rest = text.lines().rev().find_map(|line| line.strip_prefix(name))?;
        rest.split_whitespace().next()?.parse::<f64>().ok().filter(|figure| *figure > 0.0)
    };
    Some(Transactions { per_second: figure("tps = ")?, latency_ms: figure("latency average = ")? })
}

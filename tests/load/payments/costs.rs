//! What payments and reads cost: CPU time of each process, statements, transactions, and waits.

use acceptance::postgres::Postgres;
use acceptance::{World, cpu_time};
use std::fmt;

/// What requests wait for, in the order in which it is printed.
const WAITS: [&str; 3] = ["batch", "connection", "row"];
/// The processes, in the order in which they are printed.
const PROCESSES: [&str; 4] = ["PostgreSQL", "api-server", "auth-server", "senders"];

/// What was consumed so far.
pub struct Meter {
    cpu_seconds: [Option<f64>; PROCESSES.len()],
    waited_seconds: [f64; WAITS.len()],
    statements: u64,
    transactions: Option<i64>,
}

impl Meter {
    /// Reads the meters of the servers, of PostgreSQL if that is the database, and of this program.
    pub async fn read(world: &World, postgres: Option<&Postgres>) -> Self {
        let of_server = |id: Option<u32>| Some(id.and_then(cpu_time::seconds).unwrap_or_default());
        let transactions =
            "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()";
        let transactions = match postgres {
            Some(_) => Some(world.count(transactions).await),
            None => None,
        };
        let mut waited_seconds = [0.0; WAITS.len()];
        for (seconds, wait) in waited_seconds.iter_mut().zip(WAITS) {
            *seconds = world.waited_seconds(wait).await;
        }
        Self {
            waited_seconds,
            cpu_seconds: [
                postgres.map(Postgres::cpu_seconds),
                of_server(world.api.id()),
                of_server(world.auth.id()),
                of_server(Some(std::process::id())),
            ],
            statements: world.statements().await,
            transactions,
        }
    }

    /// Returns what was consumed for each of this many requests since an earlier reading.
    pub fn each(&self, earlier: &Self, requests: usize) -> Costs {
        let each = |total: f64| total / requests as f64;
        let ms = |now: f64, earlier: f64| each(1000.0 * (now - earlier));
        let (cpu, waited) = (&self.cpu_seconds, &self.waited_seconds);
        Costs {
            cpu_ms: std::array::from_fn(|it| Some(ms(cpu[it]?, earlier.cpu_seconds[it]?))),
            wait_ms: std::array::from_fn(|it| ms(waited[it], earlier.waited_seconds[it])),
            statements: each((self.statements - earlier.statements) as f64),
            transactions: self
                .transactions
                .zip(earlier.transactions)
                .map(|(now, earlier)| each((now - earlier) as f64)),
        }
    }
}

/// What one request costs.
pub struct Costs {
    cpu_ms: [Option<f64>; PROCESSES.len()],
    wait_ms: [f64; WAITS.len()],
    statements: f64,
    /// A statement outside of a transaction counts as one.
    transactions: Option<f64>,
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CPU ms:")?;
        for (process, ms) in std::iter::zip(PROCESSES, self.cpu_ms) {
            if let Some(ms) = ms {
                write!(f, " {process} {ms:.3},")?;
            }
        }
        write!(f, " {:.1} statements", self.statements)?;
        if let Some(transactions) = self.transactions {
            write!(f, ", {transactions:.2} transactions")?;
        }
        write!(f, "; waits ms:")?;
        for (wait, ms) in std::iter::zip(WAITS, self.wait_ms) {
            write!(f, " {wait} {ms:.2}")?;
        }
        Ok(())
    }
}

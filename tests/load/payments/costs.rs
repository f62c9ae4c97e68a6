//! What payments and reads cost: CPU time of each process, statements, and transactions.

use acceptance::postgres::Postgres;
use acceptance::{World, cpu_time};
use std::fmt;

/// The processes, in the order in which they are printed.
const PROCESSES: [&str; 4] = ["PostgreSQL", "api-server", "auth-server", "senders"];

/// What was consumed so far.
pub struct Meter {
    cpu_seconds: [f64; PROCESSES.len()],
    statements: u64,
    transactions: i64,
}

impl Meter {
    /// Reads the meters of the servers, of PostgreSQL and of this program.
    pub async fn read(world: &World, postgres: &Postgres) -> Self {
        let of_server = |id: Option<u32>| id.and_then(cpu_time::seconds).unwrap_or_default();
        let transactions =
            "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()";
        Self {
            cpu_seconds: [
                postgres.cpu_seconds(),
                of_server(world.api.id()),
                of_server(world.auth.id()),
                of_server(Some(std::process::id())),
            ],
            statements: world.statements().await,
            transactions: world.count(transactions).await,
        }
    }

    /// Returns what was consumed for each of this many requests since an earlier reading.
    pub fn each(&self, earlier: &Self, requests: usize) -> Costs {
        let each = |total: f64| total / requests as f64;
        let cpu = std::iter::zip(self.cpu_seconds, earlier.cpu_seconds);
        let mut cpu_ms = cpu.map(|(now, earlier)| each(1000.0 * (now - earlier)));
        Costs {
            cpu_ms: std::array::from_fn(|_| cpu_ms.next().unwrap_or_default()),
            statements: each((self.statements - earlier.statements) as f64),
            transactions: each((self.transactions - earlier.transactions) as f64),
        }
    }
}

/// What one request costs.
pub struct Costs {
    cpu_ms: [f64; PROCESSES.len()],
    statements: f64,
    /// A statement outside of a transaction counts as one.
    transactions: f64,
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CPU ms:")?;
        for (process, ms) in std::iter::zip(PROCESSES, self.cpu_ms) {
            write!(f, " {process} {ms:.3},")?;
        }
        let Self { statements, transactions, .. } = self;
        write!(f, " {statements:.1} statements, {transactions:.2} transactions")
    }
}

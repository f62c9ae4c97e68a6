//! The report of an introspection measurement: the figures, each compared with pgbench's.

use crate::callers::CallerResults;
use acceptance::latencies::Latencies;
use acceptance::lean_client::HttpVersion;
use acceptance::pgbench::PgbenchFigures;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt;

pub const PGBENCH_CLIENTS: u32 = 8;

/// Answers to one kind of request over one protocol. Latencies are in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    tokens: String,
    protocol: &'static str,
    answers: usize,
    answers_per_second: f64,
    #[serde(flatten)]
    latencies: Latencies,
}

impl Run {
    /// Computes the figures of these responses.
    pub fn new(
        tokens: String,
        version: HttpVersion,
        results: &CallerResults,
    ) -> Result<Self, String> {
        let latencies = Latencies::of(&results.latencies).ok_or("nothing was answered")?;
        Ok(Self {
            tokens,
            protocol: match version {
                HttpVersion::Http1 => "HTTP/1.1",
                HttpVersion::Http2 => "HTTP/2",
            },
            answers: results.latencies.len(),
            answers_per_second: results.latencies.len() as f64 / results.elapsed.as_secs_f64(),
            latencies,
        })
    }
}

/// One measurement from end to end.
#[derive(Clone, Debug)]
pub struct IntrospectionReport {
    /// The version of PostgreSQL.
    pub postgres: String,
    /// The number of cores, shared by everything.
    pub cores: usize,
    /// False if the figures say nothing about the product.
    pub release_build: bool,
    /// The length of each run.
    pub seconds: u32,
    /// Concurrent callers.
    pub connections: u32,
    pub tokens: u32,
    /// pgbench before the runs.
    pub before: PgbenchFigures,
    /// pgbench after the runs.
    pub after: PgbenchFigures,
    /// The runs, in order.
    pub runs: Vec<Run>,
}

impl IntrospectionReport {
    fn pgbench(&self) -> PgbenchFigures {
        self.before.mean(self.after)
    }

    /// Answers per transaction of pgbench.
    fn ratio(&self, run: &Run) -> f64 {
        run.answers_per_second / self.pgbench().per_second
    }

    /// A latency as a multiple of pgbench's average.
    fn in_pgbench_latencies(&self, latency_ms: f64) -> f64 {
        latency_ms / self.pgbench().latency_ms
    }

    /// The report for programs.
    pub fn to_json(&self) -> Value {
        let run = |run: &Run| {
            let mut value = json!(run);
            value["introspections_per_transaction"] = json!(self.ratio(run));
            value["p50_in_pgbench_latencies"] =
                json!(self.in_pgbench_latencies(run.latencies.p50_ms));
            value["p99_in_pgbench_latencies"] =
                json!(self.in_pgbench_latencies(run.latencies.p99_ms));
            value
        };
        json!({
            "postgres": self.postgres,
            "cores": self.cores,
            "release_build": self.release_build,
            "seconds": self.seconds,
            "connections": self.connections,
            "tokens": self.tokens,
            "pgbench": {
                "clients": PGBENCH_CLIENTS,
                "before": self.before,
                "after": self.after,
                "mean": self.pgbench(),
            },
            "runs": self.runs.iter().map(run).collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for IntrospectionReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let build = if self.release_build { "release" } else { "DEBUG" };
        writeln!(
            f,
            "PostgreSQL {}, {} cores, {build} build; {} callers, {} tokens, {} s each\n",
            self.postgres, self.cores, self.connections, self.tokens, self.seconds
        )?;
        writeln!(f, "{:<32}{:>10}{:>9}", "", "per second", "mean ms")?;
        let pgbench = [("before", self.before), ("after", self.after), ("mean", self.pgbench())];
        for (when, PgbenchFigures { per_second, latency_ms }) in pgbench {
            let name = format!("pgbench -S -c {PGBENCH_CLIENTS} {when}");
            writeln!(f, "{name:<32}{per_second:>10.0}{latency_ms:>9.3}")?;
        }
        let [p50, p95, p99, max] = ["p50 ms", "p95 ms", "p99 ms", "max ms"];
        writeln!(f, "\n{:<32}{:>10}{p50:>9}{p95:>9}{p99:>9}{max:>9}", "", "per second")?;
        for run in &self.runs {
            let name = format!("{}, {}", run.tokens, run.protocol);
            let Run { answers_per_second, latencies, .. } = run;
            let Latencies { p50_ms, p95_ms, p99_ms, max_ms } = latencies;
            write!(f, "{name:<32}{answers_per_second:>10.0}{p50_ms:>9.3}{p95_ms:>9.3}")?;
            writeln!(f, "{p99_ms:>9.3}{max_ms:>9.3}")?;
        }
        writeln!(f)?;
        for run in &self.runs {
            writeln!(
                f,
                "introspections per pgbench -S transaction: {:.2}   {}, {}; \
                 p50 is {:.1}, p99 {:.1} pgbench latencies",
                self.ratio(run),
                run.tokens,
                run.protocol,
                self.in_pgbench_latencies(run.latencies.p50_ms),
                self.in_pgbench_latencies(run.latencies.p99_ms),
            )?;
        }
        Ok(())
    }
}

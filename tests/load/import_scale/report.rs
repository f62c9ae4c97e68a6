//! The report of a run: the figures of the import, next to those of COPY.

use super::copy::CopyRun;
use super::import::ImportRun;
use super::portfolio::Portfolio;
use super::rows::WrittenRows;
use acceptance::memory::Memory;
use serde_json::{Map, Value, json};
use std::fmt;

/// One run from end to end.
#[derive(Debug)]
pub struct ImportReport {
    /// The kind of database.
    pub database: String,
    /// What was imported.
    pub portfolio: Portfolio,
    /// The length of the file.
    pub file_bytes: u64,
    /// True if the server was killed half-way.
    pub killed: bool,
    /// The dry run, if there was one.
    pub test_run: Option<ImportRun>,
    pub import: ImportRun,
    /// The rows that the import wrote.
    pub written: Vec<WrittenRows>,
    /// The same rows through COPY, if that was measured.
    pub copy: Option<CopyRun>,
    /// The limit on the api-server's resident memory.
    pub memory_mib: u64,
    /// What is wrong, one line each.
    pub faults: Vec<String>,
}

fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

impl ImportReport {
    /// The server's peak memory in all runs.
    pub fn peak_kib(&self) -> u64 {
        let runs = [Some(&self.import), self.test_run.as_ref()];
        runs.into_iter().flatten().map(|run| run.memory.peak_kib).max().unwrap_or_default()
    }

    fn rows(&self) -> u64 {
        self.written.iter().map(|table| table.rows).sum()
    }

    fn rows_per_second(&self) -> f64 {
        self.rows() as f64 / self.import.duration.as_secs_f64()
    }

    /// Rows of the import per row of COPY in the same time.
    fn ratio(&self, copy: &CopyRun) -> f64 {
        self.rows_per_second() / copy.rows_per_second()
    }

    fn run_to_json(&self, run: &ImportRun) -> Value {
        let seconds = run.duration.as_secs_f64();
        json!({
            "seconds": seconds,
            "seconds_until_answer": run.time_to_response.as_secs_f64(),
            "records_per_second": self.portfolio.records() as f64 / seconds,
            "xml_megabytes_per_second": megabytes(self.file_bytes) / seconds,
            "answer_bytes": run.result.bytes,
            "memory": run.memory,
        })
    }

    /// The report for programs.
    pub fn to_json(&self) -> Value {
        let tables =
            self.written.iter().map(|written| (written.table.name.to_owned(), json!(written.rows)));
        let tables: Map<String, Value> = tables.collect();
        let copy = self.copy.as_ref().map(|copy| {
            let mut value = json!(copy);
            value["rows_per_second"] = json!(copy.rows_per_second());
            value["ratio"] = json!(self.ratio(copy));
            value
        });
        json!({
            "database": self.database,
            "cores": cores(),
            "release_build": !cfg!(debug_assertions),
            "contacts": self.portfolio.contacts,
            "loans": self.portfolio.contacts,
            "block": self.portfolio.block,
            "killed": self.killed,
            "file_bytes": self.file_bytes,
            "test_run": self.test_run.as_ref().map(|run| self.run_to_json(run)),
            "import": self.run_to_json(&self.import),
            "rows": self.rows(),
            "rows_by_table": tables,
            "rows_per_second": self.rows_per_second(),
            "copy": copy,
            "memory_peak_kib": self.peak_kib(),
            "memory_allowed_kib": self.memory_mib * 1024,
            "faults": self.faults,
        })
    }

    fn write_run(&self, f: &mut fmt::Formatter<'_>, name: &str, run: &ImportRun) -> fmt::Result {
        let seconds = run.duration.as_secs_f64();
        writeln!(
            f,
            "{name}: {seconds:.1} s, {:.0} records/s, {:.2} MB/s of XML; the response of {:.1} MB \
             began after {:.1} s",
            self.portfolio.records() as f64 / seconds,
            megabytes(self.file_bytes) / seconds,
            megabytes(run.result.bytes),
            run.time_to_response.as_secs_f64(),
        )?;
        let Memory { before_kib, seen_kib, peak_kib } = run.memory;
        writeln!(
            f,
            "  memory of the api-server: {:.1} MiB before, {:.1} MiB at most while it ran (grown \
             by {:.1} MiB), {:.1} MiB ever",
            mib(before_kib),
            mib(seen_kib),
            mib(seen_kib.saturating_sub(before_kib)),
            mib(peak_kib),
        )
    }
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Portfolio { contacts, block, .. } = self.portfolio;
        let build = if cfg!(debug_assertions) { "DEBUG" } else { "release" };
        writeln!(
            f,
            "{}, {} cores, {build} build; {contacts} contacts and {contacts} loans, {:.1} MB of \
             XML, CommitBlock {}",
            self.database,
            cores(),
            megabytes(self.file_bytes),
            u8::from(block),
        )?;
        if let Some(test_run) = &self.test_run {
            self.write_run(f, "test run", test_run)?;
        }
        let name = if self.killed { "import, killed and sent again" } else { "import" };
        self.write_run(f, name, &self.import)?;
        writeln!(f, "rows written: {}", self.rows())?;
        for WrittenRows { table, rows, .. } in &self.written {
            writeln!(f, "  {:<20} {rows:>12}", table.name)?;
        }
        let rate = self.rows_per_second();
        match &self.copy {
            None => writeln!(f, "import: {rate:.0} rows/s"),
            Some(copy) => writeln!(
                f,
                "import: {rate:.0} rows/s, COPY: {:.0} rows/s, ratio {:.3} (COPY took {:.1} s; \
                 reading the rows alone {:.1} s)",
                copy.rows_per_second(),
                self.ratio(copy),
                copy.seconds,
                copy.sending_seconds,
            ),
        }
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(0, usize::from)
}

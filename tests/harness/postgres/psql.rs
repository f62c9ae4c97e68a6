//! psql, PostgreSQL's own client: statements, and copying rows from one database to another through
//! a pipe.

use std::path::PathBuf;
use std::process::{Output, Stdio};
use tokio::process::Command;

/// psql on one database.
pub struct Psql {
    program: PathBuf,
    database_url: String,
}

impl Psql {
    /// Finds the program for this database.
    pub fn new(database_url: &str) -> Result<Self, String> {
        Ok(Self { program: super::find("psql")?, database_url: database_url.to_owned() })
    }

    /// Runs a statement and discards its output.
    pub async fn run(&self, sql: &str) -> Result<(), String> {
        let output = self.command(sql).stdin(Stdio::null()).stdout(Stdio::null()).output().await;
        check_output(sql, output)
    }

    /// Runs `COPY … TO STDOUT` here and `COPY … FROM STDIN` there, concurrently.
    pub async fn pipe(&self, sql: &str, into: &Self, into_sql: &str) -> Result<(), String> {
        let to_message = |error: std::io::Error| format!("{}: {error}", self.program.display());
        let mut from = self.command(sql);
        let mut from =
            from.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(to_message)?;
        let rows = from.stdout.take().ok_or("psql has no output")?;
        let rows: Stdio = rows.try_into().map_err(to_message)?;
        let to = {
            // The command holds one end of the pipe and must be dropped, so that the writer notices
            // when the reader ends.
            let mut to = into.command(into_sql);
            to.stdin(rows).stdout(Stdio::null()).spawn().map_err(to_message)?
        };
        let (from, to) = tokio::join!(from.wait_with_output(), to.wait_with_output());
        check_output(into_sql, to)?;
        check_output(sql, from)
    }

    fn command(&self, sql: &str) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", &self.database_url, "-c", sql])
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}

fn check_output(sql: &str, output: std::io::Result<Output>) -> Result<(), String> {
    let output = output.map_err(|error| format!("psql: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{sql}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

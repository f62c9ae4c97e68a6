//! Dumps of every row of a database by its own backup program, to show whether a dry run of an
//! import has left anything.

use acceptance::{World, postgres};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

/// The most characters of a line that are quoted.
const QUOTED_CHARS_MAX: usize = 300;

/// The lines of a dump that are rows.
pub struct Dump {
    lines: Vec<Vec<u8>>,
}

impl Dump {
    /// Dumps the current state into memory: for databases with little in them.
    pub async fn take(world: &World) -> Result<Self, String> {
        let mut lines = Vec::new();
        let mut source = DumpSource::open(world).await?;
        while let Some(line) = source.next_row().await? {
            lines.push(line);
        }
        if lines.len() < 20 {
            return Err(format!("the dump has {} rows", lines.len()));
        }
        Ok(Self { lines })
    }

    /// The first line in which the current state differs from the dump.
    pub async fn difference(&self, world: &World) -> Result<Option<String>, String> {
        let mut source = DumpSource::open(world).await?;
        for before in &self.lines {
            let now = source.next_row().await?;
            if now.as_ref() != Some(before) {
                let now = now.map_or("nothing".into(), |now| quote(&now));
                return Ok(Some(format!("there was {}; there is {now}", quote(before))));
            }
        }
        let more = source.next_row().await?;
        Ok(more.map(|more| format!("there is more than there was: {}", quote(&more))))
    }
}

fn quote(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.trim_end().chars().take(QUOTED_CHARS_MAX).collect()
}

/// The source of the lines.
enum DumpSource {
    Program { child: Box<Child>, lines: BufReader<tokio::process::ChildStdout> },
    Rows(std::vec::IntoIter<String>),
}

impl DumpSource {
    async fn open(world: &World) -> Result<Self, String> {
        let mut program = match world.database.name() {
            "sqlite" => match postgres::find("sqlite3") {
                Ok(program) => sqlite(Command::new(program), &world.database_url),
                Err(_) => return Ok(Self::Rows(rows(world).await.into_iter())),
            },
            "mysql" => mariadb(&world.database_url)?,
            _ => postgresql(&world.database_url)?,
        };
        program.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = program.kill_on_drop(true).spawn();
        let mut child = child.map_err(|error| format!("{program:?}: {error}"))?;
        let lines = child.stdout.take().ok_or("a dump without output")?;
        Ok(Self::Program { child: Box::new(child), lines: BufReader::new(lines) })
    }

    /// The next line that is a row; `None` at the end, which must be successful.
    async fn next_row(&mut self) -> Result<Option<Vec<u8>>, String> {
        let (child, lines) = match self {
            Self::Rows(rows) => return Ok(rows.next().map(String::into_bytes)),
            Self::Program { child, lines } => (child, lines),
        };
        loop {
            let mut line = Vec::new();
            let count = lines.read_until(b'\n', &mut line).await;
            if count.map_err(|error| error.to_string())? == 0 {
                break;
            }
            if !IGNORED_LINES.iter().any(|start| line.starts_with(start.as_bytes())) {
                return Ok(Some(line));
            }
        }
        let mut stderr = String::new();
        if let Some(errors) = &mut child.stderr {
            errors.read_to_string(&mut stderr).await.map_err(|error| error.to_string())?;
        }
        let status = child.wait().await.map_err(|error| error.to_string())?;
        if status.success() { Ok(None) } else { Err(format!("the dump failed: {}", stderr.trim())) }
    }
}

/// Lines ignored: sequences do not go back, each dump has its own key against tampering, and the
/// settings contain the id of the document store, which a sweep changes.
const IGNORED_LINES: [&str; 7] = [
    "SELECT pg_catalog.setval(",
    "\\restrict ",
    "\\unrestrict ",
    "INSERT INTO sqlite_sequence ",
    "INSERT INTO \"sqlite_sequence\" ",
    "INSERT INTO settings ",
    "INSERT INTO \"settings\" ",
];

fn sqlite(mut program: Command, url: &str) -> Command {
    let file = url.trim_start_matches("sqlite://");
    let file = file.split('?').next().unwrap_or_default();
    program.arg("-readonly").arg(file).arg(".dump");
    program
}

fn postgresql(url: &str) -> Result<Command, String> {
    let mut program = Command::new(postgres::find("pg_dump")?);
    program.args(["--data-only", "--exclude-table-data=settings", "-d", url]);
    Ok(program)
}

fn mariadb(url: &str) -> Result<Command, String> {
    let parts = url::Url::parse(url).map_err(|error| format!("{url}: {error}"))?;
    let database = parts.path().trim_start_matches('/');
    let mut program = Command::new(postgres::find("mariadb-dump")?);
    program
        .args(["--no-defaults", "--protocol=tcp", "--no-create-info", "--skip-dump-date"])
        .args(["--skip-extended-insert", "--order-by-primary", "--single-transaction"])
        .arg(format!("--ignore-table={database}.settings"))
        .arg(format!("--host={}", parts.host_str().unwrap_or("localhost")))
        .arg(format!("--port={}", parts.port().unwrap_or(3306)))
        .arg(format!("--user={}", parts.username()))
        .arg(database)
        .env("MYSQL_PWD", parts.password().unwrap_or_default());
    Ok(program)
}

/// The rows that the tests' snapshots have, where there is no dump program.
async fn rows(world: &World) -> Vec<String> {
    let tables = world.snapshot().await.into_iter();
    tables
        .filter(|(table, _)| *table != "settings")
        .flat_map(|(table, rows)| rows.into_iter().map(move |row| format!("{table} {row}")))
        .collect()
}

//! Sends the file, with or without killing the server, and samples the server's memory.

use super::answer::ImportResult;
use super::portfolio::Portfolio;
use acceptance::memory::{Memory, Sampler};
use acceptance::{Client, World};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The time limit for an answer.
const ANSWER: Duration = Duration::from_secs(12 * 3600);
/// The shortest pause between two looks at an import's progress; nine tenths of the time belong to
/// the import.
const LOOK: Duration = Duration::from_millis(20);

/// An import that is ready to be sent.
#[derive(Clone)]
pub struct Import {
    client: Client,
    token: String,
    process: u32,
    file: PathBuf,
    portfolio: Portfolio,
}

/// The outcome of an import.
#[derive(Debug)]
pub struct Imported {
    /// From the first byte sent to the last byte of the answer, without the time for restarting a
    /// killed server.
    pub took: Duration,
    /// The same, to the first byte of the answer.
    pub silent: Duration,
    /// The answer.
    pub answer: ImportResult,
    /// Memory of the api-server.
    pub memory: Memory,
}

impl Import {
    /// Logs in as admin now, because a token does not live as long as an import may take.
    pub async fn prepare(world: &World, file: PathBuf, portfolio: Portfolio) -> Self {
        let process = world.api.id().expect("the api-server is running");
        let token = world.token("admin").await;
        Self { client: world.client.clone(), token, process, file, portfolio }
    }

    /// Sends the file and reads the answer.
    pub async fn send(&self, test: bool, key: Option<&str>) -> Result<Imported, String> {
        let file = tokio::fs::File::open(&self.file).await.map_err(|error| error.to_string())?;
        let path = format!("/core/xml-import?test={test}");
        let mut request = self
            .client
            .request(Method::POST, &self.token, &path)
            .timeout(ANSWER)
            .header(CONTENT_TYPE, "application/xml")
            .body(file);
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        let sampler = Sampler::start(self.process)?;
        let started = Instant::now();
        let response = request.send().await.map_err(|error| format!("no answer: {error:?}"))?;
        let silent = started.elapsed();
        let status = response.status();
        if status != reqwest::StatusCode::OK {
            let text = response.text().await.unwrap_or_default();
            return Err(format!("the import was answered with {status}: {text:.1000}"));
        }
        let answer = ImportResult::read(response, self.portfolio).await?;
        Ok(Imported { took: started.elapsed(), silent, answer, memory: sampler.so_far() })
    }
}

/// Kills the api-server when half of the contacts exist, restarts it, and sends the same file under
/// the same key.
pub async fn kill_and_send_again(
    world: &mut World,
    file: PathBuf,
    portfolio: Portfolio,
    key: &str,
) -> Result<Imported, String> {
    let first = Import::prepare(world, file.clone(), portfolio).await;
    let own_key = key.to_owned();
    let started = Instant::now();
    let first = tokio::spawn(async move { first.send(false, Some(&own_key)).await });
    let half = i64::try_from(portfolio.contacts / 2).map_err(|error| error.to_string())?;
    loop {
        let asked = Instant::now();
        if contacts(world).await >= half {
            break;
        }
        if first.is_finished() {
            let came = first.await.map_err(|error| error.to_string())?;
            let came = came.map_or_else(|error| error, |_| "an answer came".to_owned());
            return Err(format!("the server could not be killed half-way: {came}"));
        }
        sleep(LOOK.max(9 * asked.elapsed())).await;
    }
    let first_peak_kib = world.api.memory_peak_kib().unwrap_or_default();
    world.api.kill().await;
    let first_took = started.elapsed();
    if first.await.map_err(|error| error.to_string())?.is_ok() {
        return Err("the import was done before the server was killed".to_owned());
    }
    let (contacts, loans) =
        (contacts(world).await, world.count("SELECT COUNT(*) FROM loans").await);
    eprintln!("killed after {contacts} contacts and {loans} loans; sending the file again");
    let http = world.client.http.clone();
    world.api.restart(&http).await;
    let long_ago = world.long_ago();
    world.sql(&format!("UPDATE idempotency_records SET lease_until = {long_ago}")).await;
    let second = Import::prepare(world, file, portfolio).await;
    let mut imported = second.send(false, Some(key)).await?;
    imported.took += first_took;
    imported.silent += first_took;
    imported.memory.peak_kib = imported.memory.peak_kib.max(first_peak_kib);
    Ok(imported)
}

async fn contacts(world: &World) -> i64 {
    world.count("SELECT COUNT(*) FROM contacts").await
}

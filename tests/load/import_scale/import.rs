//! Sends the file, with or without killing the server, and samples the server's memory.

use super::import_result::ImportResult;
use super::portfolio::Portfolio;
use acceptance::memory::{Memory, Sampler};
use acceptance::{Client, World};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The time limit for a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(12 * 3600);
/// The shortest pause between two looks at an import's progress; nine tenths of the time belong to
/// the import.
const POLL_PAUSE: Duration = Duration::from_millis(20);

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
pub struct ImportRun {
    /// From the first byte sent to the last byte of the response, without the time for restarting a
    /// killed server.
    pub duration: Duration,
    /// The same, to the first byte of the response.
    pub time_to_response: Duration,
    /// The response.
    pub result: ImportResult,
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

    /// Sends the file and reads the response.
    pub async fn send(&self, test: bool, key: Option<&str>) -> Result<ImportRun, String> {
        let file = tokio::fs::File::open(&self.file).await.map_err(|error| error.to_string())?;
        let path = format!("/core/xml-import?test={test}");
        let mut request = self
            .client
            .request(Method::POST, &self.token, &path)
            .timeout(RESPONSE_TIMEOUT)
            .header(CONTENT_TYPE, "application/xml")
            .body(file);
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        let sampler = Sampler::start(self.process)?;
        let started = Instant::now();
        let response = request.send().await.map_err(|error| format!("no response: {error:?}"))?;
        let time_to_response = started.elapsed();
        let status = response.status();
        if status != reqwest::StatusCode::OK {
            let text = response.text().await.unwrap_or_default();
            return Err(format!("the import was answered with {status}: {text:.1000}"));
        }
        let result = ImportResult::read(response, self.portfolio).await?;
        Ok(ImportRun {
            duration: started.elapsed(),
            time_to_response,
            result,
            memory: sampler.so_far(),
        })
    }
}

/// Kills the api-server when half of the contacts exist, restarts it, and sends the same file under
/// the same key.
pub async fn kill_and_send_again(
    world: &mut World,
    file: PathBuf,
    portfolio: Portfolio,
    key: &str,
) -> Result<ImportRun, String> {
    let first = Import::prepare(world, file.clone(), portfolio).await;
    let first_key = key.to_owned();
    let started = Instant::now();
    let first = tokio::spawn(async move { first.send(false, Some(&first_key)).await });
    let half = i64::try_from(portfolio.contacts / 2).map_err(|error| error.to_string())?;
    loop {
        let queried = Instant::now();
        if contact_count(world).await >= half {
            break;
        }
        if first.is_finished() {
            let outcome = first.await.map_err(|error| error.to_string())?;
            let outcome = outcome.map_or_else(|error| error, |_| "a response arrived".to_owned());
            return Err(format!("the server could not be killed half-way: {outcome}"));
        }
        sleep(POLL_PAUSE.max(9 * queried.elapsed())).await;
    }
    let first_peak_kib = world.api.memory_peak_kib().unwrap_or_default();
    world.api.kill().await;
    let first_duration = started.elapsed();
    if first.await.map_err(|error| error.to_string())?.is_ok() {
        return Err("the import was done before the server was killed".to_owned());
    }
    let (contacts, loans) =
        (contact_count(world).await, world.count("SELECT COUNT(*) FROM loans").await);
    eprintln!("killed after {contacts} contacts and {loans} loans; sending the file again");
    let http = world.client.http.clone();
    world.api.restart(&http).await;
    let long_ago = world.long_ago();
    world.sql(&format!("UPDATE idempotency_records SET lease_until = {long_ago}")).await;
    let second = Import::prepare(world, file, portfolio).await;
    let mut imported = second.send(false, Some(key)).await?;
    imported.duration += first_duration;
    imported.time_to_response += first_duration;
    imported.memory.peak_kib = imported.memory.peak_kib.max(first_peak_kib);
    Ok(imported)
}

async fn contact_count(world: &World) -> i64 {
    world.count("SELECT COUNT(*) FROM contacts").await
}

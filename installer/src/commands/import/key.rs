//! The key of an import, and whose turn it is: another process may be at it, or have died at it.

use crate::installation::{Refused, refuse};
use api_server::command::idempotency::{self, Claim, LEASE_SECONDS, Scope};
use api_server::xml_import::once::{self, Begun, Told};
use api_server::xml_import::refusals::ImportError;
use sea_orm::DatabaseConnection;
use shared::time::Timestamp;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// How often to ask whether a key is free.
const ASKED_EVERY: Duration = Duration::from_secs(2);

/// Reads a key from a command line.
pub fn parse(text: &str) -> Result<String, String> {
    match idempotency::is_key(text) {
        true => Ok(text.to_owned()),
        false => Err("must be 1 to 255 printable ASCII characters".to_owned()),
    }
}

/// The key of a file for which none is named.
pub fn of_file(sha256: &[u8]) -> String {
    format!("file-{}", hex::encode(sha256))
}

/// Whether an import is to be done.
pub enum Turn {
    /// By this process.
    Mine(Claim),
    /// It is done already.
    Done(Told),
}

/// A key that may be held by somebody else.
pub struct Waiting<'a> {
    pub db: &'a DatabaseConnection,
    pub scope: Scope,
    pub directory: &'a Path,
}

impl Waiting<'_> {
    /// Waits until nobody else holds the key, or so long. The lease is that of a payment, not of an
    /// import over HTTP: whoever gives the command again after a crash stands by.
    pub async fn take(
        &self,
        seconds: u64,
        mut stop: watch::Receiver<bool>,
        explain: impl Fn(&ImportError) -> String,
    ) -> Result<Turn, Refused> {
        let (begun, mut told) = (Instant::now(), false);
        loop {
            match once::begin(self.db, &self.scope, LEASE_SECONDS, self.directory).await {
                Ok(Begun::New(claim)) => return Ok(Turn::Mine(claim)),
                Ok(Begun::Done(answer)) => return Ok(Turn::Done(answer)),
                Err(error) if is_held(&error) => {}
                Err(ImportError::KeyMismatch) => {
                    return refuse(
                        "the key was used for another file or request: name another one",
                    );
                }
                Err(error) => return refuse(explain(&error)),
            }
            let held_until = idempotency::held_until(self.db, &self.scope).await?;
            let held = holder(held_until);
            if begun.elapsed() + ASKED_EVERY > Duration::from_secs(seconds) {
                return refuse(format!("{held}: try again then"));
            }
            if !std::mem::replace(&mut told, true) {
                eprintln!("import: {held}; waiting for up to {seconds} seconds, Ctrl-C ends it");
            }
            tokio::select! {
                () = tokio::time::sleep(ASKED_EVERY) => {}
                _ = stop.wait_for(|stop| *stop) => {
                    return refuse("stopped: nothing was done");
                }
            }
        }
    }
}

/// While an import is writing, its key may be locked, too.
fn is_held(error: &ImportError) -> bool {
    matches!(error, ImportError::KeyInProgress) || error.is_blocked()
}

fn holder(until: Option<Timestamp>) -> String {
    let until = until.map(|until| until.0.format(" until %H:%M:%S UTC").to_string());
    format!(
        "another import of this file is under way or was cut short, and holds its key{}",
        until.unwrap_or_default()
    )
}

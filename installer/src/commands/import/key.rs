//! The key of an import, and waiting for it: another process may be importing under it, or have
//! died doing so.

use super::ImportContext;
use crate::installation::{CliError, count, refuse};
use api_server::command::idempotency::{self, IdempotencyScope, LEASE_SECONDS};
use api_server::xml_import::idempotent_import::{self, ImportClaim};
use api_server::xml_import::refusals::ImportError;
use shared::time::Timestamp;
use std::time::{Duration, Instant};

/// How often to check whether a key is free.
const POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Parses a key from the command line.
pub(super) fn parse(text: &str) -> Result<String, String> {
    match idempotency::is_key(text) {
        true => Ok(text.to_owned()),
        false => Err("must be 1 to 255 printable ASCII characters".to_owned()),
    }
}

/// The default key of a file.
pub(super) fn of_file(sha256: &[u8]) -> String {
    format!("file-{}", hex::encode(sha256))
}

/// Claims a key that another process may hold, and waits until it is free, at most as long as the
/// arguments say.
pub(super) async fn claim(
    context: &ImportContext<'_>,
    scope: IdempotencyScope,
) -> Result<ImportClaim, CliError> {
    let ImportContext { arguments, db, directory, .. } = context;
    let (seconds, mut stop) = (arguments.wait_seconds, context.stop.clone());
    let (started, mut announced) = (Instant::now(), false);
    loop {
        match idempotent_import::begin(db, &scope, LEASE_SECONDS, directory).await {
            Ok(claim) => return Ok(claim),
            Err(error) if is_held(&error) => {}
            Err(ImportError::KeyMismatch) => {
                return refuse(
                    "the key was already used for another file or request: choose another key",
                );
            }
            Err(error) => return refuse(context.explain(&error)),
        }
        let held_until = idempotency::held_until(db, &scope).await?;
        let holder = describe_holder(held_until);
        if started.elapsed() + POLL_INTERVAL > Duration::from_secs(seconds) {
            return refuse(format!("{holder}: try again later"));
        }
        if !std::mem::replace(&mut announced, true) {
            let time = count(seconds, "second");
            eprintln!("import: {holder}; waiting for up to {time}, press Ctrl-C to stop");
        }
        tokio::select! {
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            _ = stop.wait_for(|stop| *stop) => {
                return refuse("stopped: nothing was imported");
            }
        }
    }
}

/// While an import is writing, the key's row may be locked, too.
fn is_held(error: &ImportError) -> bool {
    matches!(error, ImportError::KeyInProgress) || error.is_blocked()
}

fn describe_holder(until: Option<Timestamp>) -> String {
    let until = until.map(|until| until.0.format(" until %H:%M:%S UTC").to_string());
    format!(
        "another import of this file is running or was interrupted, and holds its key{}",
        until.unwrap_or_default()
    )
}

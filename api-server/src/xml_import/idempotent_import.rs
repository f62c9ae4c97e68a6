//! Imports under an idempotency key: run once, replayed on every later request. The endpoint and
//! the installer's command can resume each other's imports, because both go through this module.

use super::results::ImportResponse;
use super::runner::{Pieces, run};
use super::{Import, ImportMode, import_log};
use crate::auth::caller::Caller;
use crate::command::idempotency::{self, Claim, ClaimOutcome, IdempotencyKey, IdempotencyScope};
use crate::xml_import::refusals::ImportError;
use sea_orm::DatabaseConnection;
use std::path::Path;

/// The path in the fingerprint of a request.
pub const PATH: &str = "/core/xml-import";
/// The query of a request that is not a dry run.
const QUERY: &str = "test=false";

/// Returns the scope that a request to import this file for real would have if it were sent over
/// HTTP.
pub fn scope(caller: &Caller, key: &str, sha256: &[u8]) -> IdempotencyScope {
    IdempotencyKey::new(caller, PATH.to_owned(), key, QUERY).scope(&[sha256])
}

/// How to proceed with an import under a key.
pub enum ImportClaim {
    /// It is new, or resumes: carry it out.
    New(Claim),
    /// It has finished before: its stored response.
    Done(ImportResponse),
}

/// Claims an import, or finds its stored response. 409 if it is running; 422 if the key was used
/// for another file.
pub async fn begin(
    db: &DatabaseConnection,
    scope: &IdempotencyScope,
    lease_seconds: i64,
    directory: &Path,
) -> Result<ImportClaim, ImportError> {
    match idempotency::claim(db, scope, lease_seconds).await? {
        ClaimOutcome::New(claim) => Ok(ImportClaim::New(claim)),
        ClaimOutcome::Done(stored) => {
            let response = import_log::replay(db, &stored.key_hash, directory).await?;
            let lost = || ImportError::defect("the results of an import with a response are gone");
            response.map(ImportClaim::Done).ok_or_else(lost)
        }
    }
}

/// Runs a claimed import. If it ends early, the claim is released immediately, so that a retry need
/// not wait for the lease to run out; unless the database must not be used.
pub async fn carry_out(
    db: &DatabaseConnection,
    import: Import<'_>,
    mode: ImportMode,
    pieces: Pieces,
    claim: Option<&Claim>,
) -> Result<ImportResponse, ImportError> {
    let gate = import.database_gate.clone();
    let outcome = run(db, import, mode, pieces, claim).await;
    let may_write = match gate {
        Some(gate) => gate.pass().await.is_ok(),
        None => true,
    };
    if let (Err(_), Some(claim), true) = (&outcome, claim, may_write) {
        let released = claim.release(db).await;
        if released && let Err(error) = import_log::free(db, claim.key_hash()).await {
            tracing::warn!(%error, "could not delete an unfinished import run; the sweep will");
        }
    }
    outcome
}

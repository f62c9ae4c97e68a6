//! Imports under an idempotency key: run once, replayed on every later request. The endpoint and
//! the installer's command can resume each other's imports, because both go through this module.

use super::results::Answer;
use super::running::{Pieces, run};
use super::{Import, Mode, runs};
use crate::auth::caller::Caller;
use crate::command::idempotency::{self, Claim, Claimed, Keyed, Scope};
use crate::xml_import::refusals::ImportError;
use sea_orm::DatabaseConnection;
use std::path::Path;

/// The path in the scope of a claim.
pub const PATH: &str = "/core/xml-import";
/// The query of a request that is not a dry run.
const QUERY: &str = "test=false";

/// Returns the scope that a request to import this file for real would have if it were sent over
/// HTTP.
pub fn scope(caller: &Caller, key: &str, sha256: &[u8]) -> Scope {
    Keyed::new(caller, PATH.to_owned(), key.to_owned(), QUERY).scope(&[sha256])
}

/// How to proceed with an import under a key.
pub enum Begun {
    /// It is new, or resumes: carry it out.
    New(Claim),
    /// It has finished before.
    Done(Told),
}

/// The stored response of an import that has finished before.
pub enum Told {
    /// Read as a stream.
    Answer(Answer),
    /// Stored in one piece by an earlier release.
    Whole(String),
}

/// Claims an import, or finds its stored response. 409 if it is running; 422 if the key was used
/// for another file.
pub async fn begin(
    db: &DatabaseConnection,
    scope: &Scope,
    lease_seconds: i64,
    directory: &Path,
) -> Result<Begun, ImportError> {
    match idempotency::claim(db, scope, lease_seconds).await? {
        Claimed::New(claim) => Ok(Begun::New(claim)),
        Claimed::Done(kept) => {
            let answer = runs::replay(db, &kept.scope_hash, directory).await?;
            Ok(Begun::Done(answer.map_or(Told::Whole(kept.body), Told::Answer)))
        }
    }
}

/// Runs a claimed import. If it ends early, the claim is released immediately, so that a retry need
/// not wait for the lease to run out.
pub async fn carry_out(
    db: &DatabaseConnection,
    import: Import<'_>,
    mode: Mode,
    pieces: Pieces,
    claim: Option<&Claim>,
) -> Result<Answer, ImportError> {
    let outcome = run(db, import, mode, pieces, claim).await;
    if let (Err(_), Some(claim)) = (&outcome, claim) {
        let freed = claim.free(db).await;
        if freed && let Err(error) = runs::free(db, claim.scope_hash()).await {
            tracing::warn!(%error, "could not delete an unfinished import run; the sweep will");
        }
    }
    outcome
}

//! An import under a key: done once, told as often as it is asked for, by whoever asks. The endpoint
//! and the installer's command go on with each other's imports, because both come through here.

use super::results::Answer;
use super::running::{Pieces, run};
use super::{Import, Mode, runs};
use crate::auth::caller::Caller;
use crate::command::idempotency::{self, Claim, Claimed, Keyed, Scope};
use crate::xml_import::refusals::ImportError;
use sea_orm::DatabaseConnection;
use std::path::Path;

/// The path that claims are made for.
pub const PATH: &str = "/core/xml-import";
/// The query of a request that is no test run.
const QUERY: &str = "test=false";

/// The scope of a request to keep what a file brings, as if it had been sent.
pub fn scope(caller: &Caller, key: &str, sha256: &[u8]) -> Scope {
    Keyed::new(caller, PATH.to_owned(), key.to_owned(), QUERY).scope(&[sha256])
}

/// What to do with an import under a key.
pub enum Begun {
    /// It is new, or goes on: carry it out.
    New(Claim),
    /// It was done before.
    Done(Told),
}

/// What came of an import that was done before.
pub enum Told {
    /// To be read as a stream.
    Answer(Answer),
    /// Kept by a release that kept answers whole.
    Whole(String),
}

/// Claims an import, or finds what came of it. Running: 409. Same key, other file: 422.
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

/// Does it. Where it ends early its claim is given up at once, so that the next try need not wait.
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
            tracing::warn!(%error, "what is known of an import is left to the sweep");
        }
    }
    outcome
}

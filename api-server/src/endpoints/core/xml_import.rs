//! `/core/xml-import`: imports contacts, loans and payments from a file.

use super::super::Group;
use crate::audit::Actor;
use crate::auth::caller::RequestContext;
use crate::command::idempotency::{self, IdempotencyScope, LEASE_SECONDS, Replayable};
use crate::http::admission::AdminUser;
use crate::http::etag::IfNoneMatch;
use crate::http::fixed_body::FixedBody;
use crate::http::json_body::incomplete;
use crate::http::operations::XML_BYTES_MAX;
use crate::state::State;
use crate::xml_import::idempotent_import::{self, ImportClaim};
use crate::xml_import::parse::{self, Element};
use crate::xml_import::refusals::ImportError;
use crate::xml_import::report::ImportResult;
use crate::xml_import::results::{ImportResponse, TAIL};
use crate::xml_import::spool::pieces;
use crate::xml_import::{IMPORTS_MAX, Import, ImportMode, schema};
use aws_lc_rs::digest;
use poem::http::header::RETRY_AFTER;
use poem::http::{HeaderValue, StatusCode};
use poem::web::Data;
use poem::{Body, IntoResponse, Request, RequestBody, Response, Result, handler};
use poem_openapi::impl_apirequest_for_payload;
use poem_openapi::param::{Header, Query};
use poem_openapi::payload::{ParsePayload, Payload};
use poem_openapi::registry::{MetaResponses, MetaSchema, MetaSchemaRef, Registry};
use poem_openapi::{ApiResponse, OpenApi};
use shared::database;
use shared::entity::field_changes::ChangeSource;
use shared::operations;
use shared::problem::{Problem, ProblemType};
use shared::telemetry::RequestId;
use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

const PAUSE_MAX: Duration = Duration::from_secs(30);
/// An upload that takes longer than this must average at least the rate below: slow uploads would
/// hold permits that other imports wait for.
const SLOW_SECONDS: u64 = 60;
const BYTES_PER_SECOND_MIN: u64 = 8 * 1024;
/// Longest time an import waits for a permit.
const PERMIT_WAIT: Duration = Duration::from_secs(20);
/// Bytes of a file to read at a time.
const READ_BYTES: usize = 1 << 16;

/// `/core/xml-import`
pub struct XmlImport;

#[operations]
#[OpenApi(tag = "Group::Import")]
impl XmlImport {
    /// Import an XML file.
    ///
    /// Only for the admin account. The whole file is checked first: a malformed file is refused
    /// with the line and column of the error, and nothing is imported. Its records are then applied
    /// in file order, by the same rules as the rest of the API; `Failed` and `Committed` in the
    /// response report the outcome. With `CommitBlock="1"` on the root element, a failing record
    /// rolls back the whole file; otherwise each record commits separately.
    #[oai(path = "/core/xml-import", method = "post")]
    async fn import_xml(
        &self,
        AdminUser(admitted): AdminUser,
        state: Data<&Arc<State>>,
        request: &Request,
        request_id: Data<&RequestId>,
        /// `true` for a dry run: everything is done, and then rolled back.
        test: Query<bool>,
        /// Idempotency key that makes a retry safe: 1 to 255 printable ASCII characters.
        _idempotency_key: Header<Option<String>>,
        file: XmlBody,
    ) -> Result<Imported, Problem> {
        let (file, root) = check(file.0).await?;
        let mode = ImportMode::new(&root, test.0).map_err(ImportError::from)?;
        let scope = IdempotencyScope::of(request, &admitted.caller, &[&file.sha256])?;
        let scope = scope.filter(|_| !test.0);
        let author = Actor::new(&admitted.caller, ChangeSource::Xml, request_id.0);
        let state = Arc::clone(state.0);
        // In a separate task: a client that disconnects does not stop an import half-way.
        let task = tokio::spawn(apply(state, admitted, author, mode, file, scope));
        task.await.map_err(Problem::internal)?
    }
}

/// Claims an import. If another one holds the key, `Retry-After` is the rest of its lease: it may have
/// been killed.
async fn begin(state: &State, scope: &IdempotencyScope) -> Result<ImportClaim, Problem> {
    let directory = &state.spool_directory;
    match idempotent_import::begin(&state.db, scope, LEASE_SECONDS, directory).await {
        Err(ImportError::KeyInProgress) => {
            let until = idempotency::held_until(&state.db, scope).await?;
            let now = database::time(&state.db).await?;
            let seconds = until.map_or(0, |until| (until.0 - now.0).num_seconds());
            let seconds = HeaderValue::from(seconds.clamp(1, LEASE_SECONDS));
            Err(Problem::from(ImportError::KeyInProgress).header(RETRY_AFTER, seconds))
        }
        claim => Ok(claim?),
    }
}

async fn apply(
    state: Arc<State>,
    admitted: RequestContext,
    author: Actor,
    mode: ImportMode,
    file: Spooled,
    scope: Option<IdempotencyScope>,
) -> Result<Imported, Problem> {
    let directory = &state.spool_directory;
    let claim = match scope {
        None => None,
        Some(scope) => match begin(&state, &scope).await? {
            ImportClaim::Done(response) => return Imported::streamed(response, true),
            ImportClaim::New(claim) => Some(claim),
        },
    };
    let RequestContext { caller, clock } = &admitted;
    let Spooled { file, permit: _permit, .. } = file;
    let import = Import::new(caller, author, &state.passwords, *clock, mode.enforce, directory);
    let import = import.with_gates(&state.executor);
    let pieces = pieces(BufReader::with_capacity(READ_BYTES, file));
    let response =
        idempotent_import::carry_out(&state.db, import, mode, pieces, claim.as_ref()).await?;
    Imported::streamed(response, false)
}

/// Outcome of an import, streamed from the file it was recorded in.
pub struct Imported {
    body: Body,
    replayed: bool,
}

impl Imported {
    fn streamed(response: ImportResponse, replayed: bool) -> Result<Self, Problem> {
        let head = std::io::Cursor::new(response.head());
        let results = tokio::fs::File::from_std(response.into_file().map_err(Problem::internal)?);
        let results = tokio::io::BufReader::with_capacity(READ_BYTES, results);
        let body = head.chain(results).chain(TAIL.as_bytes());
        Ok(Self { body: Body::from_async_read(body), replayed })
    }
}

impl IntoResponse for Imported {
    fn into_response(self) -> Response {
        idempotency::answer(StatusCode::OK, self.replayed, self.body)
    }
}

impl ApiResponse for Imported {
    fn meta() -> MetaResponses {
        Replayable::<ImportResult, false>::meta()
    }

    fn register(registry: &mut Registry) {
        Replayable::<ImportResult, false>::register(registry);
    }
}

/// `GET /xml-import.xsd`: the schema of import files.
#[handler]
pub(crate) async fn show_schema(request: &Request, if_none_match: IfNoneMatch) -> Response {
    static SCHEMA: LazyLock<FixedBody> =
        LazyLock::new(|| FixedBody::new("application/xml", schema::schema()));
    SCHEMA.response(request, &if_none_match).await
}

/// A spooled file: private, unnamed, and deleted with the request.
pub struct Spooled {
    file: File,
    sha256: Vec<u8>,
    /// Permit for one import.
    permit: OwnedSemaphorePermit,
}

/// First pass: a malformed file is refused before anything is imported.
async fn check(mut spooled: Spooled) -> Result<(Spooled, Element), Problem> {
    let checked = tokio::task::spawn_blocking(move || {
        let root = parse::check(BufReader::with_capacity(READ_BYTES, &spooled.file));
        spooled.file.seek(SeekFrom::Start(0)).map(|_| (spooled, root))
    });
    let (spooled, root) = checked.await.map_err(Problem::internal)?.map_err(Problem::internal)?;
    Ok((spooled, root.map_err(ImportError::from)?))
}

/// An XML body, spooled to a temporary file so that memory use stays constant.
pub struct XmlBody(Spooled);

impl Payload for XmlBody {
    const CONTENT_TYPE: &'static str = "application/xml";

    /// Admission has checked it.
    fn check_content_type(_: &str) -> bool {
        true
    }

    // Bytes, because the file declares its own encoding. For a string, generated Rust and C#
    // clients would send JSON.
    fn schema_ref() -> MetaSchemaRef {
        MetaSchemaRef::Inline(Box::new(MetaSchema::new_with_format("string", "binary")))
    }
}

impl ParsePayload for XmlBody {
    const IS_REQUIRED: bool = true;

    async fn from_request(request: &Request, body: &mut RequestBody) -> Result<Self> {
        let state = request.data::<Arc<State>>();
        let state = state.ok_or_else(|| Problem::internal("no state"))?;
        let permit = timeout(PERMIT_WAIT, Arc::clone(&state.imports).acquire_owned()).await;
        let permit = permit.map_err(|_| too_many())?.map_err(Problem::internal)?;
        Ok(Self(spool(&state.spool_directory, body, permit).await?))
    }
}

fn too_many() -> Problem {
    Problem::new(ProblemType::TooManyRequests)
        .detail(format!("{IMPORTS_MAX} imports are already running"))
        .header(RETRY_AFTER, HeaderValue::from_static("60"))
}

async fn spool(
    directory: &Path,
    body: &mut RequestBody,
    permit: OwnedSemaphorePermit,
) -> Result<Spooled, Problem> {
    let failed = |error| Problem::from(ImportError::spool_failed(error));
    let file = tempfile::tempfile_in(directory).map_err(failed)?;
    let mut writer = tokio::io::BufWriter::with_capacity(1 << 18, tokio::fs::File::from_std(file));
    let mut reader = body.take().map_err(|_| incomplete())?.into_async_read();
    let mut context = digest::Context::new(&digest::SHA256);
    let mut buffer = vec![0; 1 << 16];
    let (started, mut total) = (Instant::now(), 0);
    loop {
        let count = match timeout(PAUSE_MAX, reader.read(&mut buffer)).await {
            Ok(Ok(count)) => count,
            Ok(Err(_)) => return Err(incomplete()),
            Err(_) => return Err(Problem::bad_request("the body paused for more than 30 seconds")),
        };
        if count == 0 {
            break;
        }
        total += count as u64;
        let seconds = started.elapsed().as_secs();
        if seconds > SLOW_SECONDS && total < seconds * BYTES_PER_SECOND_MIN {
            return Err(Problem::bad_request("the body arrived at less than 8 KiB per second"));
        }
        if total > XML_BYTES_MAX {
            let detail = "import files have at most 1 GiB";
            return Err(Problem::new(ProblemType::TooLarge).detail(detail));
        }
        context.update(&buffer[..count]);
        writer.write_all(&buffer[..count]).await.map_err(failed)?;
    }
    writer.flush().await.map_err(failed)?;
    let mut file = writer.into_inner().into_std().await;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    Ok(Spooled { file, sha256: context.finish().as_ref().to_vec(), permit })
}

impl_apirequest_for_payload!(XmlBody);

//! `/files`: the bytes of documents, whatever they are attached to.

use super::Group;
use crate::access::CoreUser;
use crate::app::App;
use crate::ranges::{self, Wanted};
use crate::uploads::file_names::content_disposition;
use crate::versions::{Known, described};
use aws_lc_rs::digest;
use bytes::Bytes;
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt};
use poem::http::header::{
    ACCEPT_RANGES, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG,
};
use poem::http::{HeaderValue, StatusCode};
use poem::web::Data;
use poem::{Body, IntoResponse, Request, Response};
use poem_openapi::param::{Header, Path};
use poem_openapi::registry::{
    MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry,
};
use poem_openapi::{ApiResponse, OpenApi};
use shared::edge::HeadOnly;
use shared::entity::document_files;
use shared::problem::{Problem, ProblemType};
use std::io;
use std::ops::Range;
use std::sync::Arc;

const MEDIA_TYPE: &str = "application/octet-stream";

/// `/files`
pub struct Files;

#[OpenApi(tag = "Group::Files")]
impl Files {
    /// The bytes of a file.
    ///
    /// Needs the View of the form, or of the kind of comment, that the file's document belongs to:
    /// without it the file does not exist. A whole file is compared with its SHA-256 on the way;
    /// one that has been damaged ends before its last bytes.
    #[oai(path = "/files/:file_id", method = "get", operation_id = "download_file")]
    #[expect(clippy::too_many_arguments, reason = "one argument per parameter of the operation")]
    async fn download_file(
        &self,
        CoreUser(admitted): CoreUser,
        app: Data<&Arc<App>>,
        request: &Request,
        /// The file: `File_ID`, as in `Download_Path`.
        file_id: Path<i64>,
        /// One range of bytes: `bytes=0-1023`.
        #[oai(name = "Range")]
        _range: Header<Option<String>>,
        /// The version that the range is of: of another one the whole file is sent.
        #[oai(name = "If-Range")]
        _if_range: Header<Option<String>>,
        known: Known,
    ) -> Result<Download, Problem> {
        let file = admitted.caller.get::<document_files::Entity>(&app.db, file_id.0).await?;
        if known.contain(&file.sha256) {
            return Ok(Download { file, part: None, body: None });
        }
        let length = file.size_bytes.unsigned_abs();
        let head_only = request.data::<HeadOnly>().is_some();
        let part = match ranges::wanted(request, &format!("\"{}\"", file.sha256), length) {
            Wanted::Part(part) if !head_only => Some(part),
            Wanted::Unsatisfiable if !head_only => {
                let problem = Problem::new(ProblemType::RangeNotSatisfiable);
                let length = HeaderValue::from_str(&format!("bytes */{length}"));
                return Err(problem.header(CONTENT_RANGE, length.map_err(Problem::internal)?));
            }
            _ => None,
        };
        let body = match head_only {
            true => Body::empty(),
            false => {
                let range = part.clone().unwrap_or(0..length);
                let bytes = app.documents.read(&file.object_key, length, range).await?;
                match part {
                    Some(_) => Body::from_bytes_stream(bytes.map(|read| read.map_err(broken))),
                    None => Body::from_bytes_stream(verified(bytes, &file)),
                }
            }
        };
        Ok(Download { file, part, body: Some(body) })
    }
}

fn broken(error: object_store::Error) -> io::Error {
    tracing::warn!(%error, "a download ends before its time");
    io::Error::other(error)
}

/// A file's bytes, of which the last ones are only given out if all together are what they were.
fn verified(
    bytes: BoxStream<'static, object_store::Result<Bytes>>,
    file: &document_files::Model,
) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    struct Pending {
        bytes: BoxStream<'static, object_store::Result<Bytes>>,
        context: digest::Context,
        held: Option<Bytes>,
        sha256: String,
        file_id: i64,
    }
    let context = digest::Context::new(&digest::SHA256);
    let (sha256, file_id) = (file.sha256.clone(), file.file_id);
    let pending = Pending { bytes, context, held: None, sha256, file_id };
    stream::unfold(Some(pending), |pending| async {
        let mut pending = pending?;
        loop {
            match pending.bytes.next().await {
                Some(Ok(chunk)) => {
                    pending.context.update(&chunk);
                    if let Some(held) = pending.held.replace(chunk) {
                        return Some((Ok(held), Some(pending)));
                    }
                }
                Some(Err(error)) => return Some((Err(broken(error)), None)),
                None if hex::encode(pending.context.finish()) == pending.sha256 => {
                    return Some((Ok(pending.held?), None));
                }
                None => {
                    let file_id = pending.file_id;
                    tracing::error!(file_id, "the object of a file has been damaged");
                    return Some((Err(io::Error::other("the file has been damaged")), None));
                }
            }
        }
    })
}

/// A file on its way out. Without a body: the client has it already.
pub struct Download {
    file: document_files::Model,
    part: Option<Range<u64>>,
    body: Option<Body>,
}

impl IntoResponse for Download {
    fn into_response(self) -> Response {
        let Self { file, part, body } = self;
        let tag = format!("\"{}\"", file.sha256);
        let Some(body) = body else {
            let response = Response::builder().status(StatusCode::NOT_MODIFIED);
            return response.header(ETAG, tag).finish();
        };
        let all = file.size_bytes.unsigned_abs();
        let mut response = Response::builder()
            .header(ETAG, tag)
            .header(CONTENT_TYPE, MEDIA_TYPE)
            .header(ACCEPT_RANGES, "bytes")
            .header(CONTENT_DISPOSITION, content_disposition(&file.file_name));
        response = match part {
            Some(Range { start, end }) => response
                .status(StatusCode::PARTIAL_CONTENT)
                .header(CONTENT_RANGE, format!("bytes {start}-{}/{all}", end - 1))
                .header(CONTENT_LENGTH, end - start),
            None => response.header(CONTENT_LENGTH, all),
        };
        response.body(body)
    }
}

impl ApiResponse for Download {
    fn meta() -> MetaResponses {
        let bytes = || {
            let mut schema = MetaSchema::new("string");
            schema.format = Some("binary");
            let schema = MetaSchemaRef::Inline(Box::new(schema));
            vec![MetaMediaType { content_type: MEDIA_TYPE, schema }]
        };
        type Described<'a> = (&'a str, &'a str);
        let response =
            |status: StatusCode, description, content, headers: &[Described<'_>]| MetaResponse {
                description,
                status: Some(status.as_u16()),
                status_range: None,
                content,
                headers: headers.iter().map(|(name, text)| described(name, text)).collect(),
            };
        let tag = ("ETag", "The file's SHA-256: files never change.");
        let name = ("Content-Disposition", "What the file is called (RFC 6266).");
        let range = ("Content-Range", "Which bytes these are, and how many there are.");
        MetaResponses {
            responses: vec![
                response(StatusCode::OK, "The whole file.", bytes(), &[tag, name]),
                response(
                    StatusCode::PARTIAL_CONTENT,
                    "The bytes that `Range` asked for.",
                    bytes(),
                    &[tag, name, range],
                ),
                response(StatusCode::NOT_MODIFIED, "The client has the file.", Vec::new(), &[tag]),
            ],
        }
    }

    fn register(_registry: &mut Registry) {}
}

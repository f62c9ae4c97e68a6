//! `/files`: contents of document files, whatever the document is attached to.

use super::Group;
use crate::documents::attach::Attachments;
use crate::documents::downloads;
use crate::documents::multipart::file_names::content_disposition;
use crate::http::admission::CoreUser;
use crate::http::etag::{self, IfNoneMatch, described_header};
use crate::http::range_header::{self, RequestedRange};
use crate::state::State;
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
use shared::entity::document_files;
use shared::middleware::HeadOnly;
use shared::operations;
use shared::problem::{Problem, ProblemType};
use std::ops::Range;
use std::sync::Arc;

const MEDIA_TYPE: &str = "application/octet-stream";

pub struct Files;

#[operations]
#[OpenApi(tag = "Group::Files")]
impl Files {
    /// Download a file.
    ///
    /// Requires the View privilege on the form, or on the kind of comment, that the file's document
    /// belongs to; without it, the request gets 404. A whole file is checked against its SHA-256
    /// while it is sent; the download of a damaged file is cut off before its last bytes.
    #[oai(path = "/files/:file_id", method = "get")]
    async fn download_file(
        &self,
        CoreUser(admitted): CoreUser,
        state: Data<&Arc<State>>,
        request: &Request,
        /// File id: `File_ID`, as in `Download_Path`.
        file_id: Path<i64>,
        /// A single byte range, such as `bytes=0-1023`.
        _range: Header<Option<String>>,
        /// Version the range applies to. If the file's version differs, the whole file is sent.
        _if_range: Header<Option<String>>,
        /// Expected version. If the file's version differs, the response is 412.
        _if_match: Header<Option<String>>,
        if_none_match: IfNoneMatch,
    ) -> Result<Download, Problem> {
        let file = admitted.caller.get::<document_files::Entity>(&state.reads, file_id.0).await?;
        let tag = format!("\"{}\"", file.sha256);
        check_if_match(request, &tag)?;
        if if_none_match.contains(&file.sha256) {
            return Ok(Download { file, part: None, body: None });
        }
        let length = file.size_bytes.unsigned_abs();
        let head_only = request.data::<HeadOnly>().is_some();
        let part = match range_header::requested_range(request, &tag, length) {
            RequestedRange::Part(part) if !head_only => Some(part),
            RequestedRange::Unsatisfiable if !head_only => {
                let problem = Problem::new(ProblemType::RangeNotSatisfiable);
                let length = HeaderValue::from_str(&format!("bytes */{length}"));
                return Err(problem.header(CONTENT_RANGE, length.map_err(Problem::internal)?));
            }
            _ => None,
        };
        let body = match head_only {
            true => Body::empty(),
            false => {
                let Attachments { store, downloads, .. } = &*state.documents;
                downloads::body(store, downloads, &admitted.caller, &file, part.clone()).await?
            }
        };
        Ok(Download { file, part, body: Some(body) })
    }
}

/// Refuses with 412 a request for another version of the file (RFC 9110, 13.1.1).
fn check_if_match(request: &Request, tag: &str) -> Result<(), Problem> {
    let named = etag::tags(request, "if-match");
    match named.is_empty() || named.iter().any(|named| named == "*" || named == tag) {
        true => Ok(()),
        false => Err(Problem::new(ProblemType::PreconditionFailed)),
    }
}

/// A file download. Without a body, the client already has the file.
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
                headers: headers.iter().map(|(name, text)| described_header(name, text)).collect(),
            };
        let part = ("Accept-Ranges", "`bytes`: byte ranges are supported.");
        let tag = ("ETag", "The file's SHA-256. Files never change.");
        let name = ("Content-Disposition", "The file name (RFC 6266).");
        let range = ("Content-Range", "The byte range sent, and the size of the file.");
        MetaResponses {
            responses: vec![
                response(StatusCode::OK, "The whole file.", bytes(), &[tag, part, name]),
                response(
                    StatusCode::PARTIAL_CONTENT,
                    "The byte range requested in `Range`.",
                    bytes(),
                    &[tag, part, name, range],
                ),
                response(
                    StatusCode::NOT_MODIFIED,
                    "The client already has the file.",
                    Vec::new(),
                    &[tag],
                ),
            ],
        }
    }

    fn register(_registry: &mut Registry) {}
}

//! ETags of rows: the version of a row that can be changed, sent as `versionHash` and as `ETag`.
//! Conditional requests (`If-Match`, `If-None-Match`) are read here, too.
//!
//! The version is the SHA-256, in lower-case hex, of the JSON object of all columns in name order.
//! It is opaque to clients, and changes with any column.
//!
//! Other ETags are made where their responses are: for a POST that creates a row with a version, in
//! `command/idempotency/responses.rs`; for bodies that stay the same while the server runs, in
//! `http/fixed_body.rs`; for downloads of files, in `endpoints/files.rs`.

use aws_lc_rs::digest;
use poem::http::header::ETAG;
use poem::http::{HeaderValue, StatusCode};
use poem::{FromRequest, IntoResponse, Request, RequestBody, Response};
use poem_openapi::ApiResponse;
use poem_openapi::payload::Json;
use poem_openapi::registry::{
    MetaHeader, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry,
};
use poem_openapi::types::{ToJSON, Type};
use sea_orm::DbErr;
use serde::Serialize;
use serde_json::{Map, Value};
use shared::problem::{Problem, ProblemType};
use std::collections::BTreeMap;

/// Returns the version of a stored row and of the further values that belong to it.
pub fn hash(row: &impl Serialize, more: &[(&str, Value)]) -> Result<String, DbErr> {
    let row = serde_json::to_value(row).map_err(|error| DbErr::Type(error.to_string()))?;
    let columns = match row {
        Value::Object(columns) => columns,
        _ => Map::new(),
    };
    let mut sorted: BTreeMap<&str, &Value> =
        columns.iter().map(|(name, value)| (name.as_str(), value)).collect();
    sorted.extend(more.iter().map(|(name, value)| (*name, value)));
    let text = serde_json::to_vec(&sorted).map_err(|error| DbErr::Type(error.to_string()))?;
    Ok(hex::encode(digest::digest(&digest::SHA256, &text)))
}

/// Returns the versions that a header lists, over all its lines. A value that is not text names no
/// version, but is still listed.
pub fn tags(request: &Request, header: &str) -> Vec<String> {
    let lines = request.headers().get_all(header).iter();
    let lists = lines.map(|line| line.to_str().unwrap_or_default());
    lists.flat_map(|list| list.split(',')).map(|tag| tag.trim().to_owned()).collect()
}

/// Versions the client already has: `If-None-Match` (RFC 9110, 13.1.2).
#[derive(Clone, Debug, Default)]
pub struct IfNoneMatch(Vec<String>);

impl<'a> FromRequest<'a> for IfNoneMatch {
    async fn from_request(request: &'a Request, _body: &mut RequestBody) -> poem::Result<Self> {
        Ok(Self(tags(request, "if-none-match")))
    }
}

impl IfNoneMatch {
    /// True if this version is among them.
    pub fn contains(&self, hash: &str) -> bool {
        let tag = format!("\"{hash}\"");
        self.0.iter().any(|listed| listed == "*" || listed.trim_start_matches("W/") == tag)
    }
}

/// The version a client expects to change: sent as `versionHash`, in `If-Match` (RFC 9110, 13.1.1),
/// or in both.
#[derive(Clone, Debug)]
pub struct ExpectedVersion {
    version_hash: Option<String>,
    if_match: Vec<String>,
}

impl ExpectedVersion {
    /// Reads the expected version from a request; 400 if there is neither. `If-Match: *` names no
    /// version.
    pub fn of(request: &Request, version_hash: Option<String>) -> Result<Self, Problem> {
        let mut if_match = tags(request, "if-match");
        let listed = if_match.len();
        if_match.retain(|tag| tag != "*");
        if version_hash.is_none() && if_match.is_empty() {
            let detail = match listed {
                0 => "the expected version is missing: send versionHash or If-Match",
                _ => {
                    "If-Match: * names no version: send the version that was read, in versionHash \
                      or If-Match"
                }
            };
            return Err(Problem::bad_request(detail).field("versionHash", "is required"));
        }
        Ok(Self { version_hash, if_match })
    }

    /// Fails unless `If-Match` and `versionHash`, where present, name the current version.
    pub fn check(&self, current: &str) -> Result<(), VersionMismatch> {
        let tag = format!("\"{current}\"");
        if !self.if_match.is_empty() && !self.if_match.contains(&tag) {
            return Err(VersionMismatch::IfMatch { current: current.to_owned() });
        }
        match &self.version_hash {
            Some(version_hash) if version_hash != current => {
                Err(VersionMismatch::VersionHash { current: current.to_owned() })
            }
            _ => Ok(()),
        }
    }
}

/// A row whose version is not the expected one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionMismatch {
    /// It differs from `If-Match`.
    IfMatch { current: String },
    /// It differs from `versionHash`.
    VersionHash { current: String },
}

/// 412 for `If-Match`, 409 for `versionHash`.
impl From<VersionMismatch> for Problem {
    fn from(mismatch: VersionMismatch) -> Self {
        let (kind, current) = match mismatch {
            VersionMismatch::IfMatch { current } => (ProblemType::PreconditionFailed, current),
            VersionMismatch::VersionHash { current } => (ProblemType::StaleVersion, current),
        };
        Self::new(kind).member("currentVersionHash", current)
    }
}

/// A row with a version: 200 with its `ETag`, or 304 if the client has this version.
pub struct WithEtag<T> {
    value: T,
    hash: String,
    not_modified: bool,
}

impl<T> WithEtag<T> {
    /// Creates the response with a value of this version, for a client that already has the
    /// versions in `if_none_match`.
    pub fn new(value: T, hash: &str, if_none_match: &IfNoneMatch) -> Self {
        Self { value, hash: hash.to_owned(), not_modified: if_none_match.contains(hash) }
    }
}

impl<T: ToJSON> IntoResponse for WithEtag<T> {
    fn into_response(self) -> Response {
        let mut response = match self.not_modified {
            true => StatusCode::NOT_MODIFIED.into_response(),
            false => Json(self.value).into_response(),
        };
        if let Ok(tag) = HeaderValue::from_str(&format!("\"{}\"", self.hash)) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

/// Describes a string response header for the document.
pub fn described_header(name: &str, description: &str) -> MetaHeader {
    MetaHeader {
        name: name.to_owned(),
        description: Some(description.to_owned()),
        required: true,
        deprecated: false,
        schema: MetaSchemaRef::Inline(Box::new(MetaSchema::new("string"))),
    }
}

impl<T: ToJSON> ApiResponse for WithEtag<T> {
    fn meta() -> MetaResponses {
        let mut meta = Json::<T>::meta();
        let tag = || described_header("ETag", "Version of the row, the same as `versionHash`.");
        for response in &mut meta.responses {
            response.description = "The current row.";
            response.headers.push(tag());
        }
        meta.responses.push(MetaResponse {
            description: "The client already has this version, listed in `If-None-Match`.",
            status: Some(StatusCode::NOT_MODIFIED.as_u16()),
            status_range: None,
            content: Vec::new(),
            headers: vec![tag()],
        });
        meta
    }

    fn register(registry: &mut Registry) {
        <T as Type>::register(registry);
    }
}

/// A row that has just been changed: 200 with its new version.
pub struct Updated<T>(WithEtag<T>);

impl<T> Updated<T> {
    /// Creates the response with a value and its new version.
    pub fn new(value: T, hash: &str) -> Self {
        Self(WithEtag { value, hash: hash.to_owned(), not_modified: false })
    }
}

impl<T: ToJSON> IntoResponse for Updated<T> {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl<T: ToJSON> ApiResponse for Updated<T> {
    fn meta() -> MetaResponses {
        let mut meta = WithEtag::<T>::meta();
        meta.responses.retain(|response| response.status == Some(StatusCode::OK.as_u16()));
        meta
    }

    fn register(registry: &mut Registry) {
        <T as Type>::register(registry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_version_depends_on_every_column_and_not_on_their_order() {
        let version = |row: Value| hash(&row, &[]).unwrap();
        let one = version(json!({"a": 1, "b": null}));
        assert_eq!(one, version(json!({"b": null, "a": 1})));
        assert_ne!(one, version(json!({"a": 1, "b": 0})));
        assert_ne!(one, hash(&json!({"a": 1, "b": null}), &[("files", json!([1]))]).unwrap());
        assert_eq!(one.len(), 64);
    }

    #[test]
    fn a_version_that_is_named_must_be_the_current_one_wherever_it_is_named() {
        let check = |version_hash: Option<&str>, if_match: &[&str]| {
            let request = if_match
                .iter()
                .fold(Request::builder(), |request, value| request.header("if-match", *value));
            let version_hash = version_hash.map(str::to_owned);
            let expected = ExpectedVersion::of(&request.finish(), version_hash)?;
            expected.check("now").map_err(Problem::from)
        };
        let refused = |version_hash: Option<&str>, if_match: &[&str]| {
            check(version_hash, if_match).unwrap_err().kind().status().as_u16()
        };
        for missing in [&[][..], &["*"], &["*, *"]] {
            assert_eq!(refused(None, missing), 400);
            let text = check(None, missing).unwrap_err().to_string();
            assert_eq!(text.contains("names no version"), !missing.is_empty(), "{text}");
        }
        check(Some("now"), &[]).unwrap();
        check(Some("now"), &["*"]).unwrap();
        check(None, &["\"now\""]).unwrap();
        check(None, &["\"old\", \"now\""]).unwrap();
        check(Some("now"), &["\"old\"", "\"now\""]).unwrap();
        assert_eq!(refused(Some("old"), &[]), 409);
        assert_eq!(refused(Some("old"), &["\"now\""]), 409);
        for stale in ["\"old\"", "now", "W/\"now\"", "", "\u{e9}"] {
            assert_eq!(refused(None, &[stale]), 412, "{stale}");
            assert_eq!(refused(Some("now"), &[stale]), 412, "{stale}");
            assert_eq!(refused(Some("old"), &[stale]), 412, "{stale}");
        }
    }

    #[test]
    fn a_known_version_is_found_in_any_spelling_of_the_header() {
        let known = |list: &[&str]| IfNoneMatch(list.iter().map(|tag| (*tag).to_owned()).collect());
        assert!(known(&["\"x\"", "W/\"abc\""]).contains("abc"));
        assert!(known(&["*"]).contains("abc"));
        assert!(!known(&["abc", "\"ab\""]).contains("abc"));
    }
}

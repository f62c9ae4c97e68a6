//! Problems: every failure of the resource API, as RFC 9457 `application/problem+json`.
//!
//! The texts for clients (`title`, `detail`, `errors`) and the text in the log are separate:
//! [`Problem::from`] a database error tells the client only the kind of failure.

mod kinds;

pub use self::kinds::{ProblemType, TYPE_PREFIX};

use crate::amounts::OutOfRange;
use poem::error::ResponseError;
use poem::http::header::{HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use poem::http::{HeaderValue, StatusCode};
use poem::{IntoResponse, Response};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiResponse, Object};
use serde_json::{Map, Value, json};
use std::fmt;

/// Result of an endpoint: JSON, or a problem.
pub type JsonResult<T> = Result<poem_openapi::payload::Json<T>, Problem>;

/// A field that is at fault, with a message.
#[derive(Clone, Debug, PartialEq, Eq, Object)]
pub struct FieldError {
    /// Name of the member, parameter or attribute.
    pub field: String,
    /// Description of the fault.
    pub message: String,
}

/// A value that breaks a rule, and its field: a refusal that is not a problem yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidValue {
    /// Rule that is broken.
    pub rule: ValueRule,
    /// Name of the member, parameter or attribute.
    pub field: String,
    /// Description of the fault.
    pub message: String,
}

/// Rules that a value may break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRule {
    /// The value is one the field accepts.
    Valid,
    /// The value is present.
    Required,
    /// The value is an active code of a setup list.
    Known,
}

impl InvalidValue {
    /// A value that the field does not accept.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { rule: ValueRule::Valid, field: field.into(), message: message.into() }
    }

    /// A missing value.
    pub fn missing(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { rule: ValueRule::Required, field: field.into(), message: message.into() }
    }

    /// A code that is not in its setup list, or no longer active.
    pub fn unknown_code(field: impl Into<String>, code: &str) -> Self {
        let message = format!("{code:?} is unknown or no longer active");
        Self { rule: ValueRule::Known, field: field.into(), message }
    }
}

/// A problem document (RFC 9457). Further members depend on `type`.
#[derive(Object)]
#[oai(rename = "Problem", skip_serializing_if_is_none)]
pub struct ProblemDocument {
    /// Kind of problem: one of `ProblemType`, or one that a later release added.
    r#type: String,
    /// Title of the kind, the same for every occurrence.
    title: String,
    /// HTTP status of the response.
    status: u16,
    /// Explanation of this occurrence.
    detail: Option<String>,
    /// Path of the request.
    instance: String,
    /// Id of the request, the same as `X-Request-Id`: quote it when you ask for help.
    #[oai(rename = "requestId")]
    request_id: String,
    /// Fields that are at fault.
    errors: Option<Vec<FieldError>>,
    /// Current location of a path that has moved.
    #[oai(rename = "currentPath")]
    current_path: Option<String>,
    /// The gateway's own reason for declining the card.
    #[oai(rename = "declineCode")]
    decline_code: Option<String>,
    /// Current version of the row, if the request specified a different one.
    #[oai(rename = "currentVersionHash")]
    current_version_hash: Option<String>,
    /// Reference number of the entry that stands in the way of a reversal.
    #[oai(rename = "blockedBy")]
    blocked_by: Option<i64>,
    /// Line of the fault in an import file, counted from 1.
    line: Option<u64>,
    /// Column of the fault in that line, in bytes, counted from 1.
    column: Option<u64>,
}

/// A failure to be sent to the client. Boxed, because every `Result` reserves room for one.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem(Box<Parts>);

#[derive(Clone, Debug, PartialEq)]
struct Parts {
    kind: ProblemType,
    detail: Option<String>,
    errors: Vec<FieldError>,
    extra: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    /// Creates a problem of this kind, without details.
    pub fn new(kind: ProblemType) -> Self {
        let headers = match kind {
            ProblemType::IdempotencyInProgress
            | ProblemType::LoanLocked
            | ProblemType::DrawerLocked => {
                vec![(RETRY_AFTER, HeaderValue::from_static("1"))]
            }
            ProblemType::TokenMissing => {
                vec![(WWW_AUTHENTICATE, HeaderValue::from_static(r#"Bearer realm="core""#))]
            }
            ProblemType::TokenInvalid => vec![(
                WWW_AUTHENTICATE,
                HeaderValue::from_static(r#"Bearer realm="core", error="invalid_token""#),
            )],
            _ if kind.status() == StatusCode::SERVICE_UNAVAILABLE => {
                vec![(RETRY_AFTER, HeaderValue::from_static("5"))]
            }
            _ => Vec::new(),
        };
        let (errors, extra) = (Vec::new(), Map::new());
        Self(Box::new(Parts { kind, detail: None, errors, extra, headers }))
    }

    /// Adds a sentence about this occurrence.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// Adds a field that is at fault.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>, message: impl Into<String>) -> Self {
        self.0.errors.push(FieldError { field: field.into(), message: message.into() });
        self
    }

    /// Adds a member.
    #[must_use]
    pub fn member(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.extra.insert(name.to_owned(), value.into());
        self
    }

    /// Sets a header, replacing one of the same name.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.retain(|(present, _)| *present != name);
        self.0.headers.push((name, value));
        self
    }

    /// A row that does not exist or that the caller may not see: the two look alike.
    pub fn not_found() -> Self {
        Self::new(ProblemType::NotFound)
    }

    /// A malformed request.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::BadRequest).detail(detail)
    }

    /// A query parameter outside the range that its rule, or another parameter, allows.
    pub fn out_of_range(parameter: &str, message: impl Into<String>) -> Self {
        Self::bad_request("a parameter is out of range").field(parameter, message)
    }

    /// A value that breaks a rule, and its field.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ProblemType::InvalidValue).field(field, message)
    }

    /// A code that is not in its setup list, or no longer active.
    pub fn unknown_code(field: impl Into<String>, code: &str) -> Self {
        Self::new(ProblemType::UnknownCode)
            .field(field, format!("{code:?} is unknown or no longer active"))
    }

    /// An internal failure: the log has the cause, the client learns only the request id.
    pub fn internal(logged: impl fmt::Display) -> Self {
        tracing::error!(error = %logged, "request failed");
        Self::new(ProblemType::InternalError)
    }

    /// Kind of the problem.
    pub fn kind(&self) -> ProblemType {
        self.0.kind
    }

    /// Returns the problem in one line, for reports other than HTTP responses.
    pub fn message(&self) -> String {
        let mut text = self.0.detail.clone().unwrap_or_else(|| self.0.kind.title().to_owned());
        for FieldError { field, message } in &self.0.errors {
            text.push_str(&format!("; {field}: {message}"));
        }
        text
    }

    /// Returns the first field at fault and its message.
    pub fn first_field(&self) -> Option<(&str, &str)> {
        self.0.errors.first().map(|error| (error.field.as_str(), error.message.as_str()))
    }

    /// Returns the problem document for a request to this path.
    pub fn document(&self, path: &str, request_id: &str) -> Value {
        let mut document = self.0.extra.clone();
        let mut put = |name: &str, value: Value| document.insert(name.to_owned(), value);
        put("type", format!("{TYPE_PREFIX}{}", self.0.kind.name()).into());
        put("title", self.0.kind.title().into());
        put("status", self.0.kind.status().as_u16().into());
        if let Some(detail) = &self.0.detail {
            put("detail", detail.as_str().into());
        }
        put("instance", path.into());
        put("requestId", request_id.into());
        if !self.0.errors.is_empty() {
            let error = |e: &FieldError| json!({"field": e.field, "message": e.message});
            put("errors", self.0.errors.iter().map(error).collect());
        }
        Value::Object(document)
    }

    /// Renders the response to a request for this path.
    pub fn render(&self, path: &str, request_id: &str) -> Response {
        let status = self.0.kind.status();
        let mut response = Response::builder()
            .status(status)
            .content_type("application/problem+json")
            .body(self.document(path, request_id).to_string());
        for (name, value) in &self.0.headers {
            response.headers_mut().append(name.clone(), value.clone());
        }
        response
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.kind.name(), self.message())
    }
}

impl std::error::Error for Problem {}

impl ResponseError for Problem {
    fn status(&self) -> StatusCode {
        self.0.kind.status()
    }
}

impl From<InvalidValue> for Problem {
    fn from(InvalidValue { rule, field, message }: InvalidValue) -> Self {
        let kind = match rule {
            ValueRule::Valid => ProblemType::InvalidValue,
            ValueRule::Required => ProblemType::RequiredField,
            ValueRule::Known => ProblemType::UnknownCode,
        };
        Self::new(kind).field(field, message)
    }
}

impl From<OutOfRange> for Problem {
    fn from(error: OutOfRange) -> Self {
        Self::new(ProblemType::InvalidValue).detail(error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        self.render("", "")
    }
}

impl ApiResponse for Problem {
    fn meta() -> MetaResponses {
        let content = vec![MetaMediaType {
            content_type: "application/problem+json",
            schema: ProblemDocument::schema_ref(),
        }];
        MetaResponses {
            responses: vec![MetaResponse {
                description: "A problem; `type` identifies the kind.",
                status: None,
                status_range: None,
                content,
                headers: Vec::new(),
            }],
        }
    }

    fn register(registry: &mut Registry) {
        ProblemDocument::register(registry);
    }
}

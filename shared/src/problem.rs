//! Every failure of the resource API: RFC 9457 `application/problem+json`.
//!
//! What a client reads (`title`, `detail`, `errors`) and what the log says are separate texts:
//! [`Problem::from`] a database error tells the client nothing but the kind of failure.

mod kinds;

pub use self::kinds::{ProblemType, TYPE_PREFIX};

use crate::amounts::OutOfRange;
use crate::db::{self, Fault};
use poem::error::ResponseError;
use poem::http::header::{HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use poem::http::{HeaderValue, StatusCode};
use poem::{IntoResponse, Response};
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiResponse, Object};
use sea_orm::DbErr;
use serde_json::{Map, Value, json};
use std::fmt;

/// What an endpoint returns: JSON, or a problem.
pub type Answer<T> = Result<poem_openapi::payload::Json<T>, Problem>;

/// A field at fault and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Object)]
pub struct FieldError {
    /// The member, parameter or attribute.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

/// A value that breaks a rule, and the field that carries it: what is wrong, before it is a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidValue {
    /// Which rule.
    pub rule: ValueRule,
    /// The member, parameter or attribute.
    pub field: String,
    /// What is wrong with it.
    pub message: String,
}

/// The rules that a value may break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRule {
    /// It is one that the field takes.
    Sound,
    /// It is there.
    Present,
    /// It is a code of a setup list, and still in use.
    Listed,
}

impl InvalidValue {
    /// A value that the field does not take.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { rule: ValueRule::Sound, field: field.into(), message: message.into() }
    }

    /// A value that is missing.
    pub fn missing(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { rule: ValueRule::Present, field: field.into(), message: message.into() }
    }

    /// A code that is not in its setup list, or no longer in use.
    pub fn unknown_code(field: impl Into<String>, code: &str) -> Self {
        let message = format!("{code:?} is unknown or no longer active");
        Self { rule: ValueRule::Listed, field: field.into(), message }
    }
}

/// A problem document (RFC 9457). Members beyond these depend on `type`.
#[derive(Object)]
#[oai(rename = "Problem", skip_serializing_if_is_none)]
struct ProblemDocument {
    /// `urn:problem-type:core:` and the kind of problem.
    r#type: String,
    /// The kind of problem in words, the same for every occurrence.
    title: String,
    /// The status of the answer.
    status: u16,
    /// What is wrong this time.
    detail: Option<String>,
    /// The path of the request.
    instance: String,
    /// The id of the request, as in `X-Request-Id`: quote it when you ask for help.
    #[oai(rename = "requestId")]
    request_id: String,
    /// The fields at fault.
    errors: Option<Vec<FieldError>>,
    /// Where a former path is now.
    #[oai(rename = "currentPath")]
    current_path: Option<String>,
    /// Why the gateway declined the card, in the gateway's own word.
    #[oai(rename = "declineCode")]
    decline_code: Option<String>,
    /// The version that the row has now, where another one was named.
    #[oai(rename = "currentVersionHash")]
    current_version_hash: Option<String>,
    /// Where in an import file the fault is: the line, counted from 1.
    line: Option<u64>,
    /// The character in that line, counted from 1.
    column: Option<u64>,
}

/// A failure on its way to the client. Boxed, because every `Result` carries room for one.
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
    /// A problem of this kind, with nothing more to say.
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

    /// The same with a sentence about this occurrence.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// The same with a field at fault.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>, message: impl Into<String>) -> Self {
        self.0.errors.push(FieldError { field: field.into(), message: message.into() });
        self
    }

    /// The same with one more member.
    #[must_use]
    pub fn member(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.extra.insert(name.to_owned(), value.into());
        self
    }

    /// The same with this header, in place of one of this name.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.retain(|(present, _)| *present != name);
        self.0.headers.push((name, value));
        self
    }

    /// A row that is missing or that the caller may not see: the two look alike.
    pub fn not_found() -> Self {
        Self::new(ProblemType::NotFound)
    }

    /// A request that cannot be read.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(ProblemType::BadRequest).detail(detail)
    }

    /// A value that breaks a rule, and the field that carries it.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(ProblemType::InvalidValue).field(field, message)
    }

    /// A code that is not in its setup list, or no longer in use.
    pub fn unknown_code(field: impl Into<String>, code: &str) -> Self {
        Self::new(ProblemType::UnknownCode)
            .field(field, format!("{code:?} is unknown or no longer active"))
    }

    /// A failure of ours: the log says what, the client learns only the request id.
    pub fn internal(logged: impl fmt::Display) -> Self {
        tracing::error!(error = %logged, "request failed");
        Self::new(ProblemType::InternalError)
    }

    /// Which kind of problem it is.
    pub fn kind(&self) -> ProblemType {
        self.0.kind
    }

    /// What is wrong this time, in one line: for reports that are no HTTP answer.
    pub fn message(&self) -> String {
        let mut text = self.0.detail.clone().unwrap_or_else(|| self.0.kind.title().to_owned());
        for FieldError { field, message } in &self.0.errors {
            text.push_str(&format!("; {field}: {message}"));
        }
        text
    }

    /// The first field at fault, and what is wrong with it.
    pub fn first_field(&self) -> Option<(&str, &str)> {
        self.0.errors.first().map(|error| (error.field.as_str(), error.message.as_str()))
    }

    /// The answer to a request for this path.
    pub fn render(&self, path: &str, request_id: &str) -> Response {
        let status = self.0.kind.status();
        let mut document = self.0.extra.clone();
        let mut put = |name: &str, value: Value| document.insert(name.to_owned(), value);
        put("type", format!("{TYPE_PREFIX}{}", self.0.kind.name()).into());
        put("title", self.0.kind.title().into());
        put("status", status.as_u16().into());
        if let Some(detail) = &self.0.detail {
            put("detail", detail.as_str().into());
        }
        put("instance", path.into());
        put("requestId", request_id.into());
        if !self.0.errors.is_empty() {
            let error = |e: &FieldError| json!({"field": e.field, "message": e.message});
            put("errors", self.0.errors.iter().map(error).collect());
        }
        let mut response = Response::builder()
            .status(status)
            .content_type("application/problem+json")
            .body(Value::Object(document).to_string());
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

impl From<DbErr> for Problem {
    fn from(error: DbErr) -> Self {
        match db::fault(&error) {
            Fault::Contention | Fault::LockTimeout | Fault::Unavailable => {
                tracing::warn!(%error, "database");
                Self::new(ProblemType::DatabaseUnavailable)
            }
            Fault::Conflict | Fault::Defect => Self::internal(&error),
        }
    }
}

impl From<InvalidValue> for Problem {
    fn from(InvalidValue { rule, field, message }: InvalidValue) -> Self {
        let kind = match rule {
            ValueRule::Sound => ProblemType::InvalidValue,
            ValueRule::Present => ProblemType::RequiredField,
            ValueRule::Listed => ProblemType::UnknownCode,
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
                description: "A problem; `type` says which.",
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

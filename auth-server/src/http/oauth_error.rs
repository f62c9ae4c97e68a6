//! Errors as OAuth clients expect them: RFC 6749, 5.2.

use poem::http::StatusCode;
use poem::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use poem::{IntoResponse, Response};
use sea_orm::DbErr;
use serde_json::json;
use shared::db::{self, Contended, Fault};

/// When to come again where too many log-ins are under way.
pub const CROWDED_SECONDS: i64 = 1;

/// An answer `{"error": …, "error_description": …}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthError {
    status: StatusCode,
    error: &'static str,
    description: String,
    challenge: Option<String>,
    retry_after_seconds: Option<i64>,
    contention: bool,
}

impl OAuthError {
    fn new(status: StatusCode, error: &'static str, description: impl Into<String>) -> Self {
        // What else there may be is not allowed in it (RFC 6749, 5.2).
        let allowed = |c: char| match c {
            '"' | '\\' => '\'',
            ' '..='~' => c,
            _ => '?',
        };
        let description = description.into().chars().map(allowed).collect();
        let (challenge, retry_after_seconds) = (None, None);
        Self { status, error, description, challenge, retry_after_seconds, contention: false }
    }

    /// The request is malformed.
    pub fn invalid_request(description: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", description)
    }

    /// The client is unknown or its credentials are wrong; with a challenge where it used Basic.
    pub fn invalid_client(challenge: bool) -> Self {
        let description = "client authentication failed";
        let challenge = challenge.then(|| r#"Basic realm="core""#.to_owned());
        Self { challenge, ..Self::new(StatusCode::UNAUTHORIZED, "invalid_client", description) }
    }

    /// The password, the code or the refresh token is no good. One text for every reason.
    pub fn invalid_grant(description: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_grant", description)
    }

    /// The bearer token is no good (RFC 6750, 3.1).
    pub fn invalid_token() -> Self {
        let challenge = Some(r#"Bearer realm="core", error="invalid_token""#.to_owned());
        let description = "the access token is not valid";
        Self { challenge, ..Self::new(StatusCode::UNAUTHORIZED, "invalid_token", description) }
    }

    /// The bearer token was issued without this scope.
    pub fn insufficient_scope(scope: &str) -> Self {
        let challenge =
            Some(format!(r#"Bearer realm="core", error="insufficient_scope", scope="{scope}""#));
        let description = format!("the scope {scope} is required");
        Self { challenge, ..Self::new(StatusCode::FORBIDDEN, "insufficient_scope", description) }
    }

    /// The source network has failed too often.
    pub fn too_many_failures(retry_after_seconds: i64) -> Self {
        Self::too_many("too many failures from your network", retry_after_seconds)
    }

    /// Something is done too often, or too much of it at once.
    pub fn too_many(description: &str, retry_after_seconds: i64) -> Self {
        let error =
            Self::new(StatusCode::TOO_MANY_REQUESTS, "temporarily_unavailable", description);
        Self { retry_after_seconds: Some(retry_after_seconds), ..error }
    }

    /// The client may not do this.
    pub fn unauthorized_client(description: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "unauthorized_client", description)
    }

    /// The grant type is none of ours.
    pub fn unsupported_grant_type(grant_type: &str) -> Self {
        let description = format!("grant_type {grant_type:?} is not supported");
        Self::new(StatusCode::BAD_REQUEST, "unsupported_grant_type", description)
    }

    /// The response type is none of ours (RFC 6749, 4.1.2.1).
    pub fn unsupported_response_type() -> Self {
        let description = "response_type must be code";
        Self::new(StatusCode::BAD_REQUEST, "unsupported_response_type", description)
    }

    /// A part of OpenID Connect that this server does not have.
    pub fn not_supported(error: &'static str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error, "this server does not support it")
    }

    /// Nobody is logged in, and the client wants nobody asked.
    pub fn login_required() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "login_required", "nobody is logged in")
    }

    /// The scope is not one that the client may be granted.
    pub fn invalid_scope(description: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_scope", description)
    }

    /// The client is known but no resource server.
    pub fn not_a_resource_server() -> Self {
        let description = "only resource servers may introspect tokens";
        Self::new(StatusCode::FORBIDDEN, "access_denied", description)
    }

    /// The request came without a bearer token (RFC 6750, 3).
    pub fn token_missing() -> Self {
        let challenge = Some(r#"Bearer realm="core""#.to_owned());
        let description = "a bearer token is required";
        Self { challenge, ..Self::new(StatusCode::UNAUTHORIZED, "invalid_request", description) }
    }

    /// Something this server needs is away for the moment.
    pub fn unavailable(description: impl Into<String>) -> Self {
        let error =
            Self::new(StatusCode::SERVICE_UNAVAILABLE, "temporarily_unavailable", description);
        Self { retry_after_seconds: Some(5), ..error }
    }

    /// The error code and what it says, for errors that travel in a URL.
    pub fn parts(&self) -> (&'static str, &str) {
        (self.error, &self.description)
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// A failure of ours; the log says which.
    pub fn server_error(logged: impl std::fmt::Display) -> Self {
        tracing::error!(error = %logged, "request failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "see the server's log")
    }
}

impl From<DbErr> for OAuthError {
    fn from(error: DbErr) -> Self {
        match db::fault(&error) {
            fault @ (Fault::Unavailable | Fault::Contention | Fault::LockTimeout) => {
                tracing::warn!(%error, "database");
                let contention = fault == Fault::Contention;
                Self { contention, ..Self::unavailable("the database cannot be reached") }
            }
            Fault::Conflict | Fault::Defect => Self::server_error(error),
        }
    }
}

impl Contended for OAuthError {
    fn is_contention(&self) -> bool {
        self.contention
    }
}

impl std::fmt::Display for OAuthError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.error, self.description)
    }
}

impl IntoResponse for OAuthError {
    fn into_response(self) -> Response {
        let body = json!({"error": self.error, "error_description": self.description});
        let mut response = Response::builder()
            .status(self.status)
            .content_type("application/json")
            .header("pragma", "no-cache");
        if let Some(challenge) = self.challenge {
            response = response.header(WWW_AUTHENTICATE, challenge);
        }
        if let Some(seconds) = self.retry_after_seconds {
            response = response.header(RETRY_AFTER, seconds.to_string());
        }
        response.body(body.to_string())
    }
}

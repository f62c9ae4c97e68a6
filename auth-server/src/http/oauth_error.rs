//! OAuth error responses (RFC 6749, 5.2).

use poem::http::StatusCode;
use poem::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use poem::{IntoResponse, Response};
use sea_orm::DbErr;
use serde_json::json;
use shared::database::gate::Unready;
use shared::database::{self, Contended, Fault};

/// Retry-After when too many log-ins are in progress.
pub const CONCURRENCY_RETRY_SECONDS: i64 = 1;

/// An error response `{"error": …, "error_description": …}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthError {
    status: StatusCode,
    error: &'static str,
    description: String,
    challenge: Option<String>,
    retry_after_seconds: Option<i64>,
    /// The database error behind a 503.
    fault: Option<Fault>,
}

impl OAuthError {
    fn new(status: StatusCode, error: &'static str, description: impl Into<String>) -> Self {
        // RFC 6749, 5.2 allows no other characters.
        let allowed = |c: char| match c {
            '"' | '\\' => '\'',
            ' '..='~' => c,
            _ => '?',
        };
        let description = description.into().chars().map(allowed).collect();
        let (challenge, retry_after_seconds, fault) = (None, None, None);
        Self { status, error, description, challenge, retry_after_seconds, fault }
    }

    /// The request is malformed.
    pub fn invalid_request(description: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", description)
    }

    /// The client is unknown or its credentials are wrong. `challenge`: it used HTTP Basic.
    pub fn invalid_client(challenge: bool) -> Self {
        let description = "client authentication failed";
        let challenge = challenge.then(|| r#"Basic realm="core""#.to_owned());
        Self { challenge, ..Self::new(StatusCode::UNAUTHORIZED, "invalid_client", description) }
    }

    /// The password, the code or the refresh token is not valid. One text for every reason.
    pub fn invalid_grant(description: &str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_grant", description)
    }

    /// The bearer token is not valid (RFC 6750, 3.1).
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
        Self::too_many("too many failed attempts from your network", retry_after_seconds)
    }

    /// Something is done too often, or too many at the same time.
    pub fn too_many(description: &str, retry_after_seconds: i64) -> Self {
        let error =
            Self::new(StatusCode::TOO_MANY_REQUESTS, "temporarily_unavailable", description);
        Self { retry_after_seconds: Some(retry_after_seconds), ..error }
    }

    /// The client may not do this.
    pub fn unauthorized_client(description: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "unauthorized_client", description)
    }

    /// The grant type is not supported.
    pub fn unsupported_grant_type(grant_type: &str) -> Self {
        let description = format!("grant_type {grant_type:?} is not supported");
        Self::new(StatusCode::BAD_REQUEST, "unsupported_grant_type", description)
    }

    /// The response type is not supported (RFC 6749, 4.1.2.1).
    pub fn unsupported_response_type() -> Self {
        let description = "response_type must be code";
        Self::new(StatusCode::BAD_REQUEST, "unsupported_response_type", description)
    }

    /// An OpenID Connect feature that this server does not support.
    pub fn not_supported(error: &'static str) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error, "this server does not support this parameter")
    }

    /// The user is not logged in, and the client asked for no log-in page.
    pub fn login_required() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "login_required", "the user is not logged in")
    }

    /// The client may not be granted this scope.
    pub fn invalid_scope(description: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_scope", description)
    }

    /// The client is authenticated, but is not a resource server.
    pub fn not_a_resource_server() -> Self {
        let description = "only resource servers may introspect tokens";
        Self::new(StatusCode::FORBIDDEN, "access_denied", description)
    }

    /// The request has no bearer token (RFC 6750, 3).
    pub fn token_missing() -> Self {
        let challenge = Some(r#"Bearer realm="core""#.to_owned());
        let description = "a bearer token is required";
        Self { challenge, ..Self::new(StatusCode::UNAUTHORIZED, "invalid_request", description) }
    }

    /// Something that this server depends on is temporarily unavailable.
    pub fn unavailable(description: impl Into<String>) -> Self {
        let error =
            Self::new(StatusCode::SERVICE_UNAVAILABLE, "temporarily_unavailable", description);
        Self { retry_after_seconds: Some(5), ..error }
    }

    /// The token names a token key that this server does not have: it cannot tell whether the token is
    /// one, and must not report a success.
    pub fn unknown_key() -> Self {
        Self::unavailable("this server does not have the key of this token")
    }

    /// Error code and description, for errors returned in a redirect.
    pub fn parts(&self) -> (&'static str, &str) {
        (self.error, &self.description)
    }

    /// Status of the response.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// True if other requests held the rows that this one needs.
    pub fn is_busy(&self) -> bool {
        matches!(self.fault, Some(Fault::Contention | Fault::LockTimeout))
    }

    /// An internal error; the details go to the log.
    pub fn server_error(logged: impl std::fmt::Display) -> Self {
        tracing::error!(error = %logged, "request failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "internal error: see the log")
    }
}

impl From<Unready> for OAuthError {
    fn from(unready: Unready) -> Self {
        match unready {
            Unready::Database(error) => error.into(),
            unready => Self::unavailable(unready.to_string()),
        }
    }
}

impl From<DbErr> for OAuthError {
    fn from(error: DbErr) -> Self {
        let fault = database::fault(&error);
        let description = match fault {
            Fault::Unavailable => "the database cannot be reached",
            Fault::Contention | Fault::LockTimeout => {
                "other requests held the same rows: send the request again"
            }
            Fault::Conflict | Fault::Defect => return Self::server_error(error),
        };
        tracing::warn!(%error, "database");
        Self { fault: Some(fault), ..Self::unavailable(description) }
    }
}

impl Contended for OAuthError {
    fn is_contention(&self) -> bool {
        self.fault == Some(Fault::Contention)
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

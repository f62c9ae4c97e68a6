//! Errors as OAuth clients expect them: RFC 6749, 5.2.

use poem::http::StatusCode;
use poem::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use poem::{IntoResponse, Response};
use sea_orm::DbErr;
use serde_json::json;
use shared::db::{self, Fault};

/// An answer `{"error": …, "error_description": …}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuthError {
    status: StatusCode,
    error: &'static str,
    description: String,
    challenge: bool,
}

impl OAuthError {
    fn new(status: StatusCode, error: &'static str, description: impl Into<String>) -> Self {
        Self { status, error, description: description.into(), challenge: false }
    }

    /// The request is malformed.
    pub fn invalid_request(description: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_request", description)
    }

    /// The client is unknown or its credentials are wrong; with a challenge where it used Basic.
    pub fn invalid_client(challenge: bool) -> Self {
        let description = "client authentication failed";
        Self { challenge, ..Self::new(StatusCode::UNAUTHORIZED, "invalid_client", description) }
    }

    /// The user name or the password is wrong. One text for every reason.
    pub fn invalid_grant() -> Self {
        let description = "the user name or the password is wrong";
        Self::new(StatusCode::BAD_REQUEST, "invalid_grant", description)
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

    /// The scope is not exactly one of `core` and `web`.
    pub fn invalid_scope() -> Self {
        let description = "scope must be exactly one of core and web, as the client may use it";
        Self::new(StatusCode::BAD_REQUEST, "invalid_scope", description)
    }

    /// The client is known but no resource server.
    pub fn not_a_resource_server() -> Self {
        let description = "only resource servers may introspect tokens";
        Self::new(StatusCode::FORBIDDEN, "access_denied", description)
    }

    /// The request came without a bearer token (RFC 6750, 3).
    pub fn token_missing() -> Self {
        let description = "a bearer token is required";
        Self::new(StatusCode::UNAUTHORIZED, "invalid_request", description)
    }

    /// Something this server needs is away for the moment.
    pub fn unavailable(description: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "temporarily_unavailable", description)
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
            Fault::Unavailable | Fault::Contention | Fault::LockTimeout => {
                tracing::warn!(%error, "database");
                Self::unavailable("the database cannot be reached")
            }
            Fault::Conflict | Fault::Defect => Self::server_error(error),
        }
    }
}

impl IntoResponse for OAuthError {
    fn into_response(self) -> Response {
        let body = json!({"error": self.error, "error_description": self.description});
        let mut response = Response::builder()
            .status(self.status)
            .content_type("application/json")
            .header("pragma", "no-cache");
        if self.challenge {
            response = response.header(WWW_AUTHENTICATE, r#"Basic realm="core""#);
        }
        if self.error == "invalid_request" && self.status == StatusCode::UNAUTHORIZED {
            response = response.header(WWW_AUTHENTICATE, r#"Bearer realm="core""#);
        }
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response = response.header(RETRY_AFTER, "5");
        }
        response.body(body.to_string())
    }
}

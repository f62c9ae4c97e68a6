//! `GET /health/live`, `GET /health/ready`: liveness and readiness.

use super::json;
use crate::http::oauth_error::OAuthError;
use crate::state::State;
use poem::{Request, Response};
use serde_json::json;
use std::sync::Arc;

/// Member of the readiness response: lifetime of a web user's token.
pub const WEB_TOKEN_SECONDS: &str = "web_token_seconds";

/// Liveness: the process responds.
pub async fn live(_state: Arc<State>, _request: Request) -> Result<Response, OAuthError> {
    Ok(json(&json!({"status": "live"})))
}

/// Readiness: the database is reachable and can be used. Returns the database's time, which Verify
/// Auth Server compares with its own machine's clock, and the lifetime of web users' tokens, which is
/// missing if none can log in.
pub async fn ready(state: Arc<State>, _request: Request) -> Result<Response, OAuthError> {
    if state.stopping.has_begun() {
        return Err(OAuthError::unavailable("this server is stopping"));
    }
    let time = state.database_gate.check_storing().await?;
    let valid = state.certificate_expiry.check(time);
    valid.map_err(|expired| OAuthError::unavailable(expired.to_string()))?;
    let mut ready = json!({
        "status": "ready",
        "database_time": time.to_string(),
        "failing_tasks": state.tasks.failing(),
    });
    let lifetime = state.web_lifetimes.ask(()).await;
    let lifetime =
        lifetime.map_err(|unanswered| OAuthError::unavailable(unanswered.to_string()))?;
    if let Some(seconds) = lifetime? {
        ready[WEB_TOKEN_SECONDS] = seconds.into();
    }
    Ok(json(&ready))
}

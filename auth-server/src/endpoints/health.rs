//! `GET /health/live`, `GET /health/ready`.

use super::json;
use crate::http::oauth_error::OAuthError;
use crate::state::State;
use poem::{Request, Response};
use serde_json::json;
use shared::readiness::Unready;
use std::sync::Arc;

/// The process answers.
pub async fn live(_state: Arc<State>, _request: Request) -> Result<Response, OAuthError> {
    Ok(json(&json!({"status": "live"})))
}

/// The database is reachable, has the schema of this release and can be written; gives the
/// database's time, which Verify Auth Server compares with the clock of its own machine.
pub async fn ready(state: Arc<State>, _request: Request) -> Result<Response, OAuthError> {
    if state.stopping.has_begun() {
        return Err(OAuthError::unavailable("this server is stopping"));
    }
    match state.readiness.check().await {
        Ok(time) => Ok(json(&json!({
            "status": "ready",
            "database_time": time.to_string(),
            "failing_tasks": state.tasks.failing(),
        }))),
        Err(Unready::Database(error)) => Err(error.into()),
        Err(Unready::Schema(state)) => Err(OAuthError::unavailable(state.to_string())),
        Err(Unready::ReadOnly) => {
            Err(OAuthError::unavailable("the database can be read, but not written"))
        }
        Err(Unready::Died) => Err(OAuthError::server_error("the check of readiness died")),
    }
}

//! `GET /health/live`, `GET /health/ready`.

use super::json;
use crate::app::App;
use crate::oauth_error::OAuthError;
use poem::{Request, Response};
use serde_json::json;
use shared::db;
use shared::migration::{SchemaState, schema_state};
use std::sync::Arc;

/// The process answers.
pub async fn live(_app: Arc<App>, _request: Request) -> Result<Response, OAuthError> {
    Ok(json(&json!({"status": "live"})))
}

/// The database is reachable and its schema is current; gives the database's time, which
/// Verify Auth Server compares with the clock of its own machine.
pub async fn ready(app: Arc<App>, _request: Request) -> Result<Response, OAuthError> {
    if app.stopping.has_begun() {
        return Err(OAuthError::unavailable("this server is stopping"));
    }
    match schema_state(&app.db).await? {
        SchemaState::Current => {
            let time = db::time(&app.db).await?;
            Ok(json(&json!({"status": "ready", "database_time": time.to_string()})))
        }
        state => Err(OAuthError::unavailable(state.to_string())),
    }
}

//! Endpoints that need no token: health checks and the OpenAPI document.

use crate::http::etag::IfNoneMatch;
use crate::http::fixed_body::FixedBody;
use crate::state::State;
use poem::web::Data;
use poem::{Request, Response, handler};
use serde_json::{Value, json};
use shared::problem::{Problem, ProblemType};
use shared::readiness::Unready;
use std::sync::Arc;

/// `GET /health/live`: the process responds.
#[handler]
pub(crate) fn live() -> poem::web::Json<Value> {
    poem::web::Json(json!({"status": "live"}))
}

/// `GET /health/ready`: the database is reachable, has the schema of this release and accepts
/// writes.
#[handler]
pub(crate) async fn ready(state: Data<&Arc<State>>) -> Result<poem::web::Json<Value>, Problem> {
    if state.stopping.has_begun() {
        return Err(Problem::new(ProblemType::ServerStopping));
    }
    let unavailable = |detail: &str| Problem::new(ProblemType::DatabaseUnavailable).detail(detail);
    match state.readiness.check().await {
        Ok(time) => Ok(poem::web::Json(json!({
            "status": "ready",
            "database_time": time.to_string(),
            "failing_tasks": state.tasks.failing(),
        }))),
        Err(Unready::Database(error)) => Err(error.into()),
        Err(Unready::Schema(state)) => Err(unavailable(&state.to_string())),
        Err(Unready::ReadOnly) => Err(unavailable("the database can be read, but not written")),
        Err(Unready::Unanswered(unanswered)) => {
            Err(Problem::new(ProblemType::DatabaseUnavailable).detail(unanswered.to_string()))
        }
    }
}

/// `GET /openapi.json`: the OpenAPI document.
#[handler]
pub(crate) fn openapi(
    request: &Request,
    document: Data<&Arc<FixedBody>>,
    if_none_match: IfNoneMatch,
) -> Response {
    document.response(request, &if_none_match)
}

//! Endpoints that need no token: health checks and the OpenAPI documents.

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

/// The OpenAPI documents.
pub(crate) struct OpenApiDocuments {
    /// Of this server.
    served: FixedBody,
    /// Of the interface alone.
    interface: FixedBody,
}

impl OpenApiDocuments {
    /// Creates the bodies of these documents.
    pub(crate) fn new(served: &'static str, interface: &'static str) -> Self {
        let body = |text| FixedBody::new("application/json", text);
        Self { served: body(served), interface: body(interface) }
    }
}

/// `GET /openapi.json`: the OpenAPI document.
#[handler]
pub(crate) async fn openapi(
    request: &Request,
    documents: Data<&Arc<OpenApiDocuments>>,
    if_none_match: IfNoneMatch,
) -> Response {
    documents.served.response(request, &if_none_match).await
}

/// `GET /openapi-interface.json`: the OpenAPI document without the extensions.
#[handler]
pub(crate) async fn openapi_of_interface(
    request: &Request,
    documents: Data<&Arc<OpenApiDocuments>>,
    if_none_match: IfNoneMatch,
) -> Response {
    documents.interface.response(request, &if_none_match).await
}

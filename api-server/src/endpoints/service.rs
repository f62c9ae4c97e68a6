//! Endpoints that need no token: health checks and the OpenAPI documents.

use crate::http::etag::IfNoneMatch;
use crate::http::fixed_body::FixedBody;
use crate::router;
use crate::state::State;
use poem::web::Data;
use poem::{Request, Response, handler};
use serde_json::{Value, json};
use shared::problem::{Problem, ProblemType};
use shared::readiness::Unready;
use std::sync::Arc;
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;

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
    /// Of the interface alone, generated when first requested.
    interface: OnceCell<FixedBody>,
}

impl OpenApiDocuments {
    /// Creates the body of this server's document.
    pub(crate) fn new(served: &'static str) -> Self {
        Self { served: json_body(served), interface: OnceCell::new() }
    }

    async fn interface(&self) -> Result<&FixedBody, Problem> {
        let generate = || async {
            let body = spawn_blocking(|| json_body(&router::contract(false).document));
            body.await.map_err(Problem::internal)
        };
        self.interface.get_or_try_init(generate).await
    }
}

fn json_body(document: &'static str) -> FixedBody {
    FixedBody::new("application/json", document)
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
) -> Result<Response, Problem> {
    Ok(documents.interface().await?.response(request, &if_none_match).await)
}

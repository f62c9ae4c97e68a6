//! What needs no token: health and the OpenAPI document.

use crate::app::App;
use crate::contract;
use poem::http::StatusCode;
use poem::web::Data;
use poem::{Response, handler};
use serde_json::{Value, json};
use shared::db;
use shared::migration::{SchemaState, schema_state};
use shared::problem::{Problem, ProblemType};
use shared::server::SharedBody;
use std::sync::Arc;

/// `GET /health/live`: the process answers.
#[handler]
pub fn live() -> poem::web::Json<Value> {
    poem::web::Json(json!({"status": "live"}))
}

/// `GET /health/ready`: the database is reachable and its schema is current.
#[handler]
pub async fn ready(app: Data<&Arc<App>>) -> Result<poem::web::Json<Value>, Problem> {
    if app.stopping.has_begun() {
        return Err(Problem::new(ProblemType::ServerStopping));
    }
    match schema_state(&app.db).await? {
        SchemaState::Current => {
            let time = db::time(&app.db).await?;
            Ok(poem::web::Json(json!({"status": "ready", "database_time": time.to_string()})))
        }
        state => Err(Problem::new(ProblemType::DatabaseUnavailable).detail(state.to_string())),
    }
}

/// `GET /openapi.json`: the contract.
#[handler]
pub fn openapi() -> Response {
    let mut response = Response::builder()
        .status(StatusCode::OK)
        .content_type("application/json")
        .body(contract::document());
    response.set_data(SharedBody);
    response
}

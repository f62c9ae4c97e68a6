//! Replayable responses of POSTs, and how the OpenAPI document describes them.

use super::in_transaction::NewResponse;
use super::{Claim, IdempotencyScope, KeyError, REPLAYED, StoredResponse};
use crate::http::etag::described_header;
use poem::http::header::ETAG;
use poem::http::{HeaderValue, StatusCode};
use poem::{Body, IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{
    MetaHeader, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry,
};
use poem_openapi::types::{ToJSON, Type};
use sea_orm::ConnectionTrait;
use serde::Deserialize;
use shared::problem::Problem;
use std::marker::PhantomData;

/// The response of a POST, which can be replayed: serialized once, sent as it was stored. With
/// `CREATES` it is 201, and 200 only for a dry run.
#[derive(Clone, Debug)]
pub struct Replayable<T, const CREATES: bool> {
    status: StatusCode,
    body: String,
    replayed: bool,
    shape: PhantomData<T>,
}

impl<T, const CREATES: bool> Replayable<T, CREATES> {
    pub fn status(&self) -> StatusCode {
        self.status
    }

    pub fn body(&self) -> &str {
        &self.body
    }
}

impl<T: ToJSON, const CREATES: bool> Replayable<T, CREATES> {
    /// Returns the first response to a request.
    pub fn new(status: StatusCode, value: &T) -> Self {
        Self { status, body: value.to_json_string(), replayed: false, shape: PhantomData }
    }

    /// True if this is the stored response of an earlier request, and nothing was done for this
    /// one.
    pub fn is_replayed(&self) -> bool {
        self.replayed
    }

    /// Stores this response under the claim.
    pub async fn store(&self, claim: &Claim, db: &impl ConnectionTrait) -> Result<(), KeyError> {
        claim.complete(db, self.status, &self.body).await
    }

    /// Returns this response as the one to be stored for a request.
    pub fn of_request<'a>(&'a self, scope: &'a IdempotencyScope) -> NewResponse<'a> {
        NewResponse { scope, status: self.status, body: &self.body }
    }

    /// Returns the same response, marked as replayed.
    #[must_use]
    pub fn as_replayed(self) -> Self {
        Self { replayed: true, ..self }
    }
}

/// Marks a problem as the replayed response of an earlier request.
pub fn replayed(problem: Problem) -> Problem {
    problem.header(REPLAYED, HeaderValue::from_static("true"))
}

impl<T, const CREATES: bool> From<StoredResponse> for Replayable<T, CREATES> {
    fn from(stored: StoredResponse) -> Self {
        Self { status: stored.status, body: stored.body, replayed: true, shape: PhantomData }
    }
}

impl<T: Send, const CREATES: bool> IntoResponse for Replayable<T, CREATES> {
    fn into_response(self) -> Response {
        answer(self.status, self.replayed, self.body)
    }
}

/// Returns a JSON response. `replayed`: it is the stored response of an earlier request.
pub fn answer(status: StatusCode, replayed: bool, body: impl Into<Body>) -> Response {
    let response = Response::builder().status(status).content_type("application/json");
    match replayed {
        true => response.header(REPLAYED, "true").body(body),
        false => response.body(body),
    }
}

impl<T: Type, const CREATES: bool> ApiResponse for Replayable<T, CREATES> {
    fn meta() -> MetaResponses {
        let text = "`true`: this is the stored response of an earlier request";
        let header = MetaHeader {
            required: false,
            schema: MetaSchemaRef::Inline(Box::new(MetaSchema::new("boolean"))),
            ..described_header("Idempotency-Replayed", text)
        };
        let response = |status, description, headers| MetaResponse {
            description,
            status: Some(status),
            status_range: None,
            content: vec![poem_openapi::registry::MetaMediaType {
                content_type: "application/json",
                schema: T::schema_ref(),
            }],
            headers,
        };
        let done = response(if CREATES { 201 } else { 200 }, "Done.", vec![header]);
        let dry_run =
            response(200, "Dry run (`test=true`): what the result would have been.", Vec::new());
        MetaResponses { responses: if CREATES { vec![dry_run, done] } else { vec![done] } }
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

/// The response of an operation without dry runs: always 201.
#[derive(Debug)]
pub struct Created<T>(pub Replayable<T, true>);

impl<T: Send> IntoResponse for Created<T> {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

impl<T: Type> ApiResponse for Created<T> {
    fn meta() -> MetaResponses {
        let mut meta = Replayable::<T, true>::meta();
        meta.responses.retain(|response| response.status == Some(201));
        meta
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

/// The 201 response of a value that carries a version, which is also sent as `ETag`.
#[derive(Debug)]
pub struct CreatedVersion<T>(pub Replayable<T, true>);

impl<T: Send> IntoResponse for CreatedVersion<T> {
    fn into_response(self) -> Response {
        let version: Option<StoredVersion> = serde_json::from_str(&self.0.body).ok();
        let mut response = self.0.into_response();
        let tag = version.map(|version| format!("\"{}\"", version.hash));
        if let Some(tag) = tag.and_then(|tag| HeaderValue::from_str(&tag).ok()) {
            response.headers_mut().insert(ETAG, tag);
        }
        response
    }
}

#[derive(Deserialize)]
struct StoredVersion {
    #[serde(rename = "versionHash")]
    hash: String,
}

impl<T: Type> ApiResponse for CreatedVersion<T> {
    fn meta() -> MetaResponses {
        let mut meta = Created::<T>::meta();
        for response in &mut meta.responses {
            response.headers.push(described_header("ETag", "The version, as in `versionHash`."));
        }
        meta
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

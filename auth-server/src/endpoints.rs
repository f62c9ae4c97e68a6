//! Endpoints, one file each.

pub mod about;
pub mod authorize;
pub mod end_session;
pub mod health;
pub mod introspect;
pub mod jwks;
pub mod login;
pub mod logout;
pub mod metadata;
pub mod revoke;
pub mod token;
pub mod userinfo;

use bytes::Bytes;
use poem::Response;
use poem::http::StatusCode;
use poem::http::header::{CACHE_CONTROL, LOCATION};
use shared::server::SharedBody;

/// Returns a JSON response that must not be cached (RFC 6749, 5.1).
fn json(body: &impl serde::Serialize) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    Response::builder().content_type("application/json").header("pragma", "no-cache").body(text)
}

/// Returns a JSON document that is the same for everyone and may be cached for a while.
fn public_document(body: Bytes) -> Response {
    let mut response = Response::builder()
        .content_type("application/json")
        .header(CACHE_CONTROL, "public, max-age=300")
        .body(body);
    response.set_data(SharedBody);
    response
}

/// Redirects a browser, always with GET (RFC 9700, 4.12).
fn redirect(url: &str) -> Response {
    Response::builder().status(StatusCode::SEE_OTHER).header(LOCATION, url).finish()
}

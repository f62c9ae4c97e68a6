//! One file per endpoint.

pub mod health;
pub mod introspect;
pub mod logout;
pub mod metadata;
pub mod revoke;
pub mod token;

use poem::Response;

/// A JSON answer that nobody may keep (RFC 6749, 5.1).
fn json(body: &impl serde::Serialize) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    Response::builder().content_type("application/json").header("pragma", "no-cache").body(text)
}

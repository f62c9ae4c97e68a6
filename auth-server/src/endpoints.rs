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

use poem::Response;
use poem::http::StatusCode;
use poem::http::header::LOCATION;

/// Returns a JSON response that must not be cached (RFC 6749, 5.1).
fn json(body: &impl serde::Serialize) -> Response {
    let text = serde_json::to_string(body).unwrap_or_default();
    Response::builder().content_type("application/json").header("pragma", "no-cache").body(text)
}

/// Redirects a browser, always with GET (RFC 9700, 4.12).
fn redirect(url: &str) -> Response {
    Response::builder().status(StatusCode::SEE_OTHER).header(LOCATION, url).finish()
}

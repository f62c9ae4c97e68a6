//! `GET /.well-known/oauth-authorization-server`: what this server can do (RFC 8414). Each value
//! is true, and a test says so.

use super::json;
use crate::app::App;
use crate::oauth_error::OAuthError;
use poem::{Request, Response};
use serde_json::json;
use std::sync::Arc;

/// Where clients look for it.
pub const PATH: &str = "/.well-known/oauth-authorization-server";

/// Shows the metadata.
pub async fn show(app: Arc<App>, _request: Request) -> Result<Response, OAuthError> {
    let issuer = &app.issuer;
    let client_authentication = ["client_secret_basic", "client_secret_post"];
    Ok(json(&json!({
        "issuer": issuer,
        "token_endpoint": format!("{issuer}/oauth2/token"),
        "introspection_endpoint": format!("{issuer}/oauth2/introspect"),
        "revocation_endpoint": format!("{issuer}/oauth2/revoke"),
        "response_types_supported": [],
        "grant_types_supported": ["password"],
        "scopes_supported": ["core", "web"],
        "token_endpoint_auth_methods_supported": client_authentication,
        "introspection_endpoint_auth_methods_supported": client_authentication,
        "revocation_endpoint_auth_methods_supported": client_authentication,
    })))
}

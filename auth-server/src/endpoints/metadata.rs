//! `GET /.well-known/oauth-authorization-server`, `GET /.well-known/openid-configuration`: server
//! metadata (RFC 8414, OpenID Connect Discovery). A test checks every value against the server's
//! behavior.

use super::public_document;
use super::token::GRANT_TYPES;
use crate::http::oauth_error::OAuthError;
use crate::state::State;
use crate::store::client_assertions;
use crate::store::clients::STANDARD_SCOPES;
use crate::store::keys;
use poem::{Request, Response};
use serde_json::{Value, json};
use std::sync::Arc;

/// Paths where OAuth clients and OpenID Connect clients look for the metadata.
pub const PATHS: [&str; 2] =
    ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

/// Returns the metadata: the same document at both paths.
pub async fn show(state: Arc<State>, _request: Request) -> Result<Response, OAuthError> {
    Ok(public_document(state.metadata.clone()))
}

/// Returns the metadata for this issuer; `mtls_url` is the base URL for clients with certificates.
pub fn document(issuer: &str, mtls_url: Option<&str>) -> Value {
    let url = |path: &str| format!("{issuer}{path}");
    let mut methods = vec!["client_secret_basic", "client_secret_post", "private_key_jwt"];
    if mtls_url.is_some() {
        methods.push("self_signed_tls_client_auth");
    }
    let with_public: Vec<_> = methods.iter().copied().chain(["none"]).collect();
    let algorithms = client_assertions::ALGORITHMS.map(|(name, _)| name);
    let scopes: Vec<_> = ["core", "web"].into_iter().chain(STANDARD_SCOPES).collect();
    let mut document = json!({
        "issuer": issuer,
        "authorization_endpoint": url("/oauth2/authorize"),
        "token_endpoint": url("/oauth2/token"),
        "introspection_endpoint": url("/oauth2/introspect"),
        "revocation_endpoint": url("/oauth2/revoke"),
        "userinfo_endpoint": url("/oauth2/userinfo"),
        "end_session_endpoint": url("/oauth2/logout"),
        "jwks_uri": url("/oauth2/jwks"),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": GRANT_TYPES,
        "scopes_supported": scopes,
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "token_endpoint_auth_methods_supported": with_public,
        "token_endpoint_auth_signing_alg_values_supported": algorithms,
        "introspection_endpoint_auth_methods_supported": methods,
        "introspection_endpoint_auth_signing_alg_values_supported": algorithms,
        "revocation_endpoint_auth_methods_supported": with_public,
        "revocation_endpoint_auth_signing_alg_values_supported": algorithms,
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [keys::ALGORITHM],
        "claims_supported": [
            "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "sid",
            "preferred_username", "user_kind", "user_id", "contact_id",
        ],
        "prompt_values_supported": ["none", "login", "consent", "select_account"],
        "request_parameter_supported": false,
        "request_uri_parameter_supported": false,
        "claims_parameter_supported": false,
    });
    if let Some(mtls_url) = mtls_url {
        document["mtls_endpoint_aliases"] = json!({
            "token_endpoint": format!("{mtls_url}/oauth2/token"),
            "introspection_endpoint": format!("{mtls_url}/oauth2/introspect"),
            "revocation_endpoint": format!("{mtls_url}/oauth2/revoke"),
        });
    }
    document
}

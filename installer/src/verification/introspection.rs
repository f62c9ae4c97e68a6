//! Introspection of a junk token, as a resource server would do it (RFC 7662).

use super::VerificationArgs;
use super::metadata::Metadata;
use super::web::{Web, WebResponse};
use crate::installation::checks::{Failure, Finding};
use crate::installation::files::read;
use reqwest::StatusCode;
use shared::introspection::Introspection;
use std::path::Path;
use url::form_urlencoded::byte_serialize;

/// A token that no server ever issued.
const JUNK: &str = "junk-sent-by-verify-auth-server";

/// Introspects with the client's credentials.
pub(super) async fn introspect(
    web: &Web,
    metadata: &Metadata,
    arguments: &VerificationArgs,
) -> Finding {
    let (Some(client), Some(secret_file)) = (&arguments.client, &arguments.secret_file) else {
        let found = "the client or its secret is missing";
        return Err(Failure::new(found, "pass both --client and --secret-file"));
    };
    let secret = read_secret(secret_file)
        .map_err(|found| Failure::new(found, "write only the client's secret into the file"))?;
    let endpoint = metadata
        .endpoint("introspection_endpoint")
        .map_err(|error| Failure::new(error, "correct the auth server's issuer"))?;
    // Both parts of the Basic credentials are form-encoded first (RFC 6749, 2.3.1).
    let [client_id, secret] =
        [client, &secret].map(|text| byte_serialize(text.as_bytes()).collect::<String>());
    let response = web
        .post(endpoint, (&client_id, &secret), &[("token", JUNK)])
        .await
        .map_err(|error| Failure::new(error, "see the auth server's log"))?;
    evaluate(&response, client)
}

fn read_secret(path: &Path) -> Result<String, String> {
    match read(path)?.trim() {
        "" => Err(format!("{} is empty", path.display())),
        secret => Ok(secret.to_owned()),
    }
}

fn evaluate(response: &WebResponse, client: &str) -> Finding {
    let advice = match response.status {
        StatusCode::OK => {
            let json = response
                .ok_json()
                .map_err(|found| Failure::new(found, "check which program answers there"))?;
            return match serde_json::from_value(json.clone()) {
                Ok(Introspection::INACTIVE) => Ok(r#"200 and {"active":false}"#.to_owned()),
                Ok(Introspection::Active(_)) => {
                    let found = "junk is reported as an active token";
                    Err(Failure::new(found, "do not use this server: it accepts any token"))
                }
                _ => {
                    let found = format!("200 and {json}");
                    Err(Failure::new(found, "make sure the server is of this release"))
                }
            };
        }
        StatusCode::UNAUTHORIZED => "pass the correct client id and secret",
        StatusCode::FORBIDDEN => "use a client that is a resource server",
        StatusCode::TOO_MANY_REQUESTS => {
            "wait: there were too many failed attempts from this address"
        }
        StatusCode::SERVICE_UNAVAILABLE => "start the database",
        _ => "see the auth server's log",
    };
    Err(Failure::new(format!("{} for the client {client:?}", response.error()), advice))
}

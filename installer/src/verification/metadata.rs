//! The server's metadata (RFC 8414): that they exist, name the right issuer, and list usable keys.

use super::connect::Target;
use super::report::{VerificationRun, VerificationStep};
use super::web::Web;
use crate::installation::count;
use reqwest::Url;
use serde_json::{Map, Value};

/// Members that this product requires.
const REQUIRED: [&str; 3] = ["issuer", "token_endpoint", "introspection_endpoint"];

pub(super) struct Metadata(Map<String, Value>);

impl Metadata {
    /// Returns a member that is a string.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    pub(super) fn endpoint(&self, name: &str) -> Result<Url, String> {
        let text = self.text(name).unwrap_or_default();
        Url::parse(text).map_err(|error| format!("{name}: {error}"))
    }
}

/// Fetches the metadata from the well-known path.
pub(super) async fn read(
    web: &Web,
    target: &Target,
    run: &mut VerificationRun,
) -> Result<Metadata, VerificationStep> {
    let url = well_known(&target.url);
    let advice = "pass the URL of the authentication server: another server answers here";
    let outcome = match web.get(url.clone()).await {
        Ok(response) if response.status.is_server_error() => {
            Err((response.error(), "see the authentication server's log"))
        }
        Ok(response) => response.ok_json().cloned().map_err(|error| (error, advice)),
        Err(error) => Err((error, "make sure the authentication server is not hanging")),
    };
    let members = match outcome {
        Ok(Value::Object(members)) => members,
        Ok(_) => {
            let found = format!("{url}: JSON, but not an object");
            return Err(run.fail(VerificationStep::Metadata, found, advice));
        }
        Err((error, advice)) => {
            return Err(run.fail(VerificationStep::Metadata, format!("{url}: {error}"), advice));
        }
    };
    let metadata = Metadata(members);
    if let Some(name) = REQUIRED.iter().find(|name| metadata.text(name).is_none()) {
        return Err(run.fail(VerificationStep::Metadata, format!("{url}: no {name}"), advice));
    }
    run.pass(VerificationStep::Metadata, url.as_str());
    Ok(metadata)
}

/// The well-known path goes between the issuer's host and path (RFC 8414, 3.1).
fn well_known(issuer: &Url) -> Url {
    let mut url = issuer.clone();
    let path = issuer.path().trim_end_matches('/');
    url.set_path(&format!("/.well-known/oauth-authorization-server{path}"));
    url
}

/// Checks that the issuer is the URL, and that the endpoints are below it: tokens and secrets are
/// sent there.
pub(super) fn check_issuer(
    metadata: &Metadata,
    target: &Target,
    run: &mut VerificationRun,
) -> Result<(), VerificationStep> {
    let issuer = metadata.text("issuer").unwrap_or_default();
    // Shells and browsers add a trailing slash to a URL without a path.
    if issuer != target.given && issuer != target.given.trim_end_matches('/') {
        let found = format!("the issuer is {issuer}, but the URL is {}", target.given);
        let advice =
            "pass the issuer as the URL, or set the authentication server's issuer to this URL";
        return Err(run.fail(VerificationStep::Issuer, found, advice));
    }
    let endpoints = metadata.0.iter();
    let endpoints =
        endpoints.filter(|(name, _)| name.ends_with("_endpoint") || *name == "jwks_uri");
    let mut endpoint_count: u64 = 0;
    for (name, value) in endpoints {
        if !value.as_str().is_some_and(|endpoint| is_under(endpoint, &target.url)) {
            let found = format!("{name} is {value}, which is not under {issuer}");
            let advice = "correct the authentication server's issuer, or what rewrites its answers";
            return Err(run.fail(VerificationStep::Issuer, found, advice));
        }
        endpoint_count += 1;
    }
    let endpoint_count = count(endpoint_count, "endpoint");
    run.pass(VerificationStep::Issuer, format!("{issuer}, {endpoint_count} under it"));
    Ok(())
}

/// Compared after parsing, which resolves dot segments that could lead outside.
fn is_under(endpoint: &str, issuer: &Url) -> bool {
    let beginning = format!("{}/", issuer.path().trim_end_matches('/'));
    Url::parse(endpoint).is_ok_and(|endpoint| {
        endpoint.origin() == issuer.origin() && endpoint.path().starts_with(&beginning)
    })
}

/// A server that announces no keys signs nothing, which is fine.
pub(super) async fn check_keys(web: &Web, metadata: &Metadata, run: &mut VerificationRun) {
    let advice = "see the authentication server's log for messages about its signing keys";
    let Some(announced) = metadata.0.get("jwks_uri") else {
        return run.pass(VerificationStep::Keys, "no keys are announced");
    };
    let found = match announced.as_str().and_then(|url| Url::parse(url).ok()) {
        None => format!("jwks_uri is {announced}, which is not a URL"),
        Some(url) => match web.get(url.clone()).await {
            Err(error) => format!("{url}: {error}"),
            Ok(response) => match response.ok_json().and_then(count_usable_keys) {
                Ok(usable) => {
                    return run.pass(VerificationStep::Keys, format!("{url}: {usable} usable"));
                }
                Err(error) => format!("{url}: {error}"),
            },
        },
    };
    run.fail(VerificationStep::Keys, found, advice);
}

fn count_usable_keys(set: &Value) -> Result<usize, String> {
    let keys = set.get("keys").and_then(Value::as_array).ok_or("not a JSON Web Key Set")?;
    if keys.iter().any(|key| key.get("d").is_some()) {
        return Err("it exposes a private key: replace that key immediately".to_owned());
    }
    match keys.iter().filter(|key| is_usable(key)).count() {
        0 => Err(format!("none of {} is usable", count(keys.len(), "key"))),
        usable => Ok(usable),
    }
}

/// True for a named public key for signatures with EdDSA (RFC 8037) or ES256 (RFC 7518, 6.2).
fn is_usable(key: &Value) -> bool {
    let text = |name| key.get(name).and_then(Value::as_str);
    // 32 bytes in base64url without padding.
    let is_coordinate = |name| {
        text(name).is_some_and(|it| {
            it.len() == 43 && it.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_".contains(&it))
        })
    };
    let signs = text("use").is_none_or(|it| it == "sig") && text("kid").is_some();
    let alg_is = |name| text("alg").is_none_or(|it| it == name);
    signs
        && match (text("kty"), text("crv")) {
            (Some("OKP"), Some("Ed25519")) => alg_is("EdDSA") && is_coordinate("x"),
            (Some("EC"), Some("P-256")) => {
                alg_is("ES256") && is_coordinate("x") && is_coordinate("y")
            }
            _ => false,
        }
}

//! The server's metadata (RFC 8414): that they exist, name the right issuer, and list usable keys.

use super::connect::Target;
use super::web::Web;
use crate::installation::checks::{Failure, Finding};
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

/// Fetches the metadata from the well-known path, whose URL is what was found.
pub(super) async fn read(web: &Web, target: &Target) -> Result<(Metadata, String), Failure> {
    let url = well_known(&target.url);
    let failed = |found: &str, advice: &str| Failure::new(format!("{url}: {found}"), advice);
    let foreign =
        |found: &str| failed(found, "pass the URL of the auth server: another server answers here");
    let response = web
        .get(url.clone())
        .await
        .map_err(|error| failed(&error, "make sure the auth server is not hanging"))?;
    if response.status.is_server_error() {
        return Err(failed(&response.error(), "see the auth server's log"));
    }
    let Value::Object(members) = response.ok_json().map_err(|error| foreign(&error))?.clone()
    else {
        return Err(foreign("JSON, but not an object"));
    };
    let metadata = Metadata(members);
    match REQUIRED.iter().find(|name| metadata.text(name).is_none()) {
        Some(name) => Err(foreign(&format!("no {name}"))),
        None => Ok((metadata, url.to_string())),
    }
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
pub(super) fn check_issuer(metadata: &Metadata, target: &Target) -> Finding {
    let issuer = metadata.text("issuer").unwrap_or_default();
    // Shells and browsers add a trailing slash to a URL without a path.
    if issuer != target.given && issuer != target.given.trim_end_matches('/') {
        return Err(Failure::new(
            format!("the issuer is {issuer}, but the URL is {}", target.given),
            "pass the issuer as the URL, or set the auth server's issuer to this URL",
        ));
    }
    let members = metadata.0.iter();
    let endpoints: Vec<_> =
        members.filter(|(name, _)| name.ends_with("_endpoint") || *name == "jwks_uri").collect();
    let is_outside =
        |value: &Value| !value.as_str().is_some_and(|endpoint| is_under(endpoint, &target.url));
    if let Some((name, value)) = endpoints.iter().find(|(_, value)| is_outside(value)) {
        return Err(Failure::new(
            format!("{name} is {value}, which is not under {issuer}"),
            "correct the auth server's issuer, or what rewrites its answers",
        ));
    }
    Ok(format!("{issuer}, {} under it", count(endpoints.len() as u64, "endpoint")))
}

/// Compared after parsing, which resolves dot segments that could lead outside.
fn is_under(endpoint: &str, issuer: &Url) -> bool {
    let beginning = format!("{}/", issuer.path().trim_end_matches('/'));
    Url::parse(endpoint).is_ok_and(|endpoint| {
        endpoint.origin() == issuer.origin() && endpoint.path().starts_with(&beginning)
    })
}

/// A server that announces no keys signs nothing, which is fine.
pub(super) async fn check_keys(web: &Web, metadata: &Metadata) -> Finding {
    let failed = |found: String| {
        let advice = "see the auth server's log for messages about its signing keys";
        Failure::new(found, advice)
    };
    let Some(announced) = metadata.0.get("jwks_uri") else {
        return Ok("no keys are announced".to_owned());
    };
    let url = announced.as_str().and_then(|url| Url::parse(url).ok());
    let url = url.ok_or_else(|| failed(format!("jwks_uri is {announced}, which is not a URL")))?;
    let failed = |error: String| failed(format!("{url}: {error}"));
    let response = web.get(url.clone()).await.map_err(failed)?;
    let usable = response.ok_json().and_then(count_usable_keys).map_err(failed)?;
    Ok(format!("{url}: {usable} usable"))
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

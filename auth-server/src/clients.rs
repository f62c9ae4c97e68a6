//! Programs that ask this server for something, and how each proves which one it is.
//!
//! A client is authenticated before anything else of its request is looked at. Secrets are 256
//! random bits, so a fast hash keeps them safe; two may be valid at once while they rotate.

use crate::oauth_error::OAuthError;
use crate::request::Form;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use poem::Request;
use poem::http::header::AUTHORIZATION;
use sea_orm::{DatabaseConnection, EntityTrait};
use shared::entity::oauth_clients::{ClientKind, Entity, Model};
use shared::introspection::UserKind;
use shared::secrecy::Secret;

/// What a client presented: its id, its secret, and whether it used HTTP Basic.
pub struct Credentials {
    /// Who it says it is.
    pub client_id: String,
    secret: String,
    basic: bool,
}

impl Credentials {
    /// Reads them from the Authorization header or from the form, never both (RFC 6749, 2.3).
    pub fn read(request: &Request, form: &Form) -> Result<Self, OAuthError> {
        let header = request.headers().get(AUTHORIZATION);
        let in_form = form.get("client_secret").is_some();
        match header {
            Some(_) if in_form => {
                Err(OAuthError::invalid_request("client credentials stand in header and form"))
            }
            Some(value) => {
                let credentials = value.to_str().ok().and_then(Self::from_basic);
                let credentials = credentials.ok_or_else(|| OAuthError::invalid_client(true))?;
                match form.get("client_id") {
                    Some(other) if other != credentials.client_id => {
                        Err(OAuthError::invalid_request("client_id is not the authenticated one"))
                    }
                    _ => Ok(credentials),
                }
            }
            None => match (form.get("client_id"), form.get("client_secret")) {
                (Some(client_id), Some(secret)) => Ok(Self {
                    client_id: client_id.to_owned(),
                    secret: secret.to_owned(),
                    basic: false,
                }),
                _ => Err(OAuthError::invalid_client(true)),
            },
        }
    }

    fn from_basic(header: &str) -> Option<Self> {
        let (scheme, encoded) = header.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("basic") {
            return None;
        }
        let text = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
        let (client_id, secret) = text.split_once(':')?;
        Some(Self { client_id: form_decode(client_id)?, secret: form_decode(secret)?, basic: true })
    }
}

/// Both halves of Basic are form-encoded first (RFC 6749, 2.3.1).
fn form_decode(text: &str) -> Option<String> {
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(&format!("x={text}")).ok()?;
    let [(_, value)] = <[_; 1]>::try_from(pairs).ok()?;
    Some(value)
}

/// The client that sent this request, or `invalid_client`.
#[expect(clippy::disallowed_methods, reason = "clients are no rows of the resource API")]
pub async fn authenticate(
    db: &DatabaseConnection,
    credentials: &Credentials,
) -> Result<Model, OAuthError> {
    let client = Entity::find_by_id(&credentials.client_id).one(db).await?;
    check(client, credentials)
}

/// The client, if the secret is one of its secrets.
pub fn check(client: Option<Model>, credentials: &Credentials) -> Result<Model, OAuthError> {
    let hash = secret_hash(&credentials.secret);
    let matches = |known: &Option<Secret>| {
        known.as_ref().is_some_and(|known| {
            verify_slices_are_equal(known.reveal().as_bytes(), hash.as_bytes()).is_ok()
        })
    };
    client
        .filter(|client| client.kind == ClientKind::Confidential)
        .filter(|client| matches(&client.secret_hash1) | matches(&client.secret_hash2))
        .ok_or_else(|| OAuthError::invalid_client(credentials.basic))
}

/// What is stored of a client secret.
pub fn secret_hash(secret: &str) -> String {
    hex::encode(digest::digest(&digest::SHA256, secret.as_bytes()))
}

/// True if the list of a client (space separated) holds this word.
pub fn lists(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|item| item == word)
}

/// Which kind of user the client may log in with this scope.
pub fn user_kind(client: &Model, scope: Option<&str>) -> Result<UserKind, OAuthError> {
    let kind = match scope {
        Some("core") => UserKind::Core,
        Some("web") => UserKind::Web,
        _ => return Err(OAuthError::invalid_scope()),
    };
    if lists(&client.user_kinds, kind.as_str()) {
        Ok(kind)
    } else {
        Err(OAuthError::invalid_scope())
    }
}

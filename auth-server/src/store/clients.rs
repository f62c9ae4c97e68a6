//! OAuth clients, and how each one authenticates.
//!
//! | | the client sends |
//! |---|---|
//! | `client_secret_basic`, `client_secret_post` | its secret (RFC 6749, 2.3.1) |
//! | `private_key_jwt` | a JWT signed with its own key: see `client_assertions.rs` |
//! | `self_signed_tls_client_auth` | its registered certificate, in the TLS handshake (RFC 8705, 2.2) |
//! | `none` | its `client_id`; public clients only, where the request carries another proof |
//!
//! A client is authenticated before anything else in its request is looked at. Secrets are 256
//! random bits, so a fast hash protects them; two may be valid at the same time during rotation.
//! Failures count against the source network, apart from its failed log-ins, and never against the
//! client: guessing a client's secret cannot lock the client or its users out.

use crate::http::client_address::ClientAddress;
use crate::http::oauth_error::OAuthError;
use crate::http::request::Form;
use crate::login::lockout;
use crate::store::Store;
use crate::store::client_assertions;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use poem::Request;
use poem::http::header::AUTHORIZATION;
use sea_orm::{DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait, QuerySelect};
use shared::audit::EventKind;
use shared::certificate_expiry::CertificateExpiry;
use shared::database;
use shared::database::galera::GuardMode;
use shared::entity::oauth_clients::{ClientKind, Entity, Model};
use shared::introspection::UserKind;
use shared::secrets::Secret;
use shared::server::PeerCertificate;
use shared::sessions;
use shared::time::Timestamp;
use std::borrow::Borrow;

/// The only supported value of `client_assertion_type` (RFC 7523, 2.2).
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// No client id is longer.
const CLIENT_ID_BYTES_MAX: usize = 100;

/// The credentials that a client presented.
#[derive(Debug)]
pub struct Credentials {
    pub client_id: String,
    proof: Proof,
}

enum Proof {
    /// In the Authorization header.
    Basic(String),
    /// In the form.
    Post(String),
    Assertion(String),
    Certificate(Vec<u8>),
    None,
}

impl std::fmt::Debug for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Proof")
    }
}

impl Credentials {
    /// Reads the credentials: at most one proof (RFC 6749, 2.3).
    pub fn read(request: &Request, form: &Form) -> Result<Self, OAuthError> {
        let credentials = Self::find(request, form)?;
        let claimed_id = form.get("client_id").unwrap_or(&credentials.client_id);
        if claimed_id != credentials.client_id {
            return Err(OAuthError::invalid_request(
                "client_id does not match the client credentials",
            ));
        }
        if credentials.client_id.len() > CLIENT_ID_BYTES_MAX || credentials.client_id.contains('\0')
        {
            return Err(OAuthError::invalid_client(credentials.used_basic()));
        }
        Ok(credentials)
    }

    fn find(request: &Request, form: &Form) -> Result<Self, OAuthError> {
        let header = request.headers().get(AUTHORIZATION);
        let (secret, assertion) = (form.get("client_secret"), form.get("client_assertion"));
        if [header.is_some(), secret.is_some(), assertion.is_some()].iter().filter(|x| **x).count()
            > 1
        {
            let text = "client credentials were sent in more than one way";
            return Err(OAuthError::invalid_request(text));
        }
        if let Some(value) = header {
            let credentials = value.to_str().ok().and_then(Self::from_basic);
            return credentials.ok_or_else(|| OAuthError::invalid_client(true));
        }
        if let Some(assertion) = assertion {
            return Self::from_assertion(form, assertion);
        }
        let client_id = form.get("client_id").ok_or_else(|| OAuthError::invalid_client(true))?;
        let certificate = request.data::<PeerCertificate>();
        let proof = match (secret, certificate) {
            (Some(secret), _) => Proof::Post(secret.to_owned()),
            (None, Some(certificate)) => Proof::Certificate(certificate.0.to_vec()),
            (None, None) => Proof::None,
        };
        Ok(Self { client_id: client_id.to_owned(), proof })
    }

    fn from_basic(header: &str) -> Option<Self> {
        let (scheme, encoded) = header.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("basic") {
            return None;
        }
        let text = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
        let (client_id, secret) = text.split_once(':')?;
        let proof = Proof::Basic(form_decode(secret)?);
        Some(Self { client_id: form_decode(client_id)?, proof })
    }

    fn from_assertion(form: &Form, assertion: &str) -> Result<Self, OAuthError> {
        if form.get("client_assertion_type") != Some(ASSERTION_TYPE) {
            return Err(OAuthError::invalid_request("client_assertion_type is not jwt-bearer"));
        }
        let client_id = client_assertions::subject(assertion);
        let client_id = client_id.ok_or_else(|| OAuthError::invalid_client(false))?;
        Ok(Self { client_id, proof: Proof::Assertion(assertion.to_owned()) })
    }

    /// True if HTTP Basic was used: a refusal then carries a challenge.
    fn used_basic(&self) -> bool {
        matches!(self.proof, Proof::Basic(_))
    }
}

/// Decodes one half of the Basic credentials: both are form-encoded (RFC 6749, 2.3.1).
fn form_decode(text: &str) -> Option<String> {
    let pairs: Vec<(String, String)> = serde_urlencoded::from_str(&format!("x={text}")).ok()?;
    let [(_, value)] = <[_; 1]>::try_from(pairs).ok()?;
    Some(value)
}

#[expect(clippy::disallowed_methods, reason = "clients are not rows of the resource API")]
pub async fn find(db: &DatabaseConnection, client_id: &str) -> Result<Option<Model>, DbErr> {
    if client_id.len() > CLIENT_ID_BYTES_MAX || client_id.contains('\0') {
        return Ok(None);
    }
    Entity::find_by_id(client_id).one(db).await
}

/// Locks a client until the transaction ends; `invalid_client` if it has been removed in the
/// meantime.
#[expect(clippy::disallowed_methods, reason = "clients are not rows of the resource API")]
pub async fn lock(tx: &DatabaseTransaction, client_id: &str) -> Result<(), OAuthError> {
    let row = Entity::find_by_id(client_id);
    let row = row.lock(database::shared_lock(tx));
    let found = row.one(tx).await?;
    sessions::guard_client(tx, client_id, GuardMode::Shared).await?;
    found.map(drop).ok_or_else(|| OAuthError::invalid_client(false))
}

/// Returns the authenticated client, confidential or public, or `invalid_client`.
pub async fn authenticate(
    store: &Store,
    credentials: &Credentials,
    source: &ClientAddress,
) -> Result<Model, OAuthError> {
    let client = database::once_more(|| find(&store.db, &credentials.client_id)).await?;
    match (&credentials.proof, client) {
        (Proof::None, Some(client)) if client.kind == ClientKind::Public => Ok(client),
        (_, client) => authenticate_confidential(store, client, credentials, source).await,
    }
}

/// Returns the client if it is confidential and has authenticated.
pub async fn authenticate_confidential<C: Borrow<Model>>(
    store: &Store,
    client: Option<C>,
    credentials: &Credentials,
    source: &ClientAddress,
) -> Result<C, OAuthError> {
    let client_exists = client.is_some();
    match verify_proof(store, client, credentials).await? {
        Ok(client) => Ok(client),
        Err(reason) => {
            Err(record_failure(store, credentials, client_exists, reason, source).await?)
        }
    }
}

async fn verify_proof<C: Borrow<Model>>(
    store: &Store,
    client: Option<C>,
    credentials: &Credentials,
) -> Result<Result<C, &'static str>, OAuthError> {
    // Hashed whether or not the client exists, so that both cases take the same time.
    let hash = match &credentials.proof {
        Proof::Basic(secret) | Proof::Post(secret) => secret_hash(secret),
        _ => String::new(),
    };
    let Some(proved) = client else { return Ok(Err("unknown_client")) };
    let client: &Model = proved.borrow();
    if client.kind != ClientKind::Confidential {
        return Ok(Err("public_client"));
    }
    let matches = |stored: &Option<Secret>| {
        stored.as_ref().is_some_and(|stored| {
            verify_slices_are_equal(stored.reveal().as_bytes(), hash.as_bytes()).is_ok()
        })
    };
    let outcome = match &credentials.proof {
        Proof::Basic(_) | Proof::Post(_) => {
            match matches(&client.secret_hash1) | matches(&client.secret_hash2) {
                true => Ok(()),
                false => Err("wrong_secret"),
            }
        }
        Proof::Assertion(assertion) => client_assertions::check(store, client, assertion).await?,
        Proof::Certificate(certificate) => match has_certificate(client, certificate) {
            true if has_expired(certificate, database::time(&store.db).await?) => {
                Err("expired_certificate")
            }
            true => Ok(()),
            false => Err("wrong_certificate"),
        },
        Proof::None => Err("no_proof"),
    };
    Ok(outcome.map(|()| proved))
}

/// True if the client's key set contains this exact certificate (RFC 8705, 2.2.2).
fn has_certificate(client: &Model, certificate: &[u8]) -> bool {
    client_assertions::key_set(client).keys.iter().any(|key| {
        let chain = key.common.x509_chain.as_deref().unwrap_or_default();
        let first = chain.first().and_then(|text| STANDARD.decode(text).ok());
        first.is_some_and(|registered| registered == certificate)
    })
}

/// True if a certificate has expired, or cannot be parsed.
fn has_expired(certificate: &[u8], now: Timestamp) -> bool {
    CertificateExpiry::of_der(certificate).map_or(true, |expiry| expiry.check(now).is_err())
}

/// Counts and records the failure; returns the response.
async fn record_failure(
    store: &Store,
    credentials: &Credentials,
    client_exists: bool,
    reason: &'static str,
    source: &ClientAddress,
) -> Result<OAuthError, OAuthError> {
    database::write(&store.db, async |tx| {
        if let Some(too_many) =
            lockout::count_client(store.login.source_failures_max, tx, source).await?
        {
            return Err(OAuthError::too_many_failures(too_many.retry_after_seconds));
        }
        let event = source.event(EventKind::ClientFailed).reason(reason);
        // An unknown client id may be a secret typed into the wrong field.
        let event = if client_exists { event.client(&credentials.client_id) } else { event };
        Ok(event.record(tx).await?)
    })
    .await?;
    tracing::info!(reason, "client authentication failed");
    Ok(OAuthError::invalid_client(credentials.used_basic()))
}

/// Returns the stored form of a client secret.
pub fn secret_hash(secret: &str) -> String {
    hex::encode(digest::digest(&digest::SHA256, secret.as_bytes()))
}

/// True if the space-separated list contains this word.
pub fn contains_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|item| item == word)
}

/// OpenID Connect scopes, granted as requested, in this order.
pub const STANDARD_SCOPES: [&str; 4] = ["openid", "profile", "email", "offline_access"];

/// A granted scope: exactly one of `core` and `web`, and the standard scopes requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope {
    /// Kind of user who logs in.
    pub kind: UserKind,
    /// The scope string, in canonical order.
    pub text: String,
}

impl Scope {
    /// Reads the requested scope. Unknown words are ignored, as RFC 6749, 3.3 allows: the response
    /// states what was granted.
    pub fn read(client: &Model, scope: Option<&str>) -> Result<Self, OAuthError> {
        let words: Vec<&str> = scope.unwrap_or_default().split_ascii_whitespace().collect();
        let kind = match (words.contains(&"core"), words.contains(&"web")) {
            (true, false) => UserKind::Core,
            (false, true) => UserKind::Web,
            (true, true) => {
                let description = "scope must have exactly one of core and web, not both";
                return Err(OAuthError::invalid_scope(description));
            }
            (false, false) => return Err(OAuthError::invalid_scope(missing_kind(&words))),
        };
        if !contains_word(&client.user_kinds, kind.as_str()) {
            let description = format!("this client may not use the scope {}", kind.as_str());
            return Err(OAuthError::invalid_scope(description));
        }
        let granted = STANDARD_SCOPES.into_iter().filter(|word| words.contains(word));
        let granted: Vec<&str> = granted.chain([kind.as_str()]).collect();
        Ok(Self { kind, text: granted.join(" ") })
    }
}

/// Returns why a scope with neither kind of user is refused.
fn missing_kind(words: &[&str]) -> String {
    match words.iter().find(|word| !STANDARD_SCOPES.contains(word)) {
        Some(word) => {
            let word: String = word.chars().take(50).collect();
            format!("scope must have exactly one of core and web; {word} is neither")
        }
        None => "scope must have exactly one of core and web".to_owned(),
    }
}

/// True if a refresh with this scope stays within what was granted. Unknown words are ignored as at
/// the log-in; the kind of user must not be omitted.
pub fn is_within(scope: &str, granted: &str) -> bool {
    let is_known = |word: &&str| STANDARD_SCOPES.contains(word) || ["core", "web"].contains(word);
    let mut requested = scope.split_ascii_whitespace().filter(is_known);
    requested.clone().any(|word| ["core", "web"].contains(&word))
        && requested.all(|word| contains_word(granted, word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_cannot_widen_its_scope_or_omit_the_user_kind() {
        for scope in ["core", "core openid", "core loans:read"] {
            assert!(is_within(scope, "openid core"), "{scope}");
        }
        for scope in ["openid", "web", "core web", "core profile", "loans:read", ""] {
            assert!(!is_within(scope, "openid core"), "{scope}");
        }
    }
}

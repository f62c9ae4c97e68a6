//! `private_key_jwt`: a client authenticates with a JWT signed with its own key (RFC 7523, 3;
//! OpenID Connect Core, 9). Its times are checked against the database's clock, and each `jti`
//! works once.

use crate::http::oauth_error::OAuthError;
use crate::store::Store;
use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, crypto};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ConnectionTrait, DbErr};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use shared::database::{self, Fault};
use shared::entity::client_assertions::{Column, Entity};
use shared::entity::oauth_clients;
use shared::time::Timestamp;

/// Signature algorithms of client assertions. `Ed25519` is the newer name of `EdDSA` with this
/// curve (RFC 9864).
pub const ALGORITHMS: [(&str, Algorithm); 5] = [
    ("ES256", Algorithm::ES256),
    ("Ed25519", Algorithm::EdDSA),
    ("EdDSA", Algorithm::EdDSA),
    ("PS256", Algorithm::PS256),
    ("RS256", Algorithm::RS256),
];
/// Longest validity of an assertion: each one is remembered until it expires.
const LIFETIME_SECONDS_MAX: i64 = 60 * 60;
/// How far a client's clock may be ahead (RFC 7519, 4.1.5): many set `nbf` to the current time, and
/// some set `exp` exactly an hour ahead.
const CLOCK_SKEW_SECONDS: i64 = 30;
/// Maximum number of a client's keys to try when the assertion names none.
const KEYS_MAX: usize = 10;
const JTI_BYTES_MAX: usize = 255;

#[derive(Deserialize)]
struct AssertionHeader {
    alg: String,
    #[serde(default)]
    kid: Option<String>,
    #[serde(default)]
    crit: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct AssertionClaims {
    iss: String,
    sub: String,
    aud: Audience,
    exp: i64,
    #[serde(default)]
    nbf: Option<i64>,
    jti: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

/// Returns the subject of an assertion, before anything in it is verified.
pub fn subject(assertion: &str) -> Option<String> {
    jsonwebtoken::dangerous::insecure_decode_claims::<AssertionClaims>(assertion)
        .ok()
        .map(|claims| claims.sub)
}

/// Checks an assertion of this client. The inner error is the reason for the audit trail.
pub async fn check(
    store: &Store,
    client: &oauth_clients::Model,
    assertion: &str,
) -> Result<Result<(), &'static str>, OAuthError> {
    let Some(claims) = verify(client, assertion) else { return Ok(Err("wrong_signature")) };
    if claims.iss != client.client_id || claims.sub != client.client_id {
        return Ok(Err("wrong_issuer"));
    }
    if !is_audience(store, &claims.aud) {
        return Ok(Err("audience_is_not_the_issuer"));
    }
    let now = database::time(&store.db).await?.0.timestamp();
    if !is_timely(&claims, now) {
        return Ok(Err("assertion_out_of_time"));
    }
    if claims.jti.is_empty() || claims.jti.len() > JTI_BYTES_MAX {
        return Ok(Err("no_jti"));
    }
    match database::retry(|| record_use(&store.db, &claims)).await {
        Ok(()) => Ok(Ok(())),
        Err(error) if database::fault(&error) == Fault::Conflict => {
            Ok(Err("assertion_used_before"))
        }
        Err(error) => Err(error.into()),
    }
}

/// True if an assertion is valid at this time, and not for too long.
fn is_timely(claims: &AssertionClaims, now: i64) -> bool {
    now < claims.exp
        && claims.exp <= now + LIFETIME_SECONDS_MAX + CLOCK_SKEW_SECONDS
        && claims.nbf.is_none_or(|nbf| nbf <= now + CLOCK_SKEW_SECONDS)
}

/// Returns the claims if one of the client's keys signed them.
fn verify(client: &oauth_clients::Model, assertion: &str) -> Option<AssertionClaims> {
    let (message, signature) = assertion.rsplit_once('.')?;
    let (header, claims) = message.split_once('.')?;
    let header: AssertionHeader = decode_part(header)?;
    // This server supports no critical header parameters (RFC 7515, 4.1.11).
    if header.crit.is_some() {
        return None;
    }
    let (_, algorithm) = ALGORITHMS.iter().find(|(name, _)| *name == header.alg)?;
    let keys = key_set(client).keys;
    let for_signing =
        |key: &Jwk| !matches!(key.common.public_key_use, Some(PublicKeyUse::Encryption));
    let has_key_id =
        |key: &&Jwk| for_signing(key) && (header.kid.is_none() || key.common.key_id == header.kid);
    let verifies = |key: &Jwk| {
        let public = DecodingKey::from_jwk(key);
        let verified = public
            .and_then(|public| crypto::verify(signature, message.as_bytes(), &public, *algorithm));
        verified.unwrap_or(false)
    };
    keys.iter().filter(has_key_id).take(KEYS_MAX).any(verifies).then(|| decode_part(claims))?
}

/// Returns the client's public keys.
pub fn key_set(client: &oauth_clients::Model) -> JwkSet {
    let keys = client.public_keys.as_deref().and_then(|text| serde_json::from_str(text).ok());
    keys.unwrap_or(JwkSet { keys: Vec::new() })
}

/// Decodes one part of a JWT.
fn decode_part<T: DeserializeOwned>(part: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

/// True if the audience is the issuer alone: an assertion that names an endpoint, or another server
/// as well, could be replayed there (OpenID Foundation's advice of January 2025, RFC 7523bis).
fn is_audience(store: &Store, audience: &Audience) -> bool {
    match audience {
        Audience::One(name) => *name == store.issuer,
        Audience::Many(names) => names.len() == 1 && names[0] == store.issuer,
    }
}

/// Records an assertion until it expires; a second use is a conflict.
async fn record_use(db: &impl ConnectionTrait, claims: &AssertionClaims) -> Result<(), DbErr> {
    let name = format!("{}\0{}", claims.sub, claims.jti);
    let hash = hex::encode(digest(&SHA256, name.as_bytes()));
    let expires = chrono::DateTime::from_timestamp(claims.exp, 0).unwrap_or_default();
    let insert = Query::insert()
        .into_table(Entity)
        .columns([Column::AssertionHash, Column::ClientId, Column::ExpiresDate])
        .values_panic([hash.into(), claims.sub.as_str().into(), Expr::value(Timestamp(expires))])
        .take();
    db.execute(&insert).await.map(drop)
}

/// Removes expired assertions.
pub async fn sweep(db: &impl ConnectionTrait) -> Result<u64, DbErr> {
    let delete = Query::delete()
        .from_table(Entity)
        .and_where(Expr::col(Column::ExpiresDate).lte(database::now(db)))
        .take();
    Ok(db.execute(&delete).await?.rows_affected())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_clock_skew_is_tolerated() {
        let claims = |nbf: i64, exp: i64| AssertionClaims {
            iss: String::new(),
            sub: String::new(),
            aud: Audience::Many(Vec::new()),
            exp,
            nbf: Some(nbf),
            jti: String::new(),
        };
        let now = 1_000_000;
        for (nbf, exp) in [(now, now + 60), (now + 30, now + 3630), (now - 60, now + 1)] {
            assert!(is_timely(&claims(nbf, exp), now), "{nbf} {exp}");
        }
        for (nbf, exp) in [(now + 31, now + 60), (now, now + 3631), (now - 60, now)] {
            assert!(!is_timely(&claims(nbf, exp), now), "{nbf} {exp}");
        }
    }
}

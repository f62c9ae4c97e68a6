//! `private_key_jwt`: a client proves who it is with a JWT under its own key (RFC 7523, 3; OpenID
//! Connect Core, 9). Its times are judged by the database's clock, and each `jti` works once.

use crate::app::App;
use crate::clients;
use crate::oauth_error::OAuthError;
use aws_lc_rs::digest::{SHA256, digest};
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ConnectionTrait, DbErr};
use serde::Deserialize;
use shared::db::{self, Fault};
use shared::entity::client_assertions::{Column, Entity};
use shared::entity::oauth_clients;
use shared::time::Timestamp;

/// How a client may sign.
pub const ALGORITHMS: [(&str, Algorithm); 4] = [
    ("ES256", Algorithm::ES256),
    ("EdDSA", Algorithm::EdDSA),
    ("PS256", Algorithm::PS256),
    ("RS256", Algorithm::RS256),
];
/// An assertion that is valid for longer would have to be remembered for longer.
const LIFETIME_SECONDS_MAX: i64 = 60 * 60;
/// Keys of a client that are tried where an assertion does not say which it is.
const KEYS_MAX: usize = 10;
const JTI_BYTES_MAX: usize = 255;

#[derive(Deserialize)]
struct Claims {
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

/// Whom an assertion is about, before anything of it is believed.
pub fn subject(assertion: &str) -> Option<String> {
    jsonwebtoken::dangerous::insecure_decode_claims::<Claims>(assertion)
        .ok()
        .map(|claims| claims.sub)
}

/// Checks an assertion of this client; the inner error is for the audit.
pub async fn check(
    app: &App,
    client: &oauth_clients::Model,
    assertion: &str,
) -> Result<Result<(), &'static str>, OAuthError> {
    let Some(claims) = verified(client, assertion) else { return Ok(Err("wrong_signature")) };
    if claims.iss != client.client_id || claims.sub != client.client_id {
        return Ok(Err("wrong_issuer"));
    }
    if !meant_for(app, &claims.aud) {
        return Ok(Err("wrong_audience"));
    }
    let now = db::time(&app.db).await?.0.timestamp();
    let in_time = now < claims.exp
        && claims.exp <= now + LIFETIME_SECONDS_MAX
        && claims.nbf.is_none_or(|nbf| nbf <= now);
    if !in_time {
        return Ok(Err("assertion_out_of_time"));
    }
    if claims.jti.is_empty() || claims.jti.len() > JTI_BYTES_MAX {
        return Ok(Err("no_jti"));
    }
    match remember(&app.db, &claims).await {
        Ok(()) => Ok(Ok(())),
        Err(error) if db::fault(&error) == Fault::Conflict => Ok(Err("assertion_used_before")),
        Err(error) => Err(error.into()),
    }
}

/// The claims, if one of the client's keys has signed them.
fn verified(client: &oauth_clients::Model, assertion: &str) -> Option<Claims> {
    let header = jsonwebtoken::decode_header(assertion).ok()?;
    ALGORITHMS.iter().find(|(_, algorithm)| *algorithm == header.alg)?;
    let mut validation = Validation::new(header.alg);
    // Times are judged by another clock, the audience by more than one name.
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    validation.set_required_spec_claims::<&str>(&[]);
    let keys = clients::key_set(client).keys;
    let named = |key: &&Jwk| header.kid.is_none() || key.common.key_id == header.kid;
    keys.iter()
        .filter(named)
        .take(KEYS_MAX)
        .find_map(|key| {
            let public = DecodingKey::from_jwk(key).ok()?;
            jsonwebtoken::decode::<Claims>(assertion, &public, &validation).ok()
        })
        .map(|token| token.claims)
}

/// This server is meant, by its name or by one of the endpoints that ask for assertions.
fn meant_for(app: &App, audience: &Audience) -> bool {
    let ours = |name: &String| {
        name.strip_prefix(app.issuer.as_str()).is_some_and(|rest| {
            matches!(rest, "" | "/oauth2/token" | "/oauth2/introspect" | "/oauth2/revoke")
        })
    };
    match audience {
        Audience::One(name) => ours(name),
        Audience::Many(names) => names.iter().any(ours),
    }
}

/// Remembers an assertion until it would be refused for its time; a second one is a conflict.
async fn remember(db: &impl ConnectionTrait, claims: &Claims) -> Result<(), DbErr> {
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

/// Forgets assertions that are out of time.
pub async fn sweep(db: &impl ConnectionTrait) -> Result<u64, DbErr> {
    let delete = Query::delete()
        .from_table(Entity)
        .and_where(Expr::col(Column::ExpiresDate).lte(db::now(db.get_database_backend())))
        .take();
    Ok(db.execute(&delete).await?.rows_affected())
}

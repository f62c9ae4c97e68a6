//! Signing keys (ES256), and the ID tokens they sign.
//!
//! A key signs from its start date until its successor starts. There is always a successor: it is
//! created when the current key takes over and is in the key set from then on, so clients know it
//! long before its first signature. A retired key stays in the key set for a day, unless it is
//! withdrawn, and verifies an `id_token_hint` until it is deleted. All times are by the database's
//! clock. Two replicas cannot create the same key, because generations are unique.

use crate::http::oauth_error::OAuthError;
use crate::store::Store;
use aws_lc_rs::digest::{SHA256, digest};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use sea_orm::FromQueryResult;
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, EntityTrait,
    QueryFilter,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use shared::audit::{Event, EventKind};
use shared::database::coalesced::{BatchLimits, Coalesced};
use shared::database::{self, Fault, batch};
use shared::entity::signing_keys::{Column, Entity};
use shared::envelope_encryption::MasterKeys;
use shared::introspection::UserKind;
use shared::secrets::Secret;

/// Signature algorithm of all keys.
pub const ALGORITHM: &str = "ES256";
/// How long a key stays in the set after its last signature.
const RETIRED_SECONDS: i64 = 24 * 60 * 60;
/// How long a key must have been in the set before it may sign on command.
const ANNOUNCED_SECONDS: i64 = 60 * 60;

/// A stored signing key; its times are judged by the database's clock.
#[derive(FromQueryResult)]
struct StoredKey {
    key_id: String,
    generation: i32,
    public_key: String,
    sealed_private_key: Secret,
    /// It is signing, or has signed.
    started: bool,
    /// It started more than a day ago.
    settled: bool,
    /// It was created at least an hour ago.
    announced: bool,
}

/// Returns the keys that have not been withdrawn, oldest first.
async fn load(db: &impl ConnectionTrait) -> Result<Vec<StoredKey>, DbErr> {
    let ago = |seconds: i64| database::seconds_ago(db, Expr::value(seconds));
    let before = |column: Column, time: Expr| column.into_expr().lte(time);
    let select = Query::select()
        .columns([Column::KeyId, Column::Generation, Column::PublicKey, Column::SealedPrivateKey])
        .expr_as(before(Column::SignsFromDate, database::now(db)), "started")
        .expr_as(before(Column::SignsFromDate, ago(RETIRED_SECONDS)), "settled")
        .expr_as(before(Column::CreatedDate, ago(ANNOUNCED_SECONDS)), "announced")
        .from(Entity)
        .and_where(Column::RemovedDate.is_null())
        .order_by(Column::Generation, sea_orm::Order::Asc)
        .take();
    let rows = db.query_all(&select).await?;
    rows.iter().map(|row| StoredKey::from_query_result(row, "")).collect()
}

/// Returns the queries for the key set; concurrent ones share one.
pub fn key_sets(db: DatabaseConnection) -> Coalesced<(), Result<Bytes, OAuthError>> {
    Coalesced::new(BatchLimits::of_reads(1), move |_| {
        let db = db.clone();
        async move { vec![key_set(db).await] }
    })
}

/// Returns the key set that verifies ID tokens (RFC 7517).
async fn key_set(db: DatabaseConnection) -> Result<Bytes, OAuthError> {
    let keys = load(&db).await?;
    let published = published_keys(&keys).map(|key| serde_json::from_str::<Value>(&key.public_key));
    let keys: Result<Vec<Value>, _> = published.collect();
    let key_set = json!({"keys": keys.map_err(OAuthError::server_error)?});
    Ok(Bytes::from(key_set.to_string()))
}

/// The keys in the key set: all but those whose successor started more than a day ago.
fn published_keys(keys: &[StoredKey]) -> impl Iterator<Item = &StoredKey> {
    let last_settled = keys.iter().rposition(|key| key.settled).unwrap_or_default();
    keys.iter().skip(last_settled)
}

/// Returns the current signing key.
fn current_key(keys: &[StoredKey]) -> Option<&StoredKey> {
    keys.iter().rev().find(|key| key.started)
}

/// Creates the first two keys, or the next one once the last has taken over; removes keys that have
/// left the key set. Keys from the future, made while the database's clock was wrong, are replaced, and
/// if none signs any more the next one does from now on.
pub async fn maintain(
    db: &DatabaseConnection,
    master_keys: &MasterKeys,
    rotation_seconds: i64,
) -> Result<(), OAuthError> {
    let from_the_future = Column::CreatedDate.into_expr().gt(database::seconds_from_now(db, 60));
    Entity::delete_many().filter(from_the_future).exec(db).await?;
    let keys = load(db).await?;
    let Some(first) = keys.first() else {
        add(db, master_keys, 1, 0).await?;
        return add(db, master_keys, 2, rotation_seconds).await;
    };
    let mut signs = keys.last().is_some_and(|key| key.started);
    if !keys.iter().any(|key| key.started) {
        start_now(db, &first.key_id).await?;
        Event::new(EventKind::KeyRotated).reason("clock_corrected").record(db).await?;
        signs = keys.len() == 1;
    }
    let last = keys.last().map_or(0, |key| key.generation);
    if signs {
        add(db, master_keys, last + 1, rotation_seconds).await?;
        Event::new(EventKind::KeyRotated).reason("scheduled").record(db).await?;
    }
    let oldest_published = published_keys(&keys).next().map_or(1, |key| key.generation);
    let retired = Column::Generation.lt(oldest_published);
    Entity::delete_many().filter(retired).exec(db).await?;
    Ok(())
}

/// Makes a key sign from now on.
async fn start_now(db: &impl ConnectionTrait, key_id: &str) -> Result<(), DbErr> {
    let start = Query::update()
        .table(Entity)
        .value(Column::SignsFromDate, database::now(db))
        .and_where(Column::KeyId.eq(key_id))
        .take();
    db.execute(&start).await.map(drop)
}

/// Adds a key that starts to sign in this many seconds. A conflict means that another replica was
/// first.
async fn add(
    db: &impl ConnectionTrait,
    master_keys: &MasterKeys,
    generation: i32,
    signs_in_seconds: i64,
) -> Result<(), OAuthError> {
    let new_key = NewKey::random().map_err(OAuthError::server_error)?;
    let sealed =
        master_keys.seal(&new_key.key_id, &new_key.private).map_err(OAuthError::server_error)?;
    let insert = batch::insert_values(
        Entity,
        [
            (Column::KeyId, new_key.key_id.into()),
            (Column::Generation, generation.into()),
            (Column::Algorithm, ALGORITHM.into()),
            (Column::PublicKey, new_key.public.to_string().into()),
            (Column::SealedPrivateKey, sealed.reveal().into()),
            (Column::CreatedDate, database::now(db)),
            (Column::SignsFromDate, database::seconds_from_now(db, signs_in_seconds)),
        ],
    );
    match db.execute(&insert).await {
        Err(error) if database::fault(&error) != Fault::Conflict => Err(error.into()),
        _ => Ok(()),
    }
}

/// What happens to the earlier keys when the next one takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OlderKeys {
    /// They stay in the set for a day.
    Kept,
    /// They are withdrawn immediately, because one of them may have leaked.
    Withdrawn,
}

/// Makes the next key sign from now on; returns its id.
pub async fn rotate(
    db: &DatabaseConnection,
    master_keys: &MasterKeys,
    rotation_seconds: i64,
    others: OlderKeys,
    actor: &str,
) -> Result<String, String> {
    check(db, master_keys).await.map_err(|why| {
        format!("nothing was changed, because AUTH_MASTER_KEYS does not open what there is: {why}")
    })?;
    database::time(db).await.map_err(|error| error.to_string())?;
    let maintained = database::retry(|| maintain(db, master_keys, rotation_seconds));
    maintained.await.map_err(|error| error.to_string())?;
    let rotated = database::write(db, async |tx| {
        try_rotate(tx, master_keys, rotation_seconds, others, actor).await
    });
    rotated.await.map_err(|error| error.to_string())?
}

/// One attempt. The inner error is a violated rule.
async fn try_rotate(
    tx: &DatabaseTransaction,
    master_keys: &MasterKeys,
    rotation_seconds: i64,
    others: OlderKeys,
    actor: &str,
) -> Result<Result<String, String>, OAuthError> {
    let keys = load(tx).await?;
    let Some(next) = keys.iter().find(|key| !key.started) else {
        return Ok(Err("there is no successor key".to_owned()));
    };
    if !next.announced && others == OlderKeys::Kept {
        return Ok(Err("the next key was published less than an hour ago, and clients may not \
                       have fetched it yet: try again later, or withdraw the others"
            .to_owned()));
    }
    start_now(tx, &next.key_id).await?;
    let mut reason = "on_command";
    if others == OlderKeys::Withdrawn {
        let withdraw = Query::update()
            .table(Entity)
            .value(Column::RemovedDate, database::now(tx))
            .and_where(Column::Generation.lt(next.generation))
            .and_where(Column::RemovedDate.is_null())
            .take();
        tx.execute(&withdraw).await?;
        reason = "others_withdrawn";
    }
    add(tx, master_keys, next.generation + 1, rotation_seconds).await?;
    Event::new(EventKind::KeyRotated).reason(reason).actor(actor).record(tx).await?;
    Ok(Ok(next.key_id.clone()))
}

/// Returns why the master keys do not open all stored keys; `None` if they do.
pub async fn unopened(
    db: &impl ConnectionTrait,
    master_keys: &MasterKeys,
) -> Result<Option<String>, DbErr> {
    let mut opened = load(db).await?.into_iter().map(|key| {
        let sealed = &key.sealed_private_key;
        let why = master_keys.unseal(&key.key_id, sealed).err()?;
        Some(format!("signing key {}: {why}", key.key_id))
    });
    Ok(opened.find_map(|why| why))
}

/// Checks that the master keys open every stored key.
pub async fn check(db: &DatabaseConnection, master_keys: &MasterKeys) -> Result<(), String> {
    match unopened(db, master_keys).await {
        Ok(None) => Ok(()),
        Ok(Some(why)) => Err(why),
        Err(error) => Err(error.to_string()),
    }
}

/// A newly generated key.
struct NewKey {
    key_id: String,
    public: Value,
    private: Vec<u8>,
}

impl NewKey {
    fn random() -> Result<Self, String> {
        let private = EcdsaKeyPair::generate_pkcs8(
            &ECDSA_P256_SHA256_FIXED_SIGNING,
            &aws_lc_rs::rand::SystemRandom::new(),
        )
        .map_err(|error| error.to_string())?;
        let private = private.as_ref().to_vec();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &private)
            .map_err(|error| error.to_string())?;
        // An uncompressed point: one tag byte, then x and y.
        let point = pair.public_key().as_ref();
        let (x, y) = point[1..].split_at(point.len() / 2);
        let (x, y) = (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
        let thumbprint = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        let key_id = URL_SAFE_NO_PAD.encode(digest(&SHA256, thumbprint.as_bytes()));
        let public = json!({
            "kty": "EC", "crv": "P-256", "x": x, "y": y,
            "use": "sig", "alg": ALGORITHM, "kid": key_id,
        });
        Ok(Self { key_id, public, private })
    }
}

/// Returns a JWT of these claims, signed with the current key.
pub async fn sign(
    store: &Store,
    db: &impl ConnectionTrait,
    claims: &impl Serialize,
) -> Result<String, OAuthError> {
    let keys = load(db).await?;
    let key = current_key(&keys)
        .ok_or_else(|| OAuthError::unavailable("there is no key to sign ID tokens yet"))?;
    let private = store.master_keys.unseal(&key.key_id, &key.sealed_private_key);
    let private = private.map_err(OAuthError::server_error)?;
    let mut header = Header::new(Algorithm::ES256);
    header.kid = Some(key.key_id.clone());
    jsonwebtoken::encode(&header, claims, &EncodingKey::from_ec_der(&private))
        .map_err(OAuthError::server_error)
}

/// Returns the subject identifier of a user.
pub fn sub(kind: UserKind, user_id: i64) -> String {
    format!("{}:{user_id}", kind.as_str())
}

/// The claims of an ID token hint.
#[derive(Debug, Deserialize)]
pub struct Hint {
    /// The session.
    pub sid: String,
    /// The user.
    pub sub: String,
    /// The client it was issued to.
    pub aud: String,
}

/// Verifies an ID token of this server, expired or not, and returns its claims (OpenID Connect
/// RP-Initiated Logout, 4).
pub async fn read_hint(
    store: &Store,
    db: &impl ConnectionTrait,
    token: &str,
) -> Result<Option<Hint>, OAuthError> {
    let Ok(header) = jsonwebtoken::decode_header(token) else { return Ok(None) };
    let keys = load(db).await?;
    let Some(key) = keys.iter().find(|key| Some(&key.key_id) == header.kid.as_ref()) else {
        return Ok(None);
    };
    let jwk: Jwk = serde_json::from_str(&key.public_key).map_err(OAuthError::server_error)?;
    let public = DecodingKey::from_jwk(&jwk).map_err(OAuthError::server_error)?;
    let mut validation = Validation::new(Algorithm::ES256);
    validation.validate_exp = false;
    validation.validate_aud = false;
    validation.set_required_spec_claims(&["iss"]);
    validation.set_issuer(&[&store.issuer]);
    Ok(jsonwebtoken::decode::<Hint>(token, &public, &validation).ok().map(|token| token.claims))
}
